// Sine transforms of rows of 32 numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void dst32_sines(float *out, const float *in, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 32, k = i % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int j = 0; j < 32; j++)
        sum += in[row * 32 + j] * sinpif((j + 1) * (k + 1) / 33.0f);
    out[i] = sum;
}

// The sine of pi i / 33.
__constant__ float sine[66] = {
    0.00000000f, 0.09505604f, 0.18925124f, 0.28173256f, 0.37166246f, 0.45822652f,
    0.54064082f, 0.61815899f, 0.69007901f, 0.75574957f, 0.81457595f, 0.86602540f,
    0.90963200f, 0.94500082f, 0.97181157f, 0.98982144f, 0.99886734f, 0.99886734f,
    0.98982144f, 0.97181157f, 0.94500082f, 0.90963200f, 0.86602540f, 0.81457595f,
    0.75574957f, 0.69007901f, 0.61815899f, 0.54064082f, 0.45822652f, 0.37166246f,
    0.28173256f, 0.18925124f, 0.09505604f, 0.00000000f, -0.09505604f, -0.18925124f,
    -0.28173256f, -0.37166246f, -0.45822652f, -0.54064082f, -0.61815899f, -0.69007901f,
    -0.75574957f, -0.81457595f, -0.86602540f, -0.90963200f, -0.94500082f, -0.97181157f,
    -0.98982144f, -0.99886734f, -0.99886734f, -0.98982144f, -0.97181157f, -0.94500082f,
    -0.90963200f, -0.86602540f, -0.81457595f, -0.75574957f, -0.69007901f, -0.61815899f,
    -0.54064082f, -0.45822652f, -0.37166246f, -0.28173256f, -0.18925124f, -0.09505604f,
};

extern "C" __global__ void dst32_constants(float *__restrict__ out, const float *__restrict__ in, int rows)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / 32, k = i % 32;
    if (row >= rows)
        return;
    float sum = 0.0f;
    int at = 0;
#pragma unroll 4
    for (int j = 0; j < 32; j++) {
        at += k + 1;
        if (at >= 66)
            at -= 66;
        sum += in[row * 32 + j] * sine[at];
    }
    out[i] = sum;
}

// Eight rows a warp, a number of each a lane.
extern "C" __global__ void __launch_bounds__(128) dst32_shared(float *__restrict__ out, const float *__restrict__ in, int rows)
{
    __shared__ float matrix[32][32];
    __shared__ float4 s[4][2][32];
    int t = threadIdx.x, warp = t / 32, k = t % 32, first = blockIdx.x * 32 + warp * 8;
    for (int i = t; i < 1024; i += 128)
        matrix[i / 32][i % 32] = sinpif((i / 32 + 1) * (i % 32 + 1) % 66 * (1.0f / 33.0f));
    float v[8], sum[8] = {};
#pragma unroll
    for (int r = 0; r < 8; r++)
        v[r] = first + r < rows ? in[(first + r) * 32 + k] : 0.0f;
    s[warp][0][k] = make_float4(v[0], v[1], v[2], v[3]);
    s[warp][1][k] = make_float4(v[4], v[5], v[6], v[7]);
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 32; j++) {
        float w = matrix[j][k];
        float4 a = s[warp][0][j], b = s[warp][1][j];
        sum[0] += w * a.x;
        sum[1] += w * a.y;
        sum[2] += w * a.z;
        sum[3] += w * a.w;
        sum[4] += w * b.x;
        sum[5] += w * b.y;
        sum[6] += w * b.z;
        sum[7] += w * b.w;
    }
#pragma unroll
    for (int r = 0; r < 8; r++)
        if (first + r < rows)
            out[(first + r) * 32 + k] = sum[r];
}
