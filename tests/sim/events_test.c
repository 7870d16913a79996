// Every field of an event and of the trace has a writer: a kernel that does a bit of everything is launched
// with a listener, and each field must have held something but zero. (Two inputs of the time model were
// once read for months and never written.)
// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/events.h"

#include <stdatomic.h>
#include <stdlib.h>

#undef fail
#include "sim/exec_support.h"

// Loads of a strided word, a partial store, a shared atomic with conflicts, local memory, a barrier, a
// branch that diverges, a fence, a bulk copy with its mbarrier, an atomic on one word, a texture.
static const char PROGRAM[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry everything(.param .u64 out, .param .u64 in, .param .u64 image)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %l<12>;\n"
    ".shared .align 16 .b8 s[1024];\n.shared .align 8 .b64 bar;\n.local .align 16 .b8 v[64];\n"
    "ld.param.u64 %l0, [out];\nld.param.u64 %l1, [in];\n"
    "mov.u32 %r0, %tid.x;\nmul.wide.u32 %l2, %r0, 40;\nadd.s64 %l3, %l1, %l2;\n"
    "ld.global.u32 %r1, [%l3];\nld.global.u32 %r2, [%l3];\n"
    "add.s64 %l4, %l0, %l2;\nst.global.u32 [%l4], %r1;\n"
    "mul.wide.u32 %l5, %r0, 8;\nadd.s64 %l5, %l5, %l0;\n"
    "st.global.u32 [%l5+1024], %r1;\nst.global.u32 [%l5+1028], %r1;\n"
    "shl.b32 %r3, %r0, 3;\nand.b32 %r3, %r3, 255;\nmov.u32 %r4, s;\nadd.u32 %r5, %r4, %r3;\n"
    "atom.shared.add.u32 %r6, [%r5], %r2;\nst.shared.u32 [%r5+4], %r1;\nld.shared.u32 %r7, "
    "[%r5+4];\n"
    "mul.lo.u32 %r8, %r0, 4;\nand.b32 %r8, %r8, 28;\nmov.u32 %r9, v;\nadd.u32 %r9, %r9, %r8;\n"
    "st.local.v2.u32 [v+32], {%r1, %r2};\nst.local.u32 [%r9], %r1;\nld.local.v2.u32 {%r10, %r11}, "
    "[v+32];\n"
    "match.any.sync.b32 %r18, %r8, 0xffffffff;\nsetp.lt.u32 %p0, %r0, 7;\n@%p0 bra FEW;\nadd.u32 "
    "%r7, %r7, 1;\nbra MET;\nFEW:\nadd.u32 %r7, "
    "%r7, 2;\nMET:\n"
    "bar.sync 0;\nmembar.gl;\n@%p0 add.u32 %r7, %r7, %r10;\n"
    "atom.global.add.u32 %r12, [%l0], %r7;\nred.global.add.f32 [%l0+64], 0f3F800000;\n"
    "setp.eq.u32 %p1, %r0, 0;\n@!%p1 bra END;\n"
    "mov.u32 %r13, bar;\nmbarrier.init.shared.b64 [%r13], 1;\n"
    "mbarrier.arrive.expect_tx.shared.b64 %l6, [%r13], 256;\n"
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%l1], 256, [%r13];\n"
    "mbarrier.try_wait.parity.shared.b64 %p2, [%r13], 0;\n"
    "END:\nst.global.u32 [%l4+8], %r12;\nld.param.u64 %l7, [image];\n"
    "tex.1d.v4.u32.s32 {%r14, %r15, %r16, %r17}, [%l7, {%r0}];\nret;\n}\n";

struct seen {
    _Atomic uint64_t event[64]; // by field: how many events held something; workers count at once
    uint64_t trace[64];
    _Atomic uint64_t kinds;
};

static bool is_set(const void *field, size_t size)
{
    static const char zeros[64];
    return memcmp(field, zeros, size) != 0;
}

static void hear_event(void *context, const struct event *e)
{
    struct seen *seen = context;
    size_t i = 0;
    seen->kinds |= (uint64_t)1 << e->kind;
#define FIELD(type, name, meaning) seen->event[i++] += is_set(&e->name, sizeof(e->name));
#include "sim/observe/events.def"
#undef FIELD
}

static void hear_timing(void *context, const struct timing_input *in)
{
    struct seen *seen = context;
    for (int b = 0; b < in->trace->block_count; b++)
        for (int w = 0; w < in->trace->blocks[b].warp_count; w++)
            for (size_t k = 0; k < in->trace->blocks[b].warps[w].count; k++) {
                const struct trace_op *op = &in->trace->blocks[b].warps[w].ops[k];
                size_t i = 0;
#define FIELD(type, name, meaning) seen->trace[i++] += is_set(&op->name, sizeof(op->name));
#include "sim/observe/trace.def"
#undef FIELD
            }
}

