// The integral of an image of bytes: out[y][x] is the sum of all pixels above and to the left, with its own. One launch sums
// along the rows, one down the columns. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per row.
extern "C" __global__ void rows_thread(unsigned *out, const unsigned char *in, int w, int h)
{
    int y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h)
        return;
    unsigned sum = 0;
    for (int x = 0; x < w; x++)
        out[y * w + x] = sum += in[y * w + x];
}

// A thread per column.
extern "C" __global__ void columns_thread(unsigned *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w)
        return;
    unsigned sum = 0;
    for (int y = 0; y < h; y++)
        out[y * w + x] = sum += out[y * w + x];
}

// A block per row, the sums of 1, 2, 4 ... neighbours to the left, from one half of shared memory to the other.
extern "C" __global__ void rows_doubling(unsigned *out, const unsigned char *in, int w)
{
    extern __shared__ unsigned s[];
    int t = threadIdx.x, from = 0, n = blockDim.x;
    unsigned before = 0;
    for (int x0 = 0; x0 < w; x0 += n) {
        s[from * n + t] = x0 + t < w ? in[blockIdx.x * w + x0 + t] : 0;
        __syncthreads();
        for (int d = 1; d < n; d *= 2, from ^= 1) {
            s[(from ^ 1) * n + t] = s[from * n + t] + (t >= d ? s[from * n + t - d] : 0);
            __syncthreads();
        }
        if (x0 + t < w)
            out[blockIdx.x * w + x0 + t] = before + s[from * n + t];
        before += s[from * n + n - 1];
        __syncthreads();
    }
}

// A warp per row, four pixels a lane and step, by shuffles.
extern "C" __global__ void rows_shuffle(uint4 *out, const uchar4 *in, int quads, int h)
{
    int y = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (y >= h)
        return;
    unsigned before = 0;
    for (int x = lane; x - lane < quads; x += 32) {
        uchar4 p = x < quads ? in[y * quads + x] : make_uchar4(0, 0, 0, 0);
        unsigned a = p.x, b = a + p.y, c = b + p.z, all = c + p.w, sum = all;
        for (int d = 1; d < 32; d *= 2) {
            unsigned v = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? v : 0;
        }
        unsigned left = before + sum - all;
        if (x < quads)
            out[y * quads + x] = make_uint4(left + a, left + b, left + c, left + all);
        before += __shfl_sync(~0u, sum, 31);
    }
}

// 32 columns a block; each of its 16 warps sums its part of the height, then adds what is above.
extern "C" __global__ void columns_parts(unsigned *out, int w, int h)
{
    __shared__ unsigned s[16][32];
    int lane = threadIdx.x, part = threadIdx.y, x = blockIdx.x * 32 + lane, each = h / 16;
    unsigned sum = 0;
    for (int y = part * each; y < (part + 1) * each; y++)
        sum += out[y * w + x];
    s[part][lane] = sum;
    __syncthreads();
    sum = 0;
    for (int p = 0; p < part; p++)
        sum += s[p][lane];
    for (int y = part * each; y < (part + 1) * each; y++)
        out[y * w + x] = sum += out[y * w + x];
}
