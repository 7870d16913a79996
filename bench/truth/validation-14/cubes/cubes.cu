// Which corners of each cell are below a level, as a byte, and the sum of a table of triangles over the cells. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void cubes_corners(unsigned char *cases, int *total, const float *field, const unsigned char *table, int n, float level)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int code = 0;
    for (int k = 0; k < 8; k++) {
        int at = ((z + (k >> 2)) * n + y + (k >> 1 & 1)) * n + x + (k & 1);
        if (field[at] < level)
            code |= 1 << k;
    }
    cases[(z * (n - 1) + y) * (n - 1) + x] = code;
    if (table[code] > 0)
        atomicAdd(total, (int)table[code]);
}

// Up to 32 cells in a column, the lower four corners kept from the cell before.
extern "C" __global__ void __launch_bounds__(256) cubes_march(unsigned char *__restrict__ cases, int *__restrict__ total, const float *__restrict__ field, const unsigned char *__restrict__ table,
                                                              int n, float level)
{
    __shared__ unsigned char triangles[256];
    __shared__ int sums[8];
    int t = threadIdx.y * 32 + threadIdx.x, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z * 32, end = min(z + 32, n - 1), sum = 0;
    triangles[t] = table[t];
    __syncthreads();
    if (x < n - 1 && y < n - 1) {
        const float *p = field + ((size_t)z * n + y) * n + x;
        int below = (p[0] < level) | (p[1] < level) << 1 | (p[n] < level) << 2 | (p[n + 1] < level) << 3;
        for (; z < end; z++) {
            p += n * n;
            int above = (p[0] < level) | (p[1] < level) << 1 | (p[n] < level) << 2 | (p[n + 1] < level) << 3, code = below | above << 4;
            cases[((size_t)z * (n - 1) + y) * (n - 1) + x] = code;
            sum += triangles[code];
            below = above;
        }
    }
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (threadIdx.x == 0)
        sums[threadIdx.y] = sum;
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; k++)
            sum += sums[k];
        atomicAdd(total, sum);
    }
}

extern "C" __global__ void cubes_bits(unsigned *bits, const float *field, float level)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned word = __ballot_sync(0xffffffffu, field[i] < level);
    if (i % 32 == 0)
        bits[i / 32] = word;
}

// A warp a row of cells, from words of points.
extern "C" __global__ void __launch_bounds__(256) cubes_words(unsigned char *__restrict__ cases, int *__restrict__ total, const unsigned *__restrict__ bits, const unsigned char *__restrict__ table,
                                                              int n)
{
    int lane = threadIdx.x, y = blockIdx.x * 8 + threadIdx.y, z = blockIdx.y, words = n / 32, sum = 0;
    if (y >= n - 1)
        return;
    const unsigned *a = bits + ((size_t)z * n + y) * words, *b = a + words, *c = a + n * words, *d = c + words;
    for (int w = 0; w < words; w++) {
        bool last = w == words - 1;
        unsigned p = __funnelshift_r(a[w], last ? 0 : a[w + 1], lane), q = __funnelshift_r(b[w], last ? 0 : b[w + 1], lane);
        unsigned r = __funnelshift_r(c[w], last ? 0 : c[w + 1], lane), s = __funnelshift_r(d[w], last ? 0 : d[w + 1], lane);
        int code = (p & 3) | (q & 3) << 2 | (r & 3) << 4 | (s & 3) << 6, x = 32 * w + lane;
        if (x < n - 1) {
            cases[((size_t)z * (n - 1) + y) * (n - 1) + x] = code;
            sum += __ldg(&table[code]);
        }
    }
    sum = __reduce_add_sync(0xffffffffu, sum);
    if (lane == 0)
        atomicAdd(total, sum);
}
