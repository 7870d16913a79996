// rocprofiler-sdk for tests where there is none: a CPU and the GPU at 0000:00:00.0. It holds its caller to the order that AMD
// documents: a tool registers before AMD's runtime is loaded, contexts are made while it registers, a configuration is chosen
// while a context starts. A configuration takes two counters; WRITE_SIZE fits none. Values: SQ_INSTS 1000 and 24 of two
// instances, FETCH_SIZE 64, SQ_INSTS_VALU 500, SQ_INSTS_LDS 7. FAKE_LATER_RECORDS: 40 bytes each, not 32.
// FAKE_PASSES: a file that gets a line per launch counted.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCKED = 15, ERROR = 1, AGENT = 77, CONTEXT = 5, BUFFER = 6, ALONE_MOST = 2, CONFIGS = 64 };
struct client {
    const char *name;
    uint32_t handle;
};
struct tool {
    size_t size;
    int (*initialize)(void (*finalize)(struct client), void *data);
    void (*finalize)(void *data);
    void *data;
};
typedef int set_config(uint64_t context, uint64_t config);

static int registering, started;
static void (*choose)(uint64_t context, uint64_t agent, set_config *set, void *data);
static void *choose_data;
static struct {
    uint64_t counters[ALONE_MOST];
    size_t count;
} configs[CONFIGS];
static size_t config_count, chosen;

static const char *const names[] = {"SQ_INSTS", "FETCH_SIZE",    "WRITE_SIZE",
                                    "GRBM_GUI", "SQ_INSTS_VALU", "SQ_INSTS_LDS"};
enum { COUNTERS = sizeof names / sizeof names[0], WRITE_SIZE = 2, FIRST_ID = 100 };

int rocprofiler_force_configure(struct tool *(*configure)(uint32_t version, const char *runtime,
                                                          uint32_t priority, struct client *client))
{
    struct client client = {0};
    if (dlopen("libamdhip64.so.7", RTLD_LAZY | RTLD_NOLOAD))
        return LOCKED; // too late
    registering = 1;
    struct tool *tool = configure(600, "0.6.0", 0, &client);
    int status =
        tool->size == sizeof *tool && client.name ? tool->initialize(NULL, tool->data) : ERROR;
    registering = 0;
    return status;
}

int rocprofiler_query_available_agents(int version,
                                       int (*callback)(int version, const void **agents,
                                                       size_t count, void *data),
                                       size_t agent_bytes, void *data)
{
    static uint32_t cpu[30] = {120, 0, 1, 0, 1}, gpu[30] = {120, 0, AGENT, 0, 2};
    const void *agents[] = {cpu, gpu};
    return version == 1 && agent_bytes <= sizeof gpu ? callback(1, agents, 2, data) : ERROR;
}

int rocprofiler_create_context(uint64_t *context)
{
    *context = CONTEXT;
    return registering ? 0 : LOCKED;
}

int rocprofiler_create_buffer(uint64_t context, size_t bytes, size_t watermark, int policy,
                              void (*callback)(void), void *data, uint64_t *buffer)
{
    (void)data;
    *buffer = BUFFER;
    return registering && context == CONTEXT && watermark <= bytes && policy == 2 && callback
               ? 0
               : ERROR;
}

int rocprofiler_configure_device_counting_service(uint64_t context, uint64_t buffer, uint64_t agent,
                                                  void (*callback)(uint64_t context, uint64_t agent,
                                                                   set_config *set, void *data),
                                                  void *data)
{
    choose = callback;
    choose_data = data;
    return registering && context == CONTEXT && buffer == BUFFER && agent == AGENT ? 0 : ERROR;
}

int rocprofiler_iterate_agent_supported_counters(uint64_t agent,
                                                 int (*callback)(uint64_t agent, uint64_t *counters,
                                                                 size_t count, void *data),
                                                 void *data)
{
    uint64_t all[COUNTERS];
    for (size_t i = 0; i < COUNTERS; i++)
        all[i] = FIRST_ID + i;
    return agent == AGENT ? callback(agent, all, COUNTERS, data) : ERROR;
}

int rocprofiler_query_counter_info(uint64_t counter, int version, void *info)
{
    if (version != 1 || counter < FIRST_ID || counter >= FIRST_ID + COUNTERS)
        return ERROR;
    memcpy(info, &counter, sizeof counter);
    memcpy((char *)info + sizeof counter, &names[counter - FIRST_ID], sizeof names[0]);
    return 0;
}

// The name of versions before 1.0.
int rocprofiler_create_profile_config(uint64_t agent, uint64_t *counters, size_t count,
                                      uint64_t *config)
{
    if (agent != AGENT || *config != 0 || count > ALONE_MOST || config_count == CONFIGS - 1)
        return ERROR;
    for (size_t i = 0; i < count; i++)
        if (counters[i] == FIRST_ID + WRITE_SIZE)
            return ERROR;
    configs[++config_count].count = count;
    memcpy(configs[config_count].counters, counters, count * sizeof *counters);
    *config = config_count;
    return 0;
}

static int set(uint64_t context, uint64_t config)
{
    chosen = config;
    return context == CONTEXT ? 0 : ERROR;
}

int rocprofiler_start_context(uint64_t context)
{
    chosen = 0;
    if (context != CONTEXT || started)
        return ERROR;
    choose(context, AGENT, set, choose_data);
    started = chosen != 0;
    return started ? 0 : ERROR;
}

int rocprofiler_stop_context(uint64_t context)
{
    int was = started;
    started = 0;
    return context == CONTEXT && was ? 0 : ERROR;
}

static char *record_add(char *at, uint64_t id, uint64_t instance, double value, uint64_t data)
{
    const uint64_t record[5] = {id << 16 | instance, 0, 0, data, AGENT};
    memcpy(at, record, sizeof record);
    memcpy(at + 8, &value, sizeof value);
    return at + (getenv("FAKE_LATER_RECORDS") ? 40 : 32);
}

int rocprofiler_sample_device_counting_service(uint64_t context, uint64_t data, int flags,
                                               char *records, size_t *count)
{
    static const double values[COUNTERS] = {1000, 64, 1, 1, 500, 7};
    const char *passes = getenv("FAKE_PASSES");
    FILE *out = passes ? fopen(passes, "a") : NULL;
    char *at = records;
    if (context != CONTEXT || !started || flags != 0 || *count < 4)
        return ERROR;
    *count = 0;
    for (size_t i = 0; i < configs[chosen].count; i++) {
        uint64_t id = configs[chosen].counters[i];
        at = record_add(at, id, 0, values[id - FIRST_ID], data);
        ++*count;
        if (id == FIRST_ID) {
            at = record_add(at, id, 1, 24, data);
            ++*count;
        }
        if (out)
            fprintf(out, "%s%s", i ? " " : "", names[id - FIRST_ID]);
    }
    if (out) {
        fputc('\n', out);
        fclose(out);
    }
    return 0;
}

int rocprofiler_query_record_counter_id(uint64_t record, uint64_t *counter)
{
    *counter = record >> 16;
    return 0;
}
