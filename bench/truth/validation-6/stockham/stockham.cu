// Fourier transforms of rows of 512 complex numbers, Stockham's order. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ float2 sub(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ float2 mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// A butterfly of two from places t and t + 256; s numbers are done together.
__device__ void butterfly(float2 *to, const float2 *from, int t, int s)
{
    int p = t / s, q = t % s;
    float2 a = from[t], b = from[t + 256], w;
    sincospif(-p * s / 256.0f, &w.y, &w.x);
    to[q + 2 * s * p] = add(a, b);
    to[q + 2 * s * p + s] = mul(sub(a, b), w);
}

extern "C" __global__ void stockham_step(float2 *to, const float2 *from, int s)
{
    butterfly(to + blockIdx.x * 512, from + blockIdx.x * 512, threadIdx.x, s);
}

extern "C" __global__ void stockham_shared(float2 *out, const float2 *in)
{
    __shared__ float2 a[512], b[512];
    int t = threadIdx.x;
    a[t] = in[blockIdx.x * 512 + t];
    a[t + 256] = in[blockIdx.x * 512 + t + 256];
    __syncthreads();
    float2 *from = a, *to = b;
    for (int s = 1; s < 512; s *= 2) {
        butterfly(to, from, t, s);
        __syncthreads();
        float2 *swap = from;
        from = to;
        to = swap;
    }
    out[blockIdx.x * 512 + t] = from[t];
    out[blockIdx.x * 512 + t + 256] = from[t + 256];
}

// -i a
__device__ float2 turned(float2 a)
{
    return make_float2(a.y, -a.x);
}

// Eight numbers to their transform, in order.
__device__ void eight(float2 (&v)[8])
{
    const float h = 0.70710678f;
    float2 a = add(v[0], v[4]), b = sub(v[0], v[4]), c = add(v[2], v[6]), d = turned(sub(v[2], v[6]));
    float2 e = add(v[1], v[5]), f = sub(v[1], v[5]), g = add(v[3], v[7]), i = turned(sub(v[3], v[7]));
    float2 a0 = add(a, c), a2 = sub(a, c), a1 = add(b, d), a3 = sub(b, d);
    float2 b0 = add(e, g), b2 = turned(sub(e, g));
    float2 b1 = mul(add(f, i), make_float2(h, -h)), b3 = mul(sub(f, i), make_float2(-h, -h));
    v[0] = add(a0, b0);
    v[4] = sub(a0, b0);
    v[1] = add(a1, b1);
    v[5] = sub(a1, b1);
    v[2] = add(a2, b2);
    v[6] = sub(a2, b2);
    v[3] = add(a3, b3);
    v[7] = sub(a3, b3);
}

// Three passes of eight; a thread holds places t, t + 64, t + 128 and so on.
extern "C" __global__ void __launch_bounds__(64) stockham_eight(float2 *__restrict__ out, const float2 *__restrict__ in)
{
    __shared__ float2 s[512];
    int t = threadIdx.x;
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[blockIdx.x * 512 + t + 64 * k];
#pragma unroll
    for (int n = 1; n < 64; n *= 8) {
        int p = t / n, q = t % n;
        eight(v);
        float2 w, power;
        sincospif(-p * n / 256.0f, &w.y, &w.x);
        power = w;
#pragma unroll
        for (int k = 1; k < 8; k++) {
            v[k] = mul(v[k], power);
            power = mul(power, w);
        }
        if (n > 1)
            __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            s[q + n * (8 * p + k)] = v[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 8; k++)
            v[k] = s[t + 64 * k];
    }
    eight(v);
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[blockIdx.x * 512 + t + 64 * k] = v[k];
}
