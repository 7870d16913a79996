// Stretches of micro-ops that one handler runs (run/stretch.h): the same memory, counters and modelled time as one by one, in
// random kernels, with each instruction set of this host; and which micro-ops make one.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"
#include "sim/run/stretch.h"

#include <stdatomic.h>

#undef fail
#include "sim/exec_support.h"

enum {
    KERNELS = 24,
    OPS = 60,
    THREADS = 96,
    BLOCKS = 264, // two on each SM: those of the first are traced, and run one by one
    SHARED = 8192,
    BASES = 4,
    VALUES = 6,
    WORDS = THREADS * BLOCKS,
};

/* ---- random kernels ------------------------------------------------------------------------ */

struct dice {
    uint64_t stream, at;
};

static uint32_t roll(struct dice *d, uint32_t sides)
{
    uint32_t w[4];
    philox(16, d->stream, d->at++, w);
    return w[0] % sides;
}

// How the lanes of a base lie: words in a row, few words, halves, all over, by the turn of the loop.
static void base_write(struct text *t, struct dice *d, uint32_t base)
{
    static const char *const LIES[] = {
        "shl.b32 %at, %me, 2;\n",
        "shr.u32 %at, %me, 4; shl.b32 %at, %at, 6;\n",
        "and.b32 %at, %me, 15; shl.b32 %at, %at, 2;\n",
        "mul.lo.u32 %at, %me, 40; and.b32 %at, %at, 1020;\n",
        "mov.b32 %at, 256;\n",
        "mul.lo.u32 %at, %me, %turn; shl.b32 %at, %at, 2; and.b32 %at, %at, 1020;\n",
        "shl.b32 %at, %me, 3;\n",
    };
    text_add(t, LIES[roll(d, COUNT_OF(LIES))]);
    text_printf(t, "mov.b32 %%r%u, %%at;\ncvt.u64.u32 %%rd%u, %%r%u;\n", base, base, base);
}

static void load_write(struct text *t, struct dice *d, const char *to)
{
    text_printf(t, "ld.shared.f32 %s, [%%%s%u+%u];\n", to, roll(d, 4) == 0 ? "rd" : "r",
                roll(d, BASES), 4 * roll(d, 64));
}

// Loaded words, read once or more often, in multiply-adds that go on with one another or not.
static void products_write(struct text *t, struct dice *d, unsigned *next)
{
    uint32_t count = 1 + roll(d, 5), sum = roll(d, VALUES);
    char from[16];
    (void)snprintf(from, sizeof(from), "%%v%u", sum);
    for (uint32_t i = 0; i < count; i++) {
        char a[16], b[16], to[16];
        (void)snprintf(a, sizeof(a), "%%f%u", (*next)++);
        load_write(t, d, a);
        if (roll(d, 3) > 0) {
            (void)snprintf(b, sizeof(b), "%%f%u", (*next)++);
            load_write(t, d, b);
        } else {
            (void)snprintf(b, sizeof(b), "%%v%u", roll(d, VALUES));
        }
        (void)snprintf(to, sizeof(to), "%%f%u", (*next)++);
        if (i + 1 == count)
            (void)snprintf(to, sizeof(to), "%%v%u", roll(d, VALUES));
        bool swapped = roll(d, 2) == 0, ftz = roll(d, 8) == 0;
        text_printf(t, "fma.rn%s.f32 %s, %s, %s, %s;\n", ftz ? ".ftz" : "", to, swapped ? b : a,
                    swapped ? a : b, from);
        if (roll(d, 6) == 0)
            text_printf(t, "add.rn.f32 %%v%u, %s, %s;\n", roll(d, VALUES), a, to);
        memcpy(from, to, sizeof(from));
    }
}

