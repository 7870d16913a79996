// An image of n x n from projections at 90 angles by 3 n / 2 detectors. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void backproj_each(float *image, const float *sino, int n, int detectors)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float sum = 0.0f;
    for (int a = 0; a < 90; a++) {
        float angle = 3.14159265f * a / 90.0f;
        float s = (x - 0.5f * n) * cosf(angle) + (y - 0.5f * n) * sinf(angle) + 0.5f * detectors;
        int i = (int)floorf(s);
        if (i >= 0 && i < detectors - 1) {
            float part = s - i;
            sum += (1.0f - part) * sino[a * detectors + i] + part * sino[a * detectors + i + 1];
        }
    }
    image[y * n + x] = sum * 3.14159265f / 90.0f;
}

extern "C" __global__ void backproj_shared(float *image, const float *sino, int n, int detectors)
{
    __shared__ float2 turn[90];
    int t = threadIdx.y * blockDim.x + threadIdx.x, x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (t < 90)
        sincospif(t / 90.0f, &turn[t].y, &turn[t].x);
    __syncthreads();
    if (x >= n || y >= n)
        return;
    float sum = 0.0f, u = x - 0.5f * n, v = y - 0.5f * n;
    for (int a = 0; a < 90; a++) {
        float s = u * turn[a].x + v * turn[a].y + 0.5f * detectors;
        int i = (int)s;
        if (i < detectors - 1) {
            float part = s - i;
            sum += (1.0f - part) * sino[a * detectors + i] + part * sino[a * detectors + i + 1];
        }
    }
    image[y * n + x] = sum * 3.14159265f / 90.0f;
}

// Four pixels a thread, one under the other.
extern "C" __global__ void __launch_bounds__(128) backproj_four(float *__restrict__ image, const float *__restrict__ sino, int n, int detectors)
{
    __shared__ float2 turn[90];
    int t = threadIdx.y * 32 + threadIdx.x, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y * 4;
    if (t < 90)
        sincospif(t / 90.0f, &turn[t].y, &turn[t].x);
    __syncthreads();
    if (x >= n || y >= n)
        return;
    float sum[4] = {}, u = x - 0.5f * n, v = y - 0.5f * n, middle = 0.5f * detectors;
    const float *row = sino;
    for (int a = 0; a < 90; a++, row += detectors) {
        float2 w = turn[a];
        float s = fmaf(u, w.x, fmaf(v, w.y, middle));
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int i = min((int)s, detectors - 2);
            float from = row[i];
            sum[k] += fmaf(s - i, row[i + 1] - from, from);
            s += w.y;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (y + k < n)
            image[(y + k) * n + x] = sum[k] * 0.034906585f;
}
