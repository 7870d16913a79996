// mma and wgmma against plain C: where the PTX ISA puts each element, and what an H200 computed.
//   build/tests/sim/tensor_test write DIR    kernels and inputs for tests/sim/tensor_h200.cu
//   nvcc -o DIR/run tests/sim/tensor_h200.cu -lcuda && DIR/run DIR
//   build/tests/sim/tensor_test read DIR     the new tests/sim/tensor_h200.txt
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

enum element { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, S32, B1, E4M3, E5M2 };
static const int BITS[] = {16, 16, 32, 32, 64, 8, 8, 4, 4, 32, 1, 8, 8};
enum { RUNS = 64, WORDS_IN = 32, WORDS_OUT = 8, SHARED_BYTES = 32768 };

/* ---- the rows -------------------------------------------------------------------------------- */

struct mma {
    const char *words;
    int m, n, k;
    enum element a, b, c;
};
static const struct mma MMAS[] = {
#define MMA(words, m, n, k, a, b, c) {words, m, n, k, a, b, c},
#define WGMMA(words, n, k, a, b, d, regs, leading, stride, layout, options)
#define WMMA(words, registers, wide)
#include "sim/tensor_rows.def"
#undef MMA
#undef WGMMA
#undef WMMA
};

struct wgmma {
    const char *words;
    int n, k;
    enum element a, b, d;
    int a_registers, leading, stride, layout;
    const char *options;
};
static const struct wgmma WGMMAS[] = {
#define MMA(words, m, n, k, a, b, c)
#define WGMMA(words, n, k, a, b, d, regs, leading, stride, layout, options) \
    {words, n, k, a, b, d, regs, leading, stride, layout, options},
#define WMMA(words, registers, wide)
#include "sim/tensor_rows.def"
#undef WGMMA
#undef WMMA
};
struct wmma {
    const char *words;
    int registers, wide;
};
static const struct wmma WMMAS[] = {
#define WGMMA(words, n, k, a, b, d, regs, leading, stride, layout, options)
#define WMMA(words, registers, wide) {words, registers, wide},
#include "sim/tensor_rows.def"
#undef MMA
#undef WGMMA
#undef WMMA
};

static int bits_of_register(enum element e)
{
    return BITS[e] == 64 ? 64 : 32;
}

static int registers_of(enum element e, int rows, int columns)
{
    return rows * columns * BITS[e] / 32 / bits_of_register(e);
}

/* ---- where elements lie: PTX ISA, "Matrix fragments for mma" ------------------------------------ */

// Element i of a lane's share, counted from the low bits of the first register.
static void place_a(const struct mma *x, int i, int lane, int *row, int *column)
{
    int g = lane >> 2, t = lane % 4, per = BITS[x->a] >= 32 ? 1 : 32 / BITS[x->a];
    bool lower = x->m == 16 && i % (2 * per) >= per; // the register for rows 8 to 15
    int across = x->m == 16 ? i / (2 * per) : i / per;
    *row = lower ? g + 8 : g;
    *column = t * per + i % per + across * 4 * per;
}

static void place_b(const struct mma *x, int i, int lane, int *row, int *column)
{
    int g = lane >> 2, t = lane % 4, per = BITS[x->b] >= 32 ? 1 : 32 / BITS[x->b];
    *row = t * per + i % per + i / per * 4 * per;
    *column = g;
}

