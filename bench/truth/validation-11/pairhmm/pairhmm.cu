// Likelihood of a read against a haplotype, summed over all alignments by three states a cell. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
// A thread has a letter of the read and moves along the haplotype one step behind the thread before.
extern "C" __global__ void pairhmm_diagonals(float *out, const unsigned char *read, const float *wrong, const unsigned char *hap, int letters, int length)
{
    __shared__ float m[3][64], x[3][64], y[3][64], last;
    int t = threadIdx.x, pair = blockIdx.x;
    float start = 1e30f / length, miss = wrong[pair * letters + t] / 3.0f, hit = 1.0f - wrong[pair * letters + t];
    for (int k = 0; k < 3; k++)
        m[k][t] = x[k][t] = y[k][t] = 0.0f;
    if (t == 0)
        last = 0.0f;
    __syncthreads();
    for (int d = 0; d < letters + length - 1; d++) {
        int j = d - t, now = d % 3, before = (d + 2) % 3, two = (d + 1) % 3;
        if (j >= 0 && j < length) {
            float chance = read[pair * letters + t] == hap[pair * length + j] ? hit : miss;
            float above_m = t > 0 ? m[before][t - 1] : 0.0f, above_x = t > 0 ? x[before][t - 1] : 0.0f;
            float across_m = t > 0 && j > 0 ? m[two][t - 1] : 0.0f, across_x = t > 0 && j > 0 ? x[two][t - 1] : 0.0f;
            float across_y = t == 0 ? start : j > 0 ? y[two][t - 1] : 0.0f;
            float left_m = j > 0 ? m[before][t] : 0.0f, left_y = j > 0 ? y[before][t] : 0.0f;
            m[now][t] = chance * (0.8f * across_m + 0.9f * (across_x + across_y));
            x[now][t] = 0.1f * above_m + 0.1f * above_x;
            y[now][t] = 0.1f * left_m + 0.1f * left_y;
            if (t == letters - 1)
                last += m[now][t] + x[now][t];
        }
        __syncthreads();
    }
    if (t == 0)
        out[pair] = log10f(last) - 30.0f;
}

// A lane has two letters; what the next lane needs is shuffled to it.
extern "C" __global__ void __launch_bounds__(128) pairhmm_shuffles(float *__restrict__ out, const uchar2 *__restrict__ read, const float2 *__restrict__ wrong,
                                                                   const unsigned char *__restrict__ hap, int pairs)
{
    __shared__ unsigned haps[4][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, pair = blockIdx.x * 4 + warp;
    if (pair >= pairs)
        return;
    haps[warp][lane] = ((const unsigned *)hap)[pair * 32 + lane];
    __syncwarp();
    const unsigned char *letters = (const unsigned char *)haps[warp];
    uchar2 own = read[pair * 32 + lane];
    float2 bad = wrong[pair * 32 + lane];
    float miss0 = bad.x * (1.0f / 3), miss1 = bad.y * (1.0f / 3), hit0 = 1.0f - bad.x, hit1 = 1.0f - bad.y, start = 1e30f / 128, last = 0.0f;
    float m0 = 0, x0 = 0, y0 = 0, m1 = 0, x1 = 0, y1 = 0, across_m = 0, across_x = 0, across_y = lane == 0 ? start : 0.0f;
    for (int d = 0; d < 159; d++) {
        float above_m = __shfl_up_sync(0xffffffff, m1, 1), above_x = __shfl_up_sync(0xffffffff, x1, 1), above_y = __shfl_up_sync(0xffffffff, y1, 1);
        if (lane == 0) {
            above_m = above_x = 0.0f;
            above_y = start;
        }
        int j = d - lane;
        if (j >= 0 && j < 128) {
            unsigned char letter = letters[j];
            float next_m0 = (letter == own.x ? hit0 : miss0) * (0.8f * across_m + 0.9f * (across_x + across_y));
            float next_m1 = (letter == own.y ? hit1 : miss1) * (0.8f * m0 + 0.9f * (x0 + y0));
            y0 = 0.1f * (m0 + y0);
            x0 = 0.1f * (above_m + above_x);
            y1 = 0.1f * (m1 + y1);
            x1 = 0.1f * (next_m0 + x0);
            m0 = next_m0;
            m1 = next_m1;
            last += m1 + x1;
            across_m = above_m;
            across_x = above_x;
            across_y = above_y;
        }
    }
    if (lane == 31)
        out[pair] = __log10f(last) - 30.0f;
}
