// Gradient noise of five octaves on a slice of space, rows of 600. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// A permutation of the numbers below 256.
__device__ int permuted(int i)
{
    i = i & 255;
    i = (i ^ i >> 4) * 0x9d & 255;
    i = (i ^ i >> 3) * 0x6b & 255;
    return i ^ i >> 5;
}

__device__ float fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

__device__ float mix(float t, float a, float b)
{
    return a + t * (b - a);
}

__device__ float gradient(int hash, float x, float y, float z)
{
    int h = hash & 15;
    float u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return ((h & 1) ? -u : u) + ((h & 2) ? -v : v);
}

template <class P> __device__ float at(P p, float x, float y, float z)
{
    int i = (int)floorf(x), j = (int)floorf(y), k = (int)floorf(z);
    x -= i;
    y -= j;
    z -= k;
    float u = fade(x), v = fade(y), w = fade(z);
    int a = p(i) + j, b = p(i + 1) + j, aa = p(a) + k, ab = p(a + 1) + k, ba = p(b) + k, bb = p(b + 1) + k;
    float low = mix(v, mix(u, gradient(p(aa), x, y, z), gradient(p(ba), x - 1, y, z)),
                    mix(u, gradient(p(ab), x, y - 1, z), gradient(p(bb), x - 1, y - 1, z)));
    float high = mix(v, mix(u, gradient(p(aa + 1), x, y, z - 1), gradient(p(ba + 1), x - 1, y, z - 1)),
                     mix(u, gradient(p(ab + 1), x, y - 1, z - 1), gradient(p(bb + 1), x - 1, y - 1, z - 1)));
    return mix(w, low, high);
}

template <class P> __device__ float octaves(P p, int x, int y)
{
    float sum = 0.0f, size = 1.0f, step = 1.0f / 64.0f;
    for (int o = 0; o < 5; o++) {
        sum += size * at(p, x * step, y * step, 0.375f + o);
        size *= 0.5f;
        step *= 2.0f;
    }
    return sum;
}

extern "C" __global__ void noise_fill(int *table)
{
    table[threadIdx.x] = permuted(threadIdx.x);
}

extern "C" __global__ void noise_global(float *out, const int *table, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width)
        out[y * width + x] = octaves([=](int i) { return table[i & 255]; }, x, y);
}

extern "C" __global__ void noise_shared(float *out, const int *table, int width)
{
    __shared__ unsigned char own[256];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        own[i] = table[i];
    __syncthreads();
    if (x < width)
        out[y * width + x] = octaves([=](int i) { return (int)own[i & 255]; }, x, y);
}

extern "C" __global__ void __launch_bounds__(120) noise_hash(float *__restrict__ out)
{
    int x = blockIdx.x * 120 + threadIdx.x, y = blockIdx.y;
    out[y * 600 + x] = octaves([](int i) { return permuted(i); }, x, y);
}
