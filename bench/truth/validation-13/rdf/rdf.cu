// Squared distances of all pairs of points with whole coordinates in a periodic box of 1024, counted in steps of 2048. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ int wrapped(int d)
{
    if (d > 512)
        d -= 1024;
    if (d < -512)
        d += 1024;
    return d;
}

__device__ int bin_of(unsigned a, unsigned b)
{
    int x = wrapped((int)(a & 1023) - (int)(b & 1023));
    int y = wrapped((int)(a >> 10 & 1023) - (int)(b >> 10 & 1023));
    int z = wrapped((int)(a >> 20) - (int)(b >> 20));
    return (x * x + y * y + z * z) / 2048;
}

extern "C" __global__ void rdf_atomics(unsigned *bins, const unsigned *points, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n && i < j)
        atomicAdd(&bins[bin_of(points[i], points[j])], 1u);
}

// 128 points against 128 others a block; blocks below the diagonal have nothing to do.
extern "C" __global__ void rdf_tile(unsigned *bins, const unsigned *points, int n)
{
    __shared__ unsigned s[128], own[512];
    int t = threadIdx.x, i = blockIdx.y * 128 + t, j0 = blockIdx.x * 128;
    if (blockIdx.x < blockIdx.y)
        return;
    for (int b = t; b < 512; b += 128)
        own[b] = 0;
    s[t] = j0 + t < n ? points[j0 + t] : 0;
    __syncthreads();
    if (i < n) {
        unsigned p = points[i];
        for (int j = max(i + 1 - j0, 0); j < min(128, n - j0); j++)
            atomicAdd(&own[bin_of(p, s[j])], 1u);
    }
    __syncthreads();
    for (int b = t; b < 512; b += 128)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

// Signed differences of ten bits by shifts, whose squares wrap as the box does.
__device__ __forceinline__ int near(unsigned a, unsigned b)
{
    int x = (int)(a - b) << 22 >> 22, y = (int)((a >> 10) - (b >> 10)) << 22 >> 22, z = (int)((a >> 20) - (b >> 20)) << 22 >> 22;
    return (x * x + y * y + z * z) >> 11;
}

// Bins for each of four warps; two points a thread against every eighth run of 64 points.
extern "C" __global__ void __launch_bounds__(128) rdf_copies(unsigned *__restrict__ bins, const unsigned *__restrict__ points, int n)
{
    __shared__ unsigned s[64], copies[4][512];
    int t = threadIdx.x, u = blockIdx.x * 256 + t, v = u + 128;
    unsigned *own = copies[t >> 5], p = u < n ? points[u] : 0, q = v < n ? points[v] : 0;
    for (int b = t; b < 2048; b += 128)
        ((unsigned *)copies)[b] = 0;
    for (int j0 = blockIdx.y * 64; j0 < n; j0 += 8 * 64) {
        int here = min(64, n - j0);
        if (j0 + here <= blockIdx.x * 256)
            continue;
        __syncthreads();
        if (t < here)
            s[t] = points[j0 + t];
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < here; j++) {
            unsigned o = s[j];
            if (j0 + j > u)
                atomicAdd(&own[near(p, o)], 1u);
            if (j0 + j > v)
                atomicAdd(&own[near(q, o)], 1u);
        }
    }
    __syncthreads();
    for (int b = t; b < 512; b += 128) {
        unsigned sum = copies[0][b] + copies[1][b] + copies[2][b] + copies[3][b];
        if (sum)
            atomicAdd(&bins[b], sum);
    }
}
