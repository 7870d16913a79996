// The price of a European call by N random paths: Philox numbers, normal by Box and Muller, an exponential, a maximum,
// a mean, its last sum in f64: 2^24 paths in f32 are wrong in the third digit. Path p takes the p % 4-th of the four numbers that counter p / 4 gives, so every variant has the same paths.
//   lone_paths   a thread a path: four numbers made for each that is used; an atomic a thread
//   block_paths  the same, sums of a block before one atomic; a grid that fills the chip, paths in turn
//   four_paths   a thread four paths: all four numbers are used
// FAST: the hardware's approximations of logarithm, root, sine and exponential.
// SPDX-License-Identifier: Apache-2.0
#ifndef FAST
#define FAST 0
#endif
#define SPOT 100.0f
#define STRIKE 105.0f
#define GROWTH 0.015f     // (rate - volatility^2 / 2) years
#define SPREAD 0.2f       // volatility sqrt(years)
#define DISCOUNT 0.96560544f // exp(-rate years)

struct four {
    unsigned x[4];
};

// Philox 4x32, ten rounds (Salmon et al., SC 2011).
static __device__ __forceinline__ four random_four(unsigned counter, unsigned seed)
{
    four c = {{counter, 0, 0, 0}};
    unsigned key[2] = {seed, 0x5eedu};
#pragma unroll
    for (int round = 0; round < 10; round++) {
        unsigned high0 = __umulhi(0xd2511f53u, c.x[0]), low0 = 0xd2511f53u * c.x[0];
        unsigned high1 = __umulhi(0xcd9e8d57u, c.x[2]), low1 = 0xcd9e8d57u * c.x[2];
        c = {{high1 ^ c.x[1] ^ key[0], low1, high0 ^ c.x[3] ^ key[1], low0}};
        key[0] += 0x9e3779b9u;
        key[1] += 0xbb67ae85u;
    }
    return c;
}

static __device__ __forceinline__ float uniform(unsigned x) // in (0, 1), exact in 24 bits
{
    return ((float)(x >> 9) + 0.5f) * 0x1p-23f;
}

// Two normal numbers of two words.
static __device__ __forceinline__ void normal_two(unsigned x, unsigned y, float *one, float *other)
{
    float u = uniform(x), angle = uniform(y);
#if FAST
    float size = -2 * __logf(u);
#ifdef __AMDGCN__
    size = __builtin_amdgcn_sqrtf(size);
#else
    asm("sqrt.approx.ftz.f32 %0, %0;" : "+f"(size));
#endif
    *one = size * __cosf(6.2831853f * angle);
    *other = size * __sinf(6.2831853f * angle);
#else
    float size = sqrtf(-2 * logf(u));
    *one = size * cosf(6.2831853f * angle);
    *other = size * sinf(6.2831853f * angle);
#endif
}

static __device__ __forceinline__ float payoff(float z)
{
#if FAST
    return fmaxf(SPOT * __expf(GROWTH + SPREAD * z) - STRIKE, 0);
#else
    return fmaxf(SPOT * expf(GROWTH + SPREAD * z) - STRIKE, 0);
#endif
}

static __device__ __forceinline__ float lone_path(unsigned path, unsigned seed)
{
    four r = random_four(path / 4, seed);
    float one, other;
    if (path % 4 < 2)
        normal_two(r.x[0], r.x[1], &one, &other);
    else
        normal_two(r.x[2], r.x[3], &one, &other);
    return payoff(path % 2 ? other : one);
}

extern "C" __global__ void lone_paths(double *price, int n, int seed)
{
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path < n)
        atomicAdd(price, lone_path((unsigned)path, (unsigned)seed) * (double)(DISCOUNT / (float)n));
}

static __device__ __forceinline__ void add_block(double *price, float sum, int n)
{
    __shared__ float part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_down_sync(~0u, sum, i);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    if (warp > 0)
        return;
    sum = lane < blockDim.x / 32 ? part[lane] : 0;
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_down_sync(~0u, sum, i);
    if (lane == 0)
        atomicAdd(price, sum * (double)(DISCOUNT / (float)n));
}

extern "C" __global__ void __launch_bounds__(256) block_paths(double *price, int n, int seed)
{
    float sum = 0;
    for (int path = blockIdx.x * 256 + threadIdx.x; path < n; path += gridDim.x * 256)
        sum += lone_path((unsigned)path, (unsigned)seed);
    add_block(price, sum, n);
}

extern "C" __global__ void __launch_bounds__(256) four_paths(double *price, int n, int seed)
{
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < (n + 3) / 4; i += gridDim.x * 256) {
        four r = random_four((unsigned)i, (unsigned)seed);
        float z[4];
        normal_two(r.x[0], r.x[1], &z[0], &z[1]);
        normal_two(r.x[2], r.x[3], &z[2], &z[3]);
#pragma unroll
        for (int k = 0; k < 4; k++)
            sum += i * 4 + k < n ? payoff(z[k]) : 0;
    }
    add_block(price, sum, n);
}
