// Cross entropy of each row's softmax with its target, and the gradient with respect to the logits. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#include <math_constants.h>

extern "C" __global__ void xent_thread(float *loss, float *grad, const float *logits, const int *target, int rows, int classes)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    const float *in = logits + r * classes;
    float *out = grad + r * classes;
    float most = -CUDART_INF_F, sum = 0.0f;
    for (int c = 0; c < classes; c++)
        most = fmaxf(most, in[c]);
    for (int c = 0; c < classes; c++)
        sum += expf(in[c] - most);
    int t = target[r];
    loss[r] = logf(sum) + most - in[t];
    for (int c = 0; c < classes; c++) {
        float p = expf(in[c] - most) / sum;
        out[c] = (p - (c == t ? 1.0f : 0.0f)) / rows;
    }
}

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

extern "C" __global__ void xent_warp(float *loss, float *grad, const float *logits, const int *target, int rows, int classes)
{
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    const float *in = logits + r * classes;
    float most = -CUDART_INF_F, sum = 0.0f;
    for (int c = lane; c < classes; c += 32)
        most = fmaxf(most, in[c]);
    most = warp_max(most);
    for (int c = lane; c < classes; c += 32)
        sum += __expf(in[c] - most);
    sum = warp_sum(sum);
    int t = target[r];
    if (lane == 0)
        loss[r] = __logf(sum) + most - in[t];
    float scale = 1.0f / (sum * rows), one = 1.0f / rows;
    for (int c = lane; c < classes; c += 32)
        grad[r * classes + c] = __expf(in[c] - most) * scale - (c == t ? one : 0.0f);
}

// Reads the row once: largest and sum go together, and the row stays in shared memory.
extern "C" __global__ void xent_block(float *loss, float *grad, const float *logits, const int *target, int rows, int classes)
{
    extern __shared__ float row[];
    __shared__ float mosts[5], sums[5];
    int r = blockIdx.x, t = target[r];
    const float *in = logits + r * classes;
    float most = -CUDART_INF_F, sum = 0.0f;
    for (int c = threadIdx.x; c < classes; c += blockDim.x) {
        float v = in[c];
        row[c] = v;
        float next = fmaxf(most, v);
        sum = sum * __expf(most - next) + __expf(v - next);
        most = next;
    }
    float whole = warp_max(most);
    sum = warp_sum(sum * __expf(most - whole));
    if (threadIdx.x % 32 == 0) {
        mosts[threadIdx.x / 32] = whole;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    most = mosts[0];
    for (int w = 1; w < 5; w++)
        most = fmaxf(most, mosts[w]);
    sum = 0.0f;
    for (int w = 0; w < 5; w++)
        sum += sums[w] * __expf(mosts[w] - most);
    if (threadIdx.x == 0)
        loss[r] = __logf(sum) + most - row[t];
    float scale = 1.0f / (sum * rows), one = 1.0f / rows;
    for (int c = threadIdx.x; c < classes; c += blockDim.x)
        grad[r * classes + c] = __expf(row[c] - most) * scale - (c == t ? one : 0.0f);
}
