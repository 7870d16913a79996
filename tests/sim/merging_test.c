// Reads of neighbouring SMs for one line go to L2 as one, if they leave at about the same time; of a launch, those that a
// chip's file says.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"
#include "sim/internal.h"

#include <math.h>

enum { LINE = 128, HERE = 1 << 20 };

static struct gpu chip_of(double merging_sms)
{
    struct gpu g = {.id = "pairs"};
    g.value[GPU_FIELD_sm_count] = 8;
    g.value[GPU_FIELD_l2_merging_sms] = merging_sms;
    return g;
}

static struct l2_request request_of(uint64_t line, uint8_t sectors, enum l2_kind kind)
{
    return (struct l2_request){.line_address = HERE + line * LINE,
                               .sectors = sectors,
                               .full_sectors = sectors,
                               .kind = kind & 15};
}

static bool merges(struct merging *m, int sm, size_t round, struct l2_request r)
{
    merging_round(m, sm, round, &r, 1);
    return r.kind == L2_MERGED;
}

static void neighbours_merge_when_they_ask_together(void **state)
{
    const struct gpu g = chip_of(2);
    struct merging *m = merging_new(&g);
    (void)state;
    assert_non_null(m);
    assert_false(merges(m, 0, 5, request_of(1, 15, L2_READ)));
    assert_false(merges(m, 0, 5, request_of(1, 15, L2_READ))); // its own, again
    assert_false(merges(m, 2, 5, request_of(1, 15, L2_READ))); // of another pair
    assert_false(merges(m, 1, 5, request_of(2, 15, L2_READ))); // another line
    assert_true(merges(m, 1, 5, request_of(1, 3, L2_READ)));
    assert_true(merges(m, 1, 6, request_of(1, 15, L2_READ)));
    assert_false(merges(m, 1, 7, request_of(1, 15, L2_READ)));  // it has come by then
    assert_false(merges(m, 0, 9, request_of(1, 15, L2_WRITE))); // long after, then asked for again
    assert_false(merges(m, 0, 9, request_of(1, 15, L2_READ)));
    assert_true(merges(m, 1, 10, request_of(1, 15, L2_READ)));
    merging_free(m);
}

static void what_is_written_or_not_asked_for_does_not_merge(void **state)
{
    const struct gpu g = chip_of(2);
    struct merging *m = merging_new(&g);
    (void)state;
    assert_false(merges(m, 0, 1, request_of(1, 3, L2_READ)));
    assert_false(merges(m, 1, 1, request_of(1, 15, L2_READ))); // more sectors than are on their way
    assert_false(merges(m, 0, 1, request_of(1, 15, L2_WRITE)));
    assert_false(merges(m, 0, 1, request_of(1, 15, L2_READ))); // anew, behind the write
    assert_false(merges(m, 0, 1, request_of(2, 15, L2_ATOMIC)));
    assert_false(merges(m, 1, 1, request_of(2, 15, L2_ATOMIC)));
    merging_free(m);
}

static void a_chip_whose_file_says_nothing_merges_nothing(void **state)
{
    const struct gpu none = chip_of((double)NAN), one = chip_of(1);
    (void)state;
    assert_null(merging_new(&none));
    assert_null(merging_new(&one));
}

// 512 lines: each SM its own, or the same for all. Each block of 8 warps loads them once.
static double l2_reads_of(uint32_t own)
{
    static const char code[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u32 own)\n"
        "{\n.reg .pred %p<2>; .reg .b32 %r<12>; .reg .b64 %l<4>;\n"
        "ld.param.u64 %l1, [in]; ld.param.u32 %r1, [own]; mov.u32 %r2, %ctaid.x;\n"
        "mul.lo.u32 %r2, %r2, %r1; mov.u32 %r3, %tid.x; mad.lo.u32 %r2, %r2, 16384, %r3;\n"
        "mul.wide.u32 %l2, %r2, 4; add.u64 %l1, %l1, %l2; mov.u32 %r4, 0; mov.u32 %r6, 0;\n"
        "again: ld.global.u32 %r5, [%l1]; add.u32 %r6, %r6, %r5; add.u64 %l1, %l1, 1024;\n"
        "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 64; @%p1 bra again;\n"
        "setp.eq.u32 %p1, %r6, 1; @%p1 st.global.u32 [%l1], %r6;\nret;\n}\n";
    enum { SMS = 132, BYTES = SMS * 16384 * 4 };
    struct bench b;
    bench_text(&b, code);
    uint64_t in = bench_buffer(&b, "in", NULL, BYTES + 65536);
    bench_run(&b, "k", GRID1(SMS, 256), ARGS(&in, &own));
    double sectors = counters_get(&b.report.counters, COUNTER_L2_READ_SECTORS, (double)NAN);
    bench_close(&b);
    return sectors;
}

// An H200 reads 0.22 of the sectors then: SMs of other TPCs merge too, by half, which the model does not have.
static void an_h200s_pairs_halve_what_all_sms_read(void **state)
{
    double apart = l2_reads_of(1), shared = l2_reads_of(0);
    (void)state;
    if (!(shared < 0.55 * apart && shared > 0.2 * apart))
        fail_msg("%.0f sectors shared, %.0f apart", shared, apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_merge_when_they_ask_together),
        cmocka_unit_test(what_is_written_or_not_asked_for_does_not_merge),
        cmocka_unit_test(a_chip_whose_file_says_nothing_merges_nothing),
        cmocka_unit_test(an_h200s_pairs_halve_what_all_sms_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
