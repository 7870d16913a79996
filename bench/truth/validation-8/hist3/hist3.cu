// Joint histogram of three bytes a pixel in 16 x 16 x 16 bins. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void hist3_global(unsigned *bins, const unsigned char *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int r = in[3 * i] / 16, g = in[3 * i + 1] / 16, b = in[3 * i + 2] / 16;
    atomicAdd(&bins[(r * 16 + g) * 16 + b], 1u);
}

extern "C" __global__ void hist3_shared(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int r = in[3 * i] >> 4, g = in[3 * i + 1] >> 4, b = in[3 * i + 2] >> 4;
        atomicAdd(&s[r << 8 | g << 4 | b], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (s[i] > 0)
            atomicAdd(&bins[i], s[i]);
}

// Sixteen pixels of 48 bytes a thread; those alike one after the other are counted together.
extern "C" __global__ void hist3_merged(unsigned *__restrict__ bins, const uint4 *__restrict__ in, int sixteens)
{
    __shared__ unsigned s[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < sixteens; i += gridDim.x * blockDim.x) {
        uint4 a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        unsigned w[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
        unsigned last = 0, count = 0;
#pragma unroll
        for (int p = 0; p < 16; p++) {
            unsigned bin = 0;
#pragma unroll
            for (int k = 3 * p; k < 3 * p + 3; k++)
                bin = bin << 4 | (w[k / 4] >> (k % 4 * 8 + 4) & 15);
            if (bin != last && count > 0) {
                atomicAdd(&s[last], count);
                count = 0;
            }
            last = bin;
            count++;
        }
        atomicAdd(&s[last], count);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (s[i] > 0)
            atomicAdd(&bins[i], s[i]);
}
