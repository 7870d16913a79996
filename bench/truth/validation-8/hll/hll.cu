// Finite-volume step of the Euler equations in two dimensions by HLL fluxes; cells at the edge go on. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// A cell: x density, y momentum across the face, z momentum along it, w energy.
__device__ float4 flux(float4 l, float4 r)
{
    float ul = l.y / l.x, ur = r.y / r.x;
    float pl = 0.4f * (l.w - 0.5f * (l.y * l.y + l.z * l.z) / l.x), pr = 0.4f * (r.w - 0.5f * (r.y * r.y + r.z * r.z) / r.x);
    float cl = sqrtf(1.4f * pl / l.x), cr = sqrtf(1.4f * pr / r.x);
    float sl = fminf(ul - cl, ur - cr), sr = fmaxf(ul + cl, ur + cr);
    float4 fl = make_float4(l.y, l.y * ul + pl, l.z * ul, (l.w + pl) * ul);
    float4 fr = make_float4(r.y, r.y * ur + pr, r.z * ur, (r.w + pr) * ur);
    if (sl >= 0.0f)
        return fl;
    if (sr <= 0.0f)
        return fr;
    float d = 1.0f / (sr - sl), p = sl * sr;
    return make_float4((sr * fl.x - sl * fr.x + p * (r.x - l.x)) * d, (sr * fl.y - sl * fr.y + p * (r.y - l.y)) * d,
                       (sr * fl.z - sl * fr.z + p * (r.z - l.z)) * d, (sr * fl.w - sl * fr.w + p * (r.w - l.w)) * d);
}

__device__ float4 cell(const float *rho, const float *mx, const float *my, const float *e, int x, int y, int n)
{
    int i = min(max(y, 0), n - 1) * n + min(max(x, 0), n - 1);
    return make_float4(rho[i], mx[i], my[i], e[i]);
}

__device__ float4 turned(float4 v)
{
    return make_float4(v.x, v.z, v.y, v.w);
}

__device__ void update(float *out, float4 v, float4 left, float4 right, float4 above, float4 below, int i, int size)
{
    out[i] = v.x - 0.1f * (right.x - left.x + below.x - above.x);
    out[size + i] = v.y - 0.1f * (right.y - left.y + below.z - above.z);
    out[2 * size + i] = v.z - 0.1f * (right.z - left.z + below.y - above.y);
    out[3 * size + i] = v.w - 0.1f * (right.w - left.w + below.w - above.w);
}

// Faces at the left of cells, n + 1 a row, and above them, n a row.
extern "C" __global__ void hll_fluxes(float4 *fx, float4 *fy, const float *rho, const float *mx, const float *my, const float *e, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > n || y > n)
        return;
    float4 v = cell(rho, mx, my, e, x, y, n);
    if (y < n)
        fx[y * (n + 1) + x] = flux(cell(rho, mx, my, e, x - 1, y, n), v);
    if (x < n)
        fy[y * n + x] = flux(turned(cell(rho, mx, my, e, x, y - 1, n)), turned(v));
}

extern "C" __global__ void hll_update(float *out, const float4 *fx, const float4 *fy, const float *rho, const float *mx,
                                      const float *my, const float *e, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    update(out, cell(rho, mx, my, e, x, y, n), fx[y * (n + 1) + x], fx[y * (n + 1) + x + 1], fy[y * n + x], fy[(y + 1) * n + x],
           y * n + x, n * n);
}

extern "C" __global__ void hll_merged(float *__restrict__ out, const float *__restrict__ rho, const float *__restrict__ mx,
                                      const float *__restrict__ my, const float *__restrict__ e, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float4 v = cell(rho, mx, my, e, x, y, n);
    float4 left = flux(cell(rho, mx, my, e, x - 1, y, n), v), right = flux(v, cell(rho, mx, my, e, x + 1, y, n));
    float4 above = flux(turned(cell(rho, mx, my, e, x, y - 1, n)), turned(v));
    float4 below = flux(turned(v), turned(cell(rho, mx, my, e, x, y + 1, n)));
    update(out, v, left, right, above, below, y * n + x, n * n);
}

// Cells and fluxes of 32 x 8 cells in shared memory.
extern "C" __global__ void __launch_bounds__(256) hll_tile(float *__restrict__ out, const float *__restrict__ rho,
                                                           const float *__restrict__ mx, const float *__restrict__ my,
                                                           const float *__restrict__ e, int n)
{
    __shared__ float4 s[10][34], across[8][33], down[9][32];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32, y0 = blockIdx.y * 8;
    for (int i = t; i < 340; i += 256)
        s[i / 34][i % 34] = cell(rho, mx, my, e, x0 + i % 34 - 1, y0 + i / 34 - 1, n);
    __syncthreads();
    for (int i = t; i < 264; i += 256)
        across[i / 33][i % 33] = flux(s[i / 33 + 1][i % 33], s[i / 33 + 1][i % 33 + 1]);
    for (int i = t; i < 288; i += 256)
        down[i / 32][i % 32] = flux(turned(s[i / 32][i % 32 + 1]), turned(s[i / 32 + 1][i % 32 + 1]));
    __syncthreads();
    int x = x0 + tx, y = y0 + ty;
    if (x < n && y < n)
        update(out, s[ty + 1][tx + 1], across[ty][tx], across[ty][tx + 1], down[ty][tx], down[ty + 1][tx], y * n + x, n * n);
}
