// The potential of charged atoms at the points of a plane. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr float SPACING = 0.1f;

extern "C" __global__ void coulomb_plain(float *out, const float *atoms, int count, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float px = SPACING * x, py = SPACING * y, sum = 0.0f;
    for (int i = 0; i < 4 * count; i += 4) {
        float dx = px - atoms[i], dy = py - atoms[i + 1], dz = atoms[i + 2];
        sum += atoms[i + 3] / sqrtf(dx * dx + dy * dy + dz * dz);
    }
    out[y * width + x] = sum;
}

// 256 atoms at a time in shared memory, with z squared.
extern "C" __global__ void coulomb_shared(float *out, const float4 *atoms, int count, int width, int height)
{
    __shared__ float4 s[256];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, t = threadIdx.y * 32 + threadIdx.x;
    float px = SPACING * x, py = SPACING * y, sum = 0.0f;
    for (int base = 0; base < count; base += 256) {
        int here = min(256, count - base);
        if (t < here) {
            float4 a = atoms[base + t];
            a.z *= a.z;
            s[t] = a;
        }
        __syncthreads();
        for (int i = 0; i < here; i++) {
            float4 a = s[i];
            float dx = px - a.x, dy = py - a.y;
            sum += a.w * rsqrtf(dx * dx + dy * dy + a.z);
        }
        __syncthreads();
    }
    if (x < width && y < height)
        out[y * width + x] = sum;
}

// Four points of a row a thread share what an atom's y and z come to.
extern "C" __global__ void coulomb_four(float *out, const float4 *atoms, int count, int width, int height)
{
    __shared__ float4 s[128];
    int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, t = threadIdx.y * 32 + threadIdx.x;
    float px = SPACING * x, py = SPACING * y;
    float sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
    for (int base = 0; base < count; base += 128) {
        int here = min(128, count - base);
        __syncthreads();
        if (t < here)
            s[t] = atoms[base + t];
        __syncthreads();
#pragma unroll 4
        for (int i = 0; i < here; i++) {
            float4 a = s[i];
            float dy = py - a.y, rest = dy * dy + a.z * a.z;
            float d0 = px - a.x, d1 = d0 + 32 * SPACING, d2 = d0 + 64 * SPACING, d3 = d0 + 96 * SPACING;
            sum0 += a.w * rsqrtf(d0 * d0 + rest);
            sum1 += a.w * rsqrtf(d1 * d1 + rest);
            sum2 += a.w * rsqrtf(d2 * d2 + rest);
            sum3 += a.w * rsqrtf(d3 * d3 + rest);
        }
    }
    if (y >= height)
        return;
    float *row = out + y * width;
    if (x < width)
        row[x] = sum0;
    if (x + 32 < width)
        row[x + 32] = sum1;
    if (x + 64 < width)
        row[x + 64] = sum2;
    if (x + 96 < width)
        row[x + 96] = sum3;
}
