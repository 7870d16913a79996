// The counter tables: names, absence, provenance, formulas.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "counters/counters.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_name_is_reported_once_and_found_again(void **state)
{
    (void)state;
    size_t count = 0;
    const char *const *names = counters_names(&count);
    assert_int_equal(count, (size_t)COUNTER_COUNT + DERIVED_COUNT);
    struct table seen = {0};
    struct counters c = {0};
    for (size_t i = 0; i < count; i++) {
        assert_false(table_has(&seen, names[i]));
        table_set(&seen, names[i], NULL);
        enum counter_id id = COUNTER_COUNT;
        enum derived_id derived = DERIVED_COUNT;
        bool is_counter = counter_find(names[i], &id);
        assert_true(is_counter != derived_find(names[i], &derived));
        const struct counter_info *info = is_counter ? counter_info(id) : derived_info(derived);
        assert_string_equal(info->name, names[i]);
        assert_true(strlen(info->meaning) > 0);
        bool is_percent = str_ends_with(info->name, "_pct");
        assert_true(is_percent == (info->unit == UNIT_PERCENT));
        struct figure f = {1, PROVENANCE_MEASURED};
        assert_true(counters_by_name(&c, names[i], &f));
        assert_int_equal(f.provenance, PROVENANCE_ABSENT);
    }
    table_release(&seen);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    struct counters c = {0};
    struct figure f;
    enum counter_id id;
    enum derived_id derived;
    assert_false(counter_find("no_such", &id));
    assert_false(derived_find("no_such", &derived));
    assert_false(counters_by_name(&c, "no_such", &f));
}

static void absent_is_not_zero(void **state)
{
    (void)state;
    struct counters c = {0};
    assert_false(counters_has(&c, COUNTER_BARRIERS));
    assert_true(counters_get(&c, COUNTER_BARRIERS, -1) == -1);
    counters_set(&c, COUNTER_BARRIERS, 0, PROVENANCE_SIMULATED);
    assert_true(counters_has(&c, COUNTER_BARRIERS));
    assert_true(counters_get(&c, COUNTER_BARRIERS, -1) == 0);
}

static void derived_needs_all_its_parts_and_a_divisor(void **state)
{
    (void)state;
    struct counters c = {0};
    counters_set(&c, COUNTER_GLOBAL_LOAD_SECTORS, 64, PROVENANCE_MEASURED);
    assert_int_equal(counters_derived(&c, DERIVED_LOAD_SECTORS_PER_REQUEST).provenance,
                     PROVENANCE_ABSENT);
    counters_set(&c, COUNTER_GLOBAL_LOAD_REQUESTS, 0, PROVENANCE_MEASURED);
    assert_int_equal(counters_derived(&c, DERIVED_LOAD_SECTORS_PER_REQUEST).provenance,
                     PROVENANCE_ABSENT);
    counters_set(&c, COUNTER_GLOBAL_LOAD_REQUESTS, 16, PROVENANCE_MEASURED);
    struct figure f = counters_derived(&c, DERIVED_LOAD_SECTORS_PER_REQUEST);
    assert_int_equal(f.provenance, PROVENANCE_MEASURED);
    assert_true(f.value == 4);
}

static void derived_has_the_weakest_provenance_of_its_parts(void **state)
{
    (void)state;
    struct counters c = {0};
    counters_set(&c, COUNTER_L2_SECTORS_HIT, 30, PROVENANCE_MEASURED);
    counters_set(&c, COUNTER_L2_READ_SECTORS, 40, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_L2_WRITE_SECTORS, 20, PROVENANCE_MEASURED);
    counters_set(&c, COUNTER_L2_ATOMIC_SECTORS, 0, PROVENANCE_MEASURED);
    struct figure f = {0};
    assert_true(counters_by_name(&c, "l2_hit_pct", &f));
    assert_true(f.value == 50);
    assert_int_equal(f.provenance, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_L2_WRITE_SECTORS, 20, PROVENANCE_MODELLED);
    assert_int_equal(counters_derived(&c, DERIVED_L2_HIT_PCT).provenance, PROVENANCE_MODELLED);
}

