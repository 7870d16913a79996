// Operations that become sequences of machine instructions: their modelled times beside what an H200 takes
// (docs/h200-rates.md, section 3, "Sequences of machine code").
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <string.h>

// A chain of 32 or 96 operations per thread, one or four chains: what 64 more cost.
static const struct {
    const char *name, *code; // %1: value, %2: the other operand
    const char *type;
    double cycles, latency; // per warp instruction of an SM; measured, the loop taken off
} operations[] = {
    {"add.f32", "add.rn.f32 %1, %1, %2;", "f32", 0.25, 4.2},
    {"div.rn.f32", "div.rn.f32 %1, %2, %1;", "f32", 4.20, 53.2},
    {"div.full.f32", "div.full.f32 %1, %2, %1;", "f32", 2.32, 41.7},
    {"div.approx.f32", "div.approx.f32 %1, %2, %1;", "f32", 1.98, 37.2},
    {"rcp.rn.f32", "rcp.rn.f32 %1, %1;", "f32", 3.08, 73.0},
    {"sqrt.rn.f32", "sqrt.rn.f32 %1, %1;", "f32", 2.79, 51.5},
    {"mul.f64", "mul.rn.f64 %1, %1, %2;", "f64", 0.50, 8},
    {"div.rn.f64", "div.rn.f64 %1, %2, %1;", "f64", 6.18, 124.2},
    {"rcp.rn.f64", "rcp.rn.f64 %1, %1;", "f64", 3.85, 71.9},
    {"sqrt.rn.f64", "sqrt.rn.f64 %1, %1;", "f64", 6.88, 91.9},
    {"div.u32", "div.u32 %1, %2, %1;", "u32", 7.78, 123.9},
    {"div.s32", "div.s32 %1, %2, %1;", "u32", 7.78, 123.9},
    {"rem.u32", "rem.u32 %1, %2, %1;", "u32", 8.60, 127.2},
    {"rem.s32", "rem.s32 %1, %2, %1;", "u32", 8.60, 127.2},
    {"div.u64", "div.u64 %1, %2, %1;", "u64", 28.30, 303.8},
    {"div.s64", "div.s64 %1, %2, %1;", "u64", 35.70, 324.7},
    {"rem.u64", "rem.u64 %1, %2, %1;", "u64", 28.80, 295.8},
    {"rem.s64", "rem.s64 %1, %2, %1;", "u64", 34.03, 318.7},
    {"mul.lo.u64", "mul.lo.u64 %1, %1, %2;", "u64", 2.13, 12.0},
    {"mul.hi.u64", "mul.hi.u64 %1, %1, %2;", "u64", 4.36, 29.1},
};
#define SHARE_MAX 0.10

static void code_add(struct text *t, const char *code, int chain)
{
    for (const char *c = code; *c != '\0'; c++)
        if (*c == '%' && c[1] == '1')
            text_printf(t, "%%v%d", chain), c++;
        else if (*c == '%')
            text_add(t, "%other"), c++;
        else
            text_printf(t, "%c", *c);
    text_add(t, "\n");
}

static void kernel_add(struct text *t, const char *name, const char *code, const char *type,
                       int chains, int rounds)
{
    const char *size = type + 1;
    text_printf(t,
                ".visible .entry %s(.param .u64 out, .param .%s a)\n{\n"
                ".reg .%s %%v<4>, %%other; .reg .b64 %%out;\n"
                "ld.param.u64 %%out, [out]; ld.param.%s %%other, [a];\n",
                name, type, type, type);
    for (int c = 0; c < chains; c++)
        text_printf(t, "mov.b%s %%v%d, %%other;\n", size, c);
    text_add(
        t,
        "bra.uni go;\ngo:\n"); // values handed on: in one block those of all chains are the same, and made once
    for (int i = 0; i < rounds; i++)
        for (int c = 0; c < chains; c++)
            code_add(t, code, c);
    for (int c = 0; c < chains; c++)
        text_printf(t, "st.global.b%s [%%out+%d], %%v%d;\n", size, 8 * c, c);
    text_add(t, "ret;\n}\n");
}