static void place_c(int i, int lane, int *row, int *column)
{
    *row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
    *column = lane % 4 * 2 + (i & 1);
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void list(struct text *t, const char *prefix, int from, int count)
{
    text_add(t, "{");
    for (int i = 0; i < count; i++)
        text_printf(t, "%s%s%d", i > 0 ? ", " : "", prefix, from + i);
    text_add(t, "}");
}

#define HEAD ".version 8.4\n.target sm_90a\n.address_size 64\n"

// Loads so many registers per lane from the block's inputs.
static int load(struct text *t, enum element e, int from, int count, int word)
{
    bool wide = bits_of_register(e) == 64;
    for (int i = 0; i < count; i++, word += wide ? 2 : 1) {
        if (wide)
            text_printf(t, "ld.global.b64 %%d%d, [%%l2+%d];\n", from + i, word * 128);
        else
            text_printf(t, "ld.global.b32 %%r%d, [%%l3+%d];\n", from + i, word * 128);
    }
    return word;
}

// in: WORDS_IN rows of 32 words per block; out: WORDS_OUT rows. %l2 = &in[8 * lane], %l3 = &in[4 * lane].
static const char PROLOGUE[] =
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .b32 %r<64>, %t<9>;\n"
         ".reg .f64 %d<64>;\n.reg .b64 %l<9>;\n"
         "ld.param.u64 %l1, [p];\nld.param.u64 %l2, [q];\nmov.u32 %t1, %ctaid.x;\n"
         "mov.u32 %t2, %tid.x;\nmul.wide.u32 %l4, %t1, 4096;\nadd.s64 %l2, %l2, %l4;\n"
         "mul.wide.u32 %l4, %t2, 4;\nadd.s64 %l3, %l2, %l4;\nmul.wide.u32 %l5, %t2, 8;\n"
         "add.s64 %l2, %l2, %l5;\nmul.wide.u32 %l6, %t1, 1024;\nadd.s64 %l1, %l1, %l6;\n"
         "add.s64 %l7, %l1, %l4;\nadd.s64 %l8, %l1, %l5;\n";

static void kernel_mma(const struct mma *x, struct text *t)
{
    int na = registers_of(x->a, x->m, x->k), nb = registers_of(x->b, x->k, x->n);
    int nc = registers_of(x->c, x->m, x->n);
    const char *wide = bits_of_register(x->a) == 64 ? "%d" : "%r";
    text_clear(t);
    text_add(t, PROLOGUE);
    int word = load(t, x->a, 0, na, 0);
    word = load(t, x->b, na, nb, word);
    (void)load(t, x->c, na + nb, nc, word);
    text_printf(t, "mma.sync.aligned.%s ", x->words);
    list(t, wide, 40, nc);
    text_add(t, ", ");
    list(t, wide, 0, na);
    text_add(t, ", ");
    list(t, wide, na, nb);
    text_add(t, ", ");
    list(t, wide, na + nb, nc);
    text_add(t, ";\n");
    for (int i = 0; i < nc; i++)
        if (wide[1] == 'd')
            text_printf(t, "st.global.b64 [%%l8+%d], %%d%d;\n", i * 256, 40 + i);
        else
            text_printf(t, "st.global.b32 [%%l7+%d], %%r%d;\n", i * 128, 40 + i);
    text_add(t, "ret;\n}\n");
}

// A block's inputs: an image of shared memory, then the registers of d and of a, a row a register.
enum { IMAGE = 32768, GROUP_ROW = 512, GROUP_IN = IMAGE + 36 * GROUP_ROW, GROUP_OUT = 32 * 512 };

static void kernel_wgmma(const struct wgmma *x, struct text *t)
{
    int nd = 64 * x->n * BITS[x->d] / 32 / 128, na = 64 * x->k * BITS[x->a] / 32 / 128;
    text_clear(t);
    text_printf(t,
                HEAD
                ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .b32 %%r<64>, %%t<9>;\n"
                ".reg .b64 %%l<12>;\n.reg .pred %%p<3>;\n.shared .align 1024 .b8 s[%d];\n"
                "ld.param.u64 %%l1, [p];\nld.param.u64 %%l2, [q];\nmov.u32 %%t1, %%ctaid.x;\n"
                "mov.u32 %%t2, %%tid.x;\nmul.wide.u32 %%l4, %%t1, %d;\n"
                "add.s64 %%l2, %%l2, %%l4;\nmul.wide.u32 %%l5, %%t1, %d;\n"
                "add.s64 %%l1, %%l1, %%l5;\nmul.wide.u32 %%l6, %%t2, 4;\n"
                "add.s64 %%l1, %%l1, %%l6;\nadd.s64 %%l2, %%l2, %%l6;\nmov.u32 %%t3, s;\n"
                "shl.b32 %%t5, %%t2, 2;\nadd.s32 %%t4, %%t3, %%t5;\nmov.u32 %%t6, 0;\n"
                "L:\nld.global.u32 %%t7, [%%l2];\nst.shared.u32 [%%t4], %%t7;\n"
                "add.s64 %%l2, %%l2, 512;\nadd.s32 %%t4, %%t4, 512;\nadd.s32 %%t6, %%t6, 512;\n"
                "setp.lt.u32 %%p1, %%t6, %d;\n@%%p1 bra L;\n",
                IMAGE, GROUP_IN, GROUP_OUT, IMAGE);
    for (int i = 0; i < nd; i++)
        text_printf(t, "ld.global.b32 %%r%d, [%%l2+%d];\n", i, i * GROUP_ROW);
    for (int i = 0; i < na && x->a_registers; i++)
        text_printf(t, "ld.global.b32 %%r%d, [%%l2+%d];\n", 32 + i, (32 + i) * GROUP_ROW);
    uint64_t descriptor = (uint64_t)x->leading / 16 << 16 | (uint64_t)x->stride / 16 << 32 |
                          (uint64_t)x->layout << 62;
    text_printf(
        t,
        "fence.proxy.async;\nbar.sync 0;\nshr.u32 %%t5, %%t3, 4;\nand.b32 %%t5, %%t5, 16383;\n"
        "cvt.u64.u32 %%l7, %%t5;\nor.b64 %%l7, %%l7, %lld;\nadd.s64 %%l8, %%l7, 64;\n"
        "setp.ne.u32 %%p2, %%t1, 1;\nwgmma.fence.sync.aligned;\n"
        "wgmma.mma_async.sync.aligned.%s ",
        (long long)descriptor, x->words);
    list(t, "%r", 0, nd);
    text_add(t, ", ");
    if (x->a_registers)
        list(t, "%r", 32, na);
    else
        text_add(t, "%l7");
    text_printf(t,
                ", %%l8, %%p2%s%s;\nwgmma.commit_group.sync.aligned;\n"
                "wgmma.wait_group.sync.aligned 0;\n",
                x->options[0] != '\0' ? ", " : "", x->options);
    for (int i = 0; i < nd; i++)
        text_printf(t, "st.global.b32 [%%l1+%d], %%r%d;\n", i * GROUP_ROW, i);
    text_add(t, "ret;\n}\n");
}

static void kernel_wmma(const struct wmma *x, struct text *t)
{
    const char *prefix = x->wide == 64 ? "%d" : "%r";
    text_clear(t);
    text_add(t, PROLOGUE);
    text_add(t, "ld.param.u64 %l2, [q];\n");
    text_printf(t, "wmma.load.%s ", x->words);
    list(t, prefix, 0, x->registers);
    text_printf(t, ", [%%l2], %d;\n", strstr(x->words, "b1") != NULL ? 128 : 32);
    for (int i = 0; i < x->registers; i++)
        if (x->wide == 64)
            text_printf(t, "st.global.b64 [%%l8+%d], %%d%d;\n", i * 256, i);
        else
            text_printf(t, "st.global.b32 [%%l7+%d], %%r%d;\n", i * 128, i);
    text_add(t, "ret;\n}\n");
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint32_t random_word(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    uint32_t x = *seed;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 13;
}

// Bits of a small integer that every type holds.
static uint64_t encode(enum element e, int v)
{
    float f = (float)v;
    double d = v;
    uint32_t bits;
    uint64_t raw;
    memcpy(&bits, &f, 4);
    memcpy(&raw, &d, 8);
    int exponent = v == 0 ? 0 : (int)(bits >> 23 & 255) - 127;
    uint32_t sign = bits >> 31, fraction = bits & 0x7fffff;
    switch (e) {
    case F16:
        return v == 0 ? 0 : sign << 15 | (uint32_t)(exponent + 15) << 10 | fraction >> 13;
    case E4M3:
        return v == 0 ? 0 : sign << 7 | (uint32_t)(exponent + 7) << 3 | fraction >> 20;
    case E5M2:
        return v == 0 ? 0 : sign << 7 | (uint32_t)(exponent + 15) << 2 | fraction >> 21;
    case BF16:
        return bits >> 16;
    case TF32:
    case F32:
        return bits;
    case F64:
        return raw;
    case S8:
    case U8:
        return (uint32_t)v & 0xff;
    case S4:
    case U4:
        return (uint32_t)v & 15;
    case B1:
        return (uint32_t)v & 1;
    case S32:
        return (uint32_t)v;
    }
    return 0;
}

static int small(enum element e, uint32_t *seed)
{
    int v = (int)(random_word(seed) % 5);
    if (e == B1)
        return v & 1;
    return e == U8 || e == U4 ? v : v - 2;
}

static void put(uint32_t *words, enum element e, int i, int lane, int word, uint64_t raw)
{
    int per = BITS[e] >= 32 ? 1 : 32 / BITS[e];
    if (BITS[e] == 64)
        memcpy(words + (word + 2 * i) * 32 + 2 * lane, &raw, 8);
    else
        words[(word + i / per) * 32 + lane] |= (uint32_t)raw << i % per * BITS[e];
}

static uint64_t get(const uint32_t *words, enum element e, int i, int lane)
{
    int per = BITS[e] >= 32 ? 1 : 32 / BITS[e];
    uint64_t raw = 0;
    if (BITS[e] == 64)
        memcpy(&raw, words + 2 * i * 32 + 2 * lane, 8);
    else
        raw = words[i / per * 32 + lane] >> i % per * BITS[e];
    return BITS[e] >= 32 ? raw : raw & ((1u << BITS[e]) - 1);
}

/* ---- small integers are exact ------------------------------------------------------------------ */

static void run_mma(const struct mma *x, const uint32_t *in, uint32_t *out)
{
    struct text t = {0};
    struct bench b;
    kernel_mma(x, &t);
    bench_text(&b, text_str(&t));
    uint64_t to = bench_buffer(&b, "out", NULL, (size_t)RUNS * WORDS_OUT * 128);
    uint64_t from = bench_buffer(&b, "in", in, (size_t)RUNS * WORDS_IN * 128);
    bench_run(&b, "k", GRID1(RUNS, 32), ARGS(&to, &from));
    bench_fetch(&b, to, out, (size_t)RUNS * WORDS_OUT * 128);
    assert_counter(&b, FLOPS_TENSOR, (long long)RUNS * 2 * x->m * x->n * x->k);
    bench_close(&b);
    text_release(&t);
}

static void check_mma(const struct mma *x)
{
    static uint32_t in[RUNS * WORDS_IN * 32], out[RUNS * WORDS_OUT * 32];
    static int a[RUNS][16][256], b[RUNS][256][8], c[RUNS][16][8];
    uint32_t seed = 7;
    int row, column;
    memset(in, 0, sizeof(in));
    bool xors = strstr(x->words, "xor") != NULL;
    int word_b = x->m * x->k * BITS[x->a] / 1024, word_c = word_b + x->k * x->n * BITS[x->b] / 1024;
    for (int r = 0; r < RUNS; r++) {
        uint32_t *words = in + (ptrdiff_t)r * WORDS_IN * 32;
        for (int lane = 0; lane < 32; lane++) {
            for (int i = 0; i < x->m * x->k / 32; i++) {
                int v = small(x->a, &seed);
                place_a(x, i, lane, &row, &column);
                a[r][row][column] = v;
                put(words, x->a, i, lane, 0, encode(x->a, v));
            }
            for (int i = 0; i < x->k * x->n / 32; i++) {
                int v = small(x->b, &seed);
                place_b(x, i, lane, &row, &column);
                b[r][row][column] = v;
                put(words, x->b, i, lane, word_b, encode(x->b, v));
            }
            for (int i = 0; i < x->m * x->n / 32; i++) {
                int v = small(x->c, &seed);
                place_c(i, lane, &row, &column);
                c[r][row][column] = v;
                put(words, x->c, i, lane, word_c, encode(x->c, v));
            }
        }
    }
    run_mma(x, in, out);
    for (int r = 0; r < RUNS; r++)
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < x->m * x->n / 32; i++) {
                place_c(i, lane, &row, &column);
                int want = c[r][row][column];
                for (int k = 0; k < x->k; k++) {
                    int p = a[r][row][k], q = b[r][k][column];
                    want += x->a != B1 ? p * q : xors ? p ^ q : p & q;
                }
                uint64_t got = get(out + (ptrdiff_t)r * WORDS_OUT * 32, x->c, i, lane);
                if (got != encode(x->c, want))
                    fail_msg("%s: run %d, lane %d, element %d: 0x%llx for %d", x->words, r, lane, i,
                             (unsigned long long)got, want);
            }
}

static void products_of_small_integers_are_exact_and_in_their_place(void **state)
{
    for (size_t i = 0; i < COUNT_OF(MMAS); i++)
        check_mma(&MMAS[i]);
}

/* ---- wmma, compiled by nvcc ---------------------------------------------------------------------- */

struct product { // of tests/sim/tensor.cu
    const char *kernel;
    int m, n, k;
    enum element in, out;
    bool a_down, b_down; // column by column
};
static const struct product PRODUCTS[] = {
    {"half_rr", 16, 16, 16, F16, F32, false, false},
    {"half_rc", 16, 16, 16, F16, F32, false, true},
    {"half_cr", 16, 16, 16, F16, F32, true, false},
    {"half_cc_wide", 8, 32, 16, F16, F32, true, true},
    {"half_tall", 32, 8, 16, F16, F32, false, false},
    {"half_half", 16, 16, 16, F16, F16, false, true},
    {"brain_rc", 16, 16, 16, BF16, F32, false, true},
    {"brain_wide", 8, 32, 16, BF16, F32, true, false},
    {"brain_tall", 32, 8, 16, BF16, F32, false, true},
    {"byte_rc", 16, 16, 16, S8, S32, false, true},
    {"byte_cr", 16, 16, 16, U8, S32, true, false},
    {"byte_wide", 8, 32, 16, S8, S32, false, false},
    {"double_rc", 8, 8, 4, F64, F64, false, true},
    {"double_cr", 8, 8, 4, F64, F64, true, false},
    {"tf32_rc", 16, 16, 8, TF32, F32, false, true},
};
enum { PITCH = 32 };

// Small integers as elements of an image with rows, or columns, 32 elements apart.
static void image(uint8_t *to, enum element e, const int *values, int rows, int columns, bool down)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            uint64_t raw = encode(e, values[i * PITCH + j]);
            memcpy(to + (ptrdiff_t)(down ? j * PITCH + i : i * PITCH + j) * (BITS[e] / 8), &raw,
                   (size_t)BITS[e] / 8);
        }
}

