// Sums of 128 deltas a block, packed in as many bits as the block says. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void fordelta_thread(unsigned *out, const unsigned *packed, const int *starts, const unsigned char *bits, const unsigned *base,
                                           int blocks)
{
    int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks)
        return;
    const unsigned *from = packed + starts[b];
    unsigned sum = base[b], wide = bits[b], held = 0;
    unsigned long long window = 0;
    for (int i = 0; i < 128; i++) {
        if (held < wide) {
            window |= (unsigned long long)*from++ << held;
            held += 32;
        }
        sum += (unsigned)window & ((1u << wide) - 1);
        window >>= wide;
        held -= wide;
        out[b * 128 + i] = sum;
    }
}

__device__ unsigned delta(const unsigned *from, int i, int wide)
{
    int at = i * wide;
    return __funnelshift_r(from[at / 32], from[at / 32 + 1], at) & ((1u << wide) - 1);
}

__device__ unsigned scanned(unsigned v, int lane)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        unsigned below = __shfl_up_sync(0xffffffff, v, d);
        v += lane >= d ? below : 0;
    }
    return v;
}

extern "C" __global__ void fordelta_warp(unsigned *out, const unsigned *packed, const int *starts, const unsigned char *bits, const unsigned *base, int blocks)
{
    int b = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (b >= blocks)
        return;
    unsigned sum = base[b];
    for (int i = lane; i < 128; i += 32) {
        unsigned v = sum + scanned(delta(packed + starts[b], i, bits[b]), lane);
        out[b * 128 + i] = v;
        sum = __shfl_sync(0xffffffff, v, 31);
    }
}

extern "C" __global__ void __launch_bounds__(128) fordelta_four(uint4 *__restrict__ out, const unsigned *__restrict__ packed, const int *__restrict__ starts,
                                                                const unsigned char *__restrict__ bits, const unsigned *__restrict__ base, int blocks)
{
    __shared__ unsigned words[4][52];
    int warp = threadIdx.x / 32, b = blockIdx.x * 4 + warp, lane = threadIdx.x % 32;
    if (b >= blocks)
        return;
    int wide = bits[b], from = starts[b];
    for (int i = lane; i <= 4 * wide; i += 32)
        words[warp][i] = packed[from + i];
    __syncwarp();
    unsigned d[4], sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        d[k] = sum += delta(words[warp], 4 * lane + k, wide);
    unsigned before = base[b] + scanned(sum, lane) - sum;
    out[b * 32 + lane] = make_uint4(before + d[0], before + d[1], before + d[2], before + d[3]);
}
