// Steps of Adam, made as long as the layer's norm says. Layers have 6144 numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void lamb_step(float *m1, float *v1, float *step, const float *p, const float *g, const float *m, const float *v, int n, float beta1,
                                     float beta2, float decay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    m1[i] = beta1 * m[i] + (1.0f - beta1) * g[i];
    v1[i] = beta2 * v[i] + (1.0f - beta2) * g[i] * g[i];
    step[i] = m1[i] / (sqrtf(v1[i]) + 1e-6f) + decay * p[i];
}

// The norms of a layer are apart from those of its step.
extern "C" __global__ void lamb_squares(float *norms, const float *p, const float *step, int size)
{
    __shared__ float s[512];
    int t = threadIdx.x, layer = blockIdx.x;
    const float *x = blockIdx.y == 0 ? p : step;
    float sum = 0.0f;
    for (int j = t; j < size; j += blockDim.x)
        sum += x[layer * size + j] * x[layer * size + j];
    s[t] = sum;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        norms[2 * layer + blockIdx.y] = s[0];
}

extern "C" __global__ void lamb_apply(float *out, const float *p, const float *step, const float *norms, int size, float rate)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, layer = blockIdx.y;
    if (j < size)
        out[layer * size + j] = p[layer * size + j] - rate * sqrtf(norms[2 * layer]) / sqrtf(norms[2 * layer + 1]) * step[layer * size + j];
}

extern "C" __global__ void lamb_clear(float *norms, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        norms[i] = 0.0f;
}

extern "C" __global__ void lamb_step_norms(float *m1, float *v1, float *step, float *norms, const float *p, const float *g, const float *m, const float *v,
                                           int size, float beta1, float beta2, float decay)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, layer = blockIdx.y, i = layer * size + j;
    float own = 0.0f, moved = 0.0f;
    if (j < size) {
        float gi = g[i], pi = p[i], mi = beta1 * m[i] + (1.0f - beta1) * gi, vi = beta2 * v[i] + (1.0f - beta2) * gi * gi;
        float s = mi / (sqrtf(vi) + 1e-6f) + decay * pi;
        m1[i] = mi;
        v1[i] = vi;
        step[i] = s;
        own = pi * pi;
        moved = s * s;
    }
    for (int d = 16; d > 0; d /= 2) {
        own += __shfl_down_sync(0xffffffff, own, d);
        moved += __shfl_down_sync(0xffffffff, moved, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&norms[2 * layer], own);
        atomicAdd(&norms[2 * layer + 1], moved);
    }
}

__device__ float stepped(float &m, float &v, float g, float p)
{
    m = 0.9f * m + 0.1f * g;
    v = 0.999f * v + 0.001f * g * g;
    return __fdividef(m, sqrtf(v) + 1e-6f) + 0.01f * p;
}

// A block has a sixth of two layers, four numbers a thread.
extern "C" __global__ void __launch_bounds__(512) lamb_step_pairs(float4 *__restrict__ m1, float4 *__restrict__ v1, float4 *__restrict__ step,
                                                                  float *__restrict__ norms, const float4 *__restrict__ p, const float4 *__restrict__ g,
                                                                  const float4 *__restrict__ m, const float4 *__restrict__ v)
{
    __shared__ float part[2][2][8];
    int t = threadIdx.x, half = threadIdx.y, layer = 2 * blockIdx.y + half, i = layer * 1536 + blockIdx.x * 256 + t;
    float4 pi = p[i], gi = g[i], mi = m[i], vi = v[i], s;
    s.x = stepped(mi.x, vi.x, gi.x, pi.x);
    s.y = stepped(mi.y, vi.y, gi.y, pi.y);
    s.z = stepped(mi.z, vi.z, gi.z, pi.z);
    s.w = stepped(mi.w, vi.w, gi.w, pi.w);
    m1[i] = mi;
    v1[i] = vi;
    step[i] = s;
    float own = pi.x * pi.x + pi.y * pi.y + pi.z * pi.z + pi.w * pi.w, moved = s.x * s.x + s.y * s.y + s.z * s.z + s.w * s.w;
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        own += __shfl_xor_sync(0xffffffff, own, d);
        moved += __shfl_xor_sync(0xffffffff, moved, d);
    }
    if (t % 32 == 0) {
        part[half][0][t / 32] = own;
        part[half][1][t / 32] = moved;
    }
    __syncthreads();
    if (t < 16) {
        float sum = part[half][t / 8][t % 8];
#pragma unroll
        for (int d = 4; d > 0; d /= 2)
            sum += __shfl_xor_sync(0x0000ffff, sum, d);
        if (t % 8 == 0)
            atomicAdd(&norms[2 * layer + t / 8], sum);
    }
}

extern "C" __global__ void __launch_bounds__(256) lamb_apply_wide(float4 *__restrict__ out, const float4 *__restrict__ p, const float4 *__restrict__ step,
                                                                  const float2 *__restrict__ norms)
{
    int i = blockIdx.y * 1536 + blockIdx.x * 256 + threadIdx.x;
    float2 norm = norms[blockIdx.y];
    float by = 0.01f * sqrtf(__fdividef(norm.x, norm.y));
    float4 a = p[i], s = step[i];
    out[i] = make_float4(a.x - by * s.x, a.y - by * s.y, a.z - by * s.z, a.w - by * s.w);
}
