// The cosine transform (DCT-II) of an image's blocks of 8 x 8. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void dct_cosines(float *cosines)
{
    int u = threadIdx.x / 8, x = threadIdx.x % 8;
    cosines[threadIdx.x] = (u == 0 ? 0.35355339f : 0.5f) * cosf(3.14159265f * (2 * x + 1) * u / 16.0f);
}

// Every coefficient is the sum over all 64 points.
extern "C" __global__ void dct_direct(float *out, const float *in, const float *cosines, int width)
{
    int u = threadIdx.x, v = threadIdx.y;
    const float *block = in + blockIdx.y * 8 * width + blockIdx.x * 8;
    float sum = 0.0f;
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            sum += block[y * width + x] * cosines[u * 8 + x] * cosines[v * 8 + y];
    out[(blockIdx.y * 8 + v) * width + blockIdx.x * 8 + u] = sum;
}

// Rows first, then columns, in shared memory; four blocks of 8 x 8 by 256 threads.
extern "C" __global__ void dct_separate(float *out, const float *in, const float *cosines, int width)
{
    __shared__ float s[16][17], rows[16][17], c[64];
    int tx = threadIdx.x, ty = threadIdx.y, at = (blockIdx.y * 16 + ty) * width + blockIdx.x * 16 + tx;
    if (ty < 4)
        c[ty * 16 + tx] = cosines[ty * 16 + tx];
    s[ty][tx] = in[at];
    __syncthreads();
    int u = tx % 8, x0 = tx - u, v = ty % 8, y0 = ty - v;
    float sum = 0.0f;
#pragma unroll
    for (int x = 0; x < 8; x++)
        sum += c[u * 8 + x] * s[ty][x0 + x];
    rows[ty][tx] = sum;
    __syncthreads();
    sum = 0.0f;
#pragma unroll
    for (int y = 0; y < 8; y++)
        sum += c[v * 8 + y] * rows[y0 + y][tx];
    out[at] = sum;
}

__device__ void dct(float (&v)[8])
{
    const float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f, c5 = 0.27778512f, c6 = 0.19134172f, c7 = 0.09754516f;
    float a0 = v[0] + v[7], a1 = v[1] + v[6], a2 = v[2] + v[5], a3 = v[3] + v[4];
    float b0 = v[0] - v[7], b1 = v[1] - v[6], b2 = v[2] - v[5], b3 = v[3] - v[4];
    v[0] = c4 * (a0 + a1 + a2 + a3);
    v[4] = c4 * (a0 - a1 - a2 + a3);
    v[2] = c2 * (a0 - a3) + c6 * (a1 - a2);
    v[6] = c6 * (a0 - a3) - c2 * (a1 - a2);
    v[1] = c1 * b0 + c3 * b1 + c5 * b2 + c7 * b3;
    v[3] = c3 * b0 - c7 * b1 - c1 * b2 - c5 * b3;
    v[5] = c5 * b0 - c1 * b1 + c7 * b2 + c3 * b3;
    v[7] = c7 * b0 - c5 * b1 + c3 * b2 - c1 * b3;
}

// A thread has a column in registers, then a row: sixteen blocks of 8 x 8 by 128 threads.
extern "C" __global__ void dct_registers(float *__restrict__ out, const float *__restrict__ in, int width)
{
    __shared__ float s[16][8][9];
    int block = threadIdx.x / 8, i = threadIdx.x % 8, x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * 8;
    float v[8];
#pragma unroll
    for (int y = 0; y < 8; y++)
        v[y] = in[(y0 + y) * width + x];
    dct(v);
#pragma unroll
    for (int y = 0; y < 8; y++)
        s[block][y][i] = v[y];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = s[block][i][k];
    dct(v);
    float4 *to = (float4 *)&out[(y0 + i) * width + blockIdx.x * 128 + block * 8];
    to[0] = make_float4(v[0], v[1], v[2], v[3]);
    to[1] = make_float4(v[4], v[5], v[6], v[7]);
}
