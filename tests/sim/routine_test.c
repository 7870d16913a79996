// Divisions and roots call a routine for numbers that their short way does not take (sim/decode/routines.def): machine instructions and
// times of kernels that differ by what one lane divides. `boys` of bench/truth/validation-9 divides 0 in its first lane, 89 times one after
// the other: an H200 takes 84 us, 15 more than without the routine.
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>
#include <string.h>

enum { TURNS = 64, LANE = 3, LANES_OF_BLOCK = 32, BUFFER = 64 * LANES_OF_BLOCK };

// %x: what the lane has loaded; %v: changes from turn to turn.
static const struct {
    const char *type, *code;
    unsigned slots, cycles;
} forms[] = {
    {"f32", "div.rn.f32 %y, %x, %v; add.f32 %v, %v, %y;", 34, 162},
    {"f64", "div.rn.f64 %y, %x, %v; add.f64 %v, %v, %y;", 63, 222},
    {"f32", "mul.f32 %y, %x, %v; sqrt.rn.f32 %y, %y; add.f32 %v, %v, %y;", 7, 36},
    {"f64", "mul.f64 %y, %x, %v; sqrt.rn.f64 %y, %y; add.f64 %v, %v, %y;", 15, 76},
    {"f32", "div.approx.f32 %y, %x, %v; add.f32 %v, %v, %y;", 0, 0},
};

static void text_of(struct text *t, const char *type, const char *code)
{
    bool wide = strcmp(type, "f64") == 0;
    text_printf(
        t,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n"
        ".reg .%s %%x, %%y, %%v; .reg .pred %%p; .reg .b32 %%t, %%n; .reg .b64 %%in, %%at;\n"
        "ld.param.u64 %%in, [in]; mov.u32 %%t, %%tid.x; mul.wide.u32 %%at, %%t, %d;\n"
        "add.u64 %%at, %%in, %%at; ld.global.%s %%x, [%%at]; mov.%s %%v, %s; mov.u32 %%n, %d;\n"
        "turn:\n.pragma \"nounroll\";\n%s\nadd.u32 %%n, %%n, -1; setp.ne.u32 %%p, %%n, 0;\n@%%p "
        "bra turn;\n"
        "st.global.%s [%%at+1024], %%v;\nret;\n}\n",
        type, wide ? 8 : 4, type, type, wide ? "0d3FF8000000000000" : "0f3FC00000", TURNS, code,
        type);
}

struct ran {
    double instructions, cycles;
};

static struct ran run_with(struct bench *b, const char *type, double number)
{
    char words[BUFFER] = {0};
    for (int i = 0; i < LANES_OF_BLOCK; i++) {
        double wide = i == LANE ? number : 2;
        float narrow = (float)wide;
        if (strcmp(type, "f64") == 0)
            memcpy(words + 8 * i, &wide, sizeof wide);
        else
            memcpy(words + 4 * i, &narrow, sizeof narrow);
    }
    uint64_t in = bench_buffer(b, "in", words, sizeof words);
    sim_flush_caches(b->sim);
    bench_run(b, "k", GRID1(1, LANES_OF_BLOCK), ARGS(&in));
    assert_true(b->report.time.valid);
    return (struct ran){counters_get(&b->report.counters, COUNTER_WARP_INSTRUCTIONS, 0),
                        b->report.time.time_ns * b->gpu->value[GPU_FIELD_clock_mhz] / 1000};
}

static void a_lane_that_divides_nothing_calls_the_routine(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        struct text t = {0};
        text_of(&t, forms[i].type, forms[i].code);
        struct bench b;
        bench_text(&b, t.data);
        struct ran usual = run_with(&b, forms[i].type, 3), odd = run_with(&b, forms[i].type, 0);
        double more = (odd.instructions - usual.instructions) / TURNS,
               longer = (odd.cycles - usual.cycles) / TURNS;
        if (more != forms[i].slots || fabs(longer - forms[i].cycles) > 0.1 * forms[i].cycles + 0.5)
            fail_msg("%s: %.2f instructions and %.1f cycles a turn", forms[i].code, more, longer);
        bench_close(&b);
        text_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lane_that_divides_nothing_calls_the_routine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
