// Regions of a map of 32 channels of 64 x 64, pooled to 7 x 7 by four bilinear samples each. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float bilinear(const float *plane, float x, float y)
{
    if (x < -1.0f || x > 64.0f || y < -1.0f || y > 64.0f)
        return 0.0f;
    x = fmaxf(x, 0.0f);
    y = fmaxf(y, 0.0f);
    int x0 = (int)x, y0 = (int)y, x1 = x0 + 1, y1 = y0 + 1;
    if (x0 >= 63) {
        x0 = x1 = 63;
        x = 63.0f;
    }
    if (y0 >= 63) {
        y0 = y1 = 63;
        y = 63.0f;
    }
    float dx = x - x0, dy = y - y0;
    return (1.0f - dy) * ((1.0f - dx) * plane[y0 * 64 + x0] + dx * plane[y0 * 64 + x1]) +
           dy * ((1.0f - dx) * plane[y1 * 64 + x0] + dx * plane[y1 * 64 + x1]);
}

extern "C" __global__ void roi_output(float *out, const float *map, const float *boxes, int regions)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= regions * 1568)
        return;
    int px = i % 7, py = i / 7 % 7, c = i / 49 % 32, r = i / 1568;
    float x = boxes[4 * r], y = boxes[4 * r + 1], w = (boxes[4 * r + 2] + 1.0f) / 7.0f, h = (boxes[4 * r + 3] + 1.0f) / 7.0f;
    float sum = 0.0f;
    for (int sy = 0; sy < 2; sy++)
        for (int sx = 0; sx < 2; sx++)
            sum += bilinear(map + c * 4096, x + (px + (sx + 0.5f) / 2) * w, y + (py + (sy + 0.5f) / 2) * h);
    out[i] = sum / 4;
}

extern "C" __global__ void roi_region(float *__restrict__ out, const float *__restrict__ map, const float *__restrict__ boxes)
{
    int r = blockIdx.x;
    float x = boxes[4 * r], y = boxes[4 * r + 1], w = (boxes[4 * r + 2] + 1.0f) / 7.0f, h = (boxes[4 * r + 3] + 1.0f) / 7.0f;
    for (int i = threadIdx.x; i < 1568; i += blockDim.x) {
        int px = i % 7, py = i / 7 % 7;
        const float *plane = map + i / 49 * 4096;
        float sum = 0.0f;
#pragma unroll
        for (int s = 0; s < 4; s++)
            sum += bilinear(plane, x + (px + (s % 2 + 0.5f) * 0.5f) * w, y + (py + (s / 2 + 0.5f) * 0.5f) * h);
        out[r * 1568 + i] = sum * 0.25f;
    }
}

// Places and weights of the 196 samples once a block.
extern "C" __global__ void roi_weights(float *__restrict__ out, const float *__restrict__ map, const float *__restrict__ boxes)
{
    __shared__ int place[196];
    __shared__ float4 weight[196];
    int r = blockIdx.x, t = threadIdx.x;
    if (t < 196) {
        int bin = t / 4, s = t % 4;
        float w = (boxes[4 * r + 2] + 1.0f) / 7.0f, h = (boxes[4 * r + 3] + 1.0f) / 7.0f;
        float x = boxes[4 * r] + (bin % 7 + (s % 2 + 0.5f) * 0.5f) * w;
        float y = boxes[4 * r + 1] + (bin / 7 + (s / 2 + 0.5f) * 0.5f) * h;
        x = fminf(fmaxf(x, 0.0f), 63.0f);
        y = fminf(fmaxf(y, 0.0f), 63.0f);
        int x0 = min((int)x, 62), y0 = min((int)y, 62);
        float dx = x - x0, dy = y - y0;
        place[t] = y0 * 64 + x0;
        weight[t] = make_float4(0.25f * (1.0f - dx) * (1.0f - dy), 0.25f * dx * (1.0f - dy), 0.25f * (1.0f - dx) * dy, 0.25f * dx * dy);
    }
    __syncthreads();
    for (int i = t; i < 1568; i += 256) {
        int bin = i % 49;
        const float *plane = map + i / 49 * 4096;
        float sum = 0.0f;
#pragma unroll
        for (int s = 0; s < 4; s++) {
            const float *p = plane + place[4 * bin + s];
            float4 w = weight[4 * bin + s];
            sum += w.x * p[0] + w.y * p[1] + w.z * p[64] + w.w * p[65];
        }
        out[r * 1568 + i] = sum;
    }
}
