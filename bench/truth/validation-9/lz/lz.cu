// Streams of literals and matches, decoded to 512 bytes each. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// A byte below 144 is followed by 1 to 8 literals; another is a match of 3 to 18 bytes, with its distance in the next byte.
extern "C" __global__ void lz_thread(unsigned char *out, const unsigned char *in, int streams)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams)
        return;
    const unsigned char *from = in + s * 1040;
    unsigned char *to = out + s * 512;
    int pos = 0;
    while (pos < 512) {
        int token = *from++;
        if (token < 144 || pos == 0) {
            int length = 1 + token % 8;
            for (int k = 0; k < length && pos < 512; k++)
                to[pos++] = *from++;
        } else {
            int length = 3 + token % 16, distance = 1 + *from++ % pos;
            for (int k = 0; k < length && pos < 512; k++, pos++)
                to[pos] = to[pos - distance];
        }
    }
}

extern "C" __global__ void __launch_bounds__(128) lz_warp(uint4 *__restrict__ out, const uint4 *__restrict__ in, int streams)
{
    __shared__ __align__(16) unsigned char from[4][1040], to[4][512];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, s = blockIdx.x * 4 + warp;
    if (s >= streams)
        return;
    for (int i = lane; i < 65; i += 32)
        ((uint4 *)from[warp])[i] = in[s * 65 + i];
    __syncwarp();
    int at = 0, pos = 0;
    while (pos < 512) {
        int token = from[warp][at], length, distance;
        if (token < 144 || pos == 0) {
            length = min(1 + token % 8, 512 - pos);
            if (lane < length)
                to[warp][pos + lane] = from[warp][at + 1 + lane];
            at += 1 + length;
        } else {
            length = min(3 + token % 16, 512 - pos);
            distance = 1 + from[warp][at + 1] % pos;
            if (lane < length)
                to[warp][pos + lane] = to[warp][pos - distance + lane % distance];
            at += 2;
        }
        pos += length;
        __syncwarp();
    }
    out[s * 32 + lane] = ((uint4 *)to[warp])[lane];
}
