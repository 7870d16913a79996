// A step of heat between cells, through each face by the harmonic mean of two conductances; nothing leaves the box. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float harmonic(float a, float b)
{
    return 2.0f * a * b / (a + b);
}

extern "C" __global__ void varcoef_plain(float *out, const float *u, const float *k, int nx, int ny, int nz, float dt)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz)
        return;
    int i = (z * ny + y) * nx + x;
    float sum = 0.0f;
    if (x > 0)
        sum += harmonic(k[i], k[i - 1]) * (u[i - 1] - u[i]);
    if (x < nx - 1)
        sum += harmonic(k[i], k[i + 1]) * (u[i + 1] - u[i]);
    if (y > 0)
        sum += harmonic(k[i], k[i - nx]) * (u[i - nx] - u[i]);
    if (y < ny - 1)
        sum += harmonic(k[i], k[i + nx]) * (u[i + nx] - u[i]);
    if (z > 0)
        sum += harmonic(k[i], k[i - nx * ny]) * (u[i - nx * ny] - u[i]);
    if (z < nz - 1)
        sum += harmonic(k[i], k[i + nx * ny]) * (u[i + nx * ny] - u[i]);
    out[i] = u[i] + dt * sum;
}

__device__ __forceinline__ float flow(float k, float u, float ko, float uo)
{
    return __fdividef(2.0f * k * ko, k + ko) * (uo - u);
}

// A column of cells a thread, which keeps what flows up; neighbours in a plane are read.
extern "C" __global__ void __launch_bounds__(256) varcoef_march(float *__restrict__ out, const float *__restrict__ u, const float *__restrict__ k, int n, int deep)
{
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * deep, top = min(z + deep, n);
    if (x >= n || y >= n || z >= n)
        return;
    int plane = n * n, i = z * plane + y * n + x;
    int left = x > 0 ? -1 : 0, right = x < n - 1 ? 1 : 0, back = y > 0 ? -n : 0, front = y < n - 1 ? n : 0;
    float own = u[i], kown = k[i];
    float up = z > 0 ? -flow(kown, own, k[i - plane], u[i - plane]) : 0.0f;
    for (; z < top; z++, i += plane) {
        float next = own, knext = kown;
        if (z < n - 1) {
            next = u[i + plane];
            knext = k[i + plane];
        }
        float above = flow(kown, own, knext, next), sum = above - up;
        sum += flow(kown, own, k[i + left], u[i + left]) + flow(kown, own, k[i + right], u[i + right]);
        sum += flow(kown, own, k[i + back], u[i + back]) + flow(kown, own, k[i + front], u[i + front]);
        out[i] = fmaf(0.05f, sum, own);
        up = above;
        own = next;
        kown = knext;
    }
}

// Planes of 32 x 8 cells and their edges in shared memory, both numbers of a cell side by side.
extern "C" __global__ void __launch_bounds__(256) varcoef_planes(float *__restrict__ out, const float *__restrict__ u, const float *__restrict__ k, int n, int deep)
{
    __shared__ float2 s[10][34];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1, first = blockIdx.z * deep, top = min(first + deep, n);
    int x = x0 + 1 + tx, y = y0 + 1 + ty, plane = n * n;
    bool inside = x < n && y < n;
    float up = 0.0f;
    for (int z = first; z < top; z++) {
        __syncthreads();
        for (int c = ty * 32 + tx; c < 340; c += 256) {
            int gx = min(max(x0 + c % 34, 0), n - 1), gy = min(max(y0 + c / 34, 0), n - 1), g = z * plane + gy * n + gx;
            s[c / 34][c % 34] = make_float2(u[g], k[g]);
        }
        __syncthreads();
        if (!inside)
            continue;
        int i = z * plane + y * n + x;
        float2 own = s[ty + 1][tx + 1], a = s[ty + 1][tx], b = s[ty + 1][tx + 2], c = s[ty][tx + 1], d = s[ty + 2][tx + 1];
        if (z == first && z > 0)
            up = -flow(own.y, own.x, k[i - plane], u[i - plane]);
        float above = z < n - 1 ? flow(own.y, own.x, k[i + plane], u[i + plane]) : 0.0f;
        float sum = flow(own.y, own.x, a.y, a.x) + flow(own.y, own.x, b.y, b.x) + flow(own.y, own.x, c.y, c.x) + flow(own.y, own.x, d.y, d.x);
        out[i] = own.x + 0.05f * (sum + above - up);
        up = above;
    }
}
