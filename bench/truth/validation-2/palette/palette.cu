// The nearest of 64 colours for each pixel, as in a step of k-means: four bytes a colour, the first of equals. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int COLOURS = 64;

// Colours from global memory, integers.
extern "C" __global__ void palette_global(unsigned char *out, const uchar4 *in, const uchar4 *colour, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 p = in[i];
    int best = 0, least = 1 << 30;
    for (int c = 0; c < COLOURS; c++) {
        uchar4 q = colour[c];
        int r = p.x - q.x, g = p.y - q.y, b = p.z - q.z, a = p.w - q.w, d = r * r + g * g + b * b + a * a;
        if (d < least) {
            least = d;
            best = c;
        }
    }
    out[i] = (unsigned char)best;
}

// Colours as f32 in shared memory.
extern "C" __global__ void palette_shared(unsigned char *out, const uchar4 *in, const uchar4 *colour, int n)
{
    __shared__ float4 s[COLOURS];
    if (threadIdx.x < COLOURS) {
        uchar4 q = colour[threadIdx.x];
        s[threadIdx.x] = make_float4(q.x, q.y, q.z, q.w);
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    uchar4 u = in[i];
    float4 p = make_float4(u.x, u.y, u.z, u.w);
    int best = 0;
    float least = 1e30f;
#pragma unroll 8
    for (int c = 0; c < COLOURS; c++) {
        float4 q = s[c];
        float r = p.x - q.x, g = p.y - q.y, b = p.z - q.z, a = p.w - q.w, d = r * r + g * g + b * b + a * a;
        best = d < least ? c : best;
        least = fminf(d, least);
    }
    out[i] = (unsigned char)best;
}

// |p - q|^2 = |p|^2 - 2 p.q + |q|^2, of which |p|^2 is the same for all: dot products of bytes, four pixels a thread.
extern "C" __global__ void palette_dots(uchar4 *out, const uint4 *in, const unsigned *colour, int quads)
{
    __shared__ unsigned s[COLOURS];
    __shared__ int square[COLOURS];
    if (threadIdx.x < COLOURS) {
        s[threadIdx.x] = colour[threadIdx.x];
        square[threadIdx.x] = (int)__dp4a(s[threadIdx.x], s[threadIdx.x], 0u);
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
        uint4 p = in[i];
        int best[4] = {0}, least[4] = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
        for (int c = 0; c < COLOURS; c++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int d = square[c] - 2 * (int)__dp4a((&p.x)[e], s[c], 0u);
                if (d < least[e]) {
                    least[e] = d;
                    best[e] = c;
                }
            }
        out[i] = make_uchar4((unsigned char)best[0], (unsigned char)best[1], (unsigned char)best[2], (unsigned char)best[3]);
    }
}
