// What the ALU's files share: a row describes one function of 32 lanes and the PTX that it runs.
//   alu.c          finds the row of an instruction
//   alu_isa.c      functions of kernels' inner loops, once for each instruction set: alu_hot.def
//   alu_int.c alu_half.c alu_float.c alu_convert.c   the others, compiled once: alu_<same>.def
//   alu_soft.c     exact floating point in integers, every format and rounding
//   alu_approx.h   ex2, lg2, sin, cos, tanh; alu_half.h: f16 and bf16; both vectorise
// A row in a .def stands once and is expanded twice, to the function and to its struct alu_row:
//   LANES2(id, "form", D, A, B, expression, FLOPS)   D: lane type of the result; x y z w: sources
//   MASK2(id, "form", A, B, expression)              the result is a predicate
// The form is the mnemonic as the PTX manual writes it: words between dots, | between alternatives,
// ? before a word that may be absent. What matched words say goes into imm (enum alu_imm).
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_SIM_ALU_H
#define RIDGE_SIM_ALU_H

#include "sim/internal.h"

#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* ---- lanes ----------------------------------------------------------------------------------- */

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef float f32;
typedef double f64;
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

// A register is written as one type and read as another.
#define ALIASED __attribute__((may_alias))
typedef u32 ALIASED lane_u32, lane_u16, lane_s16, lane_u8, lane_s8;
typedef s32 ALIASED lane_s32;
typedef u64 ALIASED lane_u64;
typedef s64 ALIASED lane_s64;
typedef f32 ALIASED lane_f32;
typedef f64 ALIASED lane_f64;

// From the narrow type to its 32-bit container: zeros above; s8 is sign-extended to 16 bits, so
// that whoever has a wider register extends every signed result from bit 15.
#define CONTAIN_u8(v) ((u32)(v))
#define CONTAIN_s8(v) ((u32)(u16)(s16)(v))
#define CONTAIN_u16(v) ((u32)(v))
#define CONTAIN_s16(v) ((u32)(u16)(v))
#define CONTAIN_u32(v) (v)
#define CONTAIN_s32(v) (v)
#define CONTAIN_u64(v) (v)
#define CONTAIN_s64(v) (v)
#define CONTAIN_f32(v) (v)
#define CONTAIN_f64(v) (v)
#define WIDTH_u8 32
#define WIDTH_s8 32
#define WIDTH_u16 32
#define WIDTH_s16 32
#define WIDTH_u32 32
#define WIDTH_s32 32
#define WIDTH_u64 64
#define WIDTH_s64 64
#define WIDTH_f32 32
#define WIDTH_f64 64
#define WIDTH_pred 1

#define GET(T, p, l) ((T)((const lane_##T *)(p))[l])
#define PUT(T, p, l, v) (((lane_##T *)(p))[l] = CONTAIN_##T((T)(v)))

// d may be a source's register: a lane depends on its own lane only, which the loop says.
#if defined(__clang__)
#define EACH_LANE(l) \
    _Pragma("clang loop vectorize(assume_safety)") for (unsigned l = 0; l < LANES; l++)
#pragma clang diagnostic ignored "-Wpass-failed" // unoptimised builds
#else
#define EACH_LANE(l) _Pragma("GCC ivdep") for (unsigned l = 0; l < LANES; l++)
#endif

#define LANE_FUNCTION(id) \
    static void id(void *d, const void *a, const void *b, const void *c, const void *e, u32 imm)
#define UNUSED_SOURCES ((void)a, (void)b, (void)c, (void)e, (void)imm)

// Sign bits of 32 lanes.
static inline u32 mask_of(const s32 lanes[LANES])
{
#if defined(__AVX512DQ__)
    u32 low = _cvtmask16_u32(_mm512_movepi32_mask(_mm512_loadu_si512(lanes)));
    return low | _cvtmask16_u32(_mm512_movepi32_mask(_mm512_loadu_si512(lanes + 16))) << 16;
#elif defined(__AVX2__)
    u32 mask = 0;
    for (unsigned i = 0; i < 4; i++) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(lanes + (size_t)8 * i));
        mask |= (u32)_mm256_movemask_ps(_mm256_castsi256_ps(v)) << 8 * i;
    }
    return mask;
#elif defined(__SSE2__)
    u32 mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(lanes + (size_t)4 * i));
        mask |= (u32)_mm_movemask_ps(_mm_castsi128_ps(v)) << 4 * i;
    }
    return mask;
#else
    u32 mask = 0;
    for (unsigned i = 0; i < LANES; i++)
        mask |= (u32)lanes[i] >> 31 << i;
    return mask;
#endif
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum alu_flops {
    NO_FLOPS,
    F32_ADD,
    F32_MUL,
    F32_FMA,
    F64_ONE,
    F64_FMA,
    F16_ONE,
    F16_FMA,
    F16X2_ONE,
    F16X2_FMA,
};

// Bits of a row's special needs.
enum alu_needs {
    NEEDS_IMMEDIATE = 1, // imm is the operand behind the sources: lop3's table
    NEEDS_CARRY_IN = 2,  // of the flag passed as e, and so on
    NEEDS_CARRY_OUT = 4,
};

struct alu_row {
    const char *form;
    alu_fn fn;
    uint8_t result_bits, source_count, source_bits[4];
    uint8_t flops, needs;
};