// As an H200 counted histogram:global, where nearly all that the L2 sees are atomics.
static void l2_hits_are_a_share_of_all_sectors_with_those_of_atomics(void **state)
{
    (void)state;
    struct counters c = {0};
    counters_set(&c, COUNTER_L2_SECTORS_HIT, 1591151, PROVENANCE_MEASURED);
    counters_set(&c, COUNTER_L2_READ_SECTORS, 131072, PROVENANCE_MEASURED);
    counters_set(&c, COUNTER_L2_WRITE_SECTORS, 72, PROVENANCE_MEASURED);
    // A file without the atomics' metrics: no ratio, rather than 1213 %.
    assert_int_equal(counters_derived(&c, DERIVED_L2_HIT_PCT).provenance, PROVENANCE_ABSENT);
    counters_set(&c, COUNTER_L2_ATOMIC_SECTORS, 1776056 - 131072 - 72, PROVENANCE_MEASURED);
    assert_true(fabs(counters_derived(&c, DERIVED_L2_HIT_PCT).value - 89.589) < 0.001);
}

static void conflicts_are_a_share_of_all_shared_wavefronts(void **state)
{
    (void)state;
    struct counters c = {0};
    counters_set(&c, COUNTER_SHARED_LOAD_WAVEFRONTS, 90, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_SHARED_STORE_WAVEFRONTS, 10, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_SHARED_LOAD_WAVEFRONTS_IDEAL, 30, PROVENANCE_SIMULATED);
    counters_set(&c, COUNTER_SHARED_STORE_WAVEFRONTS_IDEAL, 10, PROVENANCE_SIMULATED);
    assert_true(fabs(counters_derived(&c, DERIVED_SHARED_CONFLICT_PCT).value - 60) < 1e-12);
}

static void provenances_have_names(void **state)
{
    (void)state;
    for (int p = PROVENANCE_ABSENT; p <= PROVENANCE_MODELLED; p++) {
        enum provenance found = PROVENANCE_ABSENT;
        assert_true(provenance_find(provenance_name((enum provenance)p), &found));
        assert_int_equal(found, p);
    }
    enum provenance found;
    assert_false(provenance_find("guessed", &found));
}

struct named {
    const char *name;
    double value;
};
static bool find_metric(const void *context, const char *name, double *value)
{
    for (const struct named *m = context; m->name; m++)
        if (strcmp(m->name, name) == 0) {
            *value = m->value;
            return true;
        }
    return false;
}

/* ---- units --------------------------------------------------------------------------------------- */

// What a profiler's metric counts, by a part of its name; the first that fits. UNIT_COUNT: a plain ratio.
static enum counter_unit unit_of_metric(const char *name)
{
    static const struct {
        const char *part;
        enum counter_unit unit;
    } parts[] = {
        {".pct", UNIT_PERCENT},
        {"_pct", UNIT_PERCENT},
        {"Occupancy", UNIT_PERCENT},
        {"VALUUtilization", UNIT_PERCENT},
        {"Threads Per Warp", UNIT_COUNT},
        {".ratio", UNIT_COUNT},
        {"hit_rate", UNIT_PERCENT},
        {"waves_per", UNIT_WAVES},
        {"Waves", UNIT_WAVES},
        {"wavefronts", UNIT_WAVEFRONTS},
        {"bank_conflicts", UNIT_WAVEFRONTS}, // one more each
        {"_op_shared_", UNIT_REQUESTS},      // one warp instruction is one request
        {"requests", UNIT_REQUESTS},
        {"sectors", UNIT_SECTORS},
        {"thread_inst_executed", UNIT_LANES},
        {"branch_targets", UNIT_WARPS},
        {"inst_executed", UNIT_WARPS},
        {"SQ_INSTS_VALU_MFMA_MOPS", UNIT_FLOPS}, // times 512
        {"ops_path_tensor", UNIT_FLOPS},
        {"SQ_INSTS_VALU_ADD", UNIT_LANES}, // instructions times the 64 lanes of each
        {"SQ_INSTS_VALU_MUL", UNIT_LANES},
        {"SQ_INSTS_VALU_FMA", UNIT_LANES},
        {"SQ_INSTS_VALU_TRANS", UNIT_LANES},
        {"TA_FLAT_", UNIT_REQUESTS},
        {"SQ_INSTS", UNIT_WARPS},
        {"Instructions", UNIT_WARPS},
        {"registers", UNIT_REGISTERS},
        {"Registers", UNIT_REGISTERS},
        {"vgpr", UNIT_REGISTERS},
        {"VGPR", UNIT_REGISTERS},
        {"block_size", UNIT_THREADS},
        {"Block Size", UNIT_THREADS},
        {"grid_size", UNIT_BLOCKS},
        {"Grid Size", UNIT_BLOCKS},
        {"shared_mem", UNIT_BYTES},
        {"Shared Memory", UNIT_BYTES},
        {"LDS", UNIT_BYTES},
        {"lds", UNIT_BYTES},
        {"bytes", UNIT_BYTES},
        {"_SIZE", UNIT_BYTES},
        {"TCC_", UNIT_BYTES}, // requests times their size
    };
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (strstr(name, parts[i].part))
            return parts[i].unit;
    fail_msg("the unit of '%s' is not known here: add it", name);
    return UNIT_COUNT;
}

