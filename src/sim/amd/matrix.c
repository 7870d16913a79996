// Products of matrices (MFMA). Which lane holds what is AMD's ("AMD Matrix Instruction Calculator" and the article "AMD
// matrix cores", gpuopen.com), with M = N rows and columns, K depth, B blocks:
//   A  row i of block b, depth k: lane i + M (b + B (k / E)), element k % E of the E = K M B / 64 that a lane has
//   B  the same with the column in the row's place
//   D  column n: lanes n + N …; rows in groups of four registers, which the lanes' further bits choose (doubles: of one)
// Sums are taken in the order of k, each product added with one rounding: how hardware orders and rounds them is in no
// document at hand. On MI200 denormal f16 and bf16 inputs count as zero ("Numerical accuracy", PyTorch's documentation).
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/bits.h"
#include "sim/amd/wave.h"

#include <assert.h>

enum { PLACES_MAX = 32 * 32 }; // of all blocks of a factor

unsigned amd_element_bits(enum amd_element e)
{
    static const uint8_t sizes[] = {
        [MATRIX_F16] = 16, [MATRIX_BF16] = 16, [MATRIX_F32] = 32, [MATRIX_F64] = 64,
        [MATRIX_I4] = 4,   [MATRIX_I8] = 8,    [MATRIX_I32] = 32};
    return sizes[e];
}

unsigned amd_matrix_words(const struct amd_row *r, bool result)
{
    unsigned m = r->matrix.rows, n = r->matrix.columns, k = r->matrix.depth, b = r->matrix.blocks;
    if (r->form ==
        FORM_WMMA) // a row or column in each of 16 lanes; a register for each of a lane's results
        return result ? m * n / 32 : k * amd_element_bits(r->matrix.in) / 32;
    unsigned bits = amd_element_bits(result ? r->matrix.out : r->matrix.in);
    return m * (result ? n : k) * b / WAVE_LANES * bits / 32;
}

// Registers of the operand, or NULL: a constant, in *constant.
static uint32_t (*registers_of(const struct wave *w, const struct amd_instruction *in, int i,
                               bool acc, uint64_t *constant))[WAVE_LANES]
{
    const struct amd_row *r = amd_row_of(in);
    unsigned code = in->source[i];
    if (code >= OPERAND_VGPR)
        return &w->v[code - OPERAND_VGPR + (acc ? FIRST_ACC : 0)];
    enum amd_element e = i == 2 ? r->matrix.out : r->matrix.in;
    *constant = amd_scalar_value(w, in, code,
                                 e == MATRIX_F64   ? TYPE_F64
                                 : e == MATRIX_F32 ? TYPE_F32
                                                   : TYPE_U32);
    return NULL;
}

static double element_value(enum amd_arch arch, enum amd_element e, uint64_t bits)
{
    bool flushes = arch == ARCH_GFX90A;
    switch (e) {
    case MATRIX_F16:
        return flushes && (bits & 0x7c00) == 0 ? 0 : (double)half_value((uint32_t)bits & 0xffff);
    case MATRIX_BF16:
        return flushes && (bits & 0x7f80) == 0 ? 0
                                               : (double)f32_bits((uint32_t)(bits & 0xffff) << 16);
    case MATRIX_F32:
        return (double)f32_bits((uint32_t)bits);
    case MATRIX_F64:
        return f64_bits(bits);
    case MATRIX_I4: // of WMMA only
    case MATRIX_I8:
        return (int8_t)(bits & 0xff);
    case MATRIX_I32:
        return (int32_t)(uint32_t)bits;
    }
    return 0;
}

