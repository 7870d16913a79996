// Local alignment of pairs of sequences of 64 letters (Smith and Waterman, linear gaps): the best score of each pair. Nothing
// is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int LENGTH = 64, MATCH = 3, MISMATCH = -2, GAP = 2;

__device__ int cell(int corner, int left, int above, bool same)
{
    return max(max(corner + (same ? MATCH : MISMATCH), max(left, above) - GAP), 0);
}

// A thread per pair, the row before in shared memory, threads side by side.
extern "C" __global__ void align_thread(int *score, const unsigned char *a, const unsigned char *b, int pairs)
{
    __shared__ short row[LENGTH][64];
    int t = threadIdx.x, pair = blockIdx.x * 64 + t, best = 0;
    if (pair >= pairs)
        return;
    for (int x = 0; x < LENGTH; x++)
        row[x][t] = 0;
    for (int y = 0; y < LENGTH; y++) {
        int corner = 0, left = 0;
        unsigned char letter = b[pair * LENGTH + y];
        for (int x = 0; x < LENGTH; x++) {
            int above = row[x][t];
            left = cell(corner, left, above, letter == a[pair * LENGTH + x]);
            row[x][t] = (short)left;
            corner = above;
            best = max(best, left);
        }
    }
    score[pair] = best;
}

// A block of 64 per pair, along its diagonals: a thread per column, the two diagonals before in shared memory.
extern "C" __global__ void align_block(int *score, const unsigned char *a, const unsigned char *b)
{
    __shared__ int diagonal[3][LENGTH + 1];
    __shared__ unsigned char letters[LENGTH];
    __shared__ int bests[2];
    int t = threadIdx.x, best = 0;
    unsigned char mine = a[blockIdx.x * LENGTH + t];
    letters[t] = b[blockIdx.x * LENGTH + t];
    for (int d = 0; d < 3; d++) {
        diagonal[d][t + 1] = 0;
        if (t == 0)
            diagonal[d][0] = 0;
    }
    __syncthreads();
    for (int d = 0; d < 2 * LENGTH - 1; d++) {
        int y = d - t, now = d % 3, before = (d + 2) % 3, twice = (d + 1) % 3;
        if (y >= 0 && y < LENGTH) {
            int v = cell(y > 0 ? diagonal[twice][t] : 0, diagonal[before][t], y > 0 ? diagonal[before][t + 1] : 0, mine == letters[y]);
            diagonal[now][t + 1] = v;
            best = max(best, v);
        }
        __syncthreads();
    }
    best = __reduce_max_sync(~0u, best);
    if (t % 32 == 0)
        bests[t / 32] = best;
    __syncthreads();
    if (t == 0)
        score[blockIdx.x] = max(bests[0], bests[1]);
}

// A warp per pair, two columns a lane in registers, the left one's value by a shuffle.
extern "C" __global__ void align_warp(int *score, const unsigned short *a, const unsigned char *b, int pairs)
{
    int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (pair >= pairs)
        return;
    unsigned both = a[pair * (LENGTH / 2) + lane], first = both & 255, second = both >> 8;
    int above0 = 0, above1 = 0, corner = 0, best = 0;
    for (int step = 0; step < LENGTH + 31; step++) {
        int left = __shfl_up_sync(~0u, above1, 1), y = step - lane;
        if (lane == 0)
            left = 0;
        if (y >= 0 && y < LENGTH) {
            unsigned letter = b[pair * LENGTH + y];
            int v0 = cell(corner, left, above0, letter == first), v1 = cell(above0, v0, above1, letter == second);
            corner = left;
            above0 = v0;
            above1 = v1;
            best = max(best, max(v0, v1));
        }
    }
    best = __reduce_max_sync(~0u, best);
    if (lane == 0)
        score[pair] = best;
}
