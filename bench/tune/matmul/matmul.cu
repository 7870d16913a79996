// C = A B of row-major f32 matrices. A block makes a tile of BM x BN elements, from slices of BK of K in shared memory; a
// thread has TM x TN elements, as far apart as there are threads. See experiment.yaml.
// SPDX-License-Identifier: Apache-2.0
enum { ACROSS = BN / TN, DOWN = BM / TM, THREADS = ACROSS * DOWN };

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul(float *c, const float *a, const float *b, int m, int n, int k, int group)
{
    __shared__ float as[BK][BM + PAD], bs[BK][BN];
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
    int across = n / BN, down = m / BM;
    for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
        // `group` rows of tiles together, column by column, so that neighbours share B's columns in the L2.
        int first = t / (group * across) * group;
        int tall = min(group, down - first), within = t - first * across;
        int row = (first + within % tall) * BM, column = within / tall * BN;
        float sum[TM][TN] = {};
        for (int from = 0; from < k; from += BK) {
            for (int i = threadIdx.x; i < BM * BK; i += THREADS)
                as[i % BK][i / BK] = a[(size_t)(row + i / BK) * k + from + i % BK];
            for (int i = threadIdx.x; i < BK * BN; i += THREADS)
                bs[i / BN][i % BN] = b[(size_t)(from + i / BN) * n + column + i % BN];
            __syncthreads();
#pragma unroll
            for (int i = 0; i < BK; i++) {
                float left[TM], right[TN];
#pragma unroll
                for (int r = 0; r < TM; r++)
                    left[r] = as[i][y + r * DOWN];
#pragma unroll
                for (int s = 0; s < TN; s++)
                    right[s] = bs[i][x + s * ACROSS];
#pragma unroll
                for (int r = 0; r < TM; r++)
#pragma unroll
                    for (int s = 0; s < TN; s++)
                        sum[r][s] += left[r] * right[s];
            }
            __syncthreads();
        }
#pragma unroll
        for (int r = 0; r < TM; r++)
#pragma unroll
            for (int s = 0; s < TN; s++)
                c[(size_t)(row + y + r * DOWN) * n + column + x + s * ACROSS] = sum[r][s];
    }
}
