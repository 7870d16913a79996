// Layer norm backward, the gradient of x: dx = (dy*w - mean(dy*w) - xhat*mean(dy*w*xhat)) * rstd of each row. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per row.
extern "C" __global__ void lnback_thread(float *dx, const float *dy, const float *x, const float *weight, const float *mean, const float *rstd, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    dx += row * cols;
    dy += row * cols;
    x += row * cols;
    float mu = mean[row], rs = rstd[row], first = 0.0f, second = 0.0f;
    for (int i = 0; i < cols; i++) {
        float norm = (x[i] - mu) * rs, d = weight[i] * dy[i];
        first += d;
        second += d * norm;
    }
    first /= cols;
    second /= cols;
    for (int i = 0; i < cols; i++) {
        float norm = (x[i] - mu) * rs, d = weight[i] * dy[i];
        dx[i] = (d - first - norm * second) * rs;
    }
}

// A block of 256 per row, two sums by a tree.
extern "C" __global__ void lnback_block(float *dx, const float *dy, const float *x, const float *weight, const float *mean, const float *rstd, int rows, int cols)
{
    __shared__ float s1[256], s2[256];
    int row = blockIdx.x, t = threadIdx.x;
    size_t at = (size_t)row * cols;
    float mu = mean[row], rs = rstd[row], first = 0.0f, second = 0.0f;
    for (int i = t; i < cols; i += blockDim.x) {
        float norm = (x[at + i] - mu) * rs, d = weight[i] * dy[at + i];
        first += d;
        second += d * norm;
    }
    s1[t] = first;
    s2[t] = second;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (t < step) {
            s1[t] += s1[t + step];
            s2[t] += s2[t + step];
        }
        __syncthreads();
    }
    first = s1[0] / cols;
    second = s2[0] / cols;
    for (int i = t; i < cols; i += blockDim.x) {
        float norm = (x[at + i] - mu) * rs, d = weight[i] * dy[at + i];
        dx[at + i] = (d - first - norm * second) * rs;
    }
}

// A warp per row of float4, read twice; the sums stay in registers.
extern "C" __global__ void lnback_warp(float4 *dx, const float4 *dy, const float4 *x, const float4 *weight, const float *mean, const float *rstd, int rows, int cols)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31, quads = cols / 4;
    if (row >= rows)
        return;
    size_t at = (size_t)row * quads;
    float mu = mean[row], rs = rstd[row], first = 0.0f, second = 0.0f;
    for (int i = lane; i < quads; i += 32) {
        float4 g = dy[at + i], v = x[at + i], w = weight[i];
        float4 d = make_float4(g.x * w.x, g.y * w.y, g.z * w.z, g.w * w.w);
        first += d.x + d.y + d.z + d.w;
        second += (d.x * (v.x - mu) + d.y * (v.y - mu) + d.z * (v.z - mu) + d.w * (v.w - mu)) * rs;
    }
    for (int step = 16; step > 0; step >>= 1) {
        first += __shfl_xor_sync(0xffffffff, first, step);
        second += __shfl_xor_sync(0xffffffff, second, step);
    }
    first /= cols;
    second /= cols;
    for (int i = lane; i < quads; i += 32) {
        float4 g = __ldg(&dy[at + i]), v = __ldg(&x[at + i]), w = __ldg(&weight[i]), r;
        r.x = (g.x * w.x - first - (v.x - mu) * rs * second) * rs;
        r.y = (g.y * w.y - first - (v.y - mu) * rs * second) * rs;
        r.z = (g.z * w.z - first - (v.z - mu) * rs * second) * rs;
        r.w = (g.w * w.w - first - (v.w - mu) * rs * second) * rs;
        dx[at + i] = r;
    }
}