static void check_product(struct bench *b, const struct product *x, bool down)
{
    static uint8_t a[PITCH * PITCH * 8], bb[sizeof(a)], c[sizeof(a)], d[sizeof(a)], want[sizeof(a)];
    static int va[PITCH * PITCH], vb[PITCH * PITCH], vc[PITCH * PITCH];
    uint32_t seed = 3;
    for (int i = 0; i < PITCH * PITCH; i++) {
        va[i] = small(x->in, &seed);
        vb[i] = small(x->in, &seed);
        vc[i] = small(x->out, &seed);
    }
    image(a, x->in, va, x->m, x->k, x->a_down);
    image(bb, x->in, vb, x->k, x->n, x->b_down);
    image(c, x->out, vc, x->m, x->n, down);
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++)
            for (int k = 0; k < x->k; k++)
                vc[i * PITCH + j] += va[i * PITCH + k] * vb[k * PITCH + j];
    memset(want, 0, sizeof(want));
    image(want, x->out, vc, x->m, x->n, down);
    memset(d, 0, sizeof(d));
    uint64_t da = bench_buffer(b, "a", a, sizeof(a)), db = bench_buffer(b, "b", bb, sizeof(bb));
    uint64_t dc = bench_buffer(b, "c", c, sizeof(c)), dd = bench_buffer(b, "d", d, sizeof(d));
    int by_column = down;
    bench_run(b, x->kernel, GRID1(1, 32), ARGS(&dd, &da, &db, &dc, &by_column));
    bench_fetch(b, dd, d, sizeof(d));
    if (memcmp(d, want, sizeof(d)) != 0)
        fail_msg("%s, result by %s", x->kernel, down ? "columns" : "rows");
    assert_counter(b, FLOPS_TENSOR, 2LL * x->m * x->n * x->k);
}