static void op_write(struct text *t, struct dice *d, unsigned *next)
{
    uint32_t x = roll(d, VALUES), y = roll(d, VALUES), z = roll(d, VALUES), base = roll(d, BASES);
    char to[16];
    switch (roll(d, 9)) {
    case 0:
    case 1:
    case 2:
        products_write(t, d, next);
        return;
    case 3:
        (void)snprintf(to, sizeof(to), "%%v%u", x);
        load_write(t, d, to);
        return;
    case 4:
        text_printf(t, "fma.rn.f32 %%v%u, %%v%u, %%v%u, %%v%u;\n", x, y, z, roll(d, VALUES));
        return;
    case 5:
        text_printf(t, "add.u32 %%r%u, %%r%u, 64; and.b32 %%r%u, %%r%u, 2044;\n", base, base, base,
                    base);
        return;
    case 6:
        text_printf(t, "xor.b32 %%sum, %%sum, %%r%u; mul.wide.u32 %%rdx, %%sum, 3;\n", base);
        return;
    case 7: // four that the machine makes one of
        for (uint32_t i = 0; i < 4; i++)
            text_printf(t, "ld.shared.f32 %%f%u, [%%quad+%u];\n", *next + i, 16 * y + 4 * i);
        for (uint32_t i = 0; i < 4; i++, ++*next)
            text_printf(t, "fma.rn.f32 %%v%u, %%f%u, %%v%u, %%v%u;\n", x, *next, z, x);
        return;
    default:
        text_printf(t, "mul.rn.f32 %%v%u, %%v%u, %%v%u;\n", x, y, z);
        return;
    }
}

static void body_write(struct text *t, struct dice *d)
{
    unsigned next = 0;
    for (uint32_t i = 0; i < OPS; i++) {
        op_write(t, d, &next);
        if (roll(d, 12) == 0) // some lanes go on alone
            text_printf(
                t,
                "setp.lt.u32 %%p1, %%me, %u;\n@%%p1 bra L%u;\nadd.rn.f32 %%v0, %%v1, %%v2;\n"
                "fma.rn.f32 %%v1, %%v0, %%v2, %%v3;\nld.shared.f32 %%v4, [%%r0];\n"
                "mul.rn.f32 %%v3, %%v4, %%v1;\nL%u:\n",
                roll(d, 40), i, i);
        if (roll(d, 16) == 0)
            text_printf(t, "st.shared.f32 [%%own+%u], %%v%u;\n", 4 * THREADS * roll(d, 4),
                        roll(d, VALUES));
    }
}

static char *kernel_new(uint64_t number)
{
    struct text t = {0};
    struct dice d = {.stream = number};
    text_printf(
        &t,
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
        ".reg .pred %%p<4>;\n.reg .b32 %%r<%d>, %%me, %%turn, %%sum, %%own, %%at, %%word, %%quad;\n"
        ".reg .f32 %%f<2000>, %%v<%d>;\n"
        ".reg .b64 %%rd<%d>, %%rdx, %%out, %%in, %%a;\n.shared .align 16 .b8 s[%d];\n"
        "ld.param.u64 %%out, [out];\nld.param.u64 %%in, [in];\nmov.u32 %%me, %%tid.x;\n"
        "mov.u32 %%sum, %%ctaid.x;\nshl.b32 %%own, %%me, 2;\nmov.u32 %%turn, 1;\n"
        "shl.b32 %%quad, %%me, 4;\nmov.u32 %%at, s;\nadd.u32 %%own, %%own, %%at;\n",
        BASES, VALUES, BASES, SHARED);
    for (int i = 0; i < SHARED / 4 / THREADS; i++)
        text_printf(&t,
                    "add.u32 %%at, %%own, %d;\ncvt.u64.u32 %%a, %%at;\nadd.s64 %%a, %%a, %%in;\n"
                    "ld.global.u32 %%word, [%%a];\nst.shared.u32 [%%own+%d], %%word;\n",
                    4 * i * THREADS, 4 * i * THREADS);
    for (int i = 0; i < VALUES; i++)
        text_printf(&t, "ld.global.f32 %%v%d, [%%in+%d];\n", i, 4 * i);
    text_printf(&t, "bar.sync 0;\nLoop:\n");
    for (uint32_t i = 0; i < BASES; i++)
        base_write(&t, &d, i);
    body_write(&t, &d);
    text_printf(&t,
                "add.u32 %%turn, %%turn, 1;\nsetp.lt.u32 %%p0, %%turn, 6;\n@%%p0 bra Loop;\n"
                "mov.u32 %%at, %%ctaid.x;\nmad.lo.u32 %%at, %%at, %d, %%me;\n"
                "mul.wide.u32 %%a, %%at, 4;\nadd.s64 %%a, %%a, %%out;\n",
                THREADS);
    for (int i = 0; i < VALUES; i++)
        text_printf(&t, "st.global.f32 [%%a+%d], %%v%d;\n", 4 * i * WORDS, i);
    text_printf(&t,
                "cvt.u32.u64 %%word, %%rdx;\nadd.u32 %%sum, %%sum, %%word;\n"
                "st.global.u32 [%%a+%d], %%sum;\nret;\n}\n",
                4 * VALUES * WORDS);
    return t.data;
}

