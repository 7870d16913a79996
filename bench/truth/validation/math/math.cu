// Arithmetic for the validation of the time model: special functions, divisions, f64, integers,
// divergence, chains. Nothing is tuned on them.
// SPDX-License-Identifier: Apache-2.0

__device__ float normal_cdf(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
    float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * x * x) * poly;
    return x > 0 ? 1 - tail : tail;
}

extern "C" __global__ void black_scholes(float *call, float *put, const float *price, const float *strike, const float *years, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (logf(s / x) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root), d2 = d1 - 0.3f * root;
    float discount = expf(-0.02f * t), c1 = normal_cdf(d1), c2 = normal_cdf(d2);
    call[i] = s * c1 - x * discount * c2;
    put[i] = x * discount * (1 - c2) - s * (1 - c1);
}

extern "C" __global__ void mandelbrot(unsigned *out, int n, int steps)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = 0;
    float cr = -2.0f + 3.0f * x / n, ci = -1.5f + 3.0f * y / n, r = 0, m = 0;
    for (; i < steps && r * r + m * m < 4; i++) {
        float next = r * r - m * m + cr;
        m = 2 * r * m + ci;
        r = next;
    }
    out[y * n + x] = i;
}

extern "C" __global__ void nbody(float4 *force, const float4 *body, int n)
{
    __shared__ float4 s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 own = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int from = 0; from < n; from += 256) {
        s[threadIdx.x] = body[from + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; j++) {
            float dx = s[j].x - own.x, dy = s[j].y - own.y, dz = s[j].z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f), w = s[j].w * inverse * inverse * inverse;
            ax += dx * w;
            ay += dy * w;
            az += dz * w;
        }
        __syncthreads();
    }
    force[i] = make_float4(ax, ay, az, 0);
}

extern "C" __global__ void hash64(unsigned long long *out, const unsigned long long *in, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long h = in[i];
    for (int r = 0; r < rounds; r++) {
        h ^= h >> 33;
        h *= 0xff51afd7ed558ccdull;
        h ^= h >> 29;
    }
    out[i] = h;
}

extern "C" __global__ void divide_int(unsigned *out, const unsigned *in, int n, unsigned by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned v = in[i], sum = 0;
    for (int k = 0; k < 16; k++) {
        sum += v % (by + k);
        v = v / (by + k) + (unsigned)i * 65537u;
    }
    out[i] = sum;
}

extern "C" __global__ void divide_f32(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float v = in[i], sum = 0;
    for (int k = 1; k <= 16; k++)
        sum += v / (sum + k) + sqrtf(sum + k);
    out[i] = sum;
}

extern "C" __global__ void polynomial_f64(double *out, const double *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double x = in[i], y = 1;
#pragma unroll
    for (int k = 32; k > 0; k--)
        y = y * x + 1.0 / k;
    out[i] = y;
}

extern "C" __global__ void sincos_f32(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s, c;
        __sincosf(in[i], &s, &c);
        out[i] = s * c + __powf(in[i], 1.5f);
    }
}

extern "C" __global__ void collatz(unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = i + 1, steps = 0;
    while (v != 1 && steps < 500) {
        v = v % 2 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[i] = steps;
}

extern "C" __global__ void fma_chain(float *out, float a, int steps)
{
    float x = threadIdx.x;
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int k = 0; k < 16; k++)
            x = x * a + 1.0f;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

extern "C" __global__ void fma_parallel(float *out, float a, int steps)
{
    float x[8];
    for (int k = 0; k < 8; k++)
        x[k] = threadIdx.x + k;
    for (int s = 0; s < steps; s++) {
#pragma unroll
        for (int k = 0; k < 8; k++)
            x[k] = x[k] * a + 1.0f;
    }
    float sum = 0;
    for (int k = 0; k < 8; k++)
        sum += x[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void pi_random(unsigned *hits, int tries)
{
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, inside = 0;
    for (int i = 0; i < tries; i++) {
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float x = (s >> 8) * (1.0f / 16777216);
        s ^= s << 13, s ^= s >> 17, s ^= s << 5;
        float y = (s >> 8) * (1.0f / 16777216);
        inside += x * x + y * y < 1;
    }
    inside = __reduce_add_sync(~0u, inside);
    if (threadIdx.x % 32 == 0)
        atomicAdd(hits, inside);
}
