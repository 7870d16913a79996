// Bits that two fingerprints of 1024 share, over bits that one has: all pairs. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void tanimoto_plain(float *out, const unsigned *a, const unsigned *b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    int both = 0, any = 0;
    for (int w = 0; w < 32; w++) {
        both += __popc(a[i * 32 + w] & b[j * 32 + w]);
        any += __popc(a[i * 32 + w] | b[j * 32 + w]);
    }
    out[i * n + j] = (float)both / any;
}

// 32 of each in shared memory.
extern "C" __global__ void tanimoto_tile(float *out, const unsigned *a, const unsigned *b, int n)
{
    __shared__ unsigned as[32][32], bs[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    as[ty][tx] = i0 + ty < n ? a[(i0 + ty) * 32 + tx] : 0;
    bs[ty][tx] = j0 + ty < n ? b[(j0 + ty) * 32 + tx] : 0;
    __syncthreads();
    int both = 0, any = 0;
    for (int w = 0; w < 32; w++) {
        unsigned u = as[ty][w], v = bs[tx][w];
        both += __popc(u & v);
        any += __popc(u | v);
    }
    if (i0 + ty < n && j0 + tx < n)
        out[(i0 + ty) * n + j0 + tx] = (float)both / any;
}

// Two by two a thread; the union from the fingerprints' own counts.
extern "C" __global__ void tanimoto_two(float *__restrict__ out, const unsigned *__restrict__ a, const unsigned *__restrict__ b, int n)
{
    __shared__ unsigned as[32][33], bs[32][33];
    __shared__ int ac[32], bc[32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    for (int k = t; k < 1024; k += 256) {
        int r = k / 32, w = k % 32;
        unsigned u = i0 + r < n ? a[(i0 + r) * 32 + w] : 0, v = j0 + r < n ? b[(j0 + r) * 32 + w] : 0;
        as[r][w] = u;
        bs[r][w] = v;
        int cu = __reduce_add_sync(0xffffffff, __popc(u)), cv = __reduce_add_sync(0xffffffff, __popc(v));
        if (w == 0) {
            ac[r] = cu;
            bc[r] = cv;
        }
    }
    __syncthreads();
    int both[2][2] = {};
#pragma unroll 8
    for (int w = 0; w < 32; w++) {
        unsigned u0 = as[ty][w], u1 = as[ty + 16][w], v0 = bs[tx][w], v1 = bs[tx + 16][w];
        both[0][0] += __popc(u0 & v0);
        both[0][1] += __popc(u0 & v1);
        both[1][0] += __popc(u1 & v0);
        both[1][1] += __popc(u1 & v1);
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            int i = ty + 16 * y, j = tx + 16 * x;
            if (i0 + i < n && j0 + j < n)
                out[(i0 + i) * n + j0 + j] = __fdividef(both[y][x], ac[i] + bc[j] - both[y][x]);
        }
}
