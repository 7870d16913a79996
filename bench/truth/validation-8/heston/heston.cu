// Paths of a Heston model, 32 steps each: the price at the end. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ unsigned seed(unsigned i)
{
    unsigned h = i * 0x9e3779b9 + 0x7f4a7c15;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    return (h ^ h >> 16) | 1;
}

__device__ unsigned next(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s >> 8;
}

extern "C" __global__ void heston_f64(float *price, int paths, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths)
        return;
    unsigned s = seed(i);
    double x = log(100.0), v = 0.04, dt = 1.0 / steps;
    for (int t = 0; t < steps; t++) {
        double u = (next(s) + 0.5) / 16777216.0, angle = 6.283185307179586 * (next(s) + 0.5) / 16777216.0;
        double r = sqrt(-2.0 * log(u)), a = r * cos(angle), b = -0.7 * a + sqrt(1.0 - 0.7 * 0.7) * r * sin(angle);
        double plus = fmax(v, 0.0), root = sqrt(plus * dt);
        x += (0.03 - 0.5 * plus) * dt + root * b;
        v += 2.0 * (0.04 - plus) * dt + 0.3 * root * a;
    }
    price[i] = exp(x);
}

extern "C" __global__ void heston_f32(float *price, int paths, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths)
        return;
    unsigned s = seed(i);
    float x = logf(100.0f), v = 0.04f, dt = 1.0f / steps;
    for (int t = 0; t < steps; t++) {
        float u = (next(s) + 0.5f) / 16777216.0f, angle = 6.2831853f * (next(s) + 0.5f) / 16777216.0f;
        float r = sqrtf(-2.0f * logf(u)), a = r * cosf(angle), b = -0.7f * a + 0.71414284f * r * sinf(angle);
        float plus = fmaxf(v, 0.0f), root = sqrtf(plus * dt);
        x += (0.03f - 0.5f * plus) * dt + root * b;
        v += 2.0f * (0.04f - plus) * dt + 0.3f * root * a;
    }
    price[i] = expf(x);
}

// Fast functions, and two paths whose chains are independent.
extern "C" __global__ void heston_two(float2 *__restrict__ price, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    const float dt = 1.0f / 32.0f;
    unsigned s[2] = {seed(2 * i), seed(2 * i + 1)};
    float x[2] = {4.6051702f, 4.6051702f}, v[2] = {0.04f, 0.04f};
#pragma unroll 4
    for (int t = 0; t < 32; t++)
#pragma unroll
        for (int k = 0; k < 2; k++) {
            float u = (next(s[k]) + 0.5f) * 5.9604645e-8f, angle = (next(s[k]) + 0.5f) * 3.7450704e-7f - 3.1415927f, sine, cosine;
            __sincosf(angle, &sine, &cosine);
            float r = sqrtf(-2.0f * __logf(u)), a = -r * cosine, b = -0.7f * a - 0.71414284f * r * sine;
            float plus = fmaxf(v[k], 0.0f), root = sqrtf(plus * dt);
            x[k] += (0.03f - 0.5f * plus) * dt + root * b;
            v[k] += 2.0f * (0.04f - plus) * dt + 0.3f * root * a;
        }
    price[i] = make_float2(__expf(x[0]), __expf(x[1]));
}
