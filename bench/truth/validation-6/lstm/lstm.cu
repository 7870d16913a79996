// An LSTM cell after its products: gates in, forget, new and out of 300 units each, side by side in a row. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

extern "C" __global__ void lstm_exact(float *h, float *next, const float *gates, const float *bias, const float *cell, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int b = i / 300, u = i % 300;
    const float *g = gates + b * 1200 + u;
    float in = sigmoid(g[0] + bias[u]);
    float forget = sigmoid(g[300] + bias[300 + u]);
    float fresh = tanhf(g[600] + bias[600 + u]);
    float out = sigmoid(g[900] + bias[900 + u]);
    float c = forget * cell[i] + in * fresh;
    next[i] = c;
    h[i] = out * tanhf(c);
}

__device__ float sigmoid_fast(float x)
{
    return __fdividef(1.0f, 1.0f + __expf(-x));
}

__device__ float tanh_fast(float x)
{
    return 2.0f * __fdividef(1.0f, 1.0f + __expf(-2.0f * x)) - 1.0f;
}

extern "C" __global__ void lstm_fast(float *__restrict__ h, float *__restrict__ next, const float *__restrict__ gates,
                                     const float *__restrict__ bias, const float *__restrict__ cell)
{
    int u = blockIdx.y * blockDim.x + threadIdx.x, i = blockIdx.x * 300 + u;
    if (u >= 300)
        return;
    const float *g = gates + blockIdx.x * 1200 + u;
    float in = sigmoid_fast(g[0] + bias[u]), forget = sigmoid_fast(g[300] + bias[300 + u]);
    float fresh = tanh_fast(g[600] + bias[600 + u]), out = sigmoid_fast(g[900] + bias[900 + u]);
    float c = forget * cell[i] + in * fresh;
    next[i] = c;
    h[i] = out * tanh_fast(c);
}

__device__ float4 add(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ void cell_fast(float *h, float *next, float in, float forget, float fresh, float out, float cell)
{
    float c = sigmoid_fast(forget) * cell + sigmoid_fast(in) * tanh_fast(fresh);
    *next = c;
    *h = sigmoid_fast(out) * tanh_fast(c);
}

extern "C" __global__ void lstm_four(float4 *__restrict__ h, float4 *__restrict__ next, const float4 *__restrict__ gates,
                                     const float4 *__restrict__ bias, const float4 *__restrict__ cell, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int b = i / 75, u = i - 75 * b;
    const float4 *g = gates + b * 300 + u;
    float4 in = add(g[0], bias[u]), forget = add(g[75], bias[75 + u]);
    float4 fresh = add(g[150], bias[150 + u]), out = add(g[225], bias[225 + u]), old = cell[i], hidden, c;
    cell_fast(&hidden.x, &c.x, in.x, forget.x, fresh.x, out.x, old.x);
    cell_fast(&hidden.y, &c.y, in.y, forget.y, fresh.y, out.y, old.y);
    cell_fast(&hidden.z, &c.z, in.z, forget.z, fresh.z, out.z, old.z);
    cell_fast(&hidden.w, &c.w, in.w, forget.w, fresh.w, out.w, old.w);
    next[i] = c;
    h[i] = hidden;
}
