// Best local alignment of pairs of 128 letters: 3 where alike, -2 where not, -2 for a gap. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// A thread a row; three diagonals by row, row 0 being zeros.
extern "C" __global__ void swat_diagonals(int *best, const unsigned char *a, const unsigned char *b)
{
    __shared__ int h[3][129];
    __shared__ unsigned char letters[128];
    __shared__ int top;
    int t = threadIdx.x, own = a[blockIdx.x * 128 + t], most = 0;
    letters[t] = b[blockIdx.x * 128 + t];
    for (int i = 0; i < 3; i++)
        h[i][t + 1] = 0;
    if (t == 0)
        h[0][0] = h[1][0] = h[2][0] = top = 0;
    __syncthreads();
    for (int d = 0; d < 255; d++) {
        int col = d - t, *now = h[d % 3];
        const int *before = h[(d + 2) % 3], *two = h[(d + 1) % 3];
        int score = 0;
        if (col >= 0 && col < 128) {
            score = max(0, two[t] + (letters[col] == own ? 3 : -2));
            score = max(score, max(before[t], before[t + 1]) - 2);
            most = max(most, score);
        }
        now[t + 1] = score;
        __syncthreads();
    }
    atomicMax(&top, most);
    __syncthreads();
    if (t == 0)
        best[blockIdx.x] = top;
}

// Four columns a lane; a lane is a row behind the one before it.
extern "C" __global__ void swat_warp(int *__restrict__ best, const unsigned char *__restrict__ a, const uchar4 *__restrict__ b, int pairs)
{
    __shared__ unsigned char rows[4][128];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, pair = blockIdx.x * 4 + warp;
    if (pair >= pairs)
        return;
    *(uchar4 *)&rows[warp][4 * lane] = ((const uchar4 *)a)[pair * 32 + lane];
    uchar4 v = b[pair * 32 + lane];
    int letter[4] = {v.x, v.y, v.z, v.w}, above[4] = {}, corner = 0, most = 0;
    __syncwarp();
    for (int step = 0; step < 159; step++) {
        int row = step - lane, left = __shfl_up_sync(0xffffffff, above[3], 1);
        if (lane == 0)
            left = 0;
        if (row >= 0 && row < 128) {
            int own = rows[warp][row], diagonal = corner;
            corner = left;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                int score = max(max(0, diagonal + (letter[k] == own ? 3 : -2)), max(above[k], left) - 2);
                diagonal = above[k];
                above[k] = left = score;
                most = max(most, score);
            }
        }
    }
    most = __reduce_max_sync(0xffffffff, most);
    if (lane == 0)
        best[pair] = most;
}
