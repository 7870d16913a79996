// Images from channels last to channels first: out[b][c][p] = in[b][p][c], numbers of 16 bits. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread per number, in the order of the result.
extern "C" __global__ void permute_plain(unsigned short *out, const unsigned short *in, int pixels, int channels, int all)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= all)
        return;
    int p = i % pixels, c = i / pixels % channels, b = i / pixels / channels;
    out[i] = in[(b * pixels + p) * channels + c];
}

// Tiles of 32 x 32 through shared memory, eight rows of threads.
extern "C" __global__ void permute_tile(unsigned short *out, const unsigned short *in, int pixels, int channels)
{
    __shared__ unsigned short s[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, p0 = blockIdx.x * 32, c0 = blockIdx.y * 32;
    in += (size_t)blockIdx.z * pixels * channels;
    out += (size_t)blockIdx.z * pixels * channels;
    for (int y = ty; y < 32; y += 8)
        if (p0 + y < pixels && c0 + tx < channels)
            s[y][tx] = in[(p0 + y) * channels + c0 + tx];
    __syncthreads();
    for (int y = ty; y < 32; y += 8)
        if (c0 + y < channels && p0 + tx < pixels)
            out[(c0 + y) * pixels + p0 + tx] = s[tx][y];
}

// Tiles of 64 pixels and 32 channels, words of two numbers on both sides.
extern "C" __global__ void permute_words(unsigned *out, const unsigned *in, int pixels, int channels)
{
    __shared__ unsigned s[64][17];
    int t = threadIdx.x, p0 = blockIdx.x * 64, c0 = blockIdx.y * 32;
    in += (size_t)blockIdx.z * pixels * channels / 2;
    out += (size_t)blockIdx.z * pixels * channels / 2;
    for (int i = t; i < 64 * 16; i += 256)
        if (p0 + i / 16 < pixels)
            s[i / 16][i % 16] = in[((p0 + i / 16) * channels + c0) / 2 + i % 16];
    __syncthreads();
    for (int i = t; i < 16 * 32; i += 256) {
        int p = i % 32 * 2, c = i / 32;
        if (p0 + p >= pixels)
            continue;
        unsigned a = s[p][c], b = s[p + 1][c];
        out[((c0 + 2 * c) * pixels + p0 + p) / 2] = __byte_perm(a, b, 0x5410);
        out[((c0 + 2 * c + 1) * pixels + p0 + p) / 2] = __byte_perm(a, b, 0x7632);
    }
}
