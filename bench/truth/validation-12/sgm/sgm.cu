// Costs of 64 disparities summed from left to right: a disparity follows itself for nothing, its neighbours for 10, any other for 120; the pixel before's least is taken off. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void sgm_block(unsigned short *sums, const unsigned char *costs, int width, int p1, int p2)
{
    __shared__ int before[66], least[64];
    int d = threadIdx.x;
    const unsigned char *c = costs + (size_t)blockIdx.x * width * 64;
    unsigned short *s = sums + (size_t)blockIdx.x * width * 64;
    if (d == 0)
        before[0] = before[65] = 1 << 20;
    int sum = c[d];
    s[d] = sum;
    for (int x = 1; x < width; x++) {
        before[d + 1] = sum;
        least[d] = sum;
        __syncthreads();
        for (int h = 32; h > 0; h /= 2) {
            if (d < h)
                least[d] = min(least[d], least[d + h]);
            __syncthreads();
        }
        int low = least[0], best = min(before[d + 1], min(before[d], before[d + 2]) + p1);
        sum = c[x * 64 + d] + min(best, low + p2) - low;
        s[x * 64 + d] = sum;
        __syncthreads();
    }
}

// Two disparities a lane.
extern "C" __global__ void __launch_bounds__(64) sgm_warp(ushort2 *__restrict__ sums, const uchar2 *__restrict__ costs, int rows)
{
    int lane = threadIdx.x % 32, row = blockIdx.x * 2 + threadIdx.x / 32;
    if (row >= rows)
        return;
    const uchar2 *c = costs + row * 8192 + lane;
    ushort2 *s = sums + row * 8192 + lane;
    uchar2 v = c[0];
    int a = v.x, b = v.y;
    s[0] = make_ushort2(a, b);
    for (int x0 = 1; x0 < 256; x0 += 5) {
        uchar2 next[5];
#pragma unroll
        for (int j = 0; j < 5; j++)
            next[j] = c[(x0 + j) * 32];
#pragma unroll
        for (int j = 0; j < 5; j++) {
            int low = __reduce_min_sync(0xffffffff, min(a, b));
            int left = __shfl_up_sync(0xffffffff, b, 1), right = __shfl_down_sync(0xffffffff, a, 1);
            left = lane == 0 ? 1 << 20 : left;
            right = lane == 31 ? 1 << 20 : right;
            int u = min(min(a, min(left, b) + 10), low + 120) - low, w = min(min(b, min(a, right) + 10), low + 120) - low;
            a = u + next[j].x;
            b = w + next[j].y;
            s[(x0 + j) * 32] = make_ushort2(a, b);
        }
    }
}
