// A workload of rocprof-compute (Omniperf): its counters are rocprof's CSV, sysinfo.csv says on what
// they were taken. import.c names the files of a workload's folder.
// SPDX-License-Identifier: Apache-2.0
#include "import/internal.h"

#include <string.h>

static const char *const sysinfo_names[] = {"workload_name", "command", NULL};

bool rocprof_compute_detect(const struct source *s)
{
    return csv_has_header(s, sysinfo_names);
}

// Keeps what says where the figures come from; names as of rocprof-compute 3, then those of Omniperf.
static void machine_take(struct builder *b, const struct csv *csv, const struct columns *columns)
{
    static const struct {
        const char *key, *names[3];
    } facts[] = {{"workload", {"workload_name"}},
                 {"command", {"command"}},
                 {"date", {"timestamp", "date"}},
                 {"host", {"hostname", "host_name"}},
                 {"gpu", {"gpu_model", "name"}},
                 {"architecture", {"gpu_arch", "gpu_soc"}},
                 {"rocm", {"rocm_version", "host_rocmver"}},
                 {"compute_units", {"cu_per_gpu", "numCU"}},
                 {"wave_size", {"wave_size", "waveSize"}},
                 {"max_clock_mhz", {"max_sclk", "maxSclk"}}};
    json_decref(b->context);
    b->context = json_object();
    for (size_t i = 0; i < COUNT_OF(facts); i++) {
        const char *text = csv_field(csv, column_any(columns, facts[i].names));
        if (*text)
            json_object_set_new(b->context, facts[i].key, json_string(text_valid(b->arena, text)));
    }
    const char *gpu = json_string_value(json_object_get(b->context, "gpu"));
    const char *arch = json_string_value(json_object_get(b->context, "architecture"));
    if (gpu || arch)
        b->device_name = arena_printf(b->arena, "AMD %s%s%s%s", gpu ? gpu : "GPU", arch ? " (" : "",
                                      arch ? arch : "", arch ? ")" : "");
}

static bool sysinfo_read(struct builder *b, const struct source *s, struct error *err)
{
    struct csv csv;
    bool more = false;
    csv_open(&csv, b->arena, s->file, s->data, s->size_bytes);
    bool done = csv_header(&csv, sysinfo_names);
    struct columns columns = csv_columns(&csv);
    done = done && csv_next(&csv, &more, err);
    if (done && more)
        machine_take(b, &csv, &columns);
    else if (done)
        done = fail(err, csv_place(&csv),
                    "sysinfo.csv has a header and no row, so it was cut off: profile again");
    csv_close(&csv);
    return done;
}

bool rocprof_compute_read(struct builder *b, const struct source *s, struct error *err)
{
    return rocprof_compute_detect(s) ? sysinfo_read(b, s, err) : rocprof_read(b, s, err);
}
