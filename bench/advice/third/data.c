// References of data.cu.
// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>
#include <stdint.h>

void votes_ref(uint32_t *cells, const uint32_t *in, int n)
{
    for (int i = 0; i < 64; i++)
        cells[i] = 0;
    for (int i = 0; i < n; i++)
        cells[(in[i] * 2654435761u) >> 26]++;
}

void tally_ref(uint32_t *out, const float *in, float limit, int rounds, int blocks)
{
    for (int b = 0; b < blocks; b++) {
        out[b] = 0;
        for (int i = 0; i < 256 * rounds; i++)
            if (in[(size_t)b * 256 * (size_t)rounds + (size_t)i] > limit)
                out[b] += (uint32_t)(i % 256 % 7 + 1);
    }
}

void minimum_ref(float *out, const float *in, int groups)
{
    for (int g = 0; g < groups; g++) {
        out[g] = in[256 * (size_t)g];
        for (int i = 1; i < 256; i++)
            if (in[256 * (size_t)g + (size_t)i] < out[g])
                out[g] = in[256 * (size_t)g + (size_t)i];
    }
}

void bases_ref(uint8_t *out, const uint8_t *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (uint8_t)(3 - in[i]);
}

void peaks_ref(float *out, const float *in, int rows)
{
    for (size_t row = 0; row < (size_t)rows; row++) {
        double most = 0;
        for (size_t k = 0; k < 8192; k++)
            most = in[row * 8192 + k] > most ? in[row * 8192 + k] : most;
        for (size_t k = 0; k < 8192; k++)
            out[row * 8192 + k] = (float)(in[row * 8192 + k] / most);
    }
}

void mixer_ref(float *out, const float *in, const int32_t *from, int n)
{
    for (int i = 0; i < n; i++) {
        const float *own = in + i / 128 * 128;
        out[i] = own[from[i]] + own[127 - i % 128];
    }
}

void links_ref(int32_t *out, const int32_t *next, int n)
{
    for (int i = 0; i < n; i++) {
        out[i] = i;
        for (int k = 0; k < 8; k++)
            out[i] = next[out[i]];
    }
}

void plain_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = 2 * in[i];
}

void shifted_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = in[i / 256 * 256 + (i % 256 + 32) % 256];
}