// SM cycles that 64 more rounds take.
static double cycles_of(struct bench *b, const char *few, const char *many, uint32_t threads,
                        uint64_t out, const char *type)
{
    uint64_t argument = 3; // as a float it would have no exponent, and take the routines' time
    double wide = 3;
    float narrow = 3;
    if (strcmp(type, "f64") == 0)
        memcpy(&argument, &wide, sizeof wide);
    else if (strcmp(type, "f32") == 0)
        memcpy(&argument, &narrow, sizeof narrow);
    bench_run(b, few, GRID1(1, threads), ARGS(&out, &argument));
    assert_true(b->report.time.valid);
    double less = b->report.time.time_ns;
    bench_run(b, many, GRID1(1, threads), ARGS(&out, &argument));
    return (b->report.time.time_ns - less) * 1.98;
}

static void hold(const char *name, const char *what, double modelled, double measured)
{
    if (fabs(modelled - measured) > SHARE_MAX * measured)
        fail_msg("%s: %s modelled %.2f, measured %.2f", name, what, modelled, measured);
}

static void each_operation_has_its_measured_rate_and_latency(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(operations); i++) {
        struct text t = {0};
        text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
        kernel_add(&t, "one_few", operations[i].code, operations[i].type, 1, 32);
        kernel_add(&t, "one_many", operations[i].code, operations[i].type, 1, 96);
        kernel_add(&t, "four_few", operations[i].code, operations[i].type, 4, 32);
        kernel_add(&t, "four_many", operations[i].code, operations[i].type, 4, 96);
        struct bench b;
        bench_text(&b, t.data);
        uint64_t out = bench_buffer(&b, "out", NULL, 64);
        double latency = cycles_of(&b, "one_few", "one_many", 32, out, operations[i].type) / 64;
        double cycles =
            cycles_of(&b, "four_few", "four_many", 1024, out, operations[i].type) / (64 * 4 * 32);
        hold(operations[i].name, "latency", latency, operations[i].latency);
        hold(operations[i].name, "cycles per warp instruction", cycles, operations[i].cycles);
        bench_close(&b);
        text_release(&t);
    }
}

// Four chains of it on 32 warps: SM cycles per warp and round.
static double four_chains(const char *code, const char *type)
{
    struct text t = {0};
    struct bench b;
    text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    kernel_add(&t, "few", code, type, 4, 32);
    kernel_add(&t, "many", code, type, 4, 96);
    bench_text(&b, text_str(&t));
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    double cycles = cycles_of(&b, "few", "many", 1024, out, type) / (64 * 4 * 32);
    bench_close(&b);
    text_release(&t);
    return cycles;
}

