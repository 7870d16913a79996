// American puts by binomial trees of 256 steps: a year, 5 % interest, 30 % volatility. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define STEPS 256
#define LOG_UP 0.01875f      // volatility * sqrt(1/256)
#define UP 1.0189268851f
#define RISE 0.5004234256f   // chance of a step up, discounted
#define FALL 0.4993812809f

extern "C" __global__ void binomial_thread(float *price, const float *spot, const float *strike, int options)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= options)
        return;
    float s = spot[o], k = strike[o], v[STEPS + 1];
    for (int j = 0; j <= STEPS; j++)
        v[j] = fmaxf(k - s * expf(LOG_UP * (2 * j - STEPS)), 0.0f);
    for (int step = STEPS - 1; step >= 0; step--) {
        float p = s * expf(-LOG_UP * step);
        for (int j = 0; j <= step; j++) {
            v[j] = fmaxf(RISE * v[j + 1] + FALL * v[j], k - p);
            p *= UP * UP;
        }
    }
    price[o] = v[0];
}

// A block an option: a thread a node, values change places in shared memory.
extern "C" __global__ void binomial_block(float *price, const float *spot, const float *strike)
{
    __shared__ float v[STEPS + 1];
    int o = blockIdx.x, j = threadIdx.x;
    float s = spot[o], k = strike[o], p = s * expf(LOG_UP * (2 * j - STEPS));
    v[j] = fmaxf(k - p, 0.0f);
    if (j == 0)
        v[STEPS] = fmaxf(k - s * expf(LOG_UP * STEPS), 0.0f);
    __syncthreads();
    for (int step = STEPS - 1; step >= 0; step--) {
        float now = 0.0f;
        p *= UP;
        if (j <= step)
            now = fmaxf(RISE * v[j + 1] + FALL * v[j], k - p);
        __syncthreads();
        if (j <= step)
            v[j] = now;
        __syncthreads();
    }
    if (j == 0)
        price[o] = v[0];
}

// A warp an option: a lane has eight nodes in registers and the next lane's first by a shuffle.
extern "C" __global__ void binomial_warp(float *price, const float *spot, const float *strike, int options)
{
    int o = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (o >= options)
        return;
    float s = spot[o], k = strike[o], v[8], p[8], last = fmaxf(k - s * __expf(LOG_UP * STEPS), 0.0f);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        p[i] = s * __expf(LOG_UP * (2 * (8 * lane + i) - STEPS));
        v[i] = fmaxf(k - p[i], 0.0f);
    }
    for (int step = 0; step < STEPS; step++) {
        float next = __shfl_down_sync(0xffffffff, v[0], 1);
        if (lane == 31)
            next = last;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            p[i] *= UP;
            v[i] = fmaxf(RISE * (i < 7 ? v[i + 1] : next) + FALL * v[i], k - p[i]);
        }
    }
    if (lane == 0)
        price[o] = v[0];
}
