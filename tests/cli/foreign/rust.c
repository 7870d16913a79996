// What the kernels of bench/foreign/kernels.rs should give.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void saxpy_ref(float *out, const float *x, const float *y, float a, uint64_t n, uint64_t m)
{
    (void)m;
    for (uint64_t i = 0; i < n; i++)
        out[i] = (float)((double)a * x[i] + y[i]);
}

void histogram_ref(uint32_t *bins, const uint8_t *x, uint32_t n)
{
    for (int i = 0; i < 256; i++)
        bins[i] = 0;
    for (uint32_t i = 0; i < n; i++)
        bins[x[i]]++;
}

static uint64_t reversed(uint64_t v, int group)
{
    uint64_t out = 0;
    for (int i = 0; i < 64; i += group)
        out |= (v >> i & ((UINT64_C(1) << group) - 1)) << (64 - group - i);
    return out;
}

static uint64_t high(uint64_t a, uint64_t b)
{
    uint64_t al = a & UINT32_MAX, ah = a >> 32, bl = b & UINT32_MAX, bh = b >> 32;
    uint64_t middle = (al * bl >> 32) + (ah * bl & UINT32_MAX) + al * bh;
    return ah * bh + (ah * bl >> 32) + (middle >> 32);
}

static uint64_t counts(uint64_t v, uint64_t w)
{
    uint64_t leading = 0, trailing = 0, ones = 0;
    while (leading < 64 && !(v >> (63 - leading) & 1))
        leading++;
    while (trailing < 64 && !(w >> trailing & 1))
        trailing++;
    for (int i = 0; i < 64; i++)
        ones += v >> i & 1;
    return leading * 100 + trailing * 10 + ones;
}

void mix_ref(uint64_t *out, const uint64_t *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = x[i] * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t w = v << 23 | v >> 41;
        uint64_t cases[] = {v * w,        v + w < v ? UINT64_MAX : v + w,  v < w ? 7 : v - w,
                            counts(v, w), reversed(v, 8) ^ reversed(w, 1), high(v, w),
                            w / (v | 1),  (v >> 63 ? 0 - v : v) % 1000003, v > w ? v - w : w - v};
        out[i] = cases[v % 9];
    }
}

void median_ref(float *out, const float *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        float window[9];
        for (uint32_t k = 0; k < 9; k++) {
            uint32_t at = k;
            for (float v = x[(i + k) % n]; at > 0 && window[at - 1] > v; at--)
                window[at] = window[at - 1];
            window[at] = x[(i + k) % n];
        }
        out[i] = window[4];
    }
}
