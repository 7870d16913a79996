// A step of advection by first differences against the flow; at the walls the outer cell is as the inner one. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void upwind_cell(float *out, const float *c, const float *u, const float *v, const float *w, int nx, int ny, int nz, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int i = (z * ny + y) * nx + x;
    float own = c[i], change = 0;
    if (u[i] > 0)
        change += u[i] * (own - c[(z * ny + y) * nx + max(x - 1, 0)]);
    else
        change += u[i] * (c[(z * ny + y) * nx + min(x + 1, nx - 1)] - own);
    if (v[i] > 0)
        change += v[i] * (own - c[(z * ny + max(y - 1, 0)) * nx + x]);
    else
        change += v[i] * (c[(z * ny + min(y + 1, ny - 1)) * nx + x] - own);
    if (w[i] > 0)
        change += w[i] * (own - c[(max(z - 1, 0) * ny + y) * nx + x]);
    else
        change += w[i] * (c[(min(z + 1, nz - 1) * ny + y) * nx + x] - own);
    out[i] = own - dt * change;
}

// 32 x 8 columns a block, 24 planes; the plane is in shared memory, its neighbours in registers.
extern "C" __global__ void __launch_bounds__(256) upwind_march(float *__restrict__ out, const float *__restrict__ c, const float *__restrict__ u, const float *__restrict__ v,
                                                               const float *__restrict__ w, int n, float dt)
{
    __shared__ float s[10][34];
    int tx = threadIdx.x, ty = threadIdx.y, x = min(blockIdx.x * 32 + tx, n - 1), y = blockIdx.y * 8 + ty, z0 = blockIdx.z * 24, plane = n * n;
    bool inside = blockIdx.x * 32 + tx < n;
    int i = z0 * plane + y * n + x;
    float below = c[z0 > 0 ? i - plane : i], own = c[i];
    for (int z = z0; z < z0 + 24; z++, i += plane) {
        float above = z < n - 1 ? c[i + plane] : own;
        s[ty + 1][tx + 1] = own;
        if (tx == 0)
            s[ty + 1][0] = c[x > 0 ? i - 1 : i];
        if (tx == 31)
            s[ty + 1][33] = c[x < n - 1 ? i + 1 : i];
        if (ty == 0)
            s[0][tx + 1] = c[y > 0 ? i - n : i];
        if (ty == 7)
            s[9][tx + 1] = c[y < n - 1 ? i + n : i];
        __syncthreads();
        if (inside) {
            float a = u[i], b = v[i], d = w[i];
            float change = fmaxf(a, 0.0f) * (own - s[ty + 1][tx]) + fminf(a, 0.0f) * (s[ty + 1][tx + 2] - own);
            change += fmaxf(b, 0.0f) * (own - s[ty][tx + 1]) + fminf(b, 0.0f) * (s[ty + 2][tx + 1] - own);
            change += fmaxf(d, 0.0f) * (own - below) + fminf(d, 0.0f) * (above - own);
            out[i] = fmaf(-dt, change, own);
        }
        below = own;
        own = above;
        __syncthreads();
    }
}
