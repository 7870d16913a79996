// Products of pairs of polynomials of 64 coefficients modulo 2^32: 127 coefficients and a zero. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void polymul_thread(unsigned *c, const unsigned *a, const unsigned *b)
{
    int k = threadIdx.x, p = blockIdx.x;
    unsigned sum = 0;
    for (int i = max(0, k - 63); i <= min(63, k); i++)
        sum += a[p * 64 + i] * b[p * 64 + k - i];
    c[p * 128 + k] = sum;
}

// Zeros on both sides of b, so that all threads take all steps.
extern "C" __global__ void polymul_shared(unsigned *__restrict__ c, const unsigned *__restrict__ a,
                                          const unsigned *__restrict__ b, int pairs)
{
    __shared__ unsigned as[2][64], bs[2][192];
    int own = threadIdx.x / 128, k = threadIdx.x % 128, p = blockIdx.x * 2 + own;
    if (p < pairs) {
        if (k < 64) {
            as[own][k] = a[p * 64 + k];
            bs[own][k] = 0;
        } else {
            bs[own][k] = b[p * 64 + k - 64];
            bs[own][k + 64] = 0;
        }
    }
    __syncthreads();
    if (p >= pairs)
        return;
    unsigned sum = 0;
#pragma unroll 16
    for (int i = 0; i < 64; i++)
        sum += as[own][i] * bs[own][64 + k - i];
    c[p * 128 + k] = sum;
}

// Sixteen threads a pair, eight coefficients each: a window of b moves through registers.
extern "C" __global__ void __launch_bounds__(128) polymul_eight(unsigned *__restrict__ c, const uint4 *__restrict__ a,
                                                                const uint4 *__restrict__ b, int pairs)
{
    __shared__ __align__(16) unsigned as[8][68], bs[8][196];
    int own = threadIdx.x / 16, t = threadIdx.x % 16, p = blockIdx.x * 8 + own;
    uint4 zero = make_uint4(0, 0, 0, 0);
    *(uint4 *)&as[own][4 * t] = p < pairs ? a[p * 16 + t] : zero;
    *(uint4 *)&bs[own][4 * t] = zero;
    *(uint4 *)&bs[own][64 + 4 * t] = p < pairs ? b[p * 16 + t] : zero;
    *(uint4 *)&bs[own][128 + 4 * t] = zero;
    __syncwarp();
    unsigned sum[8] = {}, window[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        window[k] = bs[own][64 + 8 * t + k];
#pragma unroll 8
    for (int i = 0; i < 64; i++) {
        unsigned v = as[own][i];
#pragma unroll
        for (int k = 0; k < 8; k++)
            sum[k] += v * window[k];
#pragma unroll
        for (int k = 7; k > 0; k--)
            window[k] = window[k - 1];
        window[0] = bs[own][63 + 8 * t - i];
    }
    if (p >= pairs)
        return;
    uint4 *to = (uint4 *)(c + p * 128 + 8 * t);
    to[0] = make_uint4(sum[0], sum[1], sum[2], sum[3]);
    to[1] = make_uint4(sum[4], sum[5], sum[6], sum[7]);
}