// What makes a carry, logic and rotations have the integer pipe for themselves; shifts by a number and the high half of a sum go through
// the multipliers' beside it; a high product takes it for twice as long (rates 7: 1.155 and 0.598 cycles, of which the loop has 0.125).
static void integers_take_the_pipes_that_ptxas_gives_them(void **state)
{
    (void)state;
    static const struct {
        const char *code, *type;
        double cycles;
    } rows[] = {
        {"mul.hi.u32 %1, %1, %2; or.b32 %1, %1, %2;", "u32", 1.03},
        {"shl.b32 %1, %1, 1; or.b32 %1, %1, %2;", "u32", 0.5},
        // Of siphash (bench/truth/validation-6) three ALU instructions of four, which set its pace.
        {"add.u64 %1, %1, %2; xor.b64 %1, %1, %2;", "b64", 1.5},
        {"add.cc.u32 %1, %1, %2; or.b32 %1, %1, %2;", "u32", 1.0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        hold(rows[i].code, "cycles", four_chains(rows[i].code, rows[i].type), rows[i].cycles);
}

// Rounds that load a word, from L1, and have eight instructions of the integer pipe, two each with the word, or with a byte of it: cycles of
// a scheduler per round of a warp, with 32 warps on an SM.
static double round_cycles(bool bytes)
{
    enum { FEW = 32, MANY = 96 };
    struct text t = {0};
    text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (int many = 0; many < 2; many++) {
        text_printf(&t,
                    ".visible .entry %s(.param .u64 out, .param .u64 a)\n{\n"
                    ".reg .b64 %%o, %%at, %%to; .reg .b32 %%v<4>, %%x<4>, %%t, %%zero;\n"
                    ".reg .b16 %%h<4>;\n"
                    "ld.param.u64 %%o, [out]; mov.u32 %%t, %%tid.x; shr.u32 %%zero, %%t, 10;\n"
                    "mul.wide.u32 %%at, %%zero, 4; add.u64 %%at, %%o, %%at;\n"
                    "mul.wide.u32 %%to, %%t, 16; add.u64 %%to, %%o, %%to;\n",
                    many ? "many" : "few");
        for (int c = 0; c < 4; c++)
            text_printf(&t, "add.u32 %%v%d, %%t, %d;\n", c, c);
        for (int round = 0; round < (many ? MANY : FEW); round++) {
            text_printf(&t,
                        bytes ? "ld.global.v4.u8 {%%h0, %%h1, %%h2, %%h3}, [%%at+%d];\n"
                              : "ld.global.u32 %%x0, [%%at+%d];\n",
                        4 * round);
            for (int c = 0; bytes && c < 4; c++)
                text_printf(&t, "cvt.u32.u8 %%x%d, %%h%d;", c, c);
            for (int c = 0; c < 4; c++) // two of a kind in a row would be one
                text_printf(&t, "xor.b32 %%v%d, %%v%d, %%x%d; min.u32 %%v%d, %%v%d, %%x%d;\n", c, c,
                            bytes ? c : 0, c, c, bytes ? c : 0);
        }
        for (int c = 0; c < 4; c++)
            text_printf(&t, "st.global.u32 [%%to+%d], %%v%d;\n", 4096 + 4 * c, c);
        text_add(&t, "ret;\n}\n");
    }
    struct bench b;
    bench_text(&b, text_str(&t));
    uint64_t out = bench_buffer(&b, "out", NULL, 1 << 16), argument = 0;
    bench_run(&b, "many", GRID1(1, 1024),
              ARGS(&out, &argument)); // its words are in L2 from here on
    double cycles = cycles_of(&b, "few", "many", 1024, out, "f32") / (MANY - FEW) / 32 * 4;
    bench_close(&b);
    text_release(&t);
    return cycles;
}

// ptxas 13.0 has four PRMTs more a round, one for each byte (read off its code for these kernels): of the integer pipe, as the sixteen
// cycles that both have are, which the loads are beside.
static void bytes_are_taken_apart_by_the_integer_pipe(void **state)
{
    (void)state;
    double words = round_cycles(false), bytes = round_cycles(true);
    if (words < 15.5 || words > 19 || bytes < words + 4.5 || bytes > words + 9)
        fail_msg("eight instructions take %.2f cycles with a word, %.2f with its bytes", words,
                 bytes);
}

// Products of twice the width hold a scheduler's dispatch: groups of four of them and of sums beside them, cycles of a scheduler
// per group with 32 warps on an SM (bench/device/mixes.sh, section 1).
static void wide_products_hold_the_dispatch(void **state)
{
    static const struct {
        const char *name;
        int sums;
        double cycles;
    } rows[] = {
        {"alone", 0, 16.05}, {"2 sums", 2, 18.56}, {"4 sums", 4, 20.65}, {"8 sums", 8, 24.39}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct text t = {0}, code = {0};
        for (int w = 0; w < 4; w++)
            text_printf(&code, "mad.wide.u32 %%w%d, %%r%d, 12, %%w%d;\n", w, w, w);
        for (int s = 0; s < rows[i].sums; s++)
            text_printf(&code, "add.f32 %%f%d, %%f%d, %%f8;\n", s, s);
        text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
        for (int many = 0; many < 2; many++) {
            text_printf(&t,
                        ".visible .entry %s(.param .u64 out, .param .u64 a)\n{\n"
                        ".reg .b64 %%w<4>, %%o; .reg .b32 %%r<4>; .reg .f32 %%f<9>;\n"
                        "ld.param.u64 %%o, [out];\n",
                        many ? "many" : "few");
            for (int r = 0; r < 9; r++) {
                if (r < 4)
                    text_printf(&t, "mov.u32 %%r%d, %%tid.x; cvt.u64.u32 %%w%d, %%r%d;\n", r, r, r);
                text_printf(&t, "cvt.rn.f32.u32 %%f%d, %%r0;\n", r);
            }
            text_add(&t, "bra.uni go;\ngo:\n"); // values handed on, as above
            for (int round = 0; round < (many ? 96 : 32); round++)
                text_add(&t, text_str(&code));
            for (int r = 0; r < 8; r++)
                text_printf(&t, "st.global.f32 [%%o+%d], %%f%d;\n", 4 * r, r);
            for (int r = 0; r < 4; r++)
                text_printf(&t, "st.global.u64 [%%o+%d], %%w%d;\n", 32 + 8 * r, r);
            text_add(&t, "ret;\n}\n");
        }
        struct bench b;
        bench_text(&b, text_str(&t));
        uint64_t out = bench_buffer(&b, "out", NULL, 64);
        hold("mad.wide", rows[i].name, cycles_of(&b, "few", "many", 1024, out, "f32") / 64 / 32 * 4,
             rows[i].cycles);
        bench_close(&b);
        text_release(&t);
        text_release(&code);
    }
}

// One warp in a loop of two operations, each waiting for the one before: what an H200 takes for a turn (rates 7, "the loop
// is in the measured figures"). The counter's comparison is 13 cycles before the branch under it, and the branch takes 5.
static void turns_of_a_short_loop_take_an_h200s_cycles(void **state)
{
    (void)state;
    static const struct {
        const char *code, *type;
        double cycles; // of a turn
    } loops[] = {{"add.rn.f32 %v, %v, %a;", "f32", 2 * 13.73},
                 {"mul.rn.f64 %v, %v, %a;", "f64", 2 * 14.20},
                 {"or.b32 %v, %v, %a;", "b32", 2 * 15.55}};
    enum { FEW = 32, MANY = 1056 };
    const double most = 0.3; // ptxas also loads the operand anew in each turn
    for (size_t i = 0; i < COUNT_OF(loops); i++) {
        struct text t = {0};
        text_printf(&t,
                    ".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".visible .entry turns(.param .u64 out, .param .u32 n)\n{\n"
                    ".reg .%s %%v, %%a; .reg .b64 %%out; .reg .b32 %%r<3>; .reg .pred %%p;\n"
                    "ld.param.u64 %%out, [out]; ld.param.u32 %%r2, [n]; mov.u32 %%r1, 0;\n"
                    "ld.global.%s %%v, [%%out]; ld.global.%s %%a, [%%out+8];\n"
                    "again: %s %s add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p, %%r1, %%r2;\n"
                    "@%%p bra again;\nst.global.%s [%%out], %%v; ret;\n}\n",
                    loops[i].type, loops[i].type, loops[i].type, loops[i].code, loops[i].code,
                    loops[i].type);
        struct bench b;
        bench_text(&b, t.data);
        uint64_t out = bench_buffer(&b, "out", NULL, 64);
        double ns[2];
        for (int k = 0; k < 2; k++) {
            uint32_t n = k ? MANY : FEW;
            sim_flush_caches(b.sim);
            bench_run(&b, "turns", GRID1(1, 32), ARGS(&out, &n));
            ns[k] = b.report.time.time_ns;
        }
        double cycles = (ns[1] - ns[0]) * 1.98 / (MANY - FEW);
        if (fabs(cycles - loops[i].cycles) > most * loops[i].cycles)
            fail_msg("%s: %.1f cycles a turn, measured %.1f", loops[i].code, cycles,
                     loops[i].cycles);
        bench_close(&b);
        text_release(&t);
    }
}

// ptxas multiplies where the divisor of 32 bits is known.
static void divisions_by_known_numbers_cost_products(void **state)
{
    (void)state;
    static const char *const known[][2] = {
        {"div.u32 %1, %1, 7;", "u32"},
        {"div.u32 %1, %1, 8;", "u32"},
        {"div.s32 %1, %1, 7;", "u32"},
        {"rem.s32 %1, %1, 10;", "u32"},
    };
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct text t = {0};
        text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
        kernel_add(&t, "few", known[i][0], known[i][1], 4, 32);
        kernel_add(&t, "many", known[i][0], known[i][1], 4, 96);
        struct bench b;
        bench_text(&b, t.data);
        uint64_t out = bench_buffer(&b, "out", NULL, 64);
        double cycles = cycles_of(&b, "few", "many", 1024, out, "f32") / (64 * 4 * 32);
        if (cycles > 7.78 / 2 || cycles < 1)
            fail_msg("%s: %.2f cycles", known[i][0], cycles);
        bench_close(&b);
        text_release(&t);
    }
}

// bench/truth/tuning/divisions: 64 products and 64 divisions of a million threads in eight shapes, microseconds on
// an H200 with cold caches. A loop of them is what users meet: 12.9 against 39.9.
static void products_and_divisions_take_what_an_h200_takes(void **state)
{
    (void)state;
    enum { COUNT = 1 << 20, BLOCK = 256 };
    static const struct {
        const char *shape;
        double product_us, quotient_us;
    } shapes[] = {
        {"by_value", 7.29, 38.7},    {"of_value", 7.28, 38.5},   {"by_argument", 6.78, 39.2},
        {"by_constant", 6.69, 25.7}, {"sum", 9.07, 40.2},        {"sum_of_index", 10.4, 41.7},
        {"loop", 12.9, 39.9},        {"loop_count", 16.6, 44.5},
    };
    const double most = 0.15;
    float *values = xcalloc(COUNT, sizeof *values);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = 1 + (float)(i % 1000) / 100000;
    struct bench b;
    bench_file(&b, "../../bench/truth/tuning/divisions/divisions.ptx");
    uint64_t in = bench_buffer(&b, "in", values, COUNT * sizeof *values),
             other = bench_buffer(&b, "other", values, COUNT * sizeof *values),
             out = bench_buffer(&b, "out", NULL, COUNT * sizeof *values);
    float argument = 1.0009765F;
    for (size_t i = 0; i < 2 * COUNT_OF(shapes); i++) {
        char name[40];
        double us = i % 2 ? shapes[i / 2].quotient_us : shapes[i / 2].product_us;
        (void)snprintf(name, sizeof name, "%s_%s", shapes[i / 2].shape, i % 2 ? "div" : "mul");
        sim_flush_caches(b.sim);
        bench_run(&b, name, GRID1(COUNT / BLOCK, BLOCK), ARGS(&out, &in, &other, &argument));
        double modelled = b.report.time.time_ns / 1000;
        if (fabs(modelled - us) > most * us)
            fail_msg("%s: %.2f us modelled, %.2f measured", name, modelled, us);
    }
    bench_close(&b);
    free(values);
}

// A chip whose file lacks the figures is modelled by lower.def's counts.
static void chips_without_figures_count_instructions(void **state)
{
    (void)state;
    struct text t = {0};
    text_add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    kernel_add(&t, "few", "div.rn.f32 %1, %2, %1;", "f32", 4, 32);
    kernel_add(&t, "many", "div.rn.f32 %1, %2, %1;", "f32", 4, 96);
    struct bench b;
    bench_text(&b, t.data);
    b.gpu->value[GPU_FIELD_op_div_rn_f32_cycles] = (double)NAN;
    uint64_t out = bench_buffer(&b, "out", NULL, 64);
    double cycles = cycles_of(&b, "few", "many", 1024, out, "f32") / (64 * 4 * 32);
    // lower.def: two instructions of the special-function unit, two cycles each.
    if (fabs(cycles - 4) > 0.4)
        fail_msg("%.2f cycles", cycles);
    bench_close(&b);
    text_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_of_a_short_loop_take_an_h200s_cycles),
        cmocka_unit_test(divisions_by_known_numbers_cost_products),
        cmocka_unit_test(products_and_divisions_take_what_an_h200_takes),
        cmocka_unit_test(chips_without_figures_count_instructions),
        cmocka_unit_test(each_operation_has_its_measured_rate_and_latency),
        cmocka_unit_test(integers_take_the_pipes_that_ptxas_gives_them),
        cmocka_unit_test(bytes_are_taken_apart_by_the_integer_pipe),
        cmocka_unit_test(wide_products_hold_the_dispatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
