// A number-theoretic transform of rows of 1024, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

enum { MODULUS = 998244353 };

static uint32_t power(uint64_t base, int exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = base * base % MODULUS)
        if (exponent & 1)
            result = result * base % MODULUS;
    return (uint32_t)result;
}

// Output k, at the place with k's bits reversed, is the sum of in[i] * root^(i*k): in two halves of the row, again and again.
static void transform(uint32_t *row, const uint32_t *roots, int size)
{
    if (size == 1)
        return;
    for (int j = 0; j < size / 2; j++) {
        uint64_t a = row[j], b = row[j + size / 2];
        row[j] = (uint32_t)((a + b) % MODULUS);
        row[j + size / 2] = (uint32_t)((a + MODULUS - b) * roots[j * (1024 / size)] % MODULUS);
    }
    transform(row, roots, size / 2);
    transform(row + size / 2, roots, size / 2);
}

void ntt_ref(uint32_t *out, const uint32_t *in, int rows)
{
    uint32_t roots[512];
    for (int i = 0; i < 512; i++)
        roots[i] = power(power(3, (MODULUS - 1) / 1024), i);
    for (int i = 0; i < 1024 * rows; i++)
        out[i] = in[i];
    for (int r = 0; r < rows; r++)
        transform(out + 1024 * r, roots, 1024);
}