static void wmma_multiplies_in_all_shapes_and_layouts(void **state)
{
    struct bench b;
    bench_file(&b, "tensor_nvcc.ptx");
    for (size_t i = 0; i < COUNT_OF(PRODUCTS); i++) {
        check_product(&b, &PRODUCTS[i], false);
        check_product(&b, &PRODUCTS[i], true);
    }
    bench_close(&b);
}

static void ldmatrix_and_mma_make_a_tiled_product(void **state)
{
    enum { N = 128, K = 192 };
    static uint16_t a[N * K], b[K * N];
    static int va[N * K], vb[K * N];
    static float c[N * N];
    uint32_t seed = 5;
    for (int i = 0; i < N * K; i++) {
        va[i] = small(F16, &seed), a[i] = (uint16_t)encode(F16, va[i]);
        vb[i] = small(F16, &seed), b[i] = (uint16_t)encode(F16, vb[i]);
    }
    struct bench x;
    bench_file(&x, "tensor_nvcc.ptx");
    uint64_t da = bench_buffer(&x, "a", a, sizeof(a)), db = bench_buffer(&x, "b", b, sizeof(b));
    uint64_t dc = bench_buffer(&x, "c", NULL, sizeof(c));
    int n = N, k = K;
    bench_run(&x, "matmul_tiles", GRID2(N / 64, N / 64, 128, 1), ARGS(&dc, &da, &db, &n, &k));
    bench_fetch(&x, dc, c, sizeof(c));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int want = 0;
            for (int l = 0; l < K; l++)
                want += va[i * K + l] * vb[l * N + j];
            assert_true(c[i * N + j] == (float)want);
        }
    // 4 blocks, 3 tiles deep, 4 warps, 4 steps: an x4 of 4 passes, eight x2 of 2; rows of 144 bytes
    // lie in different banks.
    // Before each two of a warp's eight copies per tile, three loads that are never taken; LDSM is none of the loads that the
    // hardware counts (an H200's 49152 of hgemm's async, 0 of its shared, n=1024).
    assert_counter(&x, SHARED_LOAD_REQUESTS, 4 * 3 * 4 * (4 * 3));
    assert_counter(&x, SHARED_LOAD_WAVEFRONTS, 4 * 3 * 4 * 4 * (4 + 8 * 2));
    assert_counter(&x, SHARED_LOAD_WAVEFRONTS_IDEAL, 4 * 3 * 4 * 4 * (4 + 8 * 2));
    assert_counter(&x, FLOPS_TENSOR, 2LL * N * N * K);
    bench_close(&x);
}

