// Correlations of a received signal of 1023 chips with each satellite's code at each shift; a byte of 1 is -1, one of 0 is 1. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void gold_shift(short *out, const unsigned char *signal, const unsigned char *code, int length)
{
    int shift = blockIdx.x * blockDim.x + threadIdx.x;
    if (shift >= length)
        return;
    signal += blockIdx.z * length;
    code += blockIdx.y * length;
    int sum = 0;
    for (int i = 0; i < length; i++) {
        int at = i + shift;
        if (at >= length)
            at -= length;
        sum += signal[i] == code[at] ? 1 : -1;
    }
    out[(blockIdx.z * gridDim.y + blockIdx.y) * length + shift] = sum;
}

// The code twice in a row in shared memory, as signs.
extern "C" __global__ void __launch_bounds__(256) gold_shared(short *__restrict__ out, const unsigned char *__restrict__ signal, const unsigned char *__restrict__ code)
{
    __shared__ short own[1023], by[2046];
    int t = threadIdx.x, shift = blockIdx.x * 256 + t;
    for (int i = t; i < 1023; i += 256) {
        own[i] = 1 - 2 * signal[blockIdx.z * 1023 + i];
        by[i] = by[i + 1023] = 1 - 2 * code[blockIdx.y * 1023 + i];
    }
    __syncthreads();
    if (shift >= 1023)
        return;
    int sum = 0;
#pragma unroll 11
    for (int i = 0; i < 1023; i++)
        sum += own[i] * by[i + shift];
    out[(blockIdx.z * 32 + blockIdx.y) * 1023 + shift] = sum;
}

// All shifts a block, chips as bits of words.
extern "C" __global__ void __launch_bounds__(1024) gold_bits(short *__restrict__ out, const unsigned char *__restrict__ signal, const unsigned char *__restrict__ code)
{
    __shared__ unsigned own[32], by[65];
    int t = threadIdx.x, c = blockIdx.x, s = blockIdx.y;
    unsigned a = __ballot_sync(0xffffffffu, t < 1023 && signal[s * 1023 + t]);
    unsigned b = __ballot_sync(0xffffffffu, t < 1023 ? code[c * 1023 + t] : code[c * 1023]);
    unsigned d = __ballot_sync(0xffffffffu, t < 1022 && code[c * 1023 + t + 1]);
    if (t % 32 == 0) {
        own[t / 32] = a;
        by[t / 32] = b;
        by[32 + t / 32] = d;
    }
    if (t == 0)
        by[64] = 0;
    __syncthreads();
    if (t >= 1023)
        return;
    int first = t / 32, differ = 0;
    unsigned low = by[first];
#pragma unroll
    for (int i = 0; i < 32; i++) {
        unsigned high = by[first + i + 1], word = own[i] ^ __funnelshift_r(low, high, t);
        differ += __popc(i < 31 ? word : word & 0x7fffffffu);
        low = high;
    }
    out[(s * 32 + c) * 1023 + t] = 1023 - 2 * differ;
}
