// Sums of 96 trees of depth 6 over rows of 32 numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void boost_global(float *out, const float *x, const int *feature, const float *limit, const float *leaf, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int t = 0; t < 96; t++) {
        int node = 1;
        while (node < 64)
            node = 2 * node + (x[i * 32 + feature[t * 64 + node]] > limit[t * 64 + node]);
        sum += leaf[t * 64 + node - 64];
    }
    out[i] = sum;
}

// 16 trees at a time in shared memory, as are the block's rows.
extern "C" __global__ void __launch_bounds__(128) boost_shared(float *__restrict__ out, const float *__restrict__ x,
                                                               const int *__restrict__ feature, const float *__restrict__ limit,
                                                               const float *__restrict__ leaf, int n)
{
    __shared__ float rows[128 * 33], limits[1024], leaves[1024];
    __shared__ unsigned char features[1024];
    int t = threadIdx.x, first = blockIdx.x * 128, count = min(128, n - first);
    for (int k = t; k < count * 32; k += 128)
        rows[k / 32 * 33 + k % 32] = x[first * 32 + k];
    float sum = 0.0f;
    for (int tree = 0; tree < 96; tree += 16) {
        __syncthreads();
        for (int k = t; k < 1024; k += 128) {
            limits[k] = limit[tree * 64 + k];
            leaves[k] = leaf[tree * 64 + k];
            features[k] = feature[tree * 64 + k];
        }
        __syncthreads();
        if (t < count)
            for (int k = 0; k < 1024; k += 64) {
                int node = 1;
#pragma unroll
                for (int d = 0; d < 6; d++)
                    node = 2 * node + (rows[t * 33 + features[k + node]] > limits[k + node]);
                sum += leaves[k + node - 64];
            }
    }
    if (t < count)
        out[first + t] = sum;
}

// A number a lane; three trees a lane, the numbers by shuffles.
extern "C" __global__ void boost_warp(float *__restrict__ out, const float *__restrict__ x, const int *__restrict__ feature,
                                      const float *__restrict__ limit, const float *__restrict__ leaf, int n)
{
    int i = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    float v = x[i * 32 + lane], sum = 0.0f;
#pragma unroll
    for (int t = lane; t < 96; t += 32) {
        int node = 1;
#pragma unroll
        for (int d = 0; d < 6; d++) {
            float number = __shfl_sync(0xffffffff, v, feature[t * 64 + node]);
            node = 2 * node + (number > limit[t * 64 + node]);
        }
        sum += leaf[t * 64 + node - 64];
    }
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[i] = sum;
}
