// A bilateral filter of 5 x 5 points, borders repeated. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int R = 2;
constexpr float SIGMA_SPACE = 2.0f, SIGMA_RANGE = 0.2f;

extern "C" __global__ void bilateral_plain(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float center = in[y * width + x], sum = 0.0f, weights = 0.0f;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            int xx = min(max(x + dx, 0), width - 1), yy = min(max(y + dy, 0), height - 1);
            float v = in[yy * width + xx], diff = v - center;
            float space = expf(-(dx * dx + dy * dy) / (2.0f * SIGMA_SPACE * SIGMA_SPACE));
            float range = expf(-(diff * diff) / (2.0f * SIGMA_RANGE * SIGMA_RANGE));
            sum += space * range * v;
            weights += space * range;
        }
    out[y * width + x] = sum / weights;
}

__device__ void load_tile(float (*s)[37], const float *in, int width, int height)
{
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 12 * 36; i += 256) {
        int x = min(max((int)blockIdx.x * 32 + i % 36 - R, 0), width - 1);
        int y = min(max((int)blockIdx.y * 8 + i / 36 - R, 0), height - 1);
        s[i / 36][i % 36] = in[y * width + x];
    }
}

extern "C" __global__ void bilateral_tile(float *out, const float *in, int width, int height)
{
    __shared__ float s[12][37];
    load_tile(s, in, width, height);
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float center = s[threadIdx.y + R][threadIdx.x + R], sum = 0.0f, weights = 0.0f;
    for (int dy = -R; dy <= R; dy++)
        for (int dx = -R; dx <= R; dx++) {
            float v = s[threadIdx.y + R + dy][threadIdx.x + R + dx], diff = v - center;
            float w = __expf(-(dx * dx + dy * dy) / (2.0f * SIGMA_SPACE * SIGMA_SPACE) - diff * diff / (2.0f * SIGMA_RANGE * SIGMA_RANGE));
            sum += w * v;
            weights += w;
        }
    out[y * width + x] = sum / weights;
}

extern "C" __global__ void bilateral_weights(float *weights)
{
    int i = threadIdx.x;
    if (i >= 25)
        return;
    int dx = i % 5 - R, dy = i / 5 - R;
    weights[i] = expf(-(dx * dx + dy * dy) / (2.0f * SIGMA_SPACE * SIGMA_SPACE));
}

// The weights of places out of a table in shared memory.
extern "C" __global__ void bilateral_table(float *out, const float *in, const float *table, int width, int height)
{
    __shared__ float s[12][37], space[25];
    int t = threadIdx.y * 32 + threadIdx.x;
    if (t < 25)
        space[t] = table[t];
    load_tile(s, in, width, height);
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float scale = -1.0f / (2.0f * SIGMA_RANGE * SIGMA_RANGE);
    float center = s[threadIdx.y + R][threadIdx.x + R], sum = 0.0f, weights = 0.0f;
#pragma unroll
    for (int i = 0; i < 25; i++) {
        float v = s[threadIdx.y + i / 5][threadIdx.x + i % 5], diff = v - center;
        float w = space[i] * __expf(diff * diff * scale);
        sum += w * v;
        weights += w;
    }
    out[y * width + x] = __fdividef(sum, weights);
}
