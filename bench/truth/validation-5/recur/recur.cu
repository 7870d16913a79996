// y[t] = a[t] y[t-1] + b[t] along rows of 512. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void recur_thread(float *y, const float *a, const float *b, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float v = 0.0f;
    for (int i = 0; i < 512; i++) {
        v = a[r * 512 + i] * v + b[r * 512 + i];
        y[r * 512 + i] = v;
    }
}

// Pairs (a, b) are joined by shuffles: what comes first, then v -> a v + b.
__device__ float2 scan_pairs(float2 p, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        float a = __shfl_up_sync(0xffffffff, p.x, d), b = __shfl_up_sync(0xffffffff, p.y, d);
        if (lane >= d) {
            p.y = p.x * b + p.y;
            p.x *= a;
        }
    }
    return p;
}

// A warp a row, 32 steps at a time.
extern "C" __global__ void recur_warp(float *y, const float *a, const float *b, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float carry = 0.0f;
    for (int i = lane; i < 512; i += 32) {
        float2 p = scan_pairs(make_float2(a[r * 512 + i], b[r * 512 + i]), lane);
        float v = p.x * carry + p.y;
        y[r * 512 + i] = v;
        carry = __shfl_sync(0xffffffff, v, 31);
    }
}

// A block a row: warps first, then the pairs of whole warps.
extern "C" __global__ void recur_block(float *__restrict__ y, const float *__restrict__ a, const float *__restrict__ b)
{
    __shared__ float2 s[16];
    int i = blockIdx.x * 512 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float2 p = scan_pairs(make_float2(a[i], b[i]), lane);
    if (lane == 31)
        s[warp] = p;
    __syncthreads();
    if (warp == 0) {
        float2 whole = scan_pairs(lane < 16 ? s[lane] : make_float2(1.0f, 0.0f), lane);
        if (lane < 16)
            s[lane] = whole;
    }
    __syncthreads();
    y[i] = warp ? p.x * s[warp - 1].y + p.y : p.y;
}
