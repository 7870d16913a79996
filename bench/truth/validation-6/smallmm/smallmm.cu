// c = a*b for many matrices of 12 x 12. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void smallmm_thread(float *c, const float *a, const float *b, int count)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    a += 144 * m;
    b += 144 * m;
    c += 144 * m;
    for (int y = 0; y < 12; y++)
        for (int x = 0; x < 12; x++) {
            float sum = 0.0f;
            for (int i = 0; i < 12; i++)
                sum += a[12 * y + i] * b[12 * i + x];
            c[12 * y + x] = sum;
        }
}

extern "C" __global__ void smallmm_element(float *c, const float *a, const float *b)
{
    int x = threadIdx.x, y = threadIdx.y, m = 144 * blockIdx.x;
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 12; i++)
        sum += a[m + 12 * y + i] * b[m + 12 * i + x];
    c[m + 12 * y + x] = sum;
}

// Four products a block, 36 threads each, 2 x 2 outputs a thread.
extern "C" __global__ void smallmm_shared(float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, int count)
{
    __shared__ float as[576], bs[576];
    int t = threadIdx.x, first = 576 * blockIdx.x, all = 144 * count;
    for (int i = t; i < 576; i += 144)
        if (first + i < all) {
            as[i] = a[first + i];
            bs[i] = b[first + i];
        }
    __syncthreads();
    int m = t / 36, y = t % 36 / 6 * 2, x = t % 6 * 2;
    if (4 * blockIdx.x + m >= count)
        return;
    const float *p = as + 144 * m + 12 * y, *q = bs + 144 * m + x;
    float s00 = 0.0f, s01 = 0.0f, s10 = 0.0f, s11 = 0.0f;
#pragma unroll
    for (int i = 0; i < 12; i++) {
        float a0 = p[i], a1 = p[12 + i], b0 = q[12 * i], b1 = q[12 * i + 1];
        s00 += a0 * b0;
        s01 += a0 * b1;
        s10 += a1 * b0;
        s11 += a1 * b1;
    }
    float *o = c + first + 144 * m + 12 * y + x;
    o[0] = s00;
    o[1] = s01;
    o[12] = s10;
    o[13] = s11;
}
