// The fewest tokens of 4096 that hold nine tenths of the weight, and their probabilities. Weights are whole numbers below 1024. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void topp_halving(float *out, const float *w, int tokens, float share)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    const float *row = w + (size_t)blockIdx.x * tokens;
    float all = 0.0f, low = 0.0f, high = 1024.0f, held = 0.0f;
    for (int step = 0; high - low > 0.5f || step == 0; step++) {
        // The first sum is that of all.
        float middle = step == 0 ? 0.0f : 0.5f * (low + high), sum = 0.0f;
        for (int j = t; j < tokens; j += blockDim.x)
            if (row[j] >= middle)
                sum += row[j];
        s[t] = sum;
        __syncthreads();
        for (int d = blockDim.x / 2; d > 0; d /= 2) {
            if (t < d)
                s[t] += s[t + d];
            __syncthreads();
        }
        sum = s[0];
        __syncthreads();
        if (step == 0)
            all = sum;
        if (sum >= share * all) {
            low = middle;
            held = sum;
        } else {
            high = middle;
        }
    }
    for (int j = t; j < tokens; j += blockDim.x)
        out[(size_t)blockIdx.x * tokens + j] = row[j] >= low ? row[j] / held : 0.0f;
}

// The weight of each value, and sums of the values from the highest on.
extern "C" __global__ void __launch_bounds__(512) topp_histogram(float4 *__restrict__ out, const float4 *__restrict__ w, float share)
{
    __shared__ float bins[1024], sums[16];
    __shared__ float limit, held;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    bins[t] = bins[t + 512] = 0.0f;
    float4 a = w[blockIdx.x * 1024 + t], b = w[blockIdx.x * 1024 + 512 + t];
    __syncthreads();
    float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
    for (int j = 0; j < 8; j++)
        atomicAdd(&bins[1023 - (int)v[j]], v[j]);
    __syncthreads();
    float first = bins[2 * t], second = bins[2 * t + 1], sum = first + second;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        float other = __shfl_up_sync(0xffffffff, sum, d);
        sum += lane >= d ? other : 0.0f;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    float before = 0.0f, all = 0.0f;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        before += k < warp ? sums[k] : 0.0f;
        all += sums[k];
    }
    sum += before;
    float wanted = share * all, start = sum - first - second;
    if (start < wanted && sum >= wanted) {
        bool one = start + first >= wanted;
        limit = 1023 - 2 * t - (one ? 0 : 1);
        held = one ? start + first : sum;
    }
    __syncthreads();
    float least = limit, by = 1.0f / held;
#pragma unroll
    for (int j = 0; j < 8; j++)
        v[j] = v[j] >= least ? v[j] * by : 0.0f;
    out[blockIdx.x * 1024 + t] = make_float4(v[0], v[1], v[2], v[3]);
    out[blockIdx.x * 1024 + 512 + t] = make_float4(v[4], v[5], v[6], v[7]);
}
