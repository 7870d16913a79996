// Means of the four features of the points in each of 16 x 16 x 16 cells; zeros where there is none. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void voxel_add(float *sums, int *counts, const float *p, const float *f, int n, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int x = (int)(p[3 * i] * side), y = (int)(p[3 * i + 1] * side), z = (int)(p[3 * i + 2] * side), cell = (z * side + y) * side + x;
    atomicAdd(&counts[cell], 1);
    for (int k = 0; k < 4; k++)
        atomicAdd(&sums[4 * cell + k], f[4 * i + k]);
}

extern "C" __global__ void voxel_divide(float *mean, const float *sums, const int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        mean[i] = counts[i / 4] > 0 ? sums[i] / counts[i / 4] : 0.0f;
}

__device__ int cell_of(const float *p, int i)
{
    return ((int)(p[3 * i + 2] * 16.0f) * 16 + (int)(p[3 * i + 1] * 16.0f)) * 16 + (int)(p[3 * i] * 16.0f);
}

extern "C" __global__ void voxel_count(int *counts, int *place, const float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        place[i] = atomicAdd(&counts[cell_of(p, i)], 1);
}

extern "C" __global__ void __launch_bounds__(1024) voxel_starts(int4 *__restrict__ starts, const int4 *__restrict__ counts)
{
    __shared__ int warps[32];
    int t = threadIdx.x, lane = t % 32;
    int4 c = counts[t];
    int own = c.x + c.y + c.z + c.w, sum = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, d);
        sum += lane >= d ? other : 0;
    }
    if (lane == 31)
        warps[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        int all = warps[t];
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            int other = __shfl_up_sync(0xffffffff, all, d);
            all += lane >= d ? other : 0;
        }
        warps[t] = all;
    }
    __syncthreads();
    sum += (t >= 32 ? warps[t / 32 - 1] : 0) - own;
    starts[t] = make_int4(sum, sum + c.x, sum + c.x + c.y, sum + c.x + c.y + c.z);
}

extern "C" __global__ void voxel_order(int *order, const int *starts, const int *place, const float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        order[starts[cell_of(p, i)] + place[i]] = i;
}

// A warp a cell.
extern "C" __global__ void __launch_bounds__(256) voxel_means(float4 *__restrict__ mean, const int *__restrict__ starts, const int *__restrict__ counts,
                                                              const int *__restrict__ order, const float4 *__restrict__ f)
{
    int cell = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, start = starts[cell], count = counts[cell];
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = lane; k < count; k += 32) {
        float4 v = f[order[start + k]];
        sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) {
        sum.x += __shfl_xor_sync(0xffffffff, sum.x, d);
        sum.y += __shfl_xor_sync(0xffffffff, sum.y, d);
        sum.z += __shfl_xor_sync(0xffffffff, sum.z, d);
        sum.w += __shfl_xor_sync(0xffffffff, sum.w, d);
    }
    if (lane == 0) {
        float by = count > 0 ? 1.0f / count : 0.0f;
        mean[cell] = make_float4(sum.x * by, sum.y * by, sum.z * by, sum.w * by);
    }
}
