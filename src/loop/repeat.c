// A variant is timed by running it again and again on the same buffers, so it must bear that: a ticket
// counter that its kernel counts up and nobody resets sends the second run out of bounds. It is run
// twice before it is timed, and what the first run left behind is named.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

struct leftover { // the first element that a run left other than it found it
    int buffer;   // -1 = none
    struct output_difference difference;
};

struct search {
    const struct bench *bench;
    struct output_difference difference;
};

static bool search_part(void *context, const void *part, uint64_t first, uint64_t count)
{
    struct search *s = context;
    int i = s->difference.buffer;
    const struct resolved_buffer *in = &s->bench->job->resolved->buffers[i];
    const unsigned char *before = s->bench->job->inputs->data[i];
    input_compare(in, part, before + first * element_bytes(in->type), first, count, &s->difference);
    return s->difference.wrong_count == 0;
}

// What outputs hold is made anew for the second run; the rest is as the first run left it. Where there
// is a reference, only scratch buffers can differ: other inputs were compared.
static bool find_leftover(struct bench *b, struct leftover *found, struct error *err)
{
    bool done = true;
    *found = (struct leftover){.buffer = -1};
    for (int i = 0; i < b->job->resolved->buffer_count && done && found->buffer < 0; i++) {
        const struct buffer_spec *s = &b->job->experiment->buffers[i];
        struct search search = {b, {.buffer = i}};
        if (s->output || s->fill == FILL_NONE || (b->job->wanted && !s->scratch))
            continue;
        done = bench_read(b, i, search_part, &search, err);
        if (search.difference.wrong_count > 0)
            *found = (struct leftover){i, search.difference};
    }
    return done;
}

static bool renew_outputs(struct bench *b, struct error *err)
{
    for (int i = 0; i < b->job->resolved->buffer_count; i++)
        if (b->job->resolved->buffers[i].output && !bench_write_one(b, i, err))
            return false;
    return true;
}

static const char *describe(struct bench *b, const struct leftover *left, const char *what,
                            const char *why)
{
    const struct output_difference *d = &left->difference;
    const char *head =
        arena_printf(b->arena, "a second run, straight after the first, %s: %s\n  ", what, why);
    if (left->buffer < 0)
        return arena_printf(b->arena,
                            "%sno buffer differs between the two: a variable of the program (like "
                            "__device__ int ticket) keeps its value from run to run; make it a "
                            "buffer and reset it by a step 'zero:' in 'launches'",
                            head);
    const char *name = b->job->resolved->buffers[left->buffer].name;
    return arena_printf(b->arena,
                        "%sthe buffer '%s' differs between the two: %s[%llu] was %.9g when the "
                        "first began and %.9g when the second did; %s",
                        head, name, name, (unsigned long long)d->index, d->wanted, d->got,
                        d->wanted == 0
                            ? arena_printf(b->arena,
                                           "reset it by a step 'zero: %s' in 'launches', before "
                                           "the kernel",
                                           name)
                            : "write it anew in a kernel of 'launches' before this one");
}

bool bench_repeat(struct bench *b, bench_run_function run, struct result *r, struct error *err)
{
    struct leftover left;
    struct error why = {0};
    if (!find_leftover(b, &left, err))
        return false;
    // A simulated run is not cheap, and its time comes from one run: only where there is a suspect.
    if (b->job->device->simulated && left.buffer < 0)
        return true;
    if (!renew_outputs(b, err))
        return false;
    struct result second = {.status = RESULT_OK};
    if (!run(b, &why)) {
        r->status = RESULT_FAILED;
        r->error = describe(b, &left, "fails", why.message);
        return true;
    }
    if (b->job->wanted && !bench_check(b, &second, err))
        return false;
    if (second.status == RESULT_OK)
        return true;
    r->status = RESULT_FAILED;
    r->error = describe(b, &left, "is not right", second.error);
    return true;
}
