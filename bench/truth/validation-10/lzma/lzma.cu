// Streams of 24 symbols of eight bits decoded by ranges, with a probability for each bit behind those before it. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned short u16;

extern "C" __global__ void lzma_global(unsigned char *out, const unsigned char *in, u16 *probabilities, int streams, int symbols, int room)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= streams)
        return;
    u16 *own = probabilities + s * 256;
    for (int k = 0; k < 256; k++)
        own[k] = 1024;
    const unsigned char *from = in + s * room;
    unsigned range = 0xffffffff, code = 0;
    for (int k = 0; k < 4; k++)
        code = code << 8 | *from++;
    for (int k = 0; k < symbols; k++) {
        int node = 1;
        while (node < 256) {
            unsigned bound = (range >> 11) * own[node];
            if (code < bound) {
                range = bound;
                own[node] += (2048 - own[node]) >> 5;
                node = 2 * node;
            } else {
                range -= bound;
                code -= bound;
                own[node] -= own[node] >> 5;
                node = 2 * node + 1;
            }
            if (range < 1 << 24) {
                range <<= 8;
                code = code << 8 | *from++;
            }
        }
        out[s * symbols + k] = node;
    }
}

// A column of probabilities a thread; bytes come and go four at a time.
extern "C" __global__ void __launch_bounds__(64) lzma_shared(unsigned *__restrict__ out, const unsigned *__restrict__ in, int streams)
{
    __shared__ u16 p[256][64];
    int t = threadIdx.x, s = blockIdx.x * 64 + t;
    for (int k = 0; k < 256; k++)
        p[k][t] = 1024;
    if (s >= streams)
        return;
    const unsigned *from = in + s * 40;
    unsigned range = 0xffffffff, code = __byte_perm(*from++, 0, 0x0123), word = *from++;
    int left = 4;
    for (int k = 0; k < 6; k++) {
        unsigned four = 0;
        for (int j = 0; j < 32; j += 8) {
            unsigned node = 1;
#pragma unroll
            for (int bit = 0; bit < 8; bit++) {
                unsigned own = p[node][t], bound = (range >> 11) * own;
                bool one = code >= bound;
                range = one ? range - bound : bound;
                code -= one ? bound : 0;
                p[node][t] = one ? own - (own >> 5) : own + ((2048 - own) >> 5);
                node = 2 * node + one;
                if (range < 1 << 24) {
                    range <<= 8;
                    code = code << 8 | (word & 255);
                    word >>= 8;
                    if (--left == 0) {
                        word = *from++;
                        left = 4;
                    }
                }
            }
            four |= (node & 255) << j;
        }
        out[s * 6 + k] = four;
    }
}