/* ---- the same, run otherwise --------------------------------------------------------------- */

enum { RESULTS = (VALUES + 1) * WORDS };

struct outcome {
    uint32_t *words;
    struct counters counters;
    struct sim_site *sites;
    int site_count;
    double time_ns;
};

static void heard(void *context, const struct event *e)
{
    (void)e;
    ++*(atomic_size_t *)context;
}

static struct outcome outcome_of(const char *text, const char *isa, bool one_by_one)
{
    uint32_t in[SHARED / 4];
    for (uint32_t i = 0; i < COUNT_OF(in); i++) {
        uint32_t w[4];
        philox(17, 0, i, w); // numbers about one, some very small, NaNs, infinities
        uint32_t exponent = w[1] % 16 == 0 ? w[2] % 256 : 120 + w[2] % 14;
        in[i] = (w[0] & 0x807fffff) | exponent << 23;
    }
    struct bench b;
    atomic_size_t events = 0;
    struct sim_listener listener = {.event = heard};
    assert_int_equal(setenv("RIDGE_SIM_ISA", isa, 1), 0);
    bench_text(&b, text);
    uint64_t from = bench_buffer(&b, "in", in, sizeof(in));
    uint64_t out = bench_buffer(&b, "out", NULL, (size_t)RESULTS * 4);
    b.launch.listener = one_by_one ? &listener : NULL;
    b.launch.listener_context = &events;
    bench_run(&b, "k", GRID1(BLOCKS, THREADS), ARGS(&out, &from));
    assert_int_equal(b.report.violation_count, 0);
    assert_int_equal(events > 0, one_by_one);
    struct outcome o = {.counters = b.report.counters,
                        .time_ns = b.report.time.time_ns,
                        .site_count = b.report.site_count};
    o.words = xcalloc(RESULTS, 4);
    bench_fetch(&b, out, o.words, (size_t)RESULTS * 4);
    o.sites = xcalloc((size_t)o.site_count, sizeof(*o.sites));
    memcpy(o.sites, b.report.sites, (size_t)o.site_count * sizeof(*o.sites));
    for (int i = 0; i < o.site_count; i++) {
        o.sites[i].instruction = NULL;
        o.sites[i].function = NULL;
    }
    bench_close(&b);
    return o;
}

static void outcomes_equal(const struct outcome *a, const struct outcome *b)
{
    assert_memory_equal(a->words, b->words, (size_t)RESULTS * 4);
    for (int i = 0; i < COUNTER_COUNT; i++) {
        assert_int_equal(a->counters.figure[i].provenance, b->counters.figure[i].provenance);
        assert_true(a->counters.figure[i].value == b->counters.figure[i].value);
    }
    assert_int_equal(a->site_count, b->site_count);
    assert_memory_equal(a->sites, b->sites, (size_t)a->site_count * sizeof(*a->sites));
    assert_true(a->time_ns == b->time_ns);
}

static void outcome_release(struct outcome *o)
{
    free(o->words);
    free(o->sites);
}

