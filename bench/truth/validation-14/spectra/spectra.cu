// Each peak of a query counts its height times that of the first peak of a library's spectrum within three of it. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void spectra_merge(int *score, const int *query, const unsigned char *qheight, const int *library, const unsigned char *lheight, int entries, int peaks, int within)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= entries)
        return;
    const int *a = query + blockIdx.y * peaks, *b = library + e * peaks;
    int first = b[0] - a[0], sum = 0, j = 0;
    for (int i = 0; i < peaks && j < peaks; i++) {
        int mass = a[i] + first;
        while (j < peaks && b[j] < mass - within)
            j++;
        if (j < peaks && b[j] <= mass + within)
            sum += qheight[blockIdx.y * peaks + i] * lheight[e * peaks + j];
    }
    score[blockIdx.y * entries + e] = sum;
}

// A warp a pair, two in turn: a lane looks up two of the query's peaks among the 64 others.
extern "C" __global__ void __launch_bounds__(256) spectra_warp(int *__restrict__ score, const int *__restrict__ query, const unsigned char *__restrict__ qheight, const int *__restrict__ library,
                                                               const unsigned char *__restrict__ lheight, int entries)
{
    __shared__ int masses[8][64];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, q = blockIdx.y;
    int least = query[q * 64], a[2] = {query[q * 64 + lane] - least, query[q * 64 + 32 + lane] - least}, h[2] = {qheight[q * 64 + lane], qheight[q * 64 + 32 + lane]};
    for (int r = 0; r < 2; r++) {
        int e = blockIdx.x * 16 + r * 8 + warp;
        if (e >= entries)
            return;
        int low = library[e * 64 + lane], high = library[e * 64 + 32 + lane], first = __shfl_sync(0xffffffffu, low, 0);
        masses[warp][lane] = low - first;
        masses[warp][lane + 32] = high - first;
        __syncwarp();
        int sum = 0;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            int at = 0;
#pragma unroll
            for (int d = 32; d > 0; d >>= 1)
                if (masses[warp][at + d - 1] < a[k] - 3)
                    at += d;
            int found = masses[warp][at] - a[k];
            if (found >= -3 && found <= 3)
                sum += h[k] * lheight[e * 64 + at];
        }
        sum = __reduce_add_sync(0xffffffffu, sum);
        if (lane == 0)
            score[q * entries + e] = sum;
        __syncwarp();
    }
}
