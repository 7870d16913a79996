// The nearest of 32 centres for each point of eight dimensions. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int DIM = 8, CENTERS = 32;

extern "C" __global__ void kmeans_plain(int *label, const float *points, const float *centers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float best = 1e30f;
    int nearest = 0;
    for (int c = 0; c < CENTERS; c++) {
        float sum = 0.0f;
        for (int k = 0; k < DIM; k++) {
            float diff = points[i * DIM + k] - centers[c * DIM + k];
            sum += diff * diff;
        }
        if (sum < best) {
            best = sum;
            nearest = c;
        }
    }
    label[i] = nearest;
}

extern "C" __global__ void kmeans_shared(int *label, const float4 *points, const float *centers, int n)
{
    __shared__ float s[CENTERS * DIM];
    s[threadIdx.x] = centers[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 a = points[2 * i], b = points[2 * i + 1];
    float p[DIM] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    float best = 1e30f;
    int nearest = 0;
    for (int c = 0; c < CENTERS; c++) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < DIM; k++) {
            float diff = p[k] - s[c * DIM + k];
            sum += diff * diff;
        }
        if (sum < best) {
            best = sum;
            nearest = c;
        }
    }
    label[i] = nearest;
}

// Four points a thread; distances without what all centres have in common.
extern "C" __global__ void kmeans_four(int *__restrict__ label, const float4 *__restrict__ points, const float4 *__restrict__ centers, int n)
{
    __shared__ float4 s[CENTERS * 2];
    __shared__ float norm[CENTERS];
    int t = threadIdx.x;
    if (t < 64)
        s[t] = centers[t];
    __syncthreads();
    if (t < CENTERS) {
        float4 a = s[2 * t], b = s[2 * t + 1];
        norm[t] = a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w + b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w;
    }
    __syncthreads();
    float4 p[4][2];
    float best[4];
    int nearest[4], first = blockIdx.x * 512 + t;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int i = min(first + 128 * j, n - 1);
        p[j][0] = points[2 * i];
        p[j][1] = points[2 * i + 1];
        best[j] = 1e30f;
        nearest[j] = 0;
    }
    for (int c = 0; c < CENTERS; c++) {
        float4 a = s[2 * c], b = s[2 * c + 1];
        float own = norm[c];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 u = p[j][0], v = p[j][1];
            float dot = a.x * u.x + a.y * u.y + a.z * u.z + a.w * u.w + b.x * v.x + b.y * v.y + b.z * v.z + b.w * v.w;
            float away = own - 2.0f * dot;
            if (away < best[j]) {
                best[j] = away;
                nearest[j] = c;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        if (first + 128 * j < n)
            label[first + 128 * j] = nearest[j];
}
