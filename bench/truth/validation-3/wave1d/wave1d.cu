// A step of the wave equation in one dimension, eighth order in space: next = 2*now - before + courant^2 * second
// difference; four points at either end are left. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define RADIUS 4
#define BLOCK 256

__constant__ float weights[RADIUS + 1] = {-205.f / 72, 8.f / 5, -1.f / 5, 8.f / 315, -1.f / 560};

// A thread per point, nine loads of now.
extern "C" __global__ void wave_plain(float *next, const float *now, const float *before, float c2, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < RADIUS || i >= n - RADIUS)
        return;
    float second = weights[0] * now[i];
    for (int r = 1; r <= RADIUS; r++)
        second += weights[r] * (now[i - r] + now[i + r]);
    next[i] = 2.f * now[i] - before[i] + c2 * second;
}

// Each block's points and four more on either side in shared memory.
extern "C" __global__ void wave_tile(float *next, const float *now, const float *before, float c2, int n)
{
    __shared__ float s[BLOCK + 2 * RADIUS];
    int i = blockIdx.x * BLOCK + threadIdx.x, l = threadIdx.x + RADIUS;
    s[l] = i < n ? now[i] : 0.f;
    if (threadIdx.x < RADIUS) {
        s[l - RADIUS] = i >= RADIUS ? now[i - RADIUS] : 0.f;
        s[l + BLOCK] = i + BLOCK < n ? now[i + BLOCK] : 0.f;
    }
    __syncthreads();
    if (i < RADIUS || i >= n - RADIUS)
        return;
    float second = weights[0] * s[l];
#pragma unroll
    for (int r = 1; r <= RADIUS; r++)
        second += weights[r] * (s[l - r] + s[l + r]);
    next[i] = 2.f * s[l] - before[i] + c2 * second;
}

// Four points a thread: twelve numbers by three loads of 16 bytes. n divides by four.
extern "C" __global__ void wave_several(float *next, const float *now, const float *before, float c2, int n)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < RADIUS || i >= n - RADIUS)
        return;
    __align__(16) float v[12];
#pragma unroll
    for (int q = 0; q < 3; q++)
        *(float4 *)&v[4 * q] = *(const float4 *)&now[i - 4 + 4 * q];
    float4 old = *(const float4 *)&before[i], r;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        float second = weights[0] * v[4 + e];
#pragma unroll
        for (int d = 1; d <= RADIUS; d++)
            second += weights[d] * (v[4 + e - d] + v[4 + e + d]);
        (&r.x)[e] = 2.f * v[4 + e] - (&old.x)[e] + c2 * second;
    }
    *(float4 *)&next[i] = r;
}