// The unit of a term: of its one factor that is no number, percentage of something else, or ratio.
static enum counter_unit unit_of_term(const char *term, size_t length)
{
    char factor[256];
    enum counter_unit unit = UNIT_COUNT, share = UNIT_COUNT;
    bool warps_to_lanes = false, bytes_to_sectors = false;
    for (size_t at = 0; at < length;) {
        size_t n = strcspn(term + at, "*+");
        double number;
        assert_true(n < sizeof factor);
        memcpy(factor, term + at, n);
        factor[n] = '\0';
        at += n + 1;
        if (str_to_double(factor, &number)) {
            bytes_to_sectors |= number * 32 == 1; // bytes of a sector
            continue;
        }
        enum counter_unit u = unit_of_metric(factor);
        // Lanes for each warp instruction.
        if (strstr(factor, "per_inst_executed.ratio") || strstr(factor, "Threads Per Warp"))
            warps_to_lanes = true;
        else if (u == UNIT_PERCENT)
            share = u;
        else if (u != UNIT_COUNT)
            unit = u;
    }
    if (warps_to_lanes) // alone it is a share of the 32
        return unit == UNIT_WARPS ? UNIT_LANES : UNIT_PERCENT;
    if (bytes_to_sectors && unit == UNIT_BYTES)
        return UNIT_SECTORS;
    return unit == UNIT_COUNT ? share : unit;
}

static void check_formula(enum counter_id id, const char *formula)
{
    const struct counter_info *info = counter_info(id);
    for (const char *at = formula; at && *at;) {
        size_t n = strcspn(at, "+");
        enum counter_unit unit = unit_of_term(at, n);
        bool flops = info->unit == UNIT_FLOPS && unit == UNIT_LANES; // per operation
        if (unit != info->unit && !flops)
            fail_msg("%s counts %s, but '%.*s' is in %s", info->name, unit_name(info->unit), (int)n,
                     at, unit_name(unit));
        at += n + (at[n] == '+');
    }
}

static void other_profilers_metrics_are_in_the_counter_s_unit(void **state)
{
    (void)state;
    static const struct {
        enum counter_id id;
        const char *formula;
    } rows[] = {
#define METRIC(counter, tool, formula) {COUNTER_##counter, formula},
#define TIME(tool, formula)
#include "counters/metrics.def"
#undef METRIC
#undef TIME
    };
    for (int i = 0; i < COUNTER_COUNT; i++) {
        check_formula((enum counter_id)i, counter_info((enum counter_id)i)->ncu);
        check_formula((enum counter_id)i, counter_info((enum counter_id)i)->rocprof);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_formula(rows[i].id, rows[i].formula);
}

// It was filled with warp instructions: a thirty-second of the lanes.
static void special_operations_are_lanes_from_either_metric(void **state)
{
    (void)state;
    struct counters c = {0};
    const struct named lanes[] = {{"smsp__thread_inst_executed_pipe_xu_pred_on.sum", 320},
                                  {"smsp__inst_executed_pipe_xu.sum", 10},
                                  {NULL, 0}};
    const struct named warps[] = {{"smsp__inst_executed_pipe_xu.sum", 10},
                                  {"smsp__thread_inst_executed_per_inst_executed.ratio", 16},
                                  {NULL, 0}};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, lanes, &c);
    assert_true(counters_get(&c, COUNTER_SPECIAL_OPS, -1) == 320);
    c = (struct counters){0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, warps, &c);
    assert_true(counters_get(&c, COUNTER_SPECIAL_OPS, -1) == 160);
    c = (struct counters){0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, warps + 2, &c);
    assert_false(counters_has(&c, COUNTER_SPECIAL_OPS));
}

// Chips differ in what they tell apart; a chip with fp8 has one column more, and the older formula must not do without it.
static void tensor_operations_are_those_of_every_type_a_chip_has(void **state)
{
    (void)state;
    static const struct named hopper[] = {{"sm__ops_path_tensor_src_bf16_dst_fp32.sum", 1},
                                          {"sm__ops_path_tensor_src_fp16.sum", 10},
                                          {"sm__ops_path_tensor_src_tf32_dst_fp32.sum", 100},
                                          {"sm__ops_path_tensor_src_fp64.sum", 1e3},
                                          {"sm__ops_path_tensor_src_fp8.sum", 1e4},
                                          {"sm__ops_path_tensor_src_int8.sum", 1e5},
                                          {NULL, 0}};
    struct counters c = {0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, hopper, &c);
    assert_true(counters_get(&c, COUNTER_FLOPS_TENSOR, -1) == 111111);
    c = (struct counters){0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, hopper + 1, &c);
    assert_false(counters_has(&c, COUNTER_FLOPS_TENSOR));
}

