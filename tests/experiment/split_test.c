// A job in parts: what a part has of each buffer, and that the outputs of parts are those of the whole.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/experiment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// in is M rows of 5; across is the same, turned; sum and count are of all rows.
static const char text[] =
    "experiment: parts\n"
    "source: scale.cu\n"
    "reference: {call: reference.c:scale_ref, args: [out, across, sum, count, in, table, M]}\n"
    "params: {M: 48}\n"
    "buffers:\n"
    "  in: {type: i32, count: 5*M, fill: iota}\n"
    "  table: {type: f32, count: 7, fill: iota}\n"
    "  out: {type: i32, count: 5*M, output: true}\n"
    "  across: {type: i32, count: 5*M, output: true}\n"
    "  sum: {type: f32, count: 5, output: true}\n"
    "  count: {type: u8, count: 1, output: true}\n"
    "  own: {type: u32, count: 4*M+1, fill: constant(7), scratch: true}\n"
    "split: {over: M, granule: 4, HALO columns: [across], ADD}\n"
    "variants:\n"
    "  - {name: v, kernel: k, grid: 1, block: 1, args: [out, in, M]}\n";
enum { M = 48, COLUMNS = 5 };

struct rig {
    struct arena arena;
    struct error err;
    struct experiment *e;
    struct case_point *points;
    struct resolved_case whole;
    struct resolved_split split;
    struct host_buffers inputs;
    struct joined joined;
};

static const char *with(struct arena *a, const char *s, const char *what, const char *instead)
{
    const char *at = strstr(s, what);
    return arena_printf(a, "%.*s%s%s", (int)(at - s), s, instead, at + strlen(what));
}

static void begin(struct rig *r, const char *halo)
{
    int count = 0;
    *r = (struct rig){.err = {0}};
    bool add = !*halo;
    const char *t = with(&r->arena, text, "HALO ", halo);
    t = with(&r->arena, t, "ADD", add ? "add: [sum, count]" : "whole: [table]");
    if (!add) // sums are outputs of no part then
        for (int i = 0; i < 2; i++) {
            t = with(&r->arena, t,
                     i ? "count: {type: u8, count: 1, output: true}"
                       : "sum: {type: f32, count: 5, output: true}",
                     i ? "count: {type: u8, count: 1}" : "sum: {type: f32, count: 5}");
        }
    if (!experiment_parse(&r->arena, "tests/cli/scale/parts.yaml", t, strlen(t), &r->e, &r->err) ||
        !experiment_cases(&r->arena, r->e, NULL, 0, &r->points, &count, &r->err) ||
        !experiment_resolve_case(&r->arena, r->e, r->points, NULL, &r->whole, &r->err) ||
        !experiment_resolve_split(&r->arena, r->e, r->points, &r->split, &r->err) ||
        !buffers_fill(r->e, &r->whole, r->points, 1, &r->inputs, &r->err))
        fail_msg("%s", r->err.message);
    joined_begin(r->e, &r->whole, &r->inputs, &r->joined);
}

static void end(struct rig *r)
{
    joined_release(&r->joined, &r->whole);
    buffers_release(&r->inputs);
    arena_release(&r->arena);
}

enum { IN, TABLE, OUT, ACROSS, SUM, COUNT, OWN };

// What a kernel would do: out = 2 * in, across = in turned, sum of the columns, the rows counted. Units of the
// halo are wrong on purpose where `taint`: nobody may take them.
static void compute(struct rig *r, const struct part_range *range, struct host_buffers *b, bool add)
{
    const int32_t *in = b->data[IN];
    int32_t *out = b->data[OUT], *across = b->data[ACROSS];
    uint64_t rows = range->halo_end - range->halo_first;
    float sums[COLUMNS] = {0};
    (void)r;
    for (uint64_t i = 0; i < rows; i++) {
        bool own = range->halo_first + i >= range->first && range->halo_first + i < range->end;
        for (uint64_t k = 0; k < COLUMNS; k++) {
            out[i * COLUMNS + k] = own ? 2 * in[i * COLUMNS + k] : -1;
            across[k * rows + i] = own ? in[i * COLUMNS + k] : -1;
            sums[k] += (float)in[i * COLUMNS + k];
        }
    }
    if (add) {
        memcpy(b->data[SUM], sums, sizeof sums);
        *(uint8_t *)b->data[COUNT] = (uint8_t)(10 * rows);
    }
}

