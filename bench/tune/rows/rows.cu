// Sums of rows by LANES threads per row; a thread loads VEC neighbouring elements at a time, UNROLL times before it adds.
// A grid that is smaller than the matrix takes further rows.
// SPDX-License-Identifier: Apache-2.0
struct alignas(4 * VEC) pack {
    float v[VEC];
};

extern "C" __global__ void rows(float *out, const float *in, int rows, int n)
{
    int lane = threadIdx.x % LANES, in_grid = gridDim.x * blockDim.x / LANES;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    for (int base = 0; base < rows; base += in_grid) { // by whole warps, which exchange sums
        int row = base + first;
        const pack *from = (const pack *)(in + (size_t)row * n);
        float sum = 0;
        for (int i = lane; row < rows && i < n / VEC; i += LANES * UNROLL) {
            pack p[UNROLL];
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                p[u] = from[i + u * LANES];
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
#pragma unroll
                for (int k = 0; k < VEC; k++)
                    sum += p[u].v[k];
        }
        for (int d = LANES / 2; d > 0; d /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, d, LANES);
        if (row < rows && lane == 0)
            out[row] = sum;
    }
}
