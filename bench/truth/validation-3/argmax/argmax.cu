// The place of each row's largest number, the first of equal ones. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// A block of 256 per row, a tree of values and places in shared memory.
extern "C" __global__ void argmax_tree(int *place, const float *x, int rows, int cols)
{
    __shared__ float values[256];
    __shared__ int places[256];
    int row = blockIdx.x, t = threadIdx.x;
    const float *in = x + (size_t)row * cols;
    float best = -INFINITY;
    int at = 0;
    for (int i = t; i < cols; i += blockDim.x)
        if (in[i] > best) {
            best = in[i];
            at = i;
        }
    values[t] = best;
    places[t] = at;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) {
            float other = values[t + d];
            int there = places[t + d];
            if (other > values[t] || (other == values[t] && there < places[t])) {
                values[t] = other;
                places[t] = there;
            }
        }
        __syncthreads();
    }
    if (t == 0)
        place[row] = places[0];
}

__device__ void warp_best(float &best, int &at)
{
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        float other = __shfl_down_sync(0xffffffffu, best, d);
        int there = __shfl_down_sync(0xffffffffu, at, d);
        if (other > best || (other == best && there < at)) {
            best = other;
            at = there;
        }
    }
}

// A block of four warps per row: shuffles, then the first warp takes what the four have found.
extern "C" __global__ void argmax_shuffle(int *place, const float *x, int rows, int cols)
{
    __shared__ float values[4];
    __shared__ int places[4];
    int row = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float best = -INFINITY;
    int at = 0x7fffffff;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) {
        float v = x[(size_t)row * cols + i];
        if (v > best) {
            best = v;
            at = i;
        }
    }
    warp_best(best, at);
    if (lane == 0) {
        values[warp] = best;
        places[warp] = at;
    }
    __syncthreads();
    if (warp == 0) {
        best = lane < 4 ? values[lane] : -INFINITY;
        at = lane < 4 ? places[lane] : 0x7fffffff;
        warp_best(best, at);
        if (lane == 0)
            place[row] = at;
    }
}

// A warp per row, 16 bytes a lane and load.
extern "C" __global__ void argmax_sixteen(int *place, const float4 *x, int rows, int quads)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float best = -INFINITY;
    int at = 0x7fffffff;
#pragma unroll 4
    for (int i = lane; i < quads; i += 32) {
        float4 v = x[(size_t)row * quads + i];
        if (v.x > best) {
            best = v.x;
            at = 4 * i;
        }
        if (v.y > best) {
            best = v.y;
            at = 4 * i + 1;
        }
        if (v.z > best) {
            best = v.z;
            at = 4 * i + 2;
        }
        if (v.w > best) {
            best = v.w;
            at = 4 * i + 3;
        }
    }
    warp_best(best, at);
    if (lane == 0)
        place[row] = at;
}
