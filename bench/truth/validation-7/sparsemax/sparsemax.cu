// Sparsemax: rows of 128 less a bound, what is left sums to one. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// The row is sorted, falling, and summed from its largest on.
extern "C" __global__ void sparsemax_sorted(float *out, const float *in)
{
    __shared__ float s[128], sum[128];
    int t = threadIdx.x;
    float own = in[blockIdx.x * 128 + t];
    s[t] = own;
    __syncthreads();
    for (int size = 2; size <= 128; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            int other = t ^ step;
            if (other > t) {
                float a = s[t], b = s[other];
                bool fall = (t & size) == 0;
                if (fall ? a < b : a > b) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            __syncthreads();
        }
    sum[t] = s[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        float v = t >= d ? sum[t - d] : 0.0f;
        __syncthreads();
        sum[t] += v;
        __syncthreads();
    }
    int kept = __syncthreads_count(1.0f + (t + 1) * s[t] > sum[t]);
    float bound = (sum[kept - 1] - 1.0f) / kept;
    out[blockIdx.x * 128 + t] = fmaxf(own - bound, 0.0f);
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

// The bound lies between the largest less one and the largest; at last from the numbers above it.
extern "C" __global__ void sparsemax_bisect(float *__restrict__ out, const float *__restrict__ in, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float4 v = ((const float4 *)in)[row * 32 + lane];
    float high = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    for (int d = 16; d > 0; d /= 2)
        high = fmaxf(high, __shfl_xor_sync(0xffffffff, high, d));
    float low = high - 1.0f;
    for (int step = 0; step < 16; step++) {
        float middle = 0.5f * (low + high);
        float sum = fmaxf(v.x - middle, 0.0f) + fmaxf(v.y - middle, 0.0f) + fmaxf(v.z - middle, 0.0f) + fmaxf(v.w - middle, 0.0f);
        if (warp_sum(sum) >= 1.0f)
            low = middle;
        else
            high = middle;
    }
    float kept = (v.x > low) + (v.y > low) + (v.z > low) + (v.w > low);
    float sum = (v.x > low ? v.x : 0.0f) + (v.y > low ? v.y : 0.0f) + (v.z > low ? v.z : 0.0f) + (v.w > low ? v.w : 0.0f);
    float bound = (warp_sum(sum) - 1.0f) / warp_sum(kept);
    ((float4 *)out)[row * 32 + lane] =
        make_float4(fmaxf(v.x - bound, 0.0f), fmaxf(v.y - bound, 0.0f), fmaxf(v.z - bound, 0.0f), fmaxf(v.w - bound, 0.0f));
}
