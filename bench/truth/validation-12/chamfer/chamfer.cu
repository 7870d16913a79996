// For each point of two clouds of n the squared distance to the nearest point of the other cloud. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void chamfer_plain(float *out, const float *a, const float *b, int n, int from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[3 * i], y = a[3 * i + 1], z = a[3 * i + 2], best = INFINITY;
    for (int j = 0; j < n; j++) {
        float dx = b[3 * j] - x, dy = b[3 * j + 1] - y, dz = b[3 * j + 2] - z, d = dx * dx + dy * dy + dz * dz;
        if (d < best)
            best = d;
    }
    out[from + i] = best;
}

extern "C" __global__ void chamfer_tile(float *out, const float *a, const float *b, int n)
{
    __shared__ float s[3 * 128];
    const float *from = blockIdx.y ? b : a, *to = blockIdx.y ? a : b;
    int t = threadIdx.x, i = blockIdx.x * 128 + t, own = min(i, n - 1);
    float x = from[3 * own], y = from[3 * own + 1], z = from[3 * own + 2], best = INFINITY;
    for (int j0 = 0; j0 < n; j0 += 128) {
        int here = min(128, n - j0);
        for (int k = t; k < 3 * here; k += 128)
            s[k] = to[3 * j0 + k];
        __syncthreads();
        for (int j = 0; j < here; j++) {
            float dx = s[3 * j] - x, dy = s[3 * j + 1] - y, dz = s[3 * j + 2] - z;
            best = fminf(best, dx * dx + dy * dy + dz * dz);
        }
        __syncthreads();
    }
    if (i < n)
        out[blockIdx.y * n + i] = best;
}

extern "C" __global__ void chamfer_clear(unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0x7f800000;
}

// An eighth of the other cloud a block, two points a thread.
extern "C" __global__ void __launch_bounds__(128) chamfer_parts(unsigned *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b, int n)
{
    __shared__ float4 s[64];
    const float *from = blockIdx.z ? b : a, *to = blockIdx.z ? a : b;
    int t = threadIdx.x, i = blockIdx.x * 256 + t, u = min(i, n - 1), v = min(i + 128, n - 1), part = (n + 7) / 8;
    int first = blockIdx.y * part, last = min(n, first + part);
    float ux = from[3 * u], uy = from[3 * u + 1], uz = from[3 * u + 2], vx = from[3 * v], vy = from[3 * v + 1], vz = from[3 * v + 2];
    float bu = INFINITY, bv = INFINITY;
    for (int j0 = first; j0 < last; j0 += 64) {
        if (t < 64) {
            int j = min(j0 + t, last - 1);
            s[t] = make_float4(to[3 * j], to[3 * j + 1], to[3 * j + 2], 0.0f);
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float4 q = s[j];
            float dx = q.x - ux, dy = q.y - uy, dz = q.z - uz, ex = q.x - vx, ey = q.y - vy, ez = q.z - vz;
            bu = fminf(bu, fmaf(dx, dx, fmaf(dy, dy, dz * dz)));
            bv = fminf(bv, fmaf(ex, ex, fmaf(ey, ey, ez * ez)));
        }
        __syncthreads();
    }
    out += blockIdx.z * n;
    if (i < n)
        atomicMin(&out[i], __float_as_uint(bu));
    if (i + 128 < n)
        atomicMin(&out[i + 128], __float_as_uint(bv));
}