struct alu_rows {
    const struct alu_row *row;
    size_t count;
};
extern const struct alu_rows sim_alu_table_baseline, sim_alu_table_avx2, sim_alu_table_avx512;
extern const struct alu_rows sim_alu_int, sim_alu_half, sim_alu_float, sim_alu_convert,
    sim_alu_compare;

// What imm holds: the words that were matched (alu_words.def) and the types as written.
enum alu_round { ROUND_NEAREST, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_AWAY };
enum alu_compare {
    COMPARE_EQ,
    COMPARE_NE,
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_EQU,
    COMPARE_NEU,
    COMPARE_LTU,
    COMPARE_LEU,
    COMPARE_GTU,
    COMPARE_GEU,
    COMPARE_NUM,
    COMPARE_NAN
};
enum alu_boolean { BOOLEAN_NONE, BOOLEAN_AND, BOOLEAN_OR, BOOLEAN_XOR };
enum alu_imm {
    IMM_ROUND = 7, // enum alu_round
    IMM_FTZ = 1 << 3,
    IMM_SAT = 1 << 4,
    IMM_RELU = 1 << 5,
    IMM_NAN = 1 << 6,
    IMM_XORSIGN = 1 << 7,
    IMM_SATFINITE = 1 << 8,
    IMM_INTEGRAL = 1 << 9, // .rni .rzi .rmi .rpi
    IMM_SHIFTAMT = 1 << 10,
    IMM_CLAMP = 1 << 11,
    IMM_HIGH = 1 << 12,     // dp2a.hi
    IMM_PERMUTE_SHIFT = 13, // prmt's mode, 3 bits
    IMM_COMPARE_SHIFT = 16, // enum alu_compare, 4 bits
    IMM_BOOLEAN_SHIFT = 20, // enum alu_boolean, 2 bits
    IMM_TYPE0_SHIFT = 22,   // enum ptx_type, 5 bits: the first type, mostly the result's
    IMM_TYPE1_SHIFT = 27,   // the second; the first again where there is one
};
#define IMM_TYPE0(imm) ((enum ptx_type)((imm) >> IMM_TYPE0_SHIFT & 31))
#define IMM_TYPE1(imm) ((enum ptx_type)((imm) >> IMM_TYPE1_SHIFT & 31))
enum alu_permute {
    PERMUTE_SELECT,
    PERMUTE_F4E,
    PERMUTE_B4E,
    PERMUTE_RC8,
    PERMUTE_ECL,
    PERMUTE_ECR,
    PERMUTE_RC16
};

/* ---- numbers --------------------------------------------------------------------------------- */

static inline u32 bits_f32(f32 v)
{
    u32 b;
    memcpy(&b, &v, sizeof(b));
    return b;
}
static inline f32 f32_bits(u32 b)
{
    f32 v;
    memcpy(&v, &b, sizeof(v));
    return v;
}
static inline u64 bits_f64(f64 v)
{
    u64 b;
    memcpy(&b, &v, sizeof(b));
    return b;
}
static inline f64 f64_bits(u64 b)
{
    f64 v;
    memcpy(&v, &b, sizeof(v));
    return v;
}

// The NaN that arithmetic gives (CUDA's math_constants.h: CUDART_NAN_F, CUDART_NAN). f64 hands a NaN
// operand on instead, made quiet; of several: y's, then z's, then x's (seen on an H200).
#define NAN_F32 UINT32_C(0x7fffffff)
#define NAN_F64 UINT64_C(0xfff8000000000000)
#define NAN_F16 UINT32_C(0x7fff)
static inline f32 canon32(f32 v)
{
    return v == v ? v : f32_bits(NAN_F32);
}
#define QUIET_F64 UINT64_C(0x0008000000000000)
static inline bool is_nan64(u64 bits)
{
    return bits << 1 > UINT64_C(0xffe0000000000000);
}
// What f64 arithmetic gives of these operands where `otherwise` is no NaN of theirs.
static inline u64 nan64_of(u64 first, u64 second, u64 third, u64 otherwise)
{
    const u64 last = is_nan64(third) ? third | QUIET_F64 : otherwise;
    const u64 later = is_nan64(second) ? second | QUIET_F64 : last;
    return is_nan64(first) ? first | QUIET_F64 : later;
}
static inline f64 canon64(f64 v, f64 first, f64 second, f64 third)
{
    const u64 nan = nan64_of(bits_f64(first), bits_f64(second), bits_f64(third), NAN_F64);
    return v == v ? v : f64_bits(nan);
}
// NaNs between widths keep their sign and the upper bits of their payload, made quiet.
static inline u64 nan_widened(u32 v)
{
    return (u64)(v & 0x80000000) << 32 | UINT64_C(0x7ff8000000000000) | (u64)(v & 0x3fffff) << 29;
}
static inline u32 nan_narrowed(u64 v)
{
    return (u32)(v >> 32 & 0x80000000) | 0x7fc00000 | (u32)(v >> 29 & 0x3fffff);
}
// Subnormals to zero of the same sign.
static inline f32 flush32(f32 v)
{
    u32 b = bits_f32(v);
    return f32_bits((b & 0x7f800000) == 0 ? b & 0x80000000 : b);
}
// NaN to +0.
static inline f32 saturate32(f32 v)
{
    return v > 0 ? (v < 1 ? v : 1.0F) : 0.0F;
}
static inline f64 saturate64(f64 v)
{
    return v > 0 ? (v < 1 ? v : 1.0) : 0.0;
}

#endif