static void ldmatrix_stmatrix_and_movmatrix_transpose(void **state)
{
    uint16_t in[256], out[256];
    for (int i = 0; i < 256; i++)
        in[i] = (uint16_t)(i * 3);
    struct bench x;
    bench_file(&x, "tensor_nvcc.ptx");
    uint64_t from = bench_buffer(&x, "in", in, sizeof(in)),
             to = bench_buffer(&x, "out", NULL, sizeof(out));
    bench_run(&x, "transpose_tiles", GRID1(1, 32), ARGS(&to, &from));
    bench_fetch(&x, to, out, sizeof(out));
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 32; j++)
            assert_int_equal(out[i * 32 + j], in[j % 8 * 32 + j / 8 * 8 + i]);
    bench_close(&x);
}

/* ---- m8n8k4 of halves ------------------------------------------------------------------------- */

// Four products of lanes q and q + 16; each lane's registers by the tables of the PTX ISA.
static void check_quads(bool a_col, bool b_col, bool half)
{
    static uint32_t in[RUNS * WORDS_IN * 32], out[RUNS * WORDS_OUT * 32];
    static int a[RUNS][4][8][4], b[RUNS][4][4][8], c[RUNS][4][8][8];
    uint32_t seed = 31;
    struct text t = {0};
    struct bench x;
    int nc = half ? 4 : 8;
    text_add(&t, PROLOGUE);
    (void)load(&t, F32, 0, 4 + nc, 0);
    text_printf(&t, "mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s ", a_col ? "col" : "row",
                b_col ? "col" : "row", half ? "f16" : "f32", half ? "f16" : "f32");
    list(&t, "%r", 40, nc);
    text_add(&t, ", {%r0, %r1}, {%r2, %r3}, ");
    list(&t, "%r", 4, nc);
    text_add(&t, ";\n");
    for (int i = 0; i < nc; i++)
        text_printf(&t, "st.global.b32 [%%l7+%d], %%r%d;\n", i * 128, 40 + i);
    text_add(&t, "ret;\n}\n");
    memset(in, 0, sizeof(in));
#define PLACE_C(lane, i, row, column)                                             \
    int row = (half ? (lane) % 4 : ((lane)&1) + ((i)&2)) + ((lane) < 16 ? 0 : 4), \
        column = half ? (i) : ((i)&4) + ((lane)&2) + ((i)&1)
    for (int r = 0; r < RUNS; r++)
        for (int lane = 0; lane < 32; lane++) {
            uint32_t *words = in + (ptrdiff_t)r * WORDS_IN * 32;
            int q = lane % 16 / 4, low = lane < 16 ? 0 : 4;
            for (int i = 0; i < 4; i++) {
                int va = small(F16, &seed), vb = small(F16, &seed);
                a[r][q][a_col ? i % 4 + low : lane % 4 + low][a_col ? lane % 4 : i] = va;
                b[r][q][b_col ? i : lane % 4][b_col ? lane % 4 + low : i + low] = vb;
                put(words, F16, i, lane, 0, encode(F16, va));
                put(words, F16, i, lane, 2, encode(F16, vb));
            }
            for (int i = 0; i < 8; i++) {
                int v = small(F16, &seed);
                PLACE_C(lane, i, row, column);
                c[r][q][row][column] = v;
                put(words, half ? F16 : F32, i, lane, 4, encode(half ? F16 : F32, v));
            }
        }
    bench_text(&x, text_str(&t));
    uint64_t to = bench_buffer(&x, "out", NULL, sizeof(out)),
             from = bench_buffer(&x, "in", in, sizeof(in));
    bench_run(&x, "k", GRID1(RUNS, 32), ARGS(&to, &from));
    bench_fetch(&x, to, out, sizeof(out));
    for (int r = 0; r < RUNS; r++)
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < 8; i++) {
                PLACE_C(lane, i, row, column);
                int q = lane % 16 / 4, want = c[r][q][row][column];
                for (int k = 0; k < 4; k++)
                    want += a[r][q][row][k] * b[r][q][k][column];
                uint64_t got = get(out + (ptrdiff_t)r * WORDS_OUT * 32, half ? F16 : F32, i, lane);
                assert_int_equal(got, encode(half ? F16 : F32, want));
            }
    assert_counter(&x, FLOPS_TENSOR, RUNS * 2048);
    bench_close(&x);
    text_release(&t);
}

