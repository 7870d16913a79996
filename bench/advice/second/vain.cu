// Kernels with a fault that costs nothing, for others set the time, and their twins without it. scaled_*: memory sets it.
// iterated_*: arithmetic does. Each pair's YAML says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- y = x (1 + i % 4), four numbers a thread ------------------------------------------------------------------- */

extern "C" __global__ void scaled_plain(float4 *y, const float4 *x, float4 s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    y[i] = {v.x * s.x, v.y * s.y, v.z * s.z, v.w * s.w};
}

// per: 1, 1/2, 1/3, 1/4.
extern "C" __global__ void scaled_divided(float4 *y, const float4 *x, float4 per)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    y[i] = {v.x / per.x, v.y / per.y, v.z / per.z, v.w / per.w};
}

extern "C" __global__ void scaled_branched(float4 *y, const float4 *x, float4 s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    if (v.x < 0.5f)
        y[i] = {v.x * s.x, v.y * s.y, v.z * s.z, v.w * s.w};
    else
        y[i] = {(v.x + v.x) * (0.5f * s.x), (v.y + v.y) * (0.5f * s.y), (v.z + v.z) * (0.5f * s.z),
                (v.w + v.w) * (0.5f * s.w)};
}

extern "C" __global__ void scaled_remainder(float4 *y, const float4 *x, unsigned period)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = 4 * i;
    float4 v = x[i];
    y[i] = {v.x * (float)(1 + k % period), v.y * (float)(1 + (k + 1) % period),
            v.z * (float)(1 + (k + 2) % period), v.w * (float)(1 + (k + 3) % period)};
}

// Eight vectors a thread, all of them loaded first.
extern "C" __global__ void scaled_ahead(float4 *y, const float4 *x, float4 s)
{
    int first = blockIdx.x * 2048 + threadIdx.x;
    float4 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = x[first + 256 * k];
#pragma unroll
    for (int k = 0; k < 8; k++)
        y[first + 256 * k] = {v[k].x * s.x, v[k].y * s.y, v[k].z * s.z, v[k].w * s.w};
}

extern "C" __global__ void scaled_synced(float4 *y, const float4 *x, float4 s)
{
    int first = blockIdx.x * 2048 + threadIdx.x;
    float4 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = x[first + 256 * k];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        __syncthreads();
        y[first + 256 * k] = {v[k].x * s.x, v[k].y * s.y, v[k].z * s.z, v[k].w * s.w};
    }
}

/* ---- 512 multiply-adds, one after the other --------------------------------------------------------------------------- */

static __device__ __forceinline__ float iterated(float v)
{
#pragma unroll 16
    for (int k = 0; k < 512; k++)
        v = v * 0.999f + 0.0005f;
    return v;
}

extern "C" __global__ void iterated_plain(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = iterated(x[i]);
}

// Lanes take numbers 8 apart.
extern "C" __global__ void iterated_strided(float *y, const float *x)
{
    int i = blockIdx.x * 256 + threadIdx.x % 32 * 8 + threadIdx.x / 32;
    y[i] = iterated(x[i]);
}

// Through shared memory, words 4 apart: four lanes a bank.
extern "C" __global__ void iterated_banked(float *y, const float *x)
{
    __shared__ float place[4 * 256];
    int i = blockIdx.x * 256 + threadIdx.x;
    place[4 * threadIdx.x] = x[i];
    __syncwarp();
    y[i] = iterated(place[4 * threadIdx.x]);
}

// Twice the number less the number, in f64.
extern "C" __global__ void iterated_double(float *y, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = iterated((float)(x[i] * 2.0 - x[i]));
}

extern "C" __global__ void iterated_four(float *y, const float *x)
{
    int first = blockIdx.x * 1024 + threadIdx.x;
    float v[4];
    for (int e = 0; e < 4; e++)
        v[e] = x[first + 256 * e];
#pragma unroll 4
    for (int k = 0; k < 512; k++)
        for (int e = 0; e < 4; e++)
            v[e] = v[e] * 0.999f + 0.0005f;
    for (int e = 0; e < 4; e++)
        y[first + 256 * e] = v[e];
}
