// Signals of 64 receivers summed at the time that sound takes down to a pixel and back, between two samples in proportion. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void das_pixel(float *out, const short *signal, int height, int channels, int samples, float rate)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y, width = gridDim.x * blockDim.x;
    if (py >= height)
        return;
    float x = (px - 0.5f * (width - 1)) * 0.25f, z = 10.0f + 300.0f * py / height, sum = 0.0f;
    for (int c = 0; c < channels; c++) {
        float away = x - (c - 0.5f * (channels - 1)) * 0.5f;
        float time = (z + sqrtf(away * away + z * z)) * rate;
        int at = (int)time;
        if (at >= 0 && at < samples - 1) {
            float part = time - at;
            sum += (1.0f - part) * signal[c * samples + at] + part * signal[c * samples + at + 1];
        }
    }
    out[py * width + px] = sum;
}

// Eight lanes have every eighth channel of a pixel.
extern "C" __global__ void __launch_bounds__(256) das_lanes(float *__restrict__ out, const short *__restrict__ signal, int height)
{
    int t = threadIdx.x, px = blockIdx.x * 32 + t / 8, lane = t % 8;
    float x = (px - 63.5f) * 0.25f, z = 10.0f + __fdividef(300.0f * blockIdx.y, height), square = z * z, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        int c = lane + 8 * k;
        float away = x - (c - 31.5f) * 0.5f, time = (z + __fsqrt_rn(fmaf(away, away, square))) * 1.6f;
        int at = min(__float2int_rz(time), 1022);
        float low = signal[c * 1024 + at], high = signal[c * 1024 + at + 1];
        sum += fmaf(time - at, high - low, low);
    }
#pragma unroll
    for (int d = 4; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0)
        out[blockIdx.y * 128 + px] = sum;
}
