// CUPTI's PC sampling for tests where there is none. An instruction at 0 of the function FAKE_PC_FUNCTION ("plain") waits
// for long_scoreboard, one at 0x20 is selected, and one of a function "other" is none of ours. FAKE_PC: what is off:
// a word of the list below. Each fetch gives one instruction; the last comes when sampling is disabled. FAKE_LOADS: a file that gets
// a line when sampling is enabled, as the fake driver writes one there for each module.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pcsampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = 4, SAMPLES = 3000 };
static const char *const names[REASONS] = {
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
    "smsp__pcsamp_warps_issue_stalled_selected",
    "smsp__pcsamp_warps_issue_stalled_of_a_later_chip",
};
static struct pc_buffer *rest;
static int left, enabled, started, needs_start;

static int is_off(const char *what)
{
    const char *is = getenv("FAKE_PC");
    return is && strcmp(is, what) == 0;
}

static const char *function(void)
{
    const char *name = getenv("FAKE_PC_FUNCTION");
    return name ? name : "plain";
}

int cuptiGetResultString(int status, const char **text)
{
    (void)status;
    *text = "CUPTI_ERROR_OF_THE_FAKE";
    return 0;
}

int cuptiPCSamplingEnable(struct pc_context *it)
{
    if (it->size != 24 || enabled)
        return 1;
    if (is_off("denied"))
        return 35;
    if (is_off("busy"))
        return 26;
    if (is_off("unsupported"))
        return 27;
    if (is_off("old"))
        return 14;
    FILE *log = getenv("FAKE_LOADS") ? fopen(getenv("FAKE_LOADS"), "a") : NULL;
    if (log) {
        fputs("enable\n", log);
        fclose(log);
    }
    enabled = 1;
    return 0;
}

int cuptiPCSamplingGetNumStallReasons(struct pc_reason_count *it)
{
    *it->count = is_off("no-reasons") ? 0 : is_off("many-reasons") ? 100000 : REASONS;
    return 0;
}

int cuptiPCSamplingGetStallReasons(struct pc_reasons *it)
{
    for (size_t i = 0; i < it->count; i++) {
        it->index[i] = (uint32_t)i + 7;
        strcpy(it->name[i], names[i]);
    }
    return 0;
}

int cuptiPCSamplingSetConfigurationAttribute(struct pc_configuration *it)
{
    needs_start = 0;
    for (size_t i = 0; i < it->count; i++) {
        if (it->values[i].attribute == PC_BUFFER)
            rest = it->values[i].value.buffer;
        if (it->values[i].attribute == PC_START_STOP)
            needs_start = 1;
        if (it->values[i].attribute == PC_PERIOD && it->values[i].value.number < 5)
            return 7;
    }
    left = 0;
    return is_off("setting") ? 7 : 0;
}

int cuptiPCSamplingStart(struct pc_context *it)
{
    started = needs_start && !started && it->size == 24;
    return started ? 0 : 7;
}

int cuptiPCSamplingStop(struct pc_context *it)
{
    int was = started;
    started = 0;
    return was && it->size == 24 ? 0 : 7;
}

static void put(struct pc_buffer *b, const char *name, uint64_t offset, uint32_t first,
                uint32_t samples)
{
    struct pc_data *d = &b->data[b->count++];
    d->function = (char *)name; // CUPTI's are allocated, and never released by ridge
    d->offset = offset;
    d->reason_count = is_off("reasons") ? 1000 : 2;
    d->reasons[0] = (struct pc_reason_samples){first, samples};
    d->reasons[1] = (struct pc_reason_samples){8, samples}; // counted above already
}

int cuptiPCSamplingGetData(struct pc_get *it)
{
    struct pc_buffer *b = it->buffer;
    if (it->size != 32 || b->size != 80 || b->data[0].size != 64 || !enabled)
        return 1;
    if (is_off("full-status"))
        return 8;
    b->count = 0;
    b->full = is_off("full");
    b->dropped = is_off("dropped") ? 5 : 0;
    if (!is_off("short"))
        put(b, left == 0 ? function() : "other", 0, 7, SAMPLES);
    if (is_off("many"))
        b->count = 100000;
    left = left == 0;
    b->remaining = is_off("endless") ? 1 : (size_t)left;
    return 0;
}

int cuptiPCSamplingDisable(struct pc_context *it)
{
    if (!enabled || it->size != 24)
        return 1;
    enabled = 0;
    rest->count = 0;
    rest->dropped = 0;
    if (!is_off("short")) {
        put(rest, function(), 0x20, 9, SAMPLES / 3);
        put(rest, function(), 0x20, is_off("later") ? 10 : 9, SAMPLES / 3);
    }
    if (is_off("cut-rest"))
        rest->count = 100000;
    return is_off("end") ? 999 : 0;
}
