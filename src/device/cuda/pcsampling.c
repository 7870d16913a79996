// PC sampling: enabled on the context for the passes over the kernels, and disabled after them, as CUPTI's range profiler
// cannot be at work at the same time. Kernel by kernel CUPTI serialises them by itself; continuous sampling is started and stopped
// around each. What the GPU still holds when a kernel's samples are fetched comes with a later fetch, or when sampling is
// disabled.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/pcsampling.h"
#include "device/cuda/cupti.h"
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    PCS_MAX = 4096, // instructions per fetch
    FETCHES_MAX = 1024,
    REASONS_MAX = 256,
    HARDWARE_BUFFER_BYTES = 32 << 20, // CUPTI's own 512 MiB take 0.3 s to pin
};
enum { // CUptiResult
    CUPTI_OUT_OF_MEMORY = 8,
    CUPTI_NOT_COMPATIBLE = 14,
    CUPTI_BUSY = 26,
    CUPTI_NOT_SUPPORTED = 27,
    CUPTI_VIRTUAL = 33,
    CUPTI_OLD_PROFILER = 36,
    CUPTI_OTHER_SUBSCRIBER = 39,
    CUPTI_CONFIDENTIAL = 41,
    CUPTI_MIG = 43,
    CUPTI_WSL = 45,
};
_Static_assert(sizeof(struct pc_data) == 64, "as in CUPTI's header");
_Static_assert(sizeof(struct pc_buffer) == 80, "as in CUPTI's header");
_Static_assert(sizeof(struct pc_attribute_value) == 32, "as in CUPTI's header");

struct functions {
#define SAMPLING(name, type) int (*name)(struct type *);
#include "device/cuda/pcsampling.def"
#undef SAMPLING
    int (*result_string)(int status, const char **text);
};

struct pcsampling {
    struct functions f;
    struct arena arena;
    void *context;
    enum sampling_mode mode;
    bool enabled;
    size_t reason_count;
    enum stall *stalls;               // of CUPTI's indices of reasons
    bool *counted;                    // … those whose samples no other reason has
    size_t index_count;               // of both
    struct pc_buffer *fetched, *rest; // a fetch's; what is left when sampling is disabled
    struct pc_samples samples;
};

/* ---- what is off -------------------------------------------------------------------------------------- */

static bool check(const struct functions *f, int status, const char *doing, struct error *err)
{
    switch (status) {
    case CUPTI_BUSY:
    case CUPTI_OLD_PROFILER:
    case CUPTI_OTHER_SUBSCRIBER:
        return fail_as(
            err, ERROR_SYSTEM, NOWHERE,
            "another profiler is using the GPU (CUPTI status %d): end it, or run without it",
            status);
    case CUPTI_NOT_COMPATIBLE:
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "NVIDIA's driver is too old for this libcupti: update the driver, or set "
                       "RIDGE_CUDA_PATH to an older toolkit");
    case CUPTI_NOT_SUPPORTED:
    case CUPTI_VIRTUAL:
    case CUPTI_CONFIDENTIAL:
    case CUPTI_MIG:
    case CUPTI_WSL:
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "this GPU does not sample, as it is or as it is shared (CUPTI status %d: "
                       "virtual, MIG, WSL, or older than Volta)",
                       status);
    case CUPTI_OUT_OF_MEMORY:
        return fail_as(
            err, ERROR_SYSTEM, NOWHERE,
            "the GPU's buffer of samples is full: the kernel is too long for this period");
    default:
        return cupti_check(f->result_string, status, doing, err);
    }
}

/* ---- opening -------------------------------------------------------------------------------------------- */

