// Asian options by Monte Carlo: 64 paths of 8 steps an option, the numbers from a hash of option, path and step. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int PATHS = 64, STEPS = 8;

__device__ unsigned mixed(unsigned v)
{
    v ^= v >> 16;
    v *= 0x21f0aaadu;
    v ^= v >> 15;
    v *= 0x735a2d97u;
    return v ^ v >> 15;
}

// What one path pays: the mean of its prices above the strike.
__device__ float payoff(float price, float strike, float sigma, unsigned option, unsigned path)
{
    float log_price = logf(price), sum = 0, drift = -0.5f * sigma * sigma / STEPS, spread = sigma * 0.35355339f;
    for (int step = 0; step < STEPS; step += 2) {
        unsigned h = mixed((option * PATHS + path) * STEPS + step), g = mixed(h + 0x9e3779b9u);
        float radius = sqrtf(-2.0f * logf((h >> 8) * 0x1p-24f + 0x1p-25f)), s, c;
        sincospif((g >> 8) * 0x1p-23f, &s, &c);
        log_price += drift + spread * radius * c;
        sum += expf(log_price);
        log_price += drift + spread * radius * s;
        sum += expf(log_price);
    }
    return fmaxf(sum / STEPS - strike, 0.0f);
}

// A thread per option.
extern "C" __global__ void paths_thread(float *value, const float *price, const float *strike, const float *sigma, int options)
{
    int o = blockIdx.x * blockDim.x + threadIdx.x;
    if (o >= options)
        return;
    float sum = 0;
    for (int p = 0; p < PATHS; p++)
        sum += payoff(price[o], strike[o], sigma[o], o, p);
    value[o] = sum / PATHS;
}

// A warp per option, paths in turns by its lanes.
extern "C" __global__ void paths_warp(float *value, const float *price, const float *strike, const float *sigma, int options)
{
    int o = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (o >= options)
        return;
    float sum = 0, s = price[o], k = strike[o], v = sigma[o];
    for (int p = lane; p < PATHS; p += 32)
        sum += payoff(s, k, v, o, p);
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0)
        value[o] = sum / PATHS;
}

// A block of 64 per option.
extern "C" __global__ void paths_block(float *value, const float *price, const float *strike, const float *sigma, int options)
{
    __shared__ float s[PATHS];
    int t = threadIdx.x, o = blockIdx.x;
    s[t] = payoff(price[o], strike[o], sigma[o], o, t);
    __syncthreads();
    for (int d = PATHS / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        value[o] = s[0] / PATHS;
}
