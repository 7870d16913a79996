// What is said once per run: when, where, from which commit, on what machine. Nothing here can make a
// run fail: what cannot be found out is left out.
// SPDX-License-Identifier: Apache-2.0
#include "loop/header.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { OS_RELEASE_BYTES_MAX = 64 * 1024, CPU_INFO_BYTES_MAX = 16 * 1024 * 1024 };

static const double git_timeout_s = 10;

// First line of git's answer in that folder, or NULL.
static const char *ask_git(struct arena *a, const char *directory, const char *const *argv)
{
    struct process_spec spec = {.argv = argv, .directory = directory, .timeout_s = git_timeout_s};
    struct process_result r;
    struct error ignored = {0};
    if (!process_run(&spec, &r, &ignored))
        return NULL;
    const char *out = text_str(&r.out);
    const char *line = r.exit_status == 0 ? arena_strndup(a, out, strcspn(out, "\n")) : NULL;
    process_result_release(&r);
    return line;
}

// The commit of the experiment's folder; "+dirty" if a file there differs from it.
static const char *git_state(struct arena *a, const char *directory)
{
    const char *const head[] = {"git", "rev-parse", "HEAD", NULL};
    // A look: it takes no lock that others wait for, and starts no program that the repository names.
    const char *const status[] = {"git",    "--no-optional-locks", "-c", "core.fsmonitor=false",
                                  "status", "--porcelain",         "--", ".",
                                  NULL};
    if (!program_find(a, "git"))
        return NULL;
    const char *commit = ask_git(a, directory, head);
    const char *changed = commit ? ask_git(a, directory, status) : NULL;
    return changed && *changed ? arena_printf(a, "%s+dirty", commit) : commit;
}

// The value after `key` and `separator` in a file of lines, quotes taken off, or NULL.
static const char *value_in_file(struct arena *a, const char *path, size_t max_bytes,
                                 const char *key, char separator)
{
    char *content = NULL;
    size_t size_bytes = 0;
    struct error ignored = {0};
    if (!file_exists(path) || !file_read(path, max_bytes, &content, &size_bytes, &ignored))
        return NULL;
    const char *value = NULL;
    for (const char *line = content; *line && !value; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *at = memchr(line, separator, length);
        if (at && str_starts_with(line, key)) {
            at++;
            at += strspn(at, " \t\"");
            value = arena_strndup(a, at, strcspn(at, "\"\n"));
        }
        line += length;
    }
    free(content);
    return value;
}

static void set_text(json_t *object, const char *key, const char *value)
{
    json_t *j = value ? json_string(value) : NULL; // NULL too if it is not UTF-8
    if (j)
        json_object_set_new(object, key, j);
}

// Whoever holds the run releases it (json_decref).
static json_t *environment_of(struct arena *a, int threads)
{
    json_t *j = json_object();
    struct utsname u;
    if (uname(&u) == 0) {
        set_text(j, "host", u.nodename);
        set_text(j, "kernel", arena_printf(a, "%s %s %s", u.sysname, u.release, u.machine));
    }
    set_text(j, "os",
             value_in_file(a, "/etc/os-release", OS_RELEASE_BYTES_MAX, "PRETTY_NAME", '='));
    set_text(j, "cpu", value_in_file(a, "/proc/cpuinfo", CPU_INFO_BYTES_MAX, "model name", ':'));
    json_object_set_new(j, "cpus", json_integer(cpu_count()));
    json_object_set_new(j, "threads", json_integer(threads > 0 ? threads : cpu_count()));
    return j;
}

static void header_begin(struct arena *a, const char *name, const char *folder,
                         const struct device_info *device, int threads, bool warm,
                         struct run_header *out)
{
    char started[32];
    time_utc_iso(started);
    *out = (struct run_header){
        .ridge_version = RIDGE_VERSION,
        .started = arena_strdup(a, started),
        .git = git_state(a, folder),
        .experiment = name,
        .device_id = device->id,
        .device_name = device->name,
        .device_cc = device->facts.cc,
        .cache_state = warm ? "warm" : "cold",
        .environment = environment_of(a, threads),
    };
    if (!device->simulated)
        set_text(out->environment, "driver", device->driver);
    if (device->cpu)
        set_text(out->environment, "times", "measured on a CPU device");
}

static const char *folder_now(struct arena *a)
{
    char *path = getcwd(NULL, 0);
    const char *folder = path ? arena_strdup(a, path) : NULL;
    free(path);
    return folder;
}

void header_of_program(struct arena *a, const char *program, const struct device_info *device,
                       int threads, bool warm, struct run_header *out)
{
    header_begin(a, program, ".", device, threads, warm, out);
}

void header_fill(struct arena *a, const struct loop_request *request, const struct experiment *e,
                 const struct device_info *device, struct run_header *out)
{
    header_begin(a, e->name, e->directory, device, request->threads, request->warm, out);
    out->title = e->title;
    out->experiment_path = e->path;
    out->folder = folder_now(a);
    if (device->simulated) {
        set_text(out->environment, "model", gpu_model_name(a, device->id));
    } else {
        const char *clocks, *uuid;
        telemetry_words(a, device, &clocks, &uuid);
        set_text(out->environment, "clocks", clocks);
        set_text(out->environment, "gpu_uuid", uuid);
    }
    if (request->sample_share > 0 && request->sample_share < 1)
        json_object_set_new(out->environment, "sample_share", json_real(request->sample_share));
}