// A or B, as [block][row or column][depth].
static void read_factor(const struct wave *w, const struct amd_instruction *in, int i, double *to)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned m = r->matrix.rows, blocks = r->matrix.blocks, depth = r->matrix.depth;
    unsigned each = depth * m * blocks / WAVE_LANES, words = amd_matrix_words(r, false);
    unsigned bits = 32 * words / each;
    uint64_t constant = 0;
    uint32_t(*v)[WAVE_LANES] = registers_of(w, in, i, in->acc_sources >> i & 1, &constant);
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        for (unsigned e = 0; e < each; e++) {
            unsigned at = e * bits;
            uint64_t value = !v           ? constant
                             : bits == 64 ? v[0][lane] | (uint64_t)v[1][lane] << 32
                                          : v[at / 32][lane] >> at % 32;
            unsigned row = lane % m, block = lane / m % blocks, k = lane / (m * blocks) * each + e;
            to[(block * m + row) * depth + k] = element_value(in->arch, r->matrix.in, value);
        }
}

// Where element e of a lane's part of C and D lies.
static unsigned result_place(const struct amd_row *r, unsigned lane, unsigned e)
{
    unsigned n = r->matrix.columns, column = lane % n, above = lane / n;
    bool doubles = r->matrix.out == MATRIX_F64;
    unsigned row, block;
    if (n == 4 && doubles) // a row each
        row = lane / (n * r->matrix.blocks), block = above % r->matrix.blocks;
    else if (n == 4)
        row = e, block = above;
    else if (doubles)
        row = above + WAVE_LANES / n * e, block = 0;
    else { // groups of four rows, dealt to the lanes' parts
        unsigned group = e / 4 * (WAVE_LANES / n) + above;
        row = 4 * group % n + e % 4, block = 4 * group / n;
    }
    return (block * n + row) * n + column;
}

static uint64_t sum_of(const struct amd_row *r, const double *a, const double *b, uint64_t c)
{
    double wide = f64_bits(c);
    float sum = f32_bits((uint32_t)c);
    uint32_t whole = (uint32_t)c;
    for (unsigned k = 0; k < r->matrix.depth; k++) {
        if (r->matrix.out == MATRIX_F64)
            wide = fma(a[k], b[k], wide);
        else if (r->matrix.out == MATRIX_I32)
            whole += (uint32_t)((int32_t)a[k] * (int32_t)b[k]);
        else
            sum = fmaf((float)a[k], (float)b[k], sum);
    }
    return r->matrix.out == MATRIX_F64   ? bits_f64(wide)
           : r->matrix.out == MATRIX_I32 ? whole
                                         : bits_f32(sum);
}

void amd_run_matrix(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);

    double a[PLACES_MAX], b[PLACES_MAX];
    unsigned n = r->matrix.columns, depth = r->matrix.depth, words = amd_matrix_words(r, true),
             step = r->matrix.out == MATRIX_F64 ? 2 : 1;
    uint64_t constant = 0;
    if (in->broadcast || in->broadcast_block || in->swizzle) {
        amd_violate(w, SIM_UNSUPPORTED, 0, 0,
                    "exchanges blocks of a matrix (cbsz, abid, blgp), which is not simulated");
        return;
    }
    assert((size_t)r->matrix.rows * depth * r->matrix.blocks <= PLACES_MAX);
    read_factor(w, in, 0, a);
    read_factor(w, in, 1, b);
    uint32_t(*c)[WAVE_LANES] = registers_of(w, in, 2, in->is_acc, &constant);
    uint32_t(*d)[WAVE_LANES] = &w->v[in->result + (in->is_acc ? FIRST_ACC : 0)];
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        for (unsigned at = 0; at < words; at += step) {
            unsigned place = result_place(r, lane, at / step), column = place % n,
                     row = place / n; // with the block's
            uint64_t old = !c          ? constant
                           : step == 2 ? c[at][lane] | (uint64_t)c[at + 1][lane] << 32
                                       : c[at][lane];
            uint64_t sum = sum_of(r, a + row * depth, b + (row / n * n + column) * depth, old);
            d[at][lane] = (uint32_t)sum;
            if (step == 2)
                d[at + 1][lane] = (uint32_t)(sum >> 32);
        }
    struct amd_run *run = w->group->run;
    uint64_t flops = 2ull * n * n * depth * r->matrix.blocks;
    run->counts.matrix++;
    if (r->matrix.out != MATRIX_I32)
        run->counts.flops_tensor += flops;
}
