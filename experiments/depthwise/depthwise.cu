// A causal depthwise convolution of width 4 over bf16, channels last, as causal models use it:
// y[l][c] = sum over k < 4 of w[c][k] * x[l - 3 + k][c], zeros before the first position.
//   naive_depthwise  one thread per element: four loads
//   pairs_depthwise  two channels a thread, POSITIONS positions down: each input is loaded once
//   wide_depthwise   eight channels a thread, 16 bytes; FLIGHT positions on their way at once
// SPDX-License-Identifier: Apache-2.0
#define BF16
#include "../common/rows.h"

#define WIDTH 4
#ifndef POSITIONS
#define POSITIONS 16
#endif
#ifndef FLIGHT
#define FLIGHT 8
#endif

extern "C" __global__ void naive_depthwise(element *y, const element *x, const float *w, int length,
                                           int channels)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, l = blockIdx.y;
    if (c >= channels)
        return;
    float sum = 0;
    for (int k = 0; k < WIDTH; k++)
        if (l - 3 + k >= 0)
            sum += w[c * WIDTH + k] * element_get(x + (size_t)(l - 3 + k) * channels + c);
    element_put(y + (size_t)l * channels + c, sum);
}

// Of channels c and c + 1; channels must be even.
extern "C" __global__ void pairs_depthwise(unsigned *y, const unsigned *x, const float4 *w, int length,
                                           int channels)
{
    int pairs = channels / 2, p = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y * POSITIONS;
    if (p >= pairs)
        return;
    float4 low = w[2 * p], high = w[2 * p + 1];
    unsigned at[WIDTH];
#pragma unroll
    for (int k = 0; k < WIDTH - 1; k++)
        at[k + 1] = from - 3 + k >= 0 ? x[(size_t)(from - 3 + k) * pairs + p] : 0;
    for (int l = from; l < from + POSITIONS && l < length; l++) {
        float a[WIDTH], b[WIDTH];
#pragma unroll
        for (int k = 0; k < WIDTH - 1; k++)
            at[k] = at[k + 1];
        at[WIDTH - 1] = x[(size_t)l * pairs + p];
#pragma unroll
        for (int k = 0; k < WIDTH; k++) {
            a[k] = __uint_as_float(at[k] << 16);
            b[k] = __uint_as_float(at[k] & 0xffff0000u);
        }
        y[(size_t)l * pairs + p] =
            two_bf16(low.x * a[0] + low.y * a[1] + low.z * a[2] + low.w * a[3],
                     high.x * b[0] + high.y * b[1] + high.z * b[2] + high.w * b[3]);
    }
}

static __device__ uint4 position(const uint4 *x, int l, int length, int groups, int g)
{
    return l >= 0 && l < length ? __ldcs(x + (size_t)l * groups + g) : make_uint4(0, 0, 0, 0);
}

// channels must be a multiple of VECTOR, POSITIONS of FLIGHT.
extern "C" __global__ void wide_depthwise(uint4 *y, const uint4 *x, const float4 *w, int length,
                                          int channels)
{
    int groups = channels / VECTOR, g = blockIdx.x * blockDim.x + threadIdx.x;
    int from = blockIdx.y * POSITIONS;
    if (g >= groups)
        return;
    uint4 in[WIDTH - 1 + FLIGHT]; // the three positions before, and those in flight
    float4 taps[VECTOR];
#pragma unroll
    for (int k = 0; k < WIDTH - 1; k++)
        in[k] = position(x, from - 3 + k, length, groups, g);
#pragma unroll
    for (int c = 0; c < VECTOR; c++)
        taps[c] = w[g * VECTOR + c];
    for (int l = from; l < from + POSITIONS; l += FLIGHT) {
#pragma unroll
        for (int i = 0; i < FLIGHT; i++)
            in[WIDTH - 1 + i] = position(x, l + i, length, groups, g);
#pragma unroll
        for (int i = 0; i < FLIGHT; i++) {
            float p[WIDTH][VECTOR], sum[VECTOR];
#pragma unroll
            for (int k = 0; k < WIDTH; k++)
                vector_unpack(p[k], in[i + k]);
#pragma unroll
            for (int c = 0; c < VECTOR; c++)
                sum[c] = taps[c].x * p[0][c] + taps[c].y * p[1][c] + taps[c].z * p[2][c] +
                         taps[c].w * p[3][c];
            if (l + i < length)
                __stcs(y + (size_t)(l + i) * groups + g, vector_pack(sum));
        }
#pragma unroll
        for (int k = 0; k < WIDTH - 1; k++)
            in[k] = in[FLIGHT + k];
    }
}
