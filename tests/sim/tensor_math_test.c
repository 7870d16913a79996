// Products of floating-point matrices: every build of tensor_isa.c against the same sums one element at a time, with
// zeros, subnormal numbers, infinities and NaN among them.
// SPDX-License-Identifier: Apache-2.0
#include "sim/alu/tensor_math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 60, M = 16 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state ^ *state >> 15;
}

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

// A bf16: of all exponents in some rounds, near one in the others.
static float number(uint32_t *state, int round)
{
    uint32_t r = next_random(state), low = r >> 16;
    if (r % 23 == 0)
        return 0;
    if (round % 3 == 2 && r % 101 == 1)
        return float_of(r % 2 ? 0x7f800000 : 0xffc00000);
    uint32_t exponent = round % 3 == 0 ? 120 + low % 12 : round % 3 == 1 ? low % 100 : low % 255;
    return float_of((r & 0x80000000) | exponent << 23 | (r & 0x7f0000));
}

static int exponent_of(float x)
{
    int e = (int)(bits_of(x) >> 23 & 255);
    return e != 0 ? e - 127 : bits_of(x) << 1 == 0 ? -300 : -126;
}

static float cut(double x)
{
    float f = (float)x;
    if (fabs(x) >= 0x1p128)
        return x < 0 ? (float)-HUGE_VAL : (float)HUGE_VAL;
    if (fabs((double)f) > fabs(x)) // rounded away from zero
        f = float_of(bits_of(f) - 1);
    return f;
}

// A sum of `count` products and c, all aligned to the largest exponent.
static float aligned_sum(float c, const float *a, const float *b, int apart, int count,
                         int fraction)
{
    int most = exponent_of(c);
    double sum = (double)c;
    bool special = most == 128;
    for (int k = 0; k < count; k++) {
        int both = exponent_of(a[k]) + exponent_of(b[k * apart]);
        most = both > most ? both : most;
        special |= exponent_of(a[k]) == 128 || exponent_of(b[k * apart]) == 128;
        sum += (double)a[k] * (double)b[k * apart];
    }
    if (special)
        return sum == sum ? (float)sum : float_of(0x7fffffff);
    most = most > -300 ? most : -300;
    sum = trunc(ldexp((double)c, fraction - most));
    for (int k = 0; k < count; k++)
        sum += trunc(ldexp((double)a[k] * (double)b[k * apart], fraction - most));
    return cut(ldexp(sum, most - fraction));
}

static void every_build_gives_the_bits_of_sums_one_by_one(void **state)
{
    static const int COLUMNS[] = {4, 8, 24, 100, 256};
    static struct matrices x, wanted;
    struct tensor_rounding rounding = {.block = 16, .fraction = 25};
    uint32_t seed = 7;
    for (int round = 0; round < ROUNDS; round++) {
        int n = COLUMNS[round % 5], k = round % 2 ? 16 : 24;
        matrices_init(&wanted, M, n, k);
        for (int i = 0; i < M * k; i++)
            wanted.a.f[i] = number(&seed, round);
        for (int i = 0; i < k * n; i++)
            wanted.b.f[i] = number(&seed, round);
        for (int i = 0; i < M * n; i++)
            wanted.c.f[i] = number(&seed, round);
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++) {
            matrices_init(&x, M, n, k);
            memcpy(x.a_room, wanted.a_room, sizeof x.a_room);
            memcpy(x.b_room, wanted.b_room, sizeof x.b_room);
            memcpy(x.c_room, wanted.c_room, sizeof x.c_room);
            tensor_multiply_float((enum sim_isa)isa)(&x, rounding, false);
            for (int i = 0; i < M * n; i++) {
                float sum = wanted.c.f[i];
                for (int from = 0; from < k; from += 16)
                    sum = aligned_sum(sum, &wanted.a.f[i / n * k + from],
                                      &wanted.b.f[from * n + i % n], n,
                                      k - from < 16 ? k - from : 16, 25);
                if (bits_of(sum) != bits_of(x.c.f[i]))
                    fail_msg("round %d, build %d, %d columns, element %d: %a for %a", round, isa, n,
                             i, (double)x.c.f[i], (double)sum);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_build_gives_the_bits_of_sums_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
