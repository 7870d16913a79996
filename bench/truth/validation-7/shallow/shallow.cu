// Height and two momenta of shallow water, one step with fluxes of Lax and Friedrichs. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

struct cell {
    float h, p, q;
};

__device__ int inside(int i, int n)
{
    return min(max(i, 0), n - 1);
}

__device__ cell at(const float *h, const float *p, const float *q, int y, int x, int n)
{
    int i = inside(y, n) * n + inside(x, n);
    return {h[i], p[i], q[i]};
}

// The flux along p from a to b.
__device__ cell flux(cell a, cell b)
{
    float u = a.p / a.h, v = b.p / b.h;
    float speed = fmaxf(fabsf(u) + sqrtf(9.81f * a.h), fabsf(v) + sqrtf(9.81f * b.h));
    return {0.5f * (a.p + b.p) - 0.5f * speed * (b.h - a.h),
            0.5f * (a.p * u + 4.905f * a.h * a.h + b.p * v + 4.905f * b.h * b.h) - 0.5f * speed * (b.p - a.p),
            0.5f * (a.q * u + b.q * v) - 0.5f * speed * (b.q - a.q)};
}

__device__ cell turned(cell a)
{
    return {a.h, a.q, a.p};
}

// Place (y, x) has the fluxes from the left and from above; there is one more in each row and column than cells.
extern "C" __global__ void shallow_fluxes(cell *across, cell *down, const float *h, const float *p, const float *q, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > n || y > n)
        return;
    cell own = at(h, p, q, y, x, n);
    across[y * (n + 1) + x] = flux(at(h, p, q, y, x - 1, n), own);
    down[y * (n + 1) + x] = turned(flux(turned(at(h, p, q, y - 1, x, n)), turned(own)));
}

__device__ void update(float *ho, float *po, float *qo, cell own, cell l, cell r, cell u, cell d, float c)
{
    *ho = own.h - c * (r.h - l.h + d.h - u.h);
    *po = own.p - c * (r.p - l.p + d.p - u.p);
    *qo = own.q - c * (r.q - l.q + d.q - u.q);
}

extern "C" __global__ void shallow_update(float *ho, float *po, float *qo, const float *h, const float *p, const float *q,
                                          const cell *across, const cell *down, float c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int i = y * n + x, j = y * (n + 1) + x;
    update(&ho[i], &po[i], &qo[i], {h[i], p[i], q[i]}, across[j], across[j + 1], down[j], down[j + n + 1], c);
}

extern "C" __global__ void shallow_merged(float *ho, float *po, float *qo, const float *h, const float *p, const float *q, float c,
                                          int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    cell own = at(h, p, q, y, x, n);
    cell l = flux(at(h, p, q, y, x - 1, n), own), r = flux(own, at(h, p, q, y, x + 1, n));
    cell u = turned(flux(turned(at(h, p, q, y - 1, x, n)), turned(own)));
    cell d = turned(flux(turned(own), turned(at(h, p, q, y + 1, x, n))));
    int i = y * n + x;
    update(&ho[i], &po[i], &qo[i], own, l, r, u, d, c);
}

// Cells and fluxes of 32 x 16 cells in shared memory, each flux computed once.
extern "C" __global__ void __launch_bounds__(512) shallow_tile(float *__restrict__ ho, float *__restrict__ po,
                                                               float *__restrict__ qo, const float *__restrict__ h,
                                                               const float *__restrict__ p, const float *__restrict__ q, float c,
                                                               int n)
{
    __shared__ cell s[18][34], across[16][33], down[17][32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = t; i < 18 * 34; i += 512)
        s[i / 34][i % 34] = at(h, p, q, y0 + i / 34 - 1, x0 + i % 34 - 1, n);
    __syncthreads();
    for (int i = t; i < 16 * 33; i += 512)
        across[i / 33][i % 33] = flux(s[i / 33 + 1][i % 33], s[i / 33 + 1][i % 33 + 1]);
    for (int i = t; i < 17 * 32; i += 512)
        down[i / 32][i % 32] = turned(flux(turned(s[i / 32][i % 32 + 1]), turned(s[i / 32 + 1][i % 32 + 1])));
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x >= n || y >= n)
        return;
    int i = y * n + x;
    update(&ho[i], &po[i], &qo[i], s[ty + 1][tx + 1], across[ty][tx], across[ty][tx + 1], down[ty][tx], down[ty + 1][tx], c);
}
