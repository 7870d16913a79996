// Montgomery's products of 256-bit numbers, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

static const uint32_t prime[8] = {0xfffffc2f, 0xfffffffe, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};

// t += a * b, t of ten words
static void add_product(uint32_t *t, const uint32_t *a, uint32_t b)
{
    uint64_t carry = 0;
    for (int i = 0; i < 8; i++) {
        carry += (uint64_t)a[i] * b + t[i];
        t[i] = (uint32_t)carry;
        carry >>= 32;
    }
    carry += t[8];
    t[8] = (uint32_t)carry;
    t[9] += (uint32_t)(carry >> 32);
}

// x = x * b / 2^256 modulo the prime
static void multiply(uint32_t *x, const uint32_t *b)
{
    uint32_t t[10] = {0}, less[8];
    for (int i = 0; i < 8; i++) {
        add_product(t, x, b[i]);
        add_product(t, prime, t[0] * 0xd2253531u);
        for (int k = 0; k < 9; k++)
            t[k] = t[k + 1];
        t[9] = 0;
    }
    uint64_t borrow = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t d = (uint64_t)t[i] - prime[i] - borrow;
        less[i] = (uint32_t)d;
        borrow = d >> 63;
    }
    for (int i = 0; i < 8; i++)
        x[i] = t[8] || !borrow ? less[i] : t[i];
}

void mont_ref(uint32_t *out, const uint32_t *a, const uint32_t *b, int count)
{
    for (long n = 0; n < count; n++) {
        for (int i = 0; i < 8; i++)
            out[8 * n + i] = a[8 * n + i];
        for (int k = 0; k < 4; k++)
            multiply(out + 8 * n, b + 8 * n);
    }
}
