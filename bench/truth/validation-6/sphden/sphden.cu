// Density at each particle: masses times (h h - d d)^3 of those nearer than h. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

#define NORM 3059924.0f /* 315 / (64 pi h^9) for h = 0.2 */

__device__ float part(float4 a, float4 b, float h2)
{
    float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    float left = h2 - (x * x + y * y + z * z);
    return left > 0.0f ? b.w * left * left * left : 0.0f;
}

extern "C" __global__ void sphden_plain(float *density, const float4 *place, int n, float h2)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 a = place[i];
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        float4 b = place[j];
        float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
        float d2 = x * x + y * y + z * z;
        if (d2 < h2)
            sum += b.w * (h2 - d2) * (h2 - d2) * (h2 - d2);
    }
    density[i] = sum * NORM;
}

extern "C" __global__ void sphden_tile(float *density, const float4 *place, int n, float h2)
{
    __shared__ float4 s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 far = make_float4(1e6f, 1e6f, 1e6f, 0.0f), a = i < n ? place[i] : far;
    float sum = 0.0f;
    for (int first = 0; first < n; first += 256) {
        int j = first + threadIdx.x;
        s[threadIdx.x] = j < n ? place[j] : far;
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++)
            sum += part(a, s[k], h2);
        __syncthreads();
    }
    if (i < n)
        density[i] = sum * NORM;
}

extern "C" __global__ void sphden_two(float *__restrict__ density, const float4 *__restrict__ place, int n, float h2)
{
    __shared__ float4 s[64];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    float4 far = make_float4(1e6f, 1e6f, 1e6f, 0.0f);
    float4 a = i < n ? place[i] : far, b = i + 64 < n ? place[i + 64] : far;
    float sum = 0.0f, other = 0.0f;
    for (int first = 0; first < n; first += 64) {
        s[t] = first + t < n ? place[first + t] : far;
        __syncthreads();
#pragma unroll 16
        for (int k = 0; k < 64; k++) {
            float4 c = s[k];
            sum += part(a, c, h2);
            other += part(b, c, h2);
        }
        __syncthreads();
    }
    if (i < n)
        density[i] = sum * NORM;
    if (i + 64 < n)
        density[i + 64] = other * NORM;
}
