// The score of the best path of 32 hidden states over 32 symbols, logarithms added. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned char byte;

// Scores of all states in arrays of the thread's own.
extern "C" __global__ void viterbi_thread(float *score, const byte *symbols, const float *move, const float *emit, int sequences)
{
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= sequences)
        return;
    float best[32], next[32];
    for (int j = 0; j < 32; j++)
        best[j] = emit[j * 16 + symbols[s * 32]];
    for (int t = 1; t < 32; t++) {
        int symbol = symbols[s * 32 + t];
#pragma unroll 1
        for (int j = 0; j < 32; j++) {
            float most = -1e30f;
#pragma unroll 4
            for (int i = 0; i < 32; i++)
                most = fmaxf(most, best[i] + move[i * 32 + j]);
            next[j] = most + emit[j * 16 + symbol];
        }
#pragma unroll 4
        for (int j = 0; j < 32; j++)
            best[j] = next[j];
    }
    float most = best[0];
    for (int j = 1; j < 32; j++)
        most = fmaxf(most, best[j]);
    score[s] = most;
}

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
    return v;
}

// A warp a sequence, a lane a state: all in shared memory.
extern "C" __global__ void viterbi_warp(float *score, const byte *symbols, const float *move, const float *emit, int sequences)
{
    __shared__ float moves[32][32], emits[16][32], best[8][32];
    int lane = threadIdx.x, warp = threadIdx.y, t = warp * 32 + lane, s = blockIdx.x * 8 + warp;
    for (int i = t; i < 1024; i += 256)
        moves[i / 32][i % 32] = move[i];
    for (int i = t; i < 512; i += 256)
        emits[i % 16][i / 16] = emit[i];
    __syncthreads();
    if (s >= sequences)
        return;
    best[warp][lane] = emits[symbols[s * 32]][lane];
    for (int k = 1; k < 32; k++) {
        __syncwarp();
        float most = -1e30f;
        for (int i = 0; i < 32; i++)
            most = fmaxf(most, best[warp][i] + moves[i][lane]);
        __syncwarp();
        best[warp][lane] = most + emits[symbols[s * 32 + k]][lane];
    }
    float most = warp_max(best[warp][lane]);
    if (lane == 0)
        score[s] = most;
}

// What leads to a lane's state lies in registers, scores come by shuffles, the symbols from one load.
extern "C" __global__ void __launch_bounds__(128) viterbi_shuffles(float *__restrict__ score, const byte *__restrict__ symbols,
                                                                  const float *__restrict__ move, const float *__restrict__ emit, int sequences)
{
    int lane = threadIdx.x % 32, s = blockIdx.x * 4 + threadIdx.x / 32;
    if (s >= sequences)
        return;
    float moves[32];
#pragma unroll
    for (int i = 0; i < 32; i++)
        moves[i] = move[i * 32 + lane];
    int own = symbols[s * 32 + lane];
    float best = emit[lane * 16 + __shfl_sync(0xffffffff, own, 0)];
    for (int k = 1; k < 32; k++) {
        float now = emit[lane * 16 + __shfl_sync(0xffffffff, own, k)], most = -1e30f, other = -1e30f;
#pragma unroll
        for (int i = 0; i < 32; i += 2) {
            most = fmaxf(most, __shfl_sync(0xffffffff, best, i) + moves[i]);
            other = fmaxf(other, __shfl_sync(0xffffffff, best, i + 1) + moves[i + 1]);
        }
        best = fmaxf(most, other) + now;
    }
    best = warp_max(best);
    if (lane == 0)
        score[s] = best;
}
