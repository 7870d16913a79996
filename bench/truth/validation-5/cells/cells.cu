// Soft repulsion within a radius of one, the side of a cell: particles lie cell by cell, on a torus. Nothing is tuned on these
// kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ void add_force(float4 &sum, float4 a, float4 b, float dx, float dy, float dz)
{
    float x = a.x - b.x - dx, y = a.y - b.y - dy, z = a.z - b.z - dz, r2 = x * x + y * y + z * z;
    if (r2 < 1.0f && r2 > 0.0f) {
        float inverse = rsqrtf(r2), w = 1.0f - r2 * inverse, s = w * inverse;
        sum.x += s * x;
        sum.y += s * y;
        sum.z += s * z;
        sum.w += 0.5f * w * w;
    }
}

__device__ int wrapped(int i, int side)
{
    return i < 0 ? i + side : i >= side ? i - side : i;
}

extern "C" __global__ void cells_name(int *cell, const int *starts, int cells)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cells)
        for (int p = starts[c]; p < starts[c + 1]; p++)
            cell[p] = c;
}

extern "C" __global__ void cells_particle(float4 *force, const float4 *place, const int *starts, const int *cell, int count, int side)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= count)
        return;
    int c = cell[p], cx = c % side, cy = c / side % side, cz = c / (side * side);
    float4 mine = place[p], sum = make_float4(0, 0, 0, 0);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                int near = (wrapped(cz + dz, side) * side + wrapped(cy + dy, side)) * side + wrapped(cx + dx, side);
                for (int o = starts[near]; o < starts[near + 1]; o++)
                    if (o != p)
                        add_force(sum, mine, place[o], dx, dy, dz);
            }
    force[p] = sum;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffff, v, d);
    return v;
}

// A warp a particle: each of 27 lanes has a cell.
extern "C" __global__ void cells_warp(float4 *force, const float4 *place, const int *starts, const int *cell, int count, int side)
{
    int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (p >= count)
        return;
    int c = cell[p], cx = c % side, cy = c / side % side, cz = c / (side * side);
    float4 mine = place[p], sum = make_float4(0, 0, 0, 0);
    if (lane < 27) {
        int dx = lane % 3 - 1, dy = lane / 3 % 3 - 1, dz = lane / 9 - 1;
        int near = (wrapped(cz + dz, side) * side + wrapped(cy + dy, side)) * side + wrapped(cx + dx, side);
        int end = starts[near + 1];
        for (int o = starts[near]; o < end; o++)
            if (o != p)
                add_force(sum, mine, place[o], dx, dy, dz);
    }
    sum.x = warp_sum(sum.x);
    sum.y = warp_sum(sum.y);
    sum.z = warp_sum(sum.z);
    sum.w = warp_sum(sum.w);
    if (lane == 0)
        force[p] = sum;
}

// A block a cell: the neighbours' particles pass through shared memory, cell by cell.
extern "C" __global__ void __launch_bounds__(64) cells_block(float4 *__restrict__ force, const float4 *__restrict__ place,
                                                            const int *__restrict__ starts, int side)
{
    __shared__ float4 s[64];
    int cx = blockIdx.x, cy = blockIdx.y, cz = blockIdx.z, t = threadIdx.x;
    int c = (cz * side + cy) * side + cx, first = starts[c], own = starts[c + 1] - first;
    for (int base = 0; base < own; base += 64) {
        bool in = base + t < own;
        float4 mine = in ? place[first + base + t] : make_float4(0, 0, 0, 0), sum = make_float4(0, 0, 0, 0);
        for (int k = 0; k < 27; k++) {
            int dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
            int near = (wrapped(cz + dz, side) * side + wrapped(cy + dy, side)) * side + wrapped(cx + dx, side);
            int begin = starts[near], end = starts[near + 1];
            for (int o = begin; o < end; o += 64) {
                if (o + t < end) {
                    float4 v = place[o + t];
                    s[t] = make_float4(v.x + dx, v.y + dy, v.z + dz, 0.0f);
                }
                __syncthreads();
                if (in)
                    for (int i = 0; i < min(64, end - o); i++)
                        add_force(sum, mine, s[i], 0.0f, 0.0f, 0.0f);
                __syncthreads();
            }
        }
        if (in)
            force[first + base + t] = sum;
    }
}
