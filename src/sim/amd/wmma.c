// Products of matrices of 16 x 16 by gfx11's WMMA, in waves of 32. Which lane holds what: "How to accelerate AI applications
// on RDNA 3 using WMMA" (gpuopen.com):
//   A  row l: lane l, all 16 depths in its registers; lanes 16 to 31 hold the same as lanes 0 to 15
//   B  the same with the column in the row's place
//   C and D  column l: lanes l and l + 16; register r has row 2 r, or 2 r + 1 in the upper lanes. f16 and bf16 fill one half of
//            each register, the upper one with op_sel:[0,0,1]; the other half stays
// That article demands equal lanes of A and B; lanes that differ stop the wave here. Sums are taken in the order of the
// depth in f32, each product added with one rounding, and f16 and bf16 results rounded once: how hardware orders and rounds
// them is in no document at hand.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/bits.h"
#include "sim/amd/wave.h"

enum { SIDE = 16 };

static double value_of(enum amd_element e, bool is_signed, uint32_t bits)
{
    switch (e) {
    case MATRIX_F16:
        return (double)half_value(bits);
    case MATRIX_BF16:
        return (double)f32_bits(bits << 16);
    case MATRIX_I8:
        return is_signed ? (int8_t)bits : (int)bits;
    case MATRIX_I4:
        return is_signed && bits > 7 ? (int)bits - 16 : (int)bits;
    case MATRIX_F32:
    case MATRIX_F64:
    case MATRIX_I32:
        break;
    }
    return 0;
}

// A or B as [row or column][depth]; false: the halves of the wave hold different ones.
static bool read_factor(const struct wave *w, const struct amd_instruction *in, int i,
                        double to[SIDE][SIDE])
{
    const struct amd_row *r = amd_row_of(in);
    enum amd_element e = r->matrix.in;
    unsigned bits = amd_element_bits(e), each = 32 / bits, first = in->source[i] - OPERAND_VGPR;
    for (unsigned word = 0; word < SIDE / each; word++)
        for (unsigned lane = 0; lane < SIDE; lane++) {
            uint32_t v = w->v[first + word][lane];
            if (w->v[first + word][lane + SIDE] != v)
                return false;
            for (unsigned k = 0; k < each; k++)
                to[lane][word * each + k] = value_of(
                    e, in->negate >> i & 1, v >> (bits * k) & (uint32_t)((1ull << bits) - 1));
        }
    return true;
}

static bool is_integer(const struct amd_row *r)
{
    return r->matrix.out == MATRIX_I32;
}

// What stands in the register of C, and what becomes of D's.
static uint32_t element_of(const struct amd_instruction *in, const double *a, const double *b,
                           uint32_t c, uint32_t d)
{
    const struct amd_row *r = amd_row_of(in);
    bool upper = in->select >> 2 & 1;
    if (is_integer(r)) {
        int64_t sum = (int32_t)c;
        for (unsigned k = 0; k < SIDE; k++)
            sum += (int64_t)(a[k] * b[k]);
        if (in->clamp)
            sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
        return (uint32_t)sum;
    }
    uint32_t half = (upper ? c >> 16 : c) & 0xffff;
    float sum = r->matrix.out == MATRIX_F32   ? f32_bits(c)
                : r->matrix.out == MATRIX_F16 ? half_value(half)
                                              : f32_bits(half << 16);
    for (unsigned k = 0; k < SIDE; k++)
        sum = fmaf((float)a[k], (float)b[k], sum);
    if (r->matrix.out == MATRIX_F32)
        return bits_f32(sum);
    uint32_t result = r->matrix.out == MATRIX_F16 ? half_round(sum) : bf16_round(sum);
    return upper ? (d & 0xffff) | result << 16 : (d & 0xffff0000) | result;
}

void amd_run_wmma(struct wave *w, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    double a[SIDE][SIDE], b[SIDE][SIDE];
    uint32_t results[SIDE / 2][2 * SIDE];
    bool constant = in->source[2] < OPERAND_VGPR;
    if (in->negate_high || (!is_integer(r) && in->negate)) {
        amd_violate(w, SIM_UNSUPPORTED, 0, 0,
                    "negates elements of a matrix (neg_lo, neg_hi), which is not simulated");
        return;
    }
    if (!read_factor(w, in, 0, a) || !read_factor(w, in, 1, b)) {
        amd_violate(w, SIM_UNSUPPORTED, 0, 0,
                    "lanes 16 to 31 hold another A or B than lanes 0 to 15: the result is not "
                    "defined");
        return;
    }
    uint32_t value = constant ? (uint32_t)amd_scalar_value(w, in, in->source[2],
                                                           is_integer(r) ? TYPE_U32 : TYPE_F32)
                              : 0;
    for (unsigned n = 0; n < SIDE / 2; n++)
        for (unsigned lane = 0; lane < 2 * SIDE; lane++) {
            uint32_t c = constant ? value : w->v[in->source[2] - OPERAND_VGPR + n][lane];
            results[n][lane] = element_of(in, a[2 * n + lane / SIDE], b[lane % SIDE], c,
                                          w->v[in->result + n][lane]);
        }
    for (unsigned n = 0; n < SIDE / 2; n++)
        memcpy(w->v[in->result + n], results[n], sizeof results[n]);
    struct amd_run *run = w->group->run;
    run->counts.matrix++;
    if (!is_integer(r))
        run->counts.flops_tensor += 2ull * SIDE * SIDE * SIDE;
}
