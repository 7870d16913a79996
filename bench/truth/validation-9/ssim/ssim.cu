// Structural similarity of two images by windows of 8 x 8. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float likeness(float a, float b, float aa, float bb, float ab)
{
    const float c1 = 0.0001f, c2 = 0.0009f;
    a /= 64.0f;
    b /= 64.0f;
    float va = aa / 64.0f - a * a, vb = bb / 64.0f - b * b, cov = ab / 64.0f - a * b;
    return (2.0f * a * b + c1) * (2.0f * cov + c2) / ((a * a + b * b + c1) * (va + vb + c2));
}

extern "C" __global__ void ssim_direct(float *out, const float *a, const float *b, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width - 7 || y >= height - 7)
        return;
    float sa = 0.0f, sb = 0.0f, saa = 0.0f, sbb = 0.0f, sab = 0.0f;
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++) {
            float u = a[(y + j) * width + x + i], v = b[(y + j) * width + x + i];
            sa += u;
            sb += v;
            saa += u * u;
            sbb += v * v;
            sab += u * v;
        }
    out[y * (width - 7) + x] = likeness(sa, sb, saa, sbb, sab);
}

// Five planes of sums of eight in a row.
extern "C" __global__ void ssim_rows(float *sums, const float *a, const float *b, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, plane = width * height;
    if (x >= width - 7)
        return;
    float s[5] = {};
    for (int i = 0; i < 8; i++) {
        float u = a[y * width + x + i], v = b[y * width + x + i];
        s[0] += u;
        s[1] += v;
        s[2] += u * u;
        s[3] += v * v;
        s[4] += u * v;
    }
    for (int k = 0; k < 5; k++)
        sums[k * plane + y * width + x] = s[k];
}

extern "C" __global__ void ssim_columns(float *out, const float *sums, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, plane = width * height;
    if (x >= width - 7)
        return;
    float s[5] = {};
    for (int j = 0; j < 8; j++)
        for (int k = 0; k < 5; k++)
            s[k] += sums[k * plane + (y + j) * width + x];
    out[y * (width - 7) + x] = likeness(s[0], s[1], s[2], s[3], s[4]);
}

extern "C" __global__ void __launch_bounds__(256) ssim_tile(float *__restrict__ out, const float *__restrict__ a, const float *__restrict__ b,
                                                            int width, int height)
{
    __shared__ float as[23][40], bs[23][40], s[5][23][32];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int j = ty; j < 23; j += 8)
        for (int i = tx; i < 39; i += 32) {
            int x = min(x0 + i, width - 1), y = min(y0 + j, height - 1);
            as[j][i] = a[y * width + x];
            bs[j][i] = b[y * width + x];
        }
    __syncthreads();
    for (int j = ty; j < 23; j += 8) {
        float sum[5] = {};
#pragma unroll
        for (int i = 0; i < 8; i++) {
            float u = as[j][tx + i], v = bs[j][tx + i];
            sum[0] += u;
            sum[1] += v;
            sum[2] += u * u;
            sum[3] += v * v;
            sum[4] += u * v;
        }
#pragma unroll
        for (int k = 0; k < 5; k++)
            s[k][j][tx] = sum[k];
    }
    __syncthreads();
    for (int j = ty; j < 16; j += 8) {
        float sum[5] = {};
#pragma unroll
        for (int i = 0; i < 8; i++)
#pragma unroll
            for (int k = 0; k < 5; k++)
                sum[k] += s[k][j + i][tx];
        if (x0 + tx < width - 7 && y0 + j < height - 7)
            out[(y0 + j) * (width - 7) + x0 + tx] = likeness(sum[0], sum[1], sum[2], sum[3], sum[4]);
    }
}
