// Words of 1024 bits, a byte each: at each distance 1, 2, 4 ... 512 a bit takes in the one that is so far above. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void polar_copy(unsigned char *out, const unsigned char *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = in[i];
}

extern "C" __global__ void polar_stage(unsigned char *out, int pairs, int d)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    int low = i / d * 2 * d + i % d;
    out[low] ^= out[low + d];
}

extern "C" __global__ void polar_block(unsigned char *out, const unsigned char *in)
{
    __shared__ unsigned char s[1024];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 1024 + t];
    s[t + 512] = in[blockIdx.x * 1024 + t + 512];
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
        int low = t / d * 2 * d + t % d;
        s[low] ^= s[low + d];
        __syncthreads();
    }
    out[blockIdx.x * 1024 + t] = s[t];
    out[blockIdx.x * 1024 + t + 512] = s[t + 512];
}

// A lane has the 32 bits of four and four bytes: bit 4j+k is byte k of its j-th word.
extern "C" __global__ void __launch_bounds__(128) polar_warp(unsigned *__restrict__ out, const unsigned *__restrict__ in, int n)
{
    int lane = threadIdx.x % 32, i = blockIdx.x * 4 + threadIdx.x / 32;
    if (i >= n)
        return;
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        unsigned four = in[i * 256 + j * 32 + lane];
        bits |= (four & 1 | four >> 7 & 2 | four >> 14 & 4 | four >> 21 & 8) << 4 * j;
    }
    bits ^= bits >> 1 & 0x55555555;
    bits ^= bits >> 2 & 0x33333333;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_down_sync(0xffffffff, bits, d);
        bits ^= lane & d ? 0 : other;
    }
    bits ^= bits >> 4 & 0x0f0f0f0f;
    bits ^= bits >> 8 & 0x00ff00ff;
    bits ^= bits >> 16;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        unsigned four = bits >> 4 * j;
        out[i * 256 + j * 32 + lane] = four & 1 | (four & 2) << 7 | (four & 4) << 14 | (four & 8) << 21;
    }
}
