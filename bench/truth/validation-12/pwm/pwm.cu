// Greatest sum of 16 weights by base and place over all places of a sequence and of its reverse complement (3 less the base). Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// Keys are in the order of the floats.
extern "C" __global__ void pwm_place(unsigned *keys, const unsigned char *bases, const float *weights, int length, int motif)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p > length - motif)
        return;
    const unsigned char *s = bases + blockIdx.y * length + p;
    float ahead = 0.0f, back = 0.0f;
    for (int k = 0; k < motif; k++) {
        ahead += weights[4 * k + s[k]];
        back += weights[4 * k + 3 - s[motif - 1 - k]];
    }
    unsigned bits = __float_as_uint(fmaxf(ahead, back));
    atomicMax(&keys[blockIdx.y], bits & 0x80000000 ? ~bits : bits | 0x80000000);
}

extern "C" __global__ void pwm_finish(float *out, const unsigned *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __uint_as_float(keys[i] & 0x80000000 ? keys[i] & 0x7fffffff : ~keys[i]);
}

extern "C" __global__ void __launch_bounds__(96) pwm_block(float *__restrict__ out, const unsigned *__restrict__ bases, const float *__restrict__ weights)
{
    __shared__ unsigned char s[208];
    __shared__ float w[64], best[3];
    int t = threadIdx.x;
    if (t < 50)
        ((unsigned *)s)[t] = bases[blockIdx.x * 50 + t];
    if (t >= 32)
        w[t - 32] = weights[t - 32];
    __syncthreads();
    float most = -INFINITY;
    for (int p = t; p < 185; p += 96) {
        float ahead = 0.0f, back = 0.0f;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            int base = s[p + k];
            ahead += w[4 * k + base];
            back += w[4 * (15 - k) + 3 - base];
        }
        most = fmaxf(most, fmaxf(ahead, back));
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
    if (t % 32 == 0)
        best[t / 32] = most;
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = fmaxf(best[0], fmaxf(best[1], best[2]));
}