static bool functions_load(struct functions *f, struct error *err)
{
    struct error ignored = {0};
    void *library = cupti_library(err);
    if (!library)
        return false;
#define SAMPLING(name, type)                                                                     \
    if (!library_symbol(library, #name, &f->name, sizeof f->name, &ignored))                     \
        return fail_as(err, ERROR_SYSTEM, NOWHERE,                                               \
                       "libcupti is older than CUDA 11.3, whose PC sampling ridge uses: update " \
                       "the toolkit");
#include "device/cuda/pcsampling.def"
#undef SAMPLING
    if (!library_symbol(library, "cuptiGetResultString", &f->result_string, sizeof f->result_string,
                        &ignored))
        f->result_string = NULL;
    return true;
}

// Which of our reasons each of CUPTI's is. One that is not known is "misc"; those of warps that could not issue are
// counted under the reason itself already.
static void reasons_map(struct pcsampling *s, const uint32_t *index, char *const *name)
{
    for (size_t i = 0; i < s->reason_count; i++)
        s->index_count =
            index[i] >= s->index_count && index[i] < REASONS_MAX ? index[i] + 1u : s->index_count;
    s->stalls = ARENA_ARRAY(&s->arena, enum stall, s->index_count + 1);
    s->counted = ARENA_ARRAY(&s->arena, bool, s->index_count + 1);
    for (size_t i = 0; i < s->reason_count; i++) {
        if (index[i] >= s->index_count)
            continue;
        if (!stall_find_sampled(name[i], &s->stalls[index[i]]))
            s->stalls[index[i]] = STALL_MISC;
        s->counted[index[i]] = !str_ends_with(name[i], "_not_issued");
    }
}

static bool reasons_read(struct pcsampling *s, struct error *err)
{
    struct pc_reason_count count = {sizeof count, NULL, s->context, &s->reason_count};
    if (!check(&s->f, s->f.cuptiPCSamplingGetNumStallReasons(&count), "count stall reasons", err))
        return false;
    if (s->reason_count == 0 || s->reason_count > REASONS_MAX)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "CUPTI reports %zu stall reasons",
                       s->reason_count);
    uint32_t *index = ARENA_ARRAY(&s->arena, uint32_t, s->reason_count);
    char **name = ARENA_ARRAY(&s->arena, char *, s->reason_count);
    for (size_t i = 0; i < s->reason_count; i++)
        name[i] = arena_alloc(&s->arena, PC_REASON_NAME_BYTES + 1);
    struct pc_reasons reasons = {sizeof reasons, NULL, s->context, s->reason_count, index, name};
    if (!check(&s->f, s->f.cuptiPCSamplingGetStallReasons(&reasons), "name stall reasons", err))
        return false;
    reasons_map(s, index, name);
    return true;
}

static struct pc_buffer *buffer_make(struct pcsampling *s)
{
    struct pc_buffer *b = ARENA_NEW(&s->arena, struct pc_buffer);
    *b = (struct pc_buffer){.size = sizeof *b, .room = PCS_MAX};
    b->data = ARENA_ARRAY(&s->arena, struct pc_data, PCS_MAX);
    for (size_t i = 0; i < PCS_MAX; i++) {
        b->data[i] = (struct pc_data){.size = sizeof b->data[i]};
        b->data[i].reasons = ARENA_ARRAY(&s->arena, struct pc_reason_samples, s->reason_count);
    }
    return b;
}

static bool configure(struct pcsampling *s, unsigned period_log2, struct error *err)
{
    bool continuous = s->mode == SAMPLING_CONTINUOUS;
    struct pc_attribute_value values[] = {
        {.attribute = PC_PERIOD, .value.number = period_log2},
        {.attribute = PC_MODE, .value.mode = continuous ? PC_CONTINUOUS : PC_KERNEL_SERIALIZED},
        {.attribute = PC_HARDWARE_BUFFER, .value.whole = {HARDWARE_BUFFER_BYTES}},
        {.attribute = PC_BUFFER, .value.buffer = s->rest},
        {.attribute = PC_START_STOP, .value.number = 1},
    };
    struct pc_configuration all = {sizeof all, NULL, s->context,
                                   COUNT_OF(values) - (continuous ? 0 : 1), values};
    return check(&s->f, s->f.cuptiPCSamplingSetConfigurationAttribute(&all), "configure sampling",
                 err);
}

static bool sampling_begin(struct pcsampling *s, unsigned period_log2, struct error *err)
{
    struct pc_context enable = {sizeof enable, NULL, s->context};
    if (!check(&s->f, s->f.cuptiPCSamplingEnable(&enable), "enable PC sampling", err))
        return false;
    s->enabled = true;
    if (!reasons_read(s, err))
        return false;
    s->fetched = buffer_make(s);
    s->rest = buffer_make(s);
    return configure(s, period_log2, err);
}

static void release(struct pcsampling *s)
{
    arena_release(&s->arena);
    free(s);
}

static int disable(struct pcsampling *s)
{
    struct pc_context off = {sizeof off, NULL, s->context};
    return s->enabled ? s->f.cuptiPCSamplingDisable(&off) : CUPTI_DONE;
}

bool pcsampling_open(void *cu_context, enum sampling_mode mode, unsigned period_log2,
                     struct pcsampling **out, struct error *err)
{
    struct pcsampling *s = xcalloc(1, sizeof *s);
    s->context = cu_context;
    s->mode = mode;
    *out = NULL;
    if (functions_load(&s->f, err) && sampling_begin(s, period_log2, err)) {
        *out = s;
        return true;
    }
    (void)disable(s);
    release(s);
    return false;
}

/* ---- sampling --------------------------------------------------------------------------------------------- */

bool pcsampling_begin(struct pcsampling *s, struct error *err)
{
    struct pc_context start = {sizeof start, NULL, s->context};
    return s->mode != SAMPLING_CONTINUOUS ||
           check(&s->f, s->f.cuptiPCSamplingStart(&start), "start sampling", err);
}

static struct pc_place *place_find(struct pcsampling *s, const struct pc_data *d)
{
    struct pc_samples *all = &s->samples;
    for (size_t i = 0; i < all->count; i++)
        if (all->places[i].offset == d->offset && strcmp(all->places[i].function, d->function) == 0)
            return &all->places[i];
    if (all->count == all->capacity) {
        size_t more = all->capacity > 0 ? 2 * all->capacity : 256;
        struct pc_place *grown = ARENA_ARRAY(&s->arena, struct pc_place, more);
        if (all->count > 0)
            memcpy(grown, all->places, all->count * sizeof *grown);
        all->places = grown;
        all->capacity = more;
    }
    all->places[all->count] =
        (struct pc_place){.function = arena_strdup(&s->arena, d->function), .offset = d->offset};
    return &all->places[all->count++];
}

// CUPTI allocates the functions' names, and may share one among records: they are left to it.
static bool take_place(struct pcsampling *s, const struct pc_data *d, struct error *err)
{
    if (!d->function || d->reason_count > s->reason_count)
        return fail_as(
            err, ERROR_SYSTEM, NOWHERE,
            "CUPTI's samples are not understood: %zu reasons of %zu at an instruction of "
            "'%s'",
            d->reason_count, s->reason_count, d->function ? d->function : "");
    struct pc_place *place = place_find(s, d);
    for (size_t i = 0; i < d->reason_count; i++) {
        const struct pc_reason_samples *r = &d->reasons[i];
        bool known = r->reason < s->index_count;
        if (known && !s->counted[r->reason])
            continue;
        place->samples[known ? s->stalls[r->reason] : STALL_MISC] += r->samples;
        s->samples.total += r->samples;
    }
    return true;
}

static bool take_buffer(struct pcsampling *s, struct pc_buffer *b, struct error *err)
{
    if (b->count > PCS_MAX)
        return fail_as(
            err, ERROR_SYSTEM, NOWHERE,
            "CUPTI's samples are not understood: %zu instructions where there is room for "
            "%d",
            b->count, (int)PCS_MAX);
    for (size_t i = 0; i < b->count; i++)
        if (!take_place(s, &b->data[i], err))
            return false;
    s->samples.dropped += b->dropped;
    s->samples.unnamed += b->of_others;
    if (b->full)
        return check(&s->f, CUPTI_OUT_OF_MEMORY, "", err);
    b->count = 0;
    b->dropped = b->of_others = 0;
    return true;
}

static bool fetch(struct pcsampling *s, struct error *err)
{
    struct pc_get get = {sizeof get, NULL, s->context, s->fetched};
    for (int i = 0; i < FETCHES_MAX; i++) {
        if (!check(&s->f, s->f.cuptiPCSamplingGetData(&get), "read samples", err) ||
            !take_buffer(s, s->fetched, err))
            return false;
        if (s->fetched->remaining == 0)
            return true;
    }
    return fail_as(err, ERROR_SYSTEM, NOWHERE, "CUPTI's samples do not end");
}

bool pcsampling_end(struct pcsampling *s, struct error *err)
{
    struct pc_context stop = {sizeof stop, NULL, s->context};
    if (s->mode == SAMPLING_CONTINUOUS &&
        !check(&s->f, s->f.cuptiPCSamplingStop(&stop), "stop sampling", err))
        return false;
    return fetch(s, err);
}

uint64_t pcsampling_total(const struct pcsampling *s)
{
    return s->samples.total;
}

static void hand_over(const struct pcsampling *s, struct arena *a, struct pc_samples *out)
{
    struct pc_samples all = {.count = out->count + s->samples.count,
                             .total = out->total + s->samples.total,
                             .dropped = out->dropped + s->samples.dropped,
                             .unnamed = out->unnamed + s->samples.unnamed};
    all.capacity = all.count;
    all.places = ARENA_ARRAY(a, struct pc_place, all.count + 1);
    if (out->count > 0)
        memcpy(all.places, out->places, out->count * sizeof *all.places);
    for (size_t i = 0; i < s->samples.count; i++) {
        struct pc_place *p = &all.places[out->count + i];
        *p = s->samples.places[i];
        p->function = arena_strdup(a, p->function);
    }
    *out = all;
}

bool pcsampling_close(struct pcsampling *s, struct arena *a, struct pc_samples *out,
                      struct error *err)
{
    bool done = check(&s->f, disable(s), "end sampling", err) && take_buffer(s, s->rest, err);
    if (done)
        hand_over(s, a, out);
    release(s);
    return done;
}
