// Sums of charges with the phases of waves: a real and an imaginary part a wave. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void ewald_thread(float2 *out, const float *wave, const float4 *charge, int waves, int charges)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= waves)
        return;
    float x = wave[3 * k], y = wave[3 * k + 1], z = wave[3 * k + 2], real = 0.0f, imaginary = 0.0f;
    for (int j = 0; j < charges; j++) {
        float4 c = charge[j];
        float phase = x * c.x + y * c.y + z * c.z;
        real += c.w * cosf(phase);
        imaginary += c.w * sinf(phase);
    }
    out[k] = make_float2(real, imaginary);
}

extern "C" __global__ void ewald_block(float2 *out, const float *wave, const float4 *charge, int charges)
{
    __shared__ float2 s[4];
    int k = blockIdx.x, t = threadIdx.x;
    float x = wave[3 * k], y = wave[3 * k + 1], z = wave[3 * k + 2], real = 0.0f, imaginary = 0.0f;
    for (int j = t; j < charges; j += blockDim.x) {
        float4 c = charge[j];
        float si, co;
        sincosf(x * c.x + y * c.y + z * c.z, &si, &co);
        real += c.w * co;
        imaginary += c.w * si;
    }
    for (int d = 16; d > 0; d /= 2) {
        real += __shfl_down_sync(0xffffffff, real, d);
        imaginary += __shfl_down_sync(0xffffffff, imaginary, d);
    }
    if (t % 32 == 0)
        s[t / 32] = make_float2(real, imaginary);
    __syncthreads();
    if (t == 0)
        out[k] = make_float2(s[0].x + s[1].x + s[2].x + s[3].x, s[0].y + s[1].y + s[2].y + s[3].y);
}

// Eight threads a wave; 256 charges at a time in shared memory.
extern "C" __global__ void __launch_bounds__(128) ewald_shared(float2 *__restrict__ out, const float *__restrict__ wave,
                                                               const float4 *__restrict__ charge, int waves, int charges)
{
    __shared__ float4 s[256];
    int tx = threadIdx.x, t = threadIdx.y * 8 + tx, k = blockIdx.x * 16 + threadIdx.y, own = min(k, waves - 1);
    float x = wave[3 * own], y = wave[3 * own + 1], z = wave[3 * own + 2], real = 0.0f, imaginary = 0.0f;
    for (int first = 0; first < charges; first += 256) {
        int count = min(256, charges - first);
        for (int j = t; j < count; j += 128)
            s[j] = charge[first + j];
        __syncthreads();
#pragma unroll 4
        for (int j = tx; j < count; j += 8) {
            float4 c = s[j];
            float si, co;
            __sincosf(x * c.x + y * c.y + z * c.z, &si, &co);
            real += c.w * co;
            imaginary += c.w * si;
        }
        __syncthreads();
    }
    for (int d = 4; d > 0; d /= 2) {
        real += __shfl_down_sync(0xffffffff, real, d, 8);
        imaginary += __shfl_down_sync(0xffffffff, imaginary, d, 8);
    }
    if (tx == 0 && k < waves)
        out[k] = make_float2(real, imaginary);
}
