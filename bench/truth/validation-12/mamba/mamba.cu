// 16 states of each of 256 channels decay by exp(delta a) and take in delta x b at each of 128 steps; y is their sum with c as weights. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void mamba_channel(float *y, const float *x, const float *delta, const float *a, const float *b, const float *c, int channels, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, batch = i / channels, channel = i % channels;
    float h[16];
    for (int s = 0; s < 16; s++)
        h[s] = 0.0f;
    for (int t = 0; t < steps; t++) {
        int at = batch * steps + t;
        float d = delta[at * channels + channel], dx = d * x[at * channels + channel], sum = 0.0f;
        for (int s = 0; s < 16; s++) {
            h[s] = expf(d * a[channel * 16 + s]) * h[s] + dx * b[at * 16 + s];
            sum += h[s] * c[at * 16 + s];
        }
        y[at * channels + channel] = sum;
    }
}

// A lane has a state; the sums of four steps are formed together.
extern "C" __global__ void __launch_bounds__(256) mamba_lanes(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ delta,
                                                              const float *__restrict__ a, const float *__restrict__ b, const float *__restrict__ c)
{
    int s = threadIdx.x % 16, channel = blockIdx.x % 16 * 16 + threadIdx.x / 16, batch = blockIdx.x / 16;
    float decay = a[channel * 16 + s] * 1.44269504f, h = 0.0f;
    for (int t = 0; t < 128; t += 4) {
        float sum[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            int at = batch * 128 + t + j;
            float d = delta[at * 256 + channel];
            h = exp2f(d * decay) * h + d * x[at * 256 + channel] * b[at * 16 + s];
            sum[j] = h * c[at * 16 + s];
        }
#pragma unroll
        for (int k = 8; k > 0; k /= 2)
#pragma unroll
            for (int j = 0; j < 4; j++)
                sum[j] += __shfl_xor_sync(0xffffffff, sum[j], k);
        if (s < 4)
            y[(batch * 128 + t + s) * 256 + channel] = s < 2 ? (s == 0 ? sum[0] : sum[1]) : (s == 2 ? sum[2] : sum[3]);
    }
}

extern "C" __global__ void __launch_bounds__(64) mamba_shared(float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ delta,
                                                              const float4 *__restrict__ a, const float4 *__restrict__ b, const float4 *__restrict__ c)
{
    __shared__ float4 bs[32][4], cs[32][4];
    int t = threadIdx.x, channel = blockIdx.x % 4 * 64 + t, batch = blockIdx.x / 4;
    float decay[16], h[16];
#pragma unroll
    for (int s = 0; s < 16; s += 4) {
        float4 v = a[channel * 4 + s / 4];
        decay[s] = v.x * 1.44269504f;
        decay[s + 1] = v.y * 1.44269504f;
        decay[s + 2] = v.z * 1.44269504f;
        decay[s + 3] = v.w * 1.44269504f;
        h[s] = h[s + 1] = h[s + 2] = h[s + 3] = 0.0f;
    }
    for (int first = 0; first < 128; first += 32) {
        int from = (batch * 128 + first) * 4;
#pragma unroll
        for (int k = t; k < 128; k += 64) {
            bs[k / 4][k % 4] = b[from + k];
            cs[k / 4][k % 4] = c[from + k];
        }
        __syncthreads();
#pragma unroll 2
        for (int j = 0; j < 32; j++) {
            int at = (batch * 128 + first + j) * 256 + channel;
            float d = delta[at], dx = d * x[at], sum = 0.0f;
#pragma unroll
            for (int s = 0; s < 16; s += 4) {
                float4 u = bs[j][s / 4], v = cs[j][s / 4];
                h[s] = exp2f(d * decay[s]) * h[s] + dx * u.x;
                h[s + 1] = exp2f(d * decay[s + 1]) * h[s + 1] + dx * u.y;
                h[s + 2] = exp2f(d * decay[s + 2]) * h[s + 2] + dx * u.z;
                h[s + 3] = exp2f(d * decay[s + 3]) * h[s + 3] + dx * u.w;
                sum += h[s] * v.x + h[s + 1] * v.y + h[s + 2] * v.z + h[s + 3] * v.w;
            }
            y[at] = sum;
        }
        __syncthreads();
    }
}
