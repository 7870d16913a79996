// Cross entropy of rows of logits in f32: log of the sum of exponentials, less the target's logit. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// Maximum and sum of exp(x - maximum) of two parts of a row.
__device__ void join(float &most, float &sum, float most2, float sum2)
{
    float both = fmaxf(most, most2);
    sum = sum * __expf(most - both) + sum2 * __expf(most2 - both);
    most = both;
}

// A block of 256 per row: the maximum, then the sum, each by a tree.
extern "C" __global__ void entropy_passes(float *loss, const float *logits, const int *target, int cols)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    const float *x = logits + (size_t)blockIdx.x * cols;
    float most = -INFINITY, sum = 0;
    for (int i = t; i < cols; i += 256)
        most = fmaxf(most, x[i]);
    s[t] = most;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] = fmaxf(s[t], s[t + d]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    for (int i = t; i < cols; i += 256)
        sum += expf(x[i] - most);
    s[t] = sum;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        loss[blockIdx.x] = logf(s[0]) + most - x[target[blockIdx.x]];
}

// A warp per row, in one pass.
extern "C" __global__ void entropy_warp(float *loss, const float *logits, const int *target, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = logits + (size_t)row * cols;
    float most = -1e30f, sum = 0;
    for (int i = lane; i < cols; i += 32) {
        float v = x[i], next = fmaxf(most, v);
        sum = sum * __expf(most - next) + __expf(v - next);
        most = next;
    }
    for (int d = 16; d > 0; d /= 2)
        join(most, sum, __shfl_xor_sync(~0u, most, d), __shfl_xor_sync(~0u, sum, d));
    if (lane == 0)
        loss[row] = logf(sum) + most - x[target[row]];
}

// A block of 512 per row, four logits a load, in one pass.
extern "C" __global__ void entropy_online(float *loss, const float4 *logits, const int *target, int quads)
{
    __shared__ float mosts[16], sums[16];
    int t = threadIdx.x;
    const float4 *x = logits + (size_t)blockIdx.x * quads;
    float most = -1e30f, sum = 0;
    for (int i = t; i < quads; i += 512) {
        float4 v = x[i];
        float next = fmaxf(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), most);
        sum = sum * __expf(most - next) + __expf(v.x - next) + __expf(v.y - next) + __expf(v.z - next) + __expf(v.w - next);
        most = next;
    }
    for (int d = 16; d > 0; d /= 2)
        join(most, sum, __shfl_xor_sync(~0u, most, d), __shfl_xor_sync(~0u, sum, d));
    if (t % 32 == 0) {
        mosts[t / 32] = most;
        sums[t / 32] = sum;
    }
    __syncthreads();
    if (t >= 16)
        return;
    most = mosts[t];
    sum = sums[t];
    for (int d = 8; d > 0; d /= 2)
        join(most, sum, __shfl_xor_sync(0xffff, most, d), __shfl_xor_sync(0xffff, sum, d));
    if (t == 0)
        loss[blockIdx.x] = logf(sum) + most - ((const float *)x)[target[blockIdx.x]];
}
