// The copies around the kernels: which buffers are copied, timed on a device that only pretends, and
// how they become part of a result.
// SPDX-License-Identifier: Apache-2.0
#include "loop/bench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#undef fail

enum { BUFFERS = 4, STEP_NS = 2000000 };

static uint64_t written_bytes, read_bytes, writes;

static void nap(void)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = STEP_NS}, NULL);
}

static bool pretend_write(struct device *d, uint64_t address, const void *data, uint64_t size_bytes,
                          struct error *err)
{
    (void)d, (void)address, (void)data, (void)err;
    written_bytes += size_bytes;
    writes++;
    nap();
    return true;
}

static bool pretend_read(struct device *d, uint64_t address, void *data, uint64_t size_bytes,
                         struct error *err)
{
    (void)d, (void)address, (void)err;
    memset(data, 1, size_bytes);
    read_bytes += size_bytes;
    nap();
    return true;
}

static bool refuse_write(struct device *d, uint64_t address, const void *data, uint64_t size_bytes,
                         struct error *err)
{
    (void)d, (void)address, (void)data, (void)size_bytes;
    return fail(err, NOWHERE, "the link is cut");
}

// An input, a scratch buffer, an output, one that is both.
struct rig {
    struct buffer_spec specs[BUFFERS];
    struct resolved_buffer buffers[BUFFERS];
    struct experiment experiment;
    struct resolved_case resolved;
    struct gpu gpu;
    struct device_info info;
    struct host_buffers inputs;
    void *data[BUFFERS];
    struct job job;
    struct device_memory_ops memory;
    struct device_ops ops;
    struct device device;
    uint64_t addresses[BUFFERS], sizes[BUFFERS];
    struct bench bench;
};

static void rig_init(struct rig *r)
{
    static const struct resolved_buffer buffers[BUFFERS] = {
        {.name = "in", .size_bytes = 1000},
        {.name = "scratch", .size_bytes = 500},
        {.name = "out", .size_bytes = 300, .output = true},
        {.name = "both", .size_bytes = 20, .output = true}};
    *r = (struct rig){.memory = {.write = pretend_write, .read = pretend_read}};
    r->ops.memory = &r->memory;
    r->specs[0].fill = FILL_UNIFORM;
    r->specs[2].output = r->specs[3].output = true;
    r->specs[3].fill = FILL_IOTA;
    memcpy(r->buffers, buffers, sizeof buffers);
    for (int i = 0; i < BUFFERS; i++)
        r->sizes[i] = buffers[i].size_bytes;
    r->experiment = (struct experiment){.buffers = r->specs, .buffer_count = BUFFERS};
    r->resolved = (struct resolved_case){.buffers = r->buffers, .buffer_count = BUFFERS};
    r->gpu = (struct gpu){.id = "test"};
    r->gpu.value[GPU_FIELD_host_link_gbps] = 10;
    r->info.gpu = &r->gpu;
    r->inputs = (struct host_buffers){.data = r->data, .count = BUFFERS};
    r->job = (struct job){.experiment = &r->experiment,
                          .device = &r->info,
                          .resolved = &r->resolved,
                          .inputs = &r->inputs};
    r->device = (struct device){.ops = &r->ops};
    r->bench = (struct bench){
        .job = &r->job, .device = &r->device, .addresses = r->addresses, .sizes = r->sizes};
}

static void inputs_go_in_and_outputs_come_back_at_the_rate_of_the_link(void **state)
{
    struct rig r;
    struct transfers t;
    struct error err = {0};
    rig_init(&r);
    assert_true(transfers_model(&r.job, &t, &err));
    assert_true(t.h2d_bytes == 1020 && t.d2h_bytes == 320);
    assert_true(t.h2d_ns == 102 && t.d2h_ns == 32);
    assert_int_equal(t.provenance, PROVENANCE_MODELLED);
}

static void a_chip_without_a_link_is_reported(void **state)
{
    struct rig r;
    struct transfers t;
    struct error err = {0};
    rig_init(&r);
    r.gpu.value[GPU_FIELD_host_link_gbps] = (double)NAN;
    assert_false(transfers_model(&r.job, &t, &err));
    assert_string_equal(err.message, "gpus/test.yaml states no host_link_gbps, so the copies of "
                                     "--with-transfers cannot be modelled");
}

static void copies_are_timed_on_the_device_as_a_program_would_make_them(void **state)
{
    struct rig r;
    struct transfers t;
    struct error err = {0};
    rig_init(&r);
    written_bytes = read_bytes = writes = 0;
    assert_true(transfers_measure(&r.bench, &t, &err));
    uint64_t rounds = writes / 2; // two inputs
    assert_true(rounds >= 4 && written_bytes == rounds * 1020 && read_bytes == rounds * 320);
    assert_true(t.h2d_ns >= 2.0 * STEP_NS && t.d2h_ns >= 2.0 * STEP_NS); // two buffers each way
    assert_int_equal(t.provenance, PROVENANCE_MEASURED);
    r.memory.write = refuse_write;
    assert_false(transfers_measure(&r.bench, &t, &err));
    assert_string_equal(err.message, "the link is cut");
}

static void copies_become_part_of_every_sample_and_counters(void **state)
{
    double samples[] = {100, 110, 120};
    struct result r = {.time = {PROVENANCE_MEASURED, stats_summary(samples, 3), samples}};
    const struct transfers t = {.h2d_ns = 30,
                                .d2h_ns = 60,
                                .h2d_bytes = 3,
                                .d2h_bytes = 6,
                                .provenance = PROVENANCE_MEASURED};
    transfers_add(&t, &r);
    assert_true(samples[0] == 190 && samples[2] == 210);
    assert_true(r.time.summary.median == 200 && r.time.summary.count == 3);
    assert_true(counters_get(&r.counters, COUNTER_H2D_NS, 0) == 30);
    assert_true(counters_get(&r.counters, COUNTER_TRANSFER_SHARE_PCT, 0) == 45);
    struct transfers back = transfers_of(&r.counters);
    assert_true(back.h2d_ns == 30 && back.d2h_ns == 60 && back.h2d_bytes == 3 &&
                back.d2h_bytes == 6 && back.provenance == PROVENANCE_MEASURED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_go_in_and_outputs_come_back_at_the_rate_of_the_link),
        cmocka_unit_test(a_chip_without_a_link_is_reported),
        cmocka_unit_test(copies_are_timed_on_the_device_as_a_program_would_make_them),
        cmocka_unit_test(copies_become_part_of_every_sample_and_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