static const char *const EVENT_FIELDS[] = {
#define FIELD(type, name, meaning) #name,
#include "sim/observe/events.def"
#undef FIELD
};
static const char *const TRACE_FIELDS[] = {
#define FIELD(type, name, meaning) #name,
#include "sim/observe/trace.def"
#undef FIELD
};

static const struct sim_listener LISTENER = {.event = hear_event, .timing = hear_timing};

static void launch_everything(struct bench *b, struct seen *seen)
{
    bench_text(b, PROGRAM);
    uint64_t in = bench_buffer(b, "in", NULL, 1 << 16), out = bench_buffer(b, "out", NULL, 1 << 16);
    b->launch.listener = &LISTENER;
    b->launch.listener_context = seen;
    struct sim_texture image;
    memset(&image, 0, sizeof image);
    image.address = in;
    image.width = image.pitch_bytes = 1 << 10;
    image.height = 1;
    image.element = PTX_TYPE_U8;
    image.rank = image.channels = 1;
    uint64_t handle = sim_texture_open(b->sim, &image);
    bench_run(b, "everything", GRID1(3, 128), ARGS(&out, &in, &handle));
}

static void every_field_of_an_event_is_written(void **state)
{
    struct bench b;
    struct seen seen = {0};
    launch_everything(&b, &seen);
    for (size_t i = 0; i < COUNT_OF(EVENT_FIELDS); i++)
        if (seen.event[i] == 0)
            fail_msg("no event wrote '%s'", EVENT_FIELDS[i]);
    assert_int_equal(seen.kinds, (1u << EVENT_KINDS) - 1);
    bench_close(&b);
}

// 128 threads, 40 bytes apart, the last of them storing 4 bytes at 8; what no launch asked for is not noted.
static void a_launch_notes_how_far_it_reaches_into_its_buffers(void **state)
{
    struct bench b;
    bench_text(&b, PROGRAM);
    uint64_t in = bench_buffer(&b, "in", NULL, 1 << 16),
             out = bench_buffer(&b, "out", NULL, 1 << 16);
    uint64_t other = bench_buffer(&b, "other", NULL, 1 << 10);
    struct sim_texture image = {
        .address = other, .width = 256, .height = 1, .pitch_bytes = 1 << 10};
    image.element = PTX_TYPE_U32;
    image.rank = image.channels = 1;
    uint64_t handle = sim_texture_open(b.sim, &image);
    bench_run(&b, "everything", GRID1(1, 128), ARGS(&out, &in, &handle));
    assert_int_equal(sim_touched(b.sim, out), 0);
    b.launch.touched = true;
    bench_run(&b, "everything", GRID1(1, 128), ARGS(&out, &in, &handle));
    assert_int_equal(sim_touched(b.sim, out), 127 * 40 + 12);
    assert_int_equal(sim_touched(b.sim, in), 127 * 40 + 4);
    assert_int_equal(sim_touched(b.sim, other), 128 * 4);
    bench_close(&b);
}

static void every_field_of_the_trace_is_written(void **state)
{
    struct bench b;
    struct seen seen = {0};
    launch_everything(&b, &seen);
    for (size_t i = 0; i < COUNT_OF(TRACE_FIELDS); i++)
        if (seen.trace[i] == 0)
            fail_msg("no instruction of the trace wrote '%s'", TRACE_FIELDS[i]);
    bench_close(&b);
}

