// Logarithm of the sum over all paths of 32 tags of the exponential of a path's scores and moves; n chains of 64 steps. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void crf_block(float *out, const float *scores, const float *moves, int steps)
{
    __shared__ float alpha[32], next[32];
    int t = threadIdx.x;
    const float *s = scores + (size_t)blockIdx.x * steps * 32;
    alpha[t] = s[t];
    __syncthreads();
    for (int step = 1; step < steps; step++) {
        float most = -INFINITY, sum = 0.0f;
        for (int j = 0; j < 32; j++)
            most = fmaxf(most, alpha[j] + moves[j * 32 + t]);
        for (int j = 0; j < 32; j++)
            sum += expf(alpha[j] + moves[j * 32 + t] - most);
        next[t] = most + logf(sum) + s[step * 32 + t];
        __syncthreads();
        alpha[t] = next[t];
        __syncthreads();
    }
    if (t == 0) {
        float most = alpha[0], sum = 0.0f;
        for (int j = 1; j < 32; j++)
            most = fmaxf(most, alpha[j]);
        for (int j = 0; j < 32; j++)
            sum += expf(alpha[j] - most);
        out[blockIdx.x] = most + logf(sum);
    }
}

// Exponentials of a column's moves in registers: a step is 32 products with what other lanes have.
extern "C" __global__ void __launch_bounds__(128) crf_registers(float *__restrict__ out, const float *__restrict__ scores, const float *__restrict__ moves,
                                                                int n)
{
    int lane = threadIdx.x % 32, chain = blockIdx.x * 4 + threadIdx.x / 32;
    if (chain >= n)
        return;
    const float *s = scores + chain * 2048 + lane;
    float column[32], alpha = s[0], ahead = s[32];
#pragma unroll
    for (int j = 0; j < 32; j++)
        column[j] = __expf(moves[j * 32 + lane]);
    for (int step = 1; step < 64; step++) {
        float score = ahead, base = __shfl_sync(0xffffffff, alpha, 0), mine = __expf(alpha - base), sum = 0.0f;
        if (step < 63)
            ahead = s[(step + 1) * 32];
#pragma unroll
        for (int j = 0; j < 32; j++)
            sum += __shfl_sync(0xffffffff, mine, j) * column[j];
        alpha = base + __logf(sum) + score;
    }
    float most = alpha;
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    float sum = __expf(alpha - most);
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[chain] = most + __logf(sum);
}