static void the_products_of_sm_70_are_of_eight_lanes_each(void **state)
{
    for (int i = 0; i < 8; i++)
        check_quads((i & 1) != 0, (i & 2) != 0, (i & 4) != 0);
}

/* ---- wgmma ----------------------------------------------------------------------------------- */

// Byte of element (line, deep): the canonical layouts as CUTLASS writes them (mma_sm90_desc.hpp), in
// elements of `bytes`, pieces of 16 bytes; then the swizzle of address bits.
static uint32_t canonical(const struct wgmma *x, enum element e, bool by_line, int line, int deep)
{
    static const int PIECES[] = {1, 8, 4, 2};
    int bytes = BITS[e] / 8, t = 16 / bytes, w = PIECES[x->layout], at;
    int stride = x->stride / bytes, leading = x->leading / bytes;
    if (!by_line && w == 1) // ((8,m),(T,2)):((T,stride),(1,leading))
        at = line % 8 * t + line / 8 * stride + deep % t + deep / t * leading;
    else if (!by_line) // ((8,m),(T,2)):((w T,stride),(1,T))
        at = line % 8 * w * t + line / 8 * stride + deep % t + deep / t * t;
    else if (w == 1) // ((T,1,m),(8,k)):((1,T,stride),(T,leading))
        at = line % t + line / t * stride + deep % 8 * t + deep / 8 * leading;
    else // ((T,w,m),(8,k)):((1,T,leading),(w T,stride))
        at = line % t + line / t % w * t + line / (t * w) * leading + deep % 8 * w * t +
             deep / 8 * stride;
    uint32_t byte = (uint32_t)(at * bytes), mask = (uint32_t)w - 1;
    return byte ^ (byte / 128 & mask) * 16;
}

static void check_wgmma(const struct wgmma *x)
{
    static uint8_t in[2 * GROUP_IN];
    static uint32_t out[2 * GROUP_OUT / 4];
    static int a[64][32], b[32][64], d[64][64];
    int signs[2] = {1, 1}, down[2] = {0, 0}, given[4] = {1, 1, 0, 0};
    (void)sscanf(x->options, "%d, %d, %d, %d", &given[0], &given[1], &given[2], &given[3]);
    signs[0] = given[0], signs[1] = given[1];
    down[0] = x->a_registers ? 0 : given[2], down[1] = x->a_registers ? given[2] : given[3];
    uint32_t seed = 21;
    memset(in, 0, sizeof(in));
    // b lies 1 KB behind a: with these layouts they may share bytes, so one of them is read back.
    for (int i = 0; i < IMAGE; i += BITS[x->b] / 8) {
        uint64_t raw = encode(x->b, small(U8, &seed));
        memcpy(in + i, &raw, (size_t)BITS[x->b] / 8);
        memcpy(in + GROUP_IN + i, &raw, (size_t)BITS[x->b] / 8);
    }
    for (int v = 0, done = 0; v < 5; v++, done++) // values back from what the image holds
        for (int line = 0; line < 64; line++)
            for (int k = 0; k < x->k; k++) {
                uint64_t got_a = 0, got_b = 0, is_a = encode(x->a, v), is_b = encode(x->b, v);
                memcpy(&got_a, in + canonical(x, x->a, down[0] != 0, line, k),
                       (size_t)BITS[x->a] / 8);
                memcpy(&got_b, in + 1024 + canonical(x, x->b, down[1] != 0, line, k),
                       (size_t)BITS[x->b] / 8);
                if (got_a == is_a && !x->a_registers)
                    a[line][k] = v;
                if (got_b == is_b && line < x->n)
                    b[k][line] = v;
            }
    for (int half = 0; half < 2; half++) {
        uint32_t *words = (uint32_t *)(void *)(in + half * GROUP_IN + IMAGE);
        for (int thread = 0; thread < 128; thread++) {
            for (int i = 0; i < 64 * x->n / 128; i++) {
                int row, column, lane = thread % 32;
                place_c(i % 4, lane, &row, &column);
                row += thread / 32 * 16, column += i / 4 * 8;
                int v = small(x->d, &seed), per = 32 / BITS[x->d];
                if (half == 0)
                    d[row][column] = v;
                words[i / per * 128 + thread] |= (uint32_t)encode(x->d, v) << i % per * BITS[x->d];
            }
            for (int i = 0; i < 64 * x->k / 128 && x->a_registers; i++) {
                struct mma like = {.m = 16, .n = 8, .k = x->k, .a = x->a};
                int row, column, v = (i * 7 + thread) % 5 - 2, per = 32 / BITS[x->a];
                place_a(&like, i, thread % 32, &row, &column);
                a[row + thread / 32 * 16][column] = v;
                words[(32 + i / per) * 128 + thread] |= (uint32_t)encode(x->a, v)
                                                        << i % per * BITS[x->a];
            }
        }
    }
    struct text t = {0};
    struct bench bench;
    kernel_wgmma(x, &t);
    bench_text(&bench, text_str(&t));
    uint64_t to = bench_buffer(&bench, "out", NULL, sizeof(out)),
             from = bench_buffer(&bench, "in", in, sizeof(in));
    bench_run(&bench, "k", GRID1(2, 128), ARGS(&to, &from));
    bench_fetch(&bench, to, out, sizeof(out));
    for (int half = 0; half < 2; half++)
        for (int thread = 0; thread < 128; thread++)
            for (int i = 0; i < 64 * x->n / 128; i++) {
                int row, column, per = 32 / BITS[x->d];
                place_c(i % 4, thread % 32, &row, &column);
                row += thread / 32 * 16, column += i / 4 * 8;
                int want = half == 0 ? d[row][column] : 0; // the second block does not add
                for (int k = 0; k < x->k; k++)
                    want += a[row][k] * b[k][column] * signs[0] * signs[1];
                uint32_t got = out[half * GROUP_OUT / 4 + i / per * 128 + thread];
                got = per == 2 ? got >> i % 2 * 16 & 0xffff : got;
                if (got != encode(x->d, want))
                    fail_msg("%s (%d): block %d, thread %d, element %d: 0x%x for %d", x->words,
                             (int)(x - WGMMAS), half, thread, i, got, want);
            }
    bench_close(&bench);
    text_release(&t);
}

