// Copies by tensor map, in hand-written PTX: where each byte of a box comes to lie, what lies outside of the
// tensor, what is written back, and what is no map.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

enum { ROWS = 20, COLUMNS = 72, BOX_X = 64, BOX_Y = 8, BOX_BYTES = BOX_X * BOX_Y * 2 };

// One thread: a box of map p comes to shared memory, which goes as it is to q, and through map r back.
static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .align 64 .b8 p[128], .param .u64 q, .param .align 64 .b8 r[128],\n"
    ".param .u32 x, .param .u32 y)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"
    ".shared .align 1024 .b8 s[1024];\n.shared .align 8 .b8 bar[8];\n"
    "mov.b64 %rd1, p;\ncvta.param.u64 %rd1, %rd1;\nmov.b64 %rd3, r;\ncvta.param.u64 %rd3, %rd3;\n"
    "ld.param.u64 %rd2, [q];\nld.param.u32 %r1, [x];\nld.param.u32 %r2, [y];\n"
    "mov.u32 %r3, s;\nmov.u32 %r4, bar;\n"
    "mbarrier.init.shared::cta.b64 [%r4], 1;\n"
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 1024;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3], "
    "[%rd1, {%r1, "
    "%r2}], [%r4];\n"
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r4], 0;\n@!%p1 bra wait;\n"
    "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r3], 1024;\n"
    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd3, {%r1, %r2}], [%r3];\n"
    "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;\n}\n";

struct run {
    struct bench b;
    uint16_t in[ROWS * COLUMNS], back[ROWS * COLUMNS];
    uint8_t box[BOX_BYTES];
    bool done;
};

static struct sim_tensor_map map_of(uint64_t address, uint8_t swizzle_bytes)
{
    return (struct sim_tensor_map){.magic = SIM_TENSOR_MAP_MAGIC,
                                   .address = address,
                                   .dims = {COLUMNS, ROWS},
                                   .strides_bytes = {2, COLUMNS * 2},
                                   .box = {BOX_X, BOX_Y},
                                   .rank = 2,
                                   .swizzle_bytes = swizzle_bytes,
                                   .type = PTX_TYPE_BF16};
}

static void run(struct run *r, int32_t x, int32_t y, uint8_t swizzle_bytes, uint64_t magic)
{
    uint8_t maps[2][SIM_TENSOR_MAP_BYTES] = {{0}};
    bench_text(&r->b, text);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        r->in[i] = (uint16_t)(i + 1);
    memset(r->back, 0xee, sizeof r->back);
    uint64_t in = bench_buffer(&r->b, "in", r->in, sizeof r->in);
    uint64_t out = bench_buffer(&r->b, "out", r->box, sizeof r->box);
    uint64_t back = bench_buffer(&r->b, "back", r->back, sizeof r->back);
    struct sim_tensor_map map[2] = {map_of(in, swizzle_bytes), map_of(back, swizzle_bytes)};
    map[0].magic = magic;
    memcpy(maps[0], &map[0], sizeof map[0]);
    memcpy(maps[1], &map[1], sizeof map[1]);
    const void *args[] = {maps[0], &out, maps[1], &x, &y};
    struct sim_launch l = {.module = r->b.module,
                           .kernel = "k",
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .args = args,
                           .arg_count = 5,
                           .threads = 1};
    r->done = sim_launch(r->b.sim, &l, &r->b.arena, &r->b.report, &r->b.err);
    bench_fetch(&r->b, out, r->box, sizeof r->box);
    bench_fetch(&r->b, back, r->back, sizeof r->back);
}

static uint16_t wanted(const struct run *r, int x, int y)
{
    return x >= 0 && x < COLUMNS && y >= 0 && y < ROWS ? r->in[y * COLUMNS + x] : 0;
}

// Every element of the box where the swizzle puts its piece of 16 bytes, zeros for what is outside; and all of
// that, nothing else, written back.
static void assert_box(const struct run *r, int x, int y, unsigned mask)
{
    assert_true(r->done);
    for (int i = 0; i < BOX_Y; i++)
        for (int j = 0; j < BOX_X; j++) {
            unsigned at = (unsigned)(i * BOX_X + j) * 2, to = at ^ (at >> 7 & mask) << 4;
            uint16_t got;
            memcpy(&got, r->box + to, 2);
            assert_int_equal(got, wanted(r, x + j, y + i));
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            bool inside = i >= y && i < y + BOX_Y && j >= x && j < x + BOX_X;
            assert_int_equal(r->back[i * COLUMNS + j], inside ? wanted(r, j, i) : 0xeeee);
        }
}

static void a_box_comes_row_by_row(void **state)
{
    (void)state;
    struct run r = {0};
    run(&r, 0, 4, 16, SIM_TENSOR_MAP_MAGIC);
    assert_box(&r, 0, 4, 0);
    bench_close(&r.b);
}

static void swizzled_pieces_lie_where_the_row_sends_them(void **state)
{
    (void)state;
    struct run r = {0};
    run(&r, 8, 0, 128, SIM_TENSOR_MAP_MAGIC);
    assert_box(&r, 8, 0, 7);
    bench_close(&r.b);
}

static void outside_of_the_tensor_zeros_are_read_and_nothing_is_written(void **state)
{
    (void)state;
    static const int at[][2] = {{64, 16}, {-8, -3}, {30, 17}, {200, 0}, {0, 100}};
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        struct run r = {0};
        run(&r, at[i][0], at[i][1], 128, SIM_TENSOR_MAP_MAGIC);
        assert_box(&r, at[i][0], at[i][1], 7);
        bench_close(&r.b);
    }
}

static void what_is_no_map_is_reported(void **state)
{
    (void)state;
    struct run r = {0};
    run(&r, 0, 0, 128, 17);
    assert_false(r.done);
    assert_true(r.b.report.violation_count > 0);
    assert_non_null(strstr(r.b.report.violations[0].what, "a tensor map that is none"));
    bench_close(&r.b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_comes_row_by_row),
        cmocka_unit_test(swizzled_pieces_lie_where_the_row_sends_them),
        cmocka_unit_test(outside_of_the_tensor_zeros_are_read_and_nothing_is_written),
        cmocka_unit_test(what_is_no_map_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