// Runs of instructions, arrivals at barriers and accesses that only the trace would hear of come to it without an event: loads in a
// row, conflicts, strided loads and stores in part, a guard, lanes that diverge, a barrier with a count.
static const char TURNS[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".visible .entry turns(.param .u64 out)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .b64 %l<6>;\n"
    ".shared .align 16 .b8 s[4096];\n"
    "ld.param.u64 %l0, [out];\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r2, s;\n"
    "add.u32 %r1, %r1, %r2;\nshl.b32 %r3, %r0, 4;\nadd.u32 %r3, %r3, %r2;\n"
    "st.shared.u32 [%r1], %r0;\nst.shared.u32 [%r1+512], %r0;\nmov.f32 %f0, 0f00000000;\n"
    "mov.u32 %r4, 0;\nsetp.lt.u32 %p0, %r0, 64;\nand.b32 %r5, %r0, 3;\n"
    "setp.eq.u32 %p1, %r5, 0;\nmov.u32 %r6, %ctaid.x;\nmad.lo.u32 %r6, %r6, 128, %r0;\n"
    "mul.wide.u32 %l1, %r6, 40;\nadd.s64 %l3, %l0, %l1;\nbar.sync 0;\n"
    "LOOP:\nld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r1+512];\n"
    "fma.rn.f32 %f0, %f1, %f2, %f0;\nld.shared.f32 %f3, [%r3];\nld.shared.f32 %f4, [%r3+2048];\n"
    "fma.rn.f32 %f0, %f3, %f4, %f0;\n@%p1 st.shared.f32 [%r1+1024], %f0;\n"
    "@%p1 bra FEW;\nadd.f32 %f0, %f0, %f1;\nst.shared.f32 [%r3], %f0;\nFEW:\n"
    "@%p0 bra SYNC;\nbar.arrive 1, 128;\nbra MET;\nSYNC:\nbar.sync 1, 128;\nMET:\n"
    "bar.sync 0;\nst.shared.f32 [%r1+1536], %f0;\nadd.u32 %r4, %r4, 1;\n"
    "ld.global.f32 %f5, [%l3];\nadd.f32 %f0, %f0, %f5;\nst.global.f32 [%l3+20], %f0;\n"
    "@%p1 ld.global.f32 %f6, [%l3+4];\nst.global.v2.f32 [%l3+8], {%f0, %f5};\n"
    "setp.lt.u32 %p2, %r4, 6;\n@%p2 bra LOOP;\n"
    "st.global.f32 [%l3], %f0;\nret;\n}\n";

struct trace_copy { // of the trace that stands for the grid
    struct trace_op *ops;
    size_t count, syncs;
    atomic_size_t events;
};

static void count_event(void *context, const struct event *e)
{
    (void)e;
    ((struct trace_copy *)context)->events++;
}

static void copy_trace(void *context, const struct timing_input *in)
{
    struct trace_copy *copy = context;
    for (int b = 0; b < in->trace->block_count; b++)
        for (int w = 0; w < in->trace->blocks[b].warp_count; w++) {
            const struct trace_warp *warp = &in->trace->blocks[b].warps[w];
            copy->ops = xrealloc(copy->ops, (copy->count + warp->count + 1) * sizeof(*copy->ops));
            memcpy(copy->ops + copy->count, warp->ops, warp->count * sizeof(*copy->ops));
            copy->count += warp->count;
        }
    copy->syncs = in->trace->sync_count;
}

static double trace_turns(const struct sim_listener *listener, struct trace_copy *copy)
{
    struct bench b;
    bench_text(&b, TURNS);
    uint64_t out = bench_buffer(&b, "out", NULL, (size_t)400 * 128 * 40);
    b.launch.listener = listener;
    b.launch.listener_context = copy;
    bench_run(&b, "turns", GRID1(400, 128), ARGS(&out));
    double time_ns = b.report.time.time_ns;
    bench_close(&b);
    return time_ns;
}

static void what_the_trace_alone_hears_of_is_noted_as_by_events(void **state)
{
    static const struct sim_listener all = {.event = count_event, .timing = copy_trace},
                                     alone = {.timing = copy_trace};
    struct trace_copy want = {0}, got = {0};
    double time_ns = trace_turns(&all, &want);
    assert_true(time_ns > 0 && trace_turns(&alone, &got) == time_ns);
    assert_true(want.events > 0 && got.events == 0);
    assert_true(want.count > 0 && want.syncs > 0);
    assert_int_equal(got.count, want.count);
    assert_int_equal(got.syncs, want.syncs);
    for (size_t i = 0; i < want.count; i++) {
#define FIELD(type, name, meaning) assert_int_equal(got.ops[i].name, want.ops[i].name);
#include "sim/observe/trace.def"
#undef FIELD
    }
    free(want.ops);
    free(got.ops);
}

// Who does not listen is not called: without a trace and checks shared accesses are heard by nobody.
static void a_launch_without_checks_has_no_ear_that_checks(void **state)
{
    struct sim_launch options = {.no_timing = true};
    struct launch l = {.options = &options, .checks = SIM_CHECK_BOUNDS};
    listeners_choose(&l);
    assert_int_equal(l.audience.heard, HEARS(GLOBAL) | HEARS(LOCAL) | HEARS(TEXTURE) | HEARS(COPY));
    assert_int_equal(l.audience_traced.heard, l.audience.heard);
    l.checks |= SIM_CHECK_RACES;
    listeners_choose(&l);
    assert_true((l.audience.heard & HEARS(SHARED)) != 0 && (l.audience.heard & HEARS(ORDER)) != 0);
    options.no_caches = true;
    l.checks = SIM_CHECK_BOUNDS;
    listeners_choose(&l);
    assert_int_equal(l.audience.heard, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_an_event_is_written),
        cmocka_unit_test(every_field_of_the_trace_is_written),
        cmocka_unit_test(a_launch_notes_how_far_it_reaches_into_its_buffers),
        cmocka_unit_test(what_the_trace_alone_hears_of_is_noted_as_by_events),
        cmocka_unit_test(a_launch_without_checks_has_no_ear_that_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
