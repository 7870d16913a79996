// The nearest seed that each of n x n pixels gets by looking at nine pixels n/2, n/4 ... 1 apart; a seed is its pixel, the lower one of equals. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void voronoi_clear(int *a, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        a[i] = -1;
}

extern "C" __global__ void voronoi_seeds(int *a, const unsigned *seeds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicMax(&a[seeds[i] % (n * n)], i);
}

extern "C" __global__ void voronoi_jump(int *to, const int *from, const unsigned *seeds, int n, int k)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int best = -1, least = 0x7fffffff, place = 0x7fffffff;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int u = x + k * dx, v = y + k * dy;
            if (u < 0 || u >= n || v < 0 || v >= n)
                continue;
            int s = from[v * n + u];
            if (s < 0)
                continue;
            int p = seeds[s] % (n * n), ex = p % n - x, ey = p / n - y, d = ex * ex + ey * ey;
            if (d < least || (d == least && p < place)) {
                best = s;
                least = d;
                place = p;
            }
        }
    to[y * n + x] = best;
}

extern "C" __global__ void voronoi_places(int *out, const int *a, const unsigned *seeds, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] < 0 ? -1 : (int)(seeds[a[i]] % count);
}

// From here on a pixel has its seed's row in the upper half of a word and its column in the lower one.
extern "C" __global__ void voronoi_marks(int *a, const unsigned *seeds, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int p = seeds[i] % (n * n);
        atomicMax(&a[p], p / n << 16 | p % n);
    }
}

__device__ void nearer(int &best, int &least, int s, int x, int y)
{
    int ex = (s & 0xffff) - x, ey = (s >> 16) - y, d = ex * ex + ey * ey;
    if (s >= 0 && (d < least || (d == least && s < best))) {
        best = s;
        least = d;
    }
}

extern "C" __global__ void __launch_bounds__(256) voronoi_far(int *__restrict__ to, const int *__restrict__ from, int n, int k)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, best = -1, least = 0x7fffffff, s[9];
#pragma unroll
    for (int j = 0; j < 9; j++) {
        int u = x + k * (j % 3 - 1), v = y + k * (j / 3 - 1);
        s[j] = (unsigned)u < n && (unsigned)v < n ? from[v * n + u] : -1;
    }
#pragma unroll
    for (int j = 0; j < 9; j++)
        nearer(best, least, s[j], x, y);
    to[y * n + x] = best;
}

// Jumps of 8, 4, 2 and 1 on 32 x 32 pixels and 15 around them.
extern "C" __global__ void __launch_bounds__(512) voronoi_tile(int *__restrict__ out, const int *__restrict__ a, int n)
{
    __shared__ int s[2][62][62];
    int t = threadIdx.y * 32 + threadIdx.x, x0 = blockIdx.x * 32 - 15, y0 = blockIdx.y * 32 - 15, now = 0;
    for (int i = t; i < 3844; i += 512) {
        int x = x0 + i % 62, y = y0 + i / 62;
        s[0][i / 62][i % 62] = (unsigned)x < n && (unsigned)y < n ? a[y * n + x] : -1;
    }
    __syncthreads();
    int margin = 15;
    for (int k = 8; k > 0; k /= 2) {
        margin -= k;
        int first = 15 - margin, side = 32 + 2 * margin;
        for (int i = t; i < side * side; i += 512) {
            int u = first + i % side, v = first + i / side, x = x0 + u, y = y0 + v, best = -1, least = 0x7fffffff;
            if ((unsigned)x < n && (unsigned)y < n)
#pragma unroll
                for (int j = 0; j < 9; j++)
                    nearer(best, least, s[now][v + k * (j / 3 - 1)][u + k * (j % 3 - 1)], x, y);
            s[now ^ 1][v][u] = best;
        }
        now ^= 1;
        __syncthreads();
    }
    for (int r = threadIdx.y; r < 32; r += 16) {
        int best = s[now][15 + r][15 + threadIdx.x];
        out[(blockIdx.y * 32 + r) * n + blockIdx.x * 32 + threadIdx.x] = best < 0 ? -1 : (best >> 16) * n + (best & 0xffff);
    }
}
