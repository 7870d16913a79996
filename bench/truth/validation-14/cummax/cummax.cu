// The largest number of a row so far, and where it was first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void cummax_thread(float *most, int *place, const float *x, int rows, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float best = -INFINITY;
    int at = 0;
    for (int i = 0; i < n; i++) {
        float v = x[row * n + i];
        if (v > best) {
            best = v;
            at = i;
        }
        most[row * n + i] = best;
        place[row * n + i] = at;
    }
}

// Hillis and Steele over at most 1024 numbers.
extern "C" __global__ void cummax_block(float *most, int *place, const float *x, int n)
{
    __shared__ float value[1024];
    __shared__ int index[1024];
    int t = threadIdx.x;
    size_t row = (size_t)blockIdx.x * n;
    float v = t < n ? x[row + t] : -INFINITY;
    int at = t;
    value[t] = v;
    index[t] = at;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        if (t >= d && value[t - d] >= v) {
            v = value[t - d];
            at = index[t - d];
        }
        __syncthreads();
        value[t] = v;
        index[t] = at;
        __syncthreads();
    }
    if (t < n) {
        most[row + t] = v;
        place[row + t] = at;
    }
}

struct Best {
    float v;
    int at;
};

__device__ __forceinline__ Best later(Best a, Best b)
{
    return b.v > a.v ? b : a;
}

// A warp a row of 1000, four neighbouring numbers a lane in each of eight turns.
extern "C" __global__ void __launch_bounds__(128) cummax_warp(float4 *__restrict__ most, int4 *__restrict__ place, const float4 *__restrict__ x, int rows)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    size_t from = (size_t)row * 250;
    Best carry = {-INFINITY, 0};
    for (int i = lane; i < 256; i += 32) {
        float4 v = i < 250 ? x[from + i] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
        Best a = {v.x, 4 * i}, b = later(a, {v.y, 4 * i + 1}), c = later(b, {v.z, 4 * i + 2}), d = later(c, {v.w, 4 * i + 3}), sum = d;
#pragma unroll
        for (int k = 1; k < 32; k *= 2) {
            Best other = {__shfl_up_sync(0xffffffffu, sum.v, k), __shfl_up_sync(0xffffffffu, sum.at, k)};
            if (lane >= k)
                sum = later(other, sum);
        }
        Best before = {__shfl_up_sync(0xffffffffu, sum.v, 1), __shfl_up_sync(0xffffffffu, sum.at, 1)};
        before = lane > 0 ? later(carry, before) : carry;
        a = later(before, a);
        b = later(before, b);
        c = later(before, c);
        d = later(before, d);
        if (i < 250) {
            most[from + i] = make_float4(a.v, b.v, c.v, d.v);
            place[from + i] = make_int4(a.at, b.at, c.at, d.at);
        }
        Best last = {__shfl_sync(0xffffffffu, sum.v, 31), __shfl_sync(0xffffffffu, sum.at, 31)};
        carry = later(carry, last);
    }
}
