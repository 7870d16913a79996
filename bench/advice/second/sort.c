// References of sort.cu.
// SPDX-License-Identifier: Apache-2.0
#include <string.h>

void digits_ref(unsigned *counts, const unsigned *keys, int blocks, int shift)
{
    memset(counts, 0, (size_t)blocks * 16 * sizeof *counts);
    for (int i = 0; i < blocks * 4096; i++)
        counts[i / 4096 * 16 + (keys[i] >> shift & 15)]++;
}

void compact_ref(float *out, unsigned *count, const float *x, int n)
{
    *count = 0;
    for (int i = 0; i < n; i++)
        if (x[i] > 0.5f)
            out[(*count)++] = x[i];
}

void topk_ref(float *out, const float *x, int rows)
{
    for (int r = 0; r < rows; r++, x += 1024, out += 8) {
        int held = 0;
        for (int c = 0; c < 1024; c++) {
            int j = held < 8 ? held++ : x[c] > out[7] ? 7 : 8;
            for (; j < 8 && j > 0 && out[j - 1] < x[c]; j--)
                out[j] = out[j - 1];
            if (j < 8)
                out[j] = x[c];
        }
    }
}

void runs_ref(float *out, const float *values, const int *starts, int runs)
{
    for (int r = 0; r < runs; r++)
        for (int i = starts[r]; i < starts[r + 1]; i++)
            out[i] = values[r];
}

void crc_ref(unsigned *out, const unsigned char *records, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned crc = ~0u;
        for (int bit = 0; bit < 512; bit++) {
            unsigned in = records[i * 64 + bit / 8] >> bit % 8 & 1;
            crc = (crc ^ in) & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
        out[i] = ~crc;
    }
}

void bitonic_ref(unsigned *out, const unsigned *in, int blocks)
{
    for (int b = 0; b < blocks; b++, out += 1024)
        for (int i = 0; i < 1024; i++) {
            int j = i;
            for (; j > 0 && out[j - 1] > in[b * 1024 + i]; j--)
                out[j] = out[j - 1];
            out[j] = in[b * 1024 + i];
        }
}

void haar_ref(float *out, const float *in, int blocks)
{
    for (int b = 0; b < blocks; b++, out += 1024, in += 1024) {
        double v[1024];
        for (int i = 0; i < 1024; i++)
            v[i] = in[i];
        for (int pairs = 512; pairs > 0; pairs /= 2)
            for (int i = 0; i < pairs; i++) {
                out[pairs + i] = (float)(0.70710678118654752 * (v[2 * i] - v[2 * i + 1]));
                v[i] = 0.70710678118654752 * (v[2 * i] + v[2 * i + 1]);
            }
        out[0] = (float)v[0];
    }
}

void extent_ref(float *out, const float *x, int blocks, int rounds)
{
    for (int b = 0; b < blocks; b++) {
        out[2 * b] = out[2 * b + 1] = x[b * rounds * 256];
        for (int i = b * rounds * 256; i < (b + 1) * rounds * 256; i++) {
            out[2 * b] = x[i] < out[2 * b] ? x[i] : out[2 * b];
            out[2 * b + 1] = x[i] > out[2 * b + 1] ? x[i] : out[2 * b + 1];
        }
    }
}
