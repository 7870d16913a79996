// Rounds of min-sum decoding: each bit has three edges in order, each check six of a permutation. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void ldpc_begin(float *message, const float *likely, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        message[i] = likely[i / 3];
}

extern "C" __global__ void ldpc_checks(float *message, const int *edge, int n, int checks, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float *own = message + i / checks * checks * degree;
    const int *from = edge + i % checks * degree;
    float least = 1e30f, second = 1e30f;
    int where = 0, odd = 0;
    for (int k = 0; k < degree; k++) {
        float v = own[from[k]], size = fabsf(v);
        odd ^= v < 0.0f;
        if (size < least) {
            second = least;
            least = size;
            where = k;
        } else if (size < second)
            second = size;
    }
    for (int k = 0; k < degree; k++) {
        float size = 0.75f * (k == where ? second : least);
        own[from[k]] = odd ^ (own[from[k]] < 0.0f) ? -size : size;
    }
}

extern "C" __global__ void ldpc_bits(float *out, float *message, const float *likely, int n, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = likely[i];
    for (int k = 0; k < degree; k++)
        sum += message[i * degree + k];
    for (int k = 0; k < degree; k++)
        message[i * degree + k] = sum - message[i * degree + k];
    out[i] = sum;
}

// A thread has one check and two bits.
extern "C" __global__ void __launch_bounds__(512)
    ldpc_shared(float *__restrict__ out, const float *__restrict__ likely, const int *__restrict__ edge, int rounds)
{
    __shared__ float message[3072];
    int t = threadIdx.x, from[6];
    float own[2] = {likely[blockIdx.x * 1024 + t], likely[blockIdx.x * 1024 + 512 + t]}, sum[2] = {};
#pragma unroll
    for (int k = 0; k < 6; k++)
        from[k] = edge[t * 6 + k];
#pragma unroll
    for (int b = 0; b < 2; b++)
#pragma unroll
        for (int k = 0; k < 3; k++)
            message[(b * 512 + t) * 3 + k] = own[b];
    for (int round = 0; round < rounds; round++) {
        __syncthreads();
        float v[6], least = 1e30f, second = 1e30f;
        unsigned sign = 0;
#pragma unroll
        for (int k = 0; k < 6; k++) {
            v[k] = message[from[k]];
            sign ^= __float_as_uint(v[k]);
            second = fminf(second, fmaxf(least, fabsf(v[k])));
            least = fminf(least, fabsf(v[k]));
        }
#pragma unroll
        for (int k = 0; k < 6; k++) {
            float size = 0.75f * (fabsf(v[k]) == least ? second : least);
            message[from[k]] = __uint_as_float(__float_as_uint(size) | ((sign ^ __float_as_uint(v[k])) & 0x80000000));
        }
        __syncthreads();
#pragma unroll
        for (int b = 0; b < 2; b++) {
            float *at = &message[(b * 512 + t) * 3];
            float x = at[0], y = at[1], z = at[2];
            sum[b] = own[b] + x + y + z;
            at[0] = sum[b] - x;
            at[1] = sum[b] - y;
            at[2] = sum[b] - z;
        }
    }
    out[blockIdx.x * 1024 + t] = sum[0];
    out[blockIdx.x * 1024 + 512 + t] = sum[1];
}
