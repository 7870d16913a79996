// How much shorter a tour becomes at best when the edge from a place and a later one are exchanged. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float far(float2 a, float2 b)
{
    return sqrtf((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

extern "C" __global__ void twoopt_row(float *out, const float2 *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = 0.0f;
    for (int j = i + 2; j < n; j++) {
        float gain = far(p[i], p[(i + 1) % n]) + far(p[j], p[(j + 1) % n]) - far(p[i], p[j]) - far(p[(i + 1) % n], p[(j + 1) % n]);
        best = fmaxf(best, gain);
    }
    out[i] = best;
}

extern "C" __global__ void twoopt_clear(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 0.0f;
}

// 256 places with 256 others, whose edges' lengths are computed once. No gain is negative, so its bits are in order.
extern "C" __global__ void __launch_bounds__(256) twoopt_tile(int *__restrict__ out, const float2 *__restrict__ p, int n)
{
    __shared__ float2 others[257];
    __shared__ float lengths[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, first = blockIdx.y * 256;
    if (blockIdx.y < blockIdx.x)
        return;
    int few = min(256, n - first);
    for (int k = t; k <= few; k += 256)
        others[k] = p[first + k < n ? first + k : 0];
    __syncthreads();
    if (t < few)
        lengths[t] = far(others[t], others[t + 1]);
    __syncthreads();
    if (i >= n)
        return;
    float2 a = p[i], b = p[i + 1 < n ? i + 1 : 0];
    float own = far(a, b), best = 0.0f;
    int from = max(0, i + 2 - first);
    for (int k = from; k < few; k++) {
        float2 c = others[k], d = others[k + 1];
        best = fmaxf(best, own + lengths[k] - far(a, c) - far(b, d));
    }
    if (best > 0.0f)
        atomicMax(&out[i], __float_as_int(best));
}
