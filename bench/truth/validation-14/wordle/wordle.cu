// How often each pattern occurs for a guess over all answers: 2 for a letter in its place, 1 for one elsewhere, each letter of the answer once. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ int pattern(const unsigned char *guess, const unsigned char *answer)
{
    bool used[5];
    int colours[5];
    for (int i = 0; i < 5; i++) {
        used[i] = guess[i] == answer[i];
        colours[i] = used[i] ? 2 : 0;
    }
    for (int i = 0; i < 5; i++) {
        if (colours[i] == 2)
            continue;
        for (int j = 0; j < 5; j++) {
            if (!used[j] && guess[i] == answer[j]) {
                used[j] = true;
                colours[i] = 1;
                break;
            }
        }
    }
    int code = 0;
    for (int i = 4; i >= 0; i--)
        code = 3 * code + colours[i];
    return code;
}

extern "C" __global__ void wordle_pair(unsigned *bins, const unsigned char *guesses, const unsigned char *answers, int count)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x, g = blockIdx.y;
    if (a >= count)
        return;
    atomicAdd(&bins[g * 243 + pattern(guesses + 5 * g, answers + 5 * a)], 1u);
}

extern "C" __global__ void wordle_block(unsigned *bins, const unsigned char *guesses, const unsigned char *answers, int count)
{
    __shared__ unsigned own[243];
    __shared__ unsigned char guess[5];
    int t = threadIdx.x;
    if (t < 243)
        own[t] = 0;
    if (t < 5)
        guess[t] = guesses[blockIdx.x * 5 + t];
    __syncthreads();
    for (int a = t; a < count; a += blockDim.x)
        atomicAdd(&own[pattern(guess, answers + 5 * a)], 1u);
    __syncthreads();
    if (t < 243)
        bins[blockIdx.x * 243 + t] = own[t];
}

__device__ __forceinline__ unsigned pack(const unsigned char *word)
{
    unsigned v = 0;
#pragma unroll
    for (int i = 0; i < 5; i++)
        v |= (word[i] - 'a') << 6 * i;
    return v;
}

extern "C" __global__ void wordle_pack(unsigned *packed, const unsigned char *words, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        packed[i] = pack(words + 5 * i);
}

// Six bits a letter: a letter that is used up becomes 63, which no letter is.
extern "C" __global__ void __launch_bounds__(256) wordle_packed(unsigned *__restrict__ bins, const unsigned char *__restrict__ guesses, const unsigned *__restrict__ packed, int count)
{
    __shared__ unsigned own[256];
    const unsigned ones = 0x01041041u, tops = 0x20820820u;
    int t = threadIdx.x;
    own[t] = 0;
    unsigned guess = pack(guesses + blockIdx.x * 5);
    __syncthreads();
    for (int a = t; a < count; a += 256) {
        unsigned rest = packed[a], same = rest ^ guess;
        unsigned equal = ~(same | same >> 1 | same >> 2 | same >> 3 | same >> 4) & ones;
        rest |= equal * 63;
        int code = 0;
#pragma unroll
        for (int i = 0, weight = 1; i < 5; i++, weight *= 3) {
            unsigned x = rest ^ (guess >> 6 * i & 63) * ones, zero = (x - ones) & ~x & tops;
            bool hit = equal >> 6 * i & 1;
            zero &= -zero;
            if (!hit)
                rest |= (zero >> 5) * 63;
            code += hit ? 2 * weight : zero != 0 ? weight : 0;
        }
        atomicAdd(&own[code], 1u);
    }
    __syncthreads();
    if (t < 243)
        bins[blockIdx.x * 243 + t] = own[t];
}