static void wgmma_reads_matrices_in_every_canonical_layout(void **state)
{
    for (size_t i = 0; i < COUNT_OF(WGMMAS); i++)
        check_wgmma(&WGMMAS[i]);
}

/* ---- against an H200 --------------------------------------------------------------------------- */

// A kernel, its inputs and the size of its results.
struct work {
    char name[96];
    struct text ptx;
    uint32_t *in, *out;
    size_t in_bytes, out_bytes;
    uint32_t blocks, threads;
};

enum { FLOATS_SPECIAL = 56 }; // runs from here on hold infinities, NaN and subnormals

// Random numbers whose exponents spread with the run.
static uint64_t random_number(enum element e, int run, uint32_t *seed)
{
    uint64_t r = (uint64_t)random_word(seed) << 32 | random_word(seed);
    int spread = run / 8 * 3,
        by = spread == 0 ? 0 : (int)(random_word(seed) % (2u * (unsigned)spread + 1)) - spread;
    static const struct {
        int exponent, fraction, bias;
    } FORMAT[] = {
        [F16] = {5, 10, 15},    [BF16] = {8, 7, 127}, [TF32] = {8, 23, 127}, [F32] = {8, 23, 127},
        [F64] = {11, 52, 1023}, [E4M3] = {4, 3, 7},   [E5M2] = {5, 2, 15}};
    if (e == S8 || e == U8 || e == S4 || e == U4 || e == S32 || e == B1)
        return e == S32 ? r & 0x7fffffff : r;
    int bias = FORMAT[e].bias, top = (1 << FORMAT[e].exponent) - 1;
    int exponent = by < 1 - bias ? 0 : by + bias >= top ? top - 1 : by + bias;
    if (run >= FLOATS_SPECIAL && (r >> 60) == 0)
        exponent = (r >> 59 & 1) != 0 ? top : 0;
    uint64_t fraction = r & (((uint64_t)1 << FORMAT[e].fraction) - 1);
    return (r >> 58 & 1) << (BITS[e] - 1) | (uint64_t)exponent << FORMAT[e].fraction | fraction;
}

static void fill(uint32_t *words, size_t count, enum element e, int run, uint32_t *seed)
{
    size_t per = BITS[e] == 64 ? 0 : 32 / (size_t)BITS[e];
    for (size_t i = 0; i < count; i++) {
        if (e == S4 || e == U4 || e == B1 || e == S8 || e == U8) {
            words[i] = random_word(seed);
            continue;
        }
        if (BITS[e] == 64) {
            uint64_t v = random_number(e, run, seed);
            memcpy(&words[i++], &v, 8);
            continue;
        }
        words[i] = 0;
        for (size_t j = 0; j < per; j++)
            words[i] |= (uint32_t)random_number(e, run, seed) << j * (size_t)BITS[e];
    }
}

static void work_mma(const struct mma *x, struct work *w)
{
    uint32_t seed = 11;
    (void)snprintf(w->name, sizeof(w->name), "mma.%s", x->words);
    kernel_mma(x, &w->ptx);
    w->blocks = RUNS, w->threads = 32;
    w->in_bytes = (size_t)RUNS * WORDS_IN * 128, w->out_bytes = (size_t)RUNS * WORDS_OUT * 128;
    w->in = xcalloc(1, w->in_bytes);
    size_t a = (size_t)(x->m * x->k * BITS[x->a] / 32), b = (size_t)(x->k * x->n * BITS[x->b] / 32);
    size_t c = (size_t)(x->m * x->n * BITS[x->c] / 32);
    for (int r = 0; r < RUNS; r++) {
        uint32_t *words = w->in + (ptrdiff_t)r * WORDS_IN * 32;
        fill(words, a, x->a, r, &seed);
        fill(words + a, b, x->b, r, &seed);
        fill(words + a + b, c, x->c, r, &seed);
    }
}

enum { GROUP_RUNS = 8 };

static void work_wgmma(const struct wgmma *x, int row, struct work *w)
{
    uint32_t seed = 13;
    (void)snprintf(w->name, sizeof(w->name), "wgmma.%s.%d", x->words, row);
    kernel_wgmma(x, &w->ptx);
    w->blocks = GROUP_RUNS, w->threads = 128;
    w->in_bytes = (size_t)GROUP_RUNS * GROUP_IN, w->out_bytes = (size_t)GROUP_RUNS * GROUP_OUT;
    w->in = xcalloc(1, w->in_bytes);
    for (int r = 0; r < GROUP_RUNS; r++) {
        uint32_t *words = w->in + (ptrdiff_t)r * GROUP_IN / 4;
        fill(words, IMAGE / 4, x->b, r * 8, &seed);
        fill(words + IMAGE / 4, 32 * 128, x->d, r * 8, &seed);
        fill(words + IMAGE / 4 + 32 * 128, 4 * 128, x->a, r * 8, &seed);
    }
}