// A request of cp.async moves 16 sectors that no load instruction's bytes stand for.
static void bytes_of_asynchronous_copies_are_among_the_ideal_sectors(void **state)
{
    (void)state;
    static const struct named copies[] = {
        {"smsp__sass_data_bytes_mem_global_op_ldgsts.sum", 16 * 32},
        {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 25},
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 32},
        {NULL, 0}};
    struct counters c = {0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, copies, &c);
    assert_true(counters_get(&c, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, -1) == 24);
    c = (struct counters){0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, copies + 1, &c); // a chip without them
    assert_true(counters_get(&c, COUNTER_GLOBAL_LOAD_SECTORS_IDEAL, -1) == 8);
}

static void launches_come_together_as_the_table_says(void **state)
{
    (void)state;
    struct counters sum = {0}, step = {0};
    counters_set(&sum, COUNTER_WARP_INSTRUCTIONS, 100, PROVENANCE_SIMULATED);
    counters_set(&step, COUNTER_WARP_INSTRUCTIONS, 300, PROVENANCE_SIMULATED);
    counters_set(&sum, COUNTER_BLOCK_THREADS, 256, PROVENANCE_SIMULATED);
    counters_set(&step, COUNTER_BLOCK_THREADS, 128, PROVENANCE_SIMULATED);
    counters_set(&sum, COUNTER_LANES_ACTIVE_PCT, 50, PROVENANCE_SIMULATED);
    counters_set(&step, COUNTER_LANES_ACTIVE_PCT, 100, PROVENANCE_MODELLED);
    counters_set(&step, COUNTER_BARRIERS, 7, PROVENANCE_SIMULATED);
    counters_accumulate(&sum, &step, false);
    assert_true(counters_get(&sum, COUNTER_WARP_INSTRUCTIONS, 0) == 400);
    assert_true(counters_get(&sum, COUNTER_BLOCK_THREADS, 0) == 256);
    assert_true(counters_get(&sum, COUNTER_LANES_ACTIVE_PCT, 0) == 87.5);
    assert_int_equal(sum.figure[COUNTER_LANES_ACTIVE_PCT].provenance, PROVENANCE_MODELLED);
    assert_false(counters_has(&sum, COUNTER_BARRIERS));
}

static void formulas_need_all_their_metrics(void **state)
{
    (void)state;
    const struct named all[] = {{"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1},
                                {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 10},
                                {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 100},
                                {"Duration", 5},
                                {NULL, 0}};
    struct counters c = {0};
    double ns = 0;
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, all, &c);
    assert_true(fabs(counters_get(&c, COUNTER_FLOPS_F32, 0) - 211) < 1e-12);
    assert_int_equal(c.figure[COUNTER_FLOPS_F32].provenance, PROVENANCE_MEASURED);
    assert_true(metrics_time_ns(METRIC_TOOL_NCU, find_metric, all, &ns));
    assert_true(fabs(ns - 5) < 1e-12);
    c = (struct counters){0};
    counters_from_metrics(METRIC_TOOL_NCU, find_metric, all + 1, &c);
    assert_false(counters_has(&c, COUNTER_FLOPS_F32));
    assert_true(counters_has(&c, COUNTER_FFMA_F32));
    assert_false(metrics_time_ns(METRIC_TOOL_ROCPROF, find_metric, all, &ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_reported_once_and_found_again),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(absent_is_not_zero),
        cmocka_unit_test(derived_needs_all_its_parts_and_a_divisor),
        cmocka_unit_test(derived_has_the_weakest_provenance_of_its_parts),
        cmocka_unit_test(l2_hits_are_a_share_of_all_sectors_with_those_of_atomics),
        cmocka_unit_test(conflicts_are_a_share_of_all_shared_wavefronts),
        cmocka_unit_test(provenances_have_names),
        cmocka_unit_test(other_profilers_metrics_are_in_the_counter_s_unit),
        cmocka_unit_test(special_operations_are_lanes_from_either_metric),
        cmocka_unit_test(tensor_operations_are_those_of_every_type_a_chip_has),
        cmocka_unit_test(bytes_of_asynchronous_copies_are_among_the_ideal_sectors),
        cmocka_unit_test(launches_come_together_as_the_table_says),
        cmocka_unit_test(formulas_need_all_their_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
