// Blocks of 256 bytes: a sample, an index, then codes of four bits that say how the next sample differs (IMA). Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ short steps[89] = {7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};
__constant__ signed char moves[16] = {-1, -1, -1, -1, 2, 4, 6, 8, -1, -1, -1, -1, 2, 4, 6, 8};

extern "C" __global__ void adpcm_constant(short *out, const unsigned char *in, int n, int bytes)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const unsigned char *from = in + (size_t)i * bytes;
    int value = (short)(from[0] | from[1] << 8), index = min((int)from[2], 88), samples = 2 * (bytes - 4);
    for (int k = 0; k < samples; k++) {
        int code = from[4 + k / 2] >> (k % 2 * 4) & 15, step = steps[index], d = step >> 3;
        if (code & 4)
            d += step;
        if (code & 2)
            d += step >> 1;
        if (code & 1)
            d += step >> 2;
        value += code & 8 ? -d : d;
        value = max(-32768, min(32767, value));
        index = max(0, min(88, index + moves[code]));
        out[(size_t)i * samples + k] = value;
    }
}

// Nine words a block at a time come through shared memory, and their 72 samples leave through it.
extern "C" __global__ void __launch_bounds__(64) adpcm_staged(unsigned *__restrict__ out, const unsigned *__restrict__ in, int n)
{
    __shared__ int table[89];
    __shared__ unsigned words[64][9], samples[64][37];
    int t = threadIdx.x, first = blockIdx.x * 64, here = min(64, n - first), value = 0, index = 0;
    for (int k = t; k < 89; k += 64)
        table[k] = steps[k];
    if (t < here) {
        unsigned head = in[(first + t) * 64];
        value = (short)head;
        index = min(head >> 16 & 255, 88u);
    }
    for (int chunk = 0; chunk < 7; chunk++) {
        for (int k = t; k < 9 * here; k += 64)
            words[k / 9][k % 9] = in[(first + k / 9) * 64 + 1 + 9 * chunk + k % 9];
        __syncthreads();
        if (t < here)
            for (int w = 0; w < 9; w++) {
                unsigned word = words[t][w];
#pragma unroll
                for (int k = 0; k < 8; k += 2) {
                    unsigned both = 0;
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        int code = word >> 4 * (k + half) & 15, step = table[index];
                        int d = (step >> 3) + (code & 4 ? step : 0) + (code & 2 ? step >> 1 : 0) + (code & 1 ? step >> 2 : 0);
                        value = max(-32768, min(32767, code & 8 ? value - d : value + d));
                        index = max(0, min(88, index + (code & 4 ? 2 * (code & 3) + 2 : -1)));
                        both |= (value & 0xffff) << 16 * half;
                    }
                    samples[t][4 * w + k / 2] = both;
                }
            }
        __syncthreads();
        for (int k = t; k < 36 * here; k += 64)
            out[(first + k / 36) * 252 + 36 * chunk + k % 36] = samples[k / 36][k % 36];
        __syncthreads();
    }
}
