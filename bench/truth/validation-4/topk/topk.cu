// The eight largest numbers of each row, the largest first. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int K = 8;

__device__ void insert(float (&best)[K], float v)
{
    if (v <= best[K - 1])
        return;
    best[K - 1] = v;
#pragma unroll
    for (int i = K - 1; i > 0; i--)
        if (best[i] > best[i - 1]) {
            float swap = best[i];
            best[i] = best[i - 1];
            best[i - 1] = swap;
        }
}

extern "C" __global__ void topk_thread(float *out, const float *in, int rows, int cols)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float best[K];
    for (int i = 0; i < K; i++)
        best[i] = -1e30f;
    for (int c = 0; c < cols; c++)
        insert(best, in[r * cols + c]);
    for (int i = 0; i < K; i++)
        out[r * K + i] = best[i];
}

// Each lane has its own eight; then the largest of all lanes is taken eight times.
extern "C" __global__ void topk_warp(float *out, const float *in, int rows, int cols)
{
    int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float best[K];
#pragma unroll
    for (int i = 0; i < K; i++)
        best[i] = -1e30f;
    for (int c = lane; c < cols; c += 32)
        insert(best, in[r * cols + c]);
    for (int k = 0; k < K; k++) {
        float most = best[0];
        for (int d = 16; d > 0; d /= 2)
            most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
        unsigned has = __ballot_sync(0xffffffff, best[0] == most);
        if (lane == __ffs(has) - 1) {
            out[r * K + k] = most;
#pragma unroll
            for (int i = 0; i < K - 1; i++)
                best[i] = best[i + 1];
            best[K - 1] = -1e30f;
        }
    }
}

// The row in shared memory; eight times its largest is sought and struck out.
extern "C" __global__ void topk_block(float *out, const float *in, int cols)
{
    extern __shared__ float row[];
    __shared__ float values[4];
    __shared__ int places[4];
    int t = threadIdx.x, r = blockIdx.x;
    for (int c = t; c < cols; c += blockDim.x)
        row[c] = in[r * cols + c];
    __syncthreads();
    for (int k = 0; k < K; k++) {
        float most = -1e30f;
        int place = -1;
        for (int c = t; c < cols; c += blockDim.x)
            if (row[c] > most) {
                most = row[c];
                place = c;
            }
        for (int d = 16; d > 0; d /= 2) {
            float v = __shfl_down_sync(0xffffffff, most, d);
            int p = __shfl_down_sync(0xffffffff, place, d);
            if (v > most) {
                most = v;
                place = p;
            }
        }
        if (t % 32 == 0) {
            values[t / 32] = most;
            places[t / 32] = place;
        }
        __syncthreads();
        if (t == 0) {
            for (int w = 1; w < 4; w++)
                if (values[w] > most) {
                    most = values[w];
                    place = places[w];
                }
            out[r * K + k] = most;
            row[place] = -1e30f;
        }
        __syncthreads();
    }
}