// Memory that says where it is: 32-bit words count, 16-bit ones too, bytes are random.
static void work_wmma(const struct wmma *x, struct work *w)
{
    uint32_t seed = 17;
    (void)snprintf(w->name, sizeof(w->name), "wmma.load.%s", x->words);
    kernel_wmma(x, &w->ptx);
    w->blocks = 1, w->threads = 32;
    w->in_bytes = 16384, w->out_bytes = (size_t)WORDS_OUT * 128;
    w->in = xcalloc(1, w->in_bytes);
    for (size_t i = 0; i < w->in_bytes / 4; i++)
        w->in[i] = strstr(x->words, "16.global.f16") != NULL || strstr(x->words, "bf16") != NULL
                       ? (uint32_t)(2 * i + 1) << 16 | (uint32_t)(2 * i)
                       : random_word(&seed);
}

enum { WORKS = COUNT_OF(MMAS) + COUNT_OF(WGMMAS) + COUNT_OF(WMMAS) };

static void work_make(size_t i, struct work *w)
{
    memset(w, 0, sizeof(*w));
    if (i < COUNT_OF(MMAS))
        work_mma(&MMAS[i], w);
    else if (i < COUNT_OF(MMAS) + COUNT_OF(WGMMAS))
        work_wgmma(&WGMMAS[i - COUNT_OF(MMAS)], (int)(i - COUNT_OF(MMAS)), w);
    else
        work_wmma(&WMMAS[i - COUNT_OF(MMAS) - COUNT_OF(WGMMAS)], w);
    w->out = xcalloc(1, w->out_bytes);
}

static void work_release(struct work *w)
{
    text_release(&w->ptx);
    free(w->in);
    free(w->out);
}

static void work_run(struct work *w)
{
    struct bench b;
    bench_text(&b, text_str(&w->ptx));
    uint64_t to = bench_buffer(&b, "out", w->out, w->out_bytes);
    uint64_t from = bench_buffer(&b, "in", w->in, w->in_bytes);
    bench_run(&b, "k", GRID1(w->blocks, w->threads), ARGS(&to, &from));
    bench_fetch(&b, to, w->out, w->out_bytes);
    bench_close(&b);
}

static FILE *file_in(const char *folder, const char *name, const char *mode)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, mode);
    if (f == NULL)
        perror(path);
    return f;
}

static int works_write(const char *folder)
{
    FILE *kernels = file_in(folder, "kernels.txt", "w"),
         *inputs = file_in(folder, "inputs.bin", "wb");
    bool ok = kernels != NULL && inputs != NULL;
    for (size_t i = 0; i < WORKS && ok; i++) {
        struct work w;
        work_make(i, &w);
        ok = fprintf(kernels, "@@%s %u %u %zu %zu\n%s", w.name, w.blocks, w.threads, w.in_bytes,
                     w.out_bytes, text_str(&w.ptx)) > 0 &&
             fwrite(w.in, 1, w.in_bytes, inputs) == w.in_bytes;
        work_release(&w);
    }
    ok = kernels != NULL && fclose(kernels) == 0 && ok;
    ok = inputs != NULL && fclose(inputs) == 0 && ok;
    return ok ? 0 : 1;
}

// Words that differ from the device's.
static size_t work_differs(const struct work *w, const uint32_t *wanted, bool tell)
{
    size_t differ = 0;
    for (size_t i = 0; i < w->out_bytes / 4; i++) {
        bool same = w->out[i] == wanted[i];
        if (!same && tell && differ < 6)
            (void)printf("    word %zu: %08x, device %08x\n", i, w->out[i], wanted[i]);
        differ += !same;
    }
    return differ;
}

static int works_read(const char *folder)
{
    FILE *results = file_in(folder, "results.bin", "rb");
    bool ok = results != NULL;
    for (size_t i = 0; i < WORKS && ok; i++) {
        struct work w;
        work_make(i, &w);
        uint32_t *wanted = xcalloc(1, w.out_bytes);
        ok = fread(wanted, 1, w.out_bytes, results) == w.out_bytes;
        work_run(&w);
        size_t differ = ok ? work_differs(&w, wanted, false) : 0;
        (void)printf("%s%s %zu\n", differ > 0 ? "~" : "", w.name, differ);
        (void)work_differs(&w, wanted, differ > 0);
        free(wanted);
        work_release(&w);
    }
    if (results != NULL)
        (void)fclose(results);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return works_write(argv[2]);
    if (argc == 3 && strcmp(argv[1], "read") == 0)
        return works_read(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_small_integers_are_exact_and_in_their_place),
        cmocka_unit_test(wmma_multiplies_in_all_shapes_and_layouts),
        cmocka_unit_test(ldmatrix_and_mma_make_a_tiled_product),
        cmocka_unit_test(ldmatrix_stmatrix_and_movmatrix_transpose),
        cmocka_unit_test(the_products_of_sm_70_are_of_eight_lanes_each),
        cmocka_unit_test(wgmma_reads_matrices_in_every_canonical_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
