// Matrices of 32 x 32 bits transposed: bit c of word r becomes bit r of word c. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A thread a word: a bit of each of 32 words.
extern "C" __global__ void bits32_bits(unsigned *out, const unsigned *in, int matrices)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 32 * matrices)
        return;
    int first = i / 32 * 32, r = i % 32;
    unsigned word = 0;
    for (int c = 0; c < 32; c++)
        word |= (in[first + c] >> r & 1) << c;
    out[i] = word;
}

// A warp a matrix: a ballot is a column.
extern "C" __global__ void bits32_ballots(unsigned *out, const unsigned *in, int matrices)
{
    int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (m >= matrices)
        return;
    unsigned word = in[m * 32 + lane], turned = 0;
#pragma unroll
    for (int c = 0; c < 32; c++) {
        unsigned column = __ballot_sync(0xffffffff, word >> c & 1);
        if (lane == c)
            turned = column;
    }
    out[m * 32 + lane] = turned;
}

// A thread a matrix: halves, quarters and so on change places in its 32 registers; words pass shared memory to be read and
// written in order.
extern "C" __global__ void __launch_bounds__(64) bits32_registers(uint4 *__restrict__ out, const uint4 *__restrict__ in, int matrices)
{
    __shared__ unsigned s[64][33];
    int t = threadIdx.x, first = blockIdx.x * 64, count = min(64, matrices - first);
    for (int i = t; i < count * 8; i += 64) {
        uint4 v = in[first * 8 + i];
        unsigned *to = &s[i / 8][i % 8 * 4];
        to[0] = v.x;
        to[1] = v.y;
        to[2] = v.z;
        to[3] = v.w;
    }
    __syncthreads();
    unsigned w[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        w[i] = t < count ? s[t][i] : 0;
    unsigned mask = 0x0000ffff;
#pragma unroll
    for (int half = 16; half > 0; half /= 2) {
#pragma unroll
        for (int i = 0; i < 32; i++)
            if ((i & half) == 0) {
                unsigned change = (w[i] >> half ^ w[i + half]) & mask;
                w[i] ^= change << half;
                w[i + half] ^= change;
            }
        mask ^= mask << half / 2;
    }
    if (t < count)
#pragma unroll
        for (int i = 0; i < 32; i++)
            s[t][i] = w[i];
    __syncthreads();
    for (int i = t; i < count * 8; i += 64) {
        const unsigned *from = &s[i / 8][i % 8 * 4];
        out[first * 8 + i] = make_uint4(from[0], from[1], from[2], from[3]);
    }
}