static void random_kernels_give_the_same_as_one_by_one(void **state)
{
    static const char *const ISAS[] = {"avx512", "avx2",
                                       "baseline"}; // more than there is: the best
    (void)state;
    for (uint64_t i = 0; i < KERNELS; i++) {
        char *text = kernel_new(i);
        struct outcome want = outcome_of(text, "baseline", true);
        for (size_t k = 0; k < COUNT_OF(ISAS); k++) {
            struct outcome got = outcome_of(text, ISAS[k], false);
            outcomes_equal(&want, &got);
            outcome_release(&got);
        }
        outcome_release(&want);
        free(text);
    }
    assert_int_equal(unsetenv("RIDGE_SIM_ISA"), 0);
}

/* ---- what makes a stretch ------------------------------------------------------------------ */

#define HEAD                                                                              \
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n" \
    "{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n.reg .f32 %f<99>;\n.reg .b64 %rd<9>;\n"      \
    ".shared .align 16 .b8 s[4096];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n"   \
    "setp.eq.u32 %p1, %r1, 99;\n"
#define TAIL "st.global.f32 [%rd1], %f9;\nret;\n}\n"

static const struct stretch *only_stretch(struct bench *b, const char *text)
{
    bench_text(b, text);
    struct program *p = program_new(b->module, ptx_function_find(b->ptx, "k"), SIM_ISA_BASELINE);
    VEC_PUSH(b->module->programs, b->module->program_count, b->module->program_capacity, p);
    assert_int_equal(p->stretch_count, 1);
    return &p->stretches[0];
}

static void loaded_words_go_to_their_only_reader(void **state)
{
    struct bench b;
    (void)state;
    const struct stretch *s =
        only_stretch(&b, HEAD "and.b32 %r2, %r1, 4;\nbar.sync 0;\n"
                              "ld.shared.f32 %f1, [%r2];\nld.shared.f32 %f2, [%r2+4];\n"
                              "fma.rn.f32 %f3, %f1, %f2, %f8;\n"
                              "ld.shared.f32 %f4, [%r2+8];\nfma.rn.f32 %f5, %f8, %f4, %f3;\n"
                              "ld.shared.f32 %f6, [%r2+12];\nfma.rn.f32 %f7, %f6, %f6, %f5;\n"
                              "fma.rn.f32 %f9, %f7, %f7, %f7;\n" TAIL);
    assert_int_equal(s->count, 8);
    assert_int_equal(s->step_count, 5);
    assert_int_equal(s->steps[0].kind, STEP_LOADS_FMA);
    assert_false(s->steps[0].continues);
    assert_int_equal(s->steps[1].kind, STEP_LOAD_FMA);
    assert_true(s->steps[1].continues);
    assert_int_equal(s->steps[2].kind, STEP_LOAD); // read twice: to its row
    assert_int_equal(s->steps[3].kind, STEP_FMA);
    assert_false(s->steps[3].continues); // the load stands between
    assert_int_equal(s->steps[4].kind, STEP_FMA);
    assert_false(s->steps[4].continues); // reads the result more than once
    assert_int_equal(s->group_count, 1);
    assert_int_equal(s->groups[0].low, 0);
    assert_int_equal(s->groups[0].high, 16);
    bench_close(&b);
}

static void a_stretch_ends_where_an_address_changes(void **state)
{
    struct bench b;
    (void)state;
    const struct stretch *s = only_stretch(
        &b, HEAD "and.b32 %r2, %r1, 4;\nbar.sync 0;\n"
                 "ld.shared.f32 %f1, [%r2];\nadd.u32 %r3, %r2, 4;\nadd.u32 %r2, %r2, 8;\n"
                 "mul.rn.f32 %f4, %f1, %f1;\nld.shared.f32 %f2, [%r2];\n"
                 "@%p1 mul.rn.f32 %f3, %f1, %f1;\nadd.rn.f32 %f9, %f2, %f4;\n" TAIL);
    assert_int_equal(s->count, 4); // not the load behind, nor what has a guard
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_kernels_give_the_same_as_one_by_one),
        cmocka_unit_test(loaded_words_go_to_their_only_reader),
        cmocka_unit_test(a_stretch_ends_where_an_address_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