static void run_part(struct rig *r, uint64_t first, uint64_t last, bool add)
{
    struct part_range range = part_range_of(&r->split, first, last);
    struct case_point point;
    struct resolved_case part;
    struct host_buffers b;
    experiment_part_point(&r->arena, r->e, r->points, &range, &point);
    if (!experiment_resolve_case(&r->arena, r->e, &point, NULL, &part, &r->err) ||
        !part_fill(r->e, &r->split, &r->whole, &r->inputs, &range, &part, &point, 1, &b, &r->err))
        fail_msg("%s", r->err.message);
    const int32_t *in = b.data[IN];
    assert_ptr_equal(in,
                     (const int32_t *)r->inputs.data[IN] + COLUMNS * range.halo_first); // no copy
    assert_ptr_not_equal(b.data[OUT], r->inputs.data[OUT]);
    assert_int_equal(in[0], COLUMNS * (int)range.halo_first); // iota: which row it is
    assert_float_equal(((const float *)b.data[TABLE])[6], 6, 0);
    assert_int_equal(part.buffers[OWN].count, 4 * (range.halo_end - range.halo_first) + 1);
    assert_int_equal(((const uint32_t *)b.data[OWN])[0], 7);
    compute(r, &range, &b, add);
    joined_take(&r->joined, r->e, &r->split, &r->whole, &range, &part, &b);
    part_release(r->e, &b);
}

static void check_rows(struct rig *r)
{
    const int32_t *out = r->joined.outputs.data[OUT], *across = r->joined.outputs.data[ACROSS];
    for (int i = 0; i < M; i++)
        for (int k = 0; k < COLUMNS; k++) {
            assert_int_equal(out[i * COLUMNS + k], 2 * (i * COLUMNS + k));
            assert_int_equal(across[k * M + i], i * COLUMNS + k);
        }
}

static void parts_in_any_order_are_the_whole(void **state)
{
    struct rig r;
    (void)state;
    begin(&r, "");
    run_part(&r, 20, 24, true);
    run_part(&r, 0, 20, true);
    run_part(&r, 24, 48, true);
    joined_end(&r.joined, r.e, &r.whole);
    check_rows(&r);
    const float *sums = r.joined.outputs.data[SUM];
    for (int k = 0; k < COLUMNS; k++)
        assert_int_equal((int)sums[k], COLUMNS * (M - 1) * M / 2 + k * M);
    assert_int_equal(*(uint8_t *)r.joined.outputs.data[COUNT], (10 * M) & 0xff); // wraps around
    end(&r);
}

static void units_of_the_halo_are_given_and_not_taken(void **state)
{
    struct rig r;
    (void)state;
    begin(&r, "halo: 3, ");
    assert_int_equal(r.split.halo, 4); // whole granules
    struct part_range range = part_range_of(&r.split, 8, 20);
    assert_true(range.halo_first == 4 && range.halo_end == 24);
    range = part_range_of(&r.split, 0, M);
    assert_true(range.halo_first == 0 && range.halo_end == M);
    run_part(&r, 0, 8, false);
    run_part(&r, 8, 44, false);
    run_part(&r, 44, 48, false);
    joined_end(&r.joined, r.e, &r.whole);
    check_rows(&r);
    end(&r);
}

static void a_count_that_does_not_divide_is_refused(void **state)
{
    struct rig r;
    struct case_point point;
    struct resolved_case part;
    struct host_buffers b;
    struct part_range range;
    (void)state;
    begin(&r, "");
    range = part_range_of(&r.split, 0, 8);
    experiment_part_point(&r.arena, r.e, r.points, &range, &point);
    assert_string_equal(point.label, "M=8");
    if (!experiment_resolve_case(&r.arena, r.e, &point, NULL, &part, &r.err))
        fail_msg("%s", r.err.message);
    part.buffers[IN].size_bytes += 4;
    assert_false(
        part_fill(r.e, &r.split, &r.whole, &r.inputs, &range, &part, &point, 1, &b, &r.err));
    assert_non_null(strstr(
        r.err.message, "parts.yaml:13:8: 'split': a part with M=8 has 164 bytes of buffer 'in', "
                       "and its share of the whole is 160: the count must grow with 'M'"));
    part.buffers[IN].size_bytes -= 4;
    r.whole.buffers[OUT].count++;
    assert_false(
        part_fill(r.e, &r.split, &r.whole, &r.inputs, &range, &part, &point, 1, &b, &r.err));
    assert_non_null(strstr(r.err.message,
                           "'split': buffer 'out' has 241 elements, which 48 units of "
                           "'M' do not divide"));
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_in_any_order_are_the_whole),
        cmocka_unit_test(units_of_the_halo_are_given_and_not_taken),
        cmocka_unit_test(a_count_that_does_not_divide_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
