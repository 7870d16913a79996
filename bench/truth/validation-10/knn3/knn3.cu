// Squared distances of the eight nearest points in three dimensions, the nearest first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void knn3_local(float *out, const float *p, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best[16];
    for (int k = 0; k < count; k++)
        best[k] = 1e30f;
    for (int j = 0; j < n; j++) {
        if (j == i)
            continue;
        float dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1], dz = p[3 * j + 2] - p[3 * i + 2];
        float d = dx * dx + dy * dy + dz * dz;
        if (d >= best[count - 1])
            continue;
        int at = count - 1;
        while (at > 0 && best[at - 1] > d) {
            best[at] = best[at - 1];
            at--;
        }
        best[at] = d;
    }
    for (int k = 0; k < count; k++)
        out[i * count + k] = best[k];
}

// Eight distances in order take one more.
__device__ void take(float (&best)[8], float d)
{
#pragma unroll
    for (int k = 7; k > 0; k--)
        best[k] = fminf(best[k], fmaxf(best[k - 1], d));
    best[0] = fminf(best[0], d);
}

extern "C" __global__ void __launch_bounds__(64) knn3_shared(float *out, const float *p, int n)
{
    __shared__ float s[3][64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, own = min(i, n - 1);
    float x = p[3 * own], y = p[3 * own + 1], z = p[3 * own + 2], best[8];
    for (int k = 0; k < 8; k++)
        best[k] = 1e30f;
    for (int first = 0; first < n; first += 64) {
        int few = min(64, n - first);
        for (int k = t; k < 3 * few; k += 64)
            s[k % 3][k / 3] = p[3 * first + k];
        __syncthreads();
        for (int j = 0; j < few; j++) {
            float dx = s[0][j] - x, dy = s[1][j] - y, dz = s[2][j] - z, d = dx * dx + dy * dy + dz * dz;
            if (d < best[7] && first + j != i)
                take(best, d);
        }
        __syncthreads();
    }
    if (i < n)
        for (int k = 0; k < 8; k++)
            out[i * 8 + k] = best[k];
}

// Two warps have the same 32 points, and each half of the others.
extern "C" __global__ void __launch_bounds__(64) knn3_halves(float4 *__restrict__ out, const float *__restrict__ p, int n)
{
    __shared__ float4 s[2][32];
    __shared__ float other[8][32];
    int lane = threadIdx.x, half = threadIdx.y, i = blockIdx.x * 32 + lane, own = min(i, n - 1);
    int middle = (n / 2 + 31) / 32 * 32, end = half == 0 ? min(middle, n) : n;
    float x = p[3 * own], y = p[3 * own + 1], z = p[3 * own + 2], best[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        best[k] = 1e30f;
    for (int first = half == 0 ? 0 : middle; first < end; first += 32) {
        int j = first + lane;
        // A point beyond the last one is far from all.
        s[half][lane] = j < end ? make_float4(p[3 * j], p[3 * j + 1], p[3 * j + 2], 0.0f) : make_float4(1e15f, 0.0f, 0.0f, 0.0f);
        __syncwarp();
#pragma unroll 4
        for (int k = 0; k < 32; k++) {
            float4 q = s[half][k];
            float dx = q.x - x, dy = q.y - y, dz = q.z - z, d = dx * dx + dy * dy + dz * dz;
            if (d < best[7] && first + k != i)
                take(best, d);
        }
        __syncwarp();
    }
    if (half == 1)
#pragma unroll
        for (int k = 0; k < 8; k++)
            other[k][lane] = best[k];
    __syncthreads();
    if (half == 1 || i >= n)
        return;
    for (int k = 0; k < 8 && other[k][lane] < best[7]; k++)
        take(best, other[k][lane]);
    out[2 * i] = make_float4(best[0], best[1], best[2], best[3]);
    out[2 * i + 1] = make_float4(best[4], best[5], best[6], best[7]);
}
