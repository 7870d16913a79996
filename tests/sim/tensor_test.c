// mma and wgmma against plain C: where the PTX ISA puts each element, and what an H200 computed.
//   build/tests/sim/tensor_test write DIR    kernels and inputs for tests/sim/tensor_h200.cu
//   nvcc -o DIR/run tests/sim/tensor_h200.cu -lcuda && DIR/run DIR
//   build/tests/sim/tensor_test read DIR     the new tests/sim/tensor_h200.txt
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

#include <math.h>

enum element { F16, BF16, TF32, F32, F64, S8, U8, S4, U4, S32, B1, E4M3, E5M2 };
static const int BITS[] = {16, 16, 32, 32, 64, 8, 8, 4, 4, 32, 1, 8, 8};
enum { RUNS = 64, WORDS_IN = 96, WORDS_OUT = 128, SHARED_BYTES = 32768 };

/* ---- the rows -------------------------------------------------------------------------------- */

struct mma {
    const char *words;
    int m, n, k;
    enum element a, b, c;
};
static const struct mma MMAS[] = {
#define MMA(words, m, n, k, a, b, c) {words, m, n, k, a, b, c},
#include "sim/tensor_rows.def"
#undef MMA
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

// Loads so many registers a lane from the block's inputs.
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

// in: WORDS_IN rows of 32 words a block; out: WORDS_OUT rows. %l2 = &in[8 * lane], %l3 = &in[4 * lane].
static const char PROLOGUE[] =
    HEAD ".visible .entry k(.param .u64 p, .param .u64 q)\n{\n.reg .b32 %r<64>, %t<9>;\n"
         ".reg .f64 %d<64>;\n.reg .b64 %l<9>;\n"
         "ld.param.u64 %l1, [p];\nld.param.u64 %l2, [q];\nmov.u32 %t1, %ctaid.x;\n"
         "mov.u32 %t2, %tid.x;\nmul.wide.u32 %l4, %t1, 12288;\nadd.s64 %l2, %l2, %l4;\n"
         "mul.wide.u32 %l4, %t2, 4;\nadd.s64 %l3, %l2, %l4;\nmul.wide.u32 %l5, %t2, 8;\n"
         "add.s64 %l2, %l2, %l5;\nmul.wide.u32 %l6, %t1, 16384;\nadd.s64 %l1, %l1, %l6;\n"
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

int main(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_small_integers_are_exact_and_in_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
