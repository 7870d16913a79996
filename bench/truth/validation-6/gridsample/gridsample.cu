// Bilinear samples of 16 channels where a flow says, zero outside. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void gridsample_output(float *out, const float *in, const float *flow, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 16 * n * n)
        return;
    int x = i % n, y = i / n % n, c = i / (n * n);
    float px = x + flow[y * n + x], py = y + flow[n * n + y * n + x];
    int x0 = floorf(px), y0 = floorf(py), x1 = x0 + 1, y1 = y0 + 1;
    float dx = px - x0, dy = py - y0, sum = 0.0f;
    const float *plane = in + c * n * n;
    if (x0 >= 0 && x0 < n && y0 >= 0 && y0 < n)
        sum += (1.0f - dx) * (1.0f - dy) * plane[y0 * n + x0];
    if (x1 >= 0 && x1 < n && y0 >= 0 && y0 < n)
        sum += dx * (1.0f - dy) * plane[y0 * n + x1];
    if (x0 >= 0 && x0 < n && y1 >= 0 && y1 < n)
        sum += (1.0f - dx) * dy * plane[y1 * n + x0];
    if (x1 >= 0 && x1 < n && y1 >= 0 && y1 < n)
        sum += dx * dy * plane[y1 * n + x1];
    out[i] = sum;
}

// Four places and their weights; a place outside is place 0 with weight 0.
__device__ void corners(int (&at)[4], float (&weight)[4], const float *flow, int x, int y, int n)
{
    float px = x + flow[y * n + x], py = y + flow[n * n + y * n + x], fx = floorf(px), fy = floorf(py);
    int x0 = (int)fx, y0 = (int)fy;
    float dx = px - fx, dy = py - fy;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int cx = x0 + k % 2, cy = y0 + k / 2;
        bool inside = cx >= 0 && cy >= 0 && cx < n && cy < n;
        at[k] = inside ? cy * n + cx : 0;
        weight[k] = inside ? (k % 2 ? dx : 1.0f - dx) * (k / 2 ? dy : 1.0f - dy) : 0.0f;
    }
}

extern "C" __global__ void gridsample_channels(float *__restrict__ out, const float *__restrict__ in,
                                               const float *__restrict__ flow, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, at[4];
    float w[4];
    if (x >= n || y >= n)
        return;
    corners(at, w, flow, x, y, n);
#pragma unroll 4
    for (int c = 0; c < 16; c++) {
        const float *plane = in + c * n * n;
        out[c * n * n + y * n + x] = w[0] * plane[at[0]] + w[1] * plane[at[1]] + w[2] * plane[at[2]] + w[3] * plane[at[3]];
    }
}

// The channels of a place side by side.
extern "C" __global__ void gridsample_turn(float4 *__restrict__ sides, const float *__restrict__ in, int size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        const float *p = in + 4 * c * size + i;
        sides[4 * i + c] = make_float4(p[0], p[size], p[2 * size], p[3 * size]);
    }
}

// Four threads a place, four channels each.
extern "C" __global__ void gridsample_sides(float *__restrict__ out, const float4 *__restrict__ sides,
                                            const float *__restrict__ flow, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / 4, c = t % 4, at[4];
    float w[4];
    if (i >= n * n)
        return;
    corners(at, w, flow, i % n, i / n, n);
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float4 v = sides[4 * at[k] + c];
        sum.x += w[k] * v.x;
        sum.y += w[k] * v.y;
        sum.z += w[k] * v.z;
        sum.w += w[k] * v.w;
    }
    float *p = out + 4 * c * n * n + i;
    p[0] = sum.x;
    p[n * n] = sum.y;
    p[2 * n * n] = sum.z;
    p[3 * n * n] = sum.w;
}
