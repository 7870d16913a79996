// Step of a GRU of 256 units; weights lie by input, then by unit. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float sigmoid(float v)
{
    return 1.0f / (1.0f + expf(-v));
}

extern "C" __global__ void gru_unit(float *out, const float *x, const float *h, const float *wx, const float *wh)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, u = i % 256, b = i / 256;
    float z = 0.0f, r = 0.0f, nx = 0.0f, nh = 0.0f;
    for (int k = 0; k < 256; k++) {
        float xv = x[b * 256 + k], hv = h[b * 256 + k];
        z += xv * wx[k * 256 + u] + hv * wh[k * 256 + u];
        r += xv * wx[65536 + k * 256 + u] + hv * wh[65536 + k * 256 + u];
        nx += xv * wx[131072 + k * 256 + u];
        nh += hv * wh[131072 + k * 256 + u];
    }
    z = sigmoid(z);
    out[i] = (1.0f - z) * tanhf(nx + sigmoid(r) * nh) + z * h[i];
}

extern "C" __global__ void gru_gate(float *gate, const float *x, const float *h, const float *wx, const float *wh, int which)
{
    int u = threadIdx.x, b = blockIdx.x;
    float sum = 0.0f;
    wx += which * 65536;
    wh += which * 65536;
    for (int k = 0; k < 256; k++)
        sum += x[b * 256 + k] * wx[k * 256 + u];
    for (int k = 0; k < 256; k++)
        sum += h[b * 256 + k] * wh[k * 256 + u];
    gate[b * 256 + u] = sigmoid(sum);
}

extern "C" __global__ void gru_new(float *out, const float *z, const float *r, const float *x, const float *h, const float *wx,
                                   const float *wh)
{
    int u = threadIdx.x, b = blockIdx.x, i = b * 256 + u;
    float nx = 0.0f, nh = 0.0f;
    for (int k = 0; k < 256; k++) {
        nx += x[b * 256 + k] * wx[131072 + k * 256 + u];
        nh += h[b * 256 + k] * wh[131072 + k * 256 + u];
    }
    out[i] = (1.0f - z[i]) * tanhf(nx + r[i] * nh) + z[i] * h[i];
}

// 64 units of four vectors a block.
extern "C" __global__ void __launch_bounds__(64) gru_shared(float *__restrict__ out, const float *__restrict__ x,
                                                            const float *__restrict__ h, const float *__restrict__ wx,
                                                            const float *__restrict__ wh)
{
    __shared__ float4 xs[256], hs[256];
    int t = threadIdx.x, u = blockIdx.x * 64 + t, b = blockIdx.y * 4;
    for (int k = t; k < 256; k += 64) {
        const float *p = x + b * 256 + k, *q = h + b * 256 + k;
        xs[k] = make_float4(p[0], p[256], p[512], p[768]);
        hs[k] = make_float4(q[0], q[256], q[512], q[768]);
    }
    __syncthreads();
    float z[4] = {}, r[4] = {}, nx[4] = {}, nh[4] = {};
#pragma unroll 4
    for (int k = 0; k < 256; k++) {
        float4 xv = xs[k], hv = hs[k];
        const float *p = wx + k * 256 + u, *q = wh + k * 256 + u;
        float xz = p[0], xr = p[65536], xn = p[131072], hz = q[0], hr = q[65536], hn = q[131072];
        float xa[4] = {xv.x, xv.y, xv.z, xv.w}, ha[4] = {hv.x, hv.y, hv.z, hv.w};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            z[j] += xa[j] * xz + ha[j] * hz;
            r[j] += xa[j] * xr + ha[j] * hr;
            nx[j] += xa[j] * xn;
            nh[j] += ha[j] * hn;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++) {
        float zj = sigmoid(z[j]);
        out[(b + j) * 256 + u] = (1.0f - zj) * tanhf(nx[j] + sigmoid(r[j]) * nh[j]) + zj * h[(b + j) * 256 + u];
    }
}
