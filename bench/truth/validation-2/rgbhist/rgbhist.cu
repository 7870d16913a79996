// Three histograms of 256 bins, of the red, green and blue bytes of an image. A launch clears them first. Nothing is tuned on
// these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void rgb_clear(unsigned *bins)
{
    bins[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}

// Every pixel adds to global memory.
extern "C" __global__ void rgb_global(unsigned *bins, const uchar4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 p = in[i];
    atomicAdd(&bins[p.x], 1);
    atomicAdd(&bins[256 + p.y], 1);
    atomicAdd(&bins[512 + p.z], 1);
}

// A block's own in shared memory, merged at its end.
extern "C" __global__ void rgb_shared(unsigned *bins, const uchar4 *in, int n)
{
    __shared__ unsigned s[768];
    for (int i = threadIdx.x; i < 768; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 p = in[i];
        atomicAdd(&s[p.x], 1);
        atomicAdd(&s[256 + p.y], 1);
        atomicAdd(&s[512 + p.z], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 768; i += blockDim.x)
        if (s[i] > 0)
            atomicAdd(&bins[i], s[i]);
}

// Every warp of the eight has its own; four pixels a load.
extern "C" __global__ void rgb_warps(unsigned *bins, const uint4 *in, int quads)
{
    __shared__ unsigned s[8][768];
    unsigned *mine = s[threadIdx.x / 32];
    for (int i = threadIdx.x; i < 8 * 768; i += 256)
        s[0][i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < quads; i += gridDim.x * 256) {
        uint4 p = in[i];
#pragma unroll
        for (int e = 0; e < 4; e++) {
            unsigned v = (&p.x)[e];
            atomicAdd(&mine[v & 255], 1);
            atomicAdd(&mine[256 + (v >> 8 & 255)], 1);
            atomicAdd(&mine[512 + (v >> 16 & 255)], 1);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 768; i += 256) {
        unsigned sum = 0;
        for (int w = 0; w < 8; w++)
            sum += s[w][i];
        atomicAdd(&bins[i], sum);
    }
}

// Lanes with the same value find each other, and one adds for all of them.
__device__ void add_together(unsigned *s, unsigned value)
{
    unsigned same = __match_any_sync(__activemask(), value);
    if (threadIdx.x % 32 == __ffs(same) - 1)
        atomicAdd(&s[value], __popc(same));
}

extern "C" __global__ void rgb_match(unsigned *bins, const uchar4 *in, int n)
{
    __shared__ unsigned s[768];
    for (int i = threadIdx.x; i < 768; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        uchar4 p = in[i];
        add_together(s, p.x);
        add_together(s, 256 + p.y);
        add_together(s, 512 + p.z);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 768; i += blockDim.x)
        atomicAdd(&bins[i], s[i]);
}
