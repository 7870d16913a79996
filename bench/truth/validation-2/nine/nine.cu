// A stencil of nine points on an image of f32, sides and corners weighted apart; the border is copied. Nothing is tuned on
// these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float weigh(float centre, float sides, float corners)
{
    return 0.25f * centre + 0.125f * sides + 0.0625f * corners;
}

// A thread per point.
extern "C" __global__ void nine_plain(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    const float *p = in + y * w + x;
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
        out[y * w + x] = *p;
    else
        out[y * w + x] = weigh(*p, p[-1] + p[1] + p[-w] + p[w], p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
}

// Tiles of 32 x 16 with their rim in shared memory.
extern "C" __global__ void nine_tile(float *out, const float *in, int w, int h)
{
    __shared__ float s[18][35];
    int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
    for (int y = ty; y < 18; y += 16)
        for (int x = tx; x < 34; x += 32)
            if (x0 + x >= 0 && x0 + x < w && y0 + y >= 0 && y0 + y < h)
                s[y][x] = in[(y0 + y) * w + x0 + x];
    __syncthreads();
    int x = x0 + 1 + tx, y = y0 + 1 + ty;
    if (x >= w || y >= h)
        return;
    const float *p = &s[ty + 1][tx + 1];
    if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
        out[y * w + x] = *p;
    else
        out[y * w + x] = weigh(*p, p[-1] + p[1] + p[-35] + p[35], p[-36] + p[-34] + p[34] + p[36]);
}

// Each thread walks down 16 rows with the three rows around it in registers.
extern "C" __global__ void nine_walk(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * 16;
    if (x >= w)
        return;
    int left = max(x - 1, 0), right = min(x + 1, w - 1);
    const float *row = in + max(y0 - 1, 0) * w;
    float a = row[left], b = row[x], c = row[right];
    row = in + y0 * w;
    float d = row[left], e = row[x], f = row[right];
    for (int y = y0; y < min(y0 + 16, h); y++) {
        row = in + min(y + 1, h - 1) * w;
        float g = row[left], k = row[x], m = row[right];
        out[y * w + x] = x == 0 || y == 0 || x == w - 1 || y == h - 1 ? e : weigh(e, b + d + f + k, a + c + g + m);
        a = d, b = e, c = f;
        d = g, e = k, f = m;
    }
}

// A warp per run of 30 points and 8 rows: neighbours to the sides by shuffles.
extern "C" __global__ void nine_shuffle(float *out, const float *in, int w, int h)
{
    int lane = threadIdx.x, x = (blockIdx.x * blockDim.y + threadIdx.y) * 30 + lane - 1, y0 = blockIdx.y * 8;
    int at = min(max(x, 0), w - 1);
    bool mine = lane > 0 && lane < 31 && x < w;
    float b = in[max(y0 - 1, 0) * w + at], e = in[y0 * w + at];
    float above = __shfl_up_sync(~0u, b, 1) + __shfl_down_sync(~0u, b, 1), beside = __shfl_up_sync(~0u, e, 1) + __shfl_down_sync(~0u, e, 1);
    for (int y = y0; y < y0 + 8 && y < h; y++) {
        float k = in[min(y + 1, h - 1) * w + at], below = __shfl_up_sync(~0u, k, 1) + __shfl_down_sync(~0u, k, 1);
        if (mine)
            out[y * w + x] = x == 0 || y == 0 || x == w - 1 || y == h - 1 ? e : weigh(e, b + beside + k, above + below);
        above = beside, beside = below;
        b = e, e = k;
    }
}
