// out = c0*centre + c1*(the six neighbours), inside a box of f32; its shell is left. Nothing is tuned on these kernels
// (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define AT(x, y, z) (((z) * ny + (y)) * nx + (x))

// A thread per point.
extern "C" __global__ void star7_plain(float *out, const float *in, float c0, float c1, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1)
        out[AT(x, y, z)] = c0 * in[AT(x, y, z)] + c1 * (in[AT(x - 1, y, z)] + in[AT(x + 1, y, z)] + in[AT(x, y - 1, z)] +
                                                         in[AT(x, y + 1, z)] + in[AT(x, y, z - 1)] + in[AT(x, y, z + 1)]);
}

// A thread per column of some planes; what is below and above waits in registers.
extern "C" __global__ void star7_march(float *out, const float *in, float c0, float c1, int nx, int ny, int nz, int planes)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int first = max(1, blockIdx.z * planes), last = min(nz - 1, (blockIdx.z + 1) * planes);
    float below = in[AT(x, y, first - 1)], here = in[AT(x, y, first)];
    for (int z = first; z < last; z++) {
        const float *p = &in[AT(x, y, z)];
        float above = p[nx * ny];
        out[AT(x, y, z)] = c0 * here + c1 * (p[-1] + p[1] + p[-nx] + p[nx] + below + above);
        below = here;
        here = above;
    }
}

// The same with the plane's tile and its rim in shared memory.
extern "C" __global__ void star7_tile(float *out, const float *in, float c0, float c1, int nx, int ny, int nz, int planes)
{
    __shared__ float s[16 + 2][32 + 2];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    bool have = x < nx && y < ny, inside = x > 0 && y > 0 && x < nx - 1 && y < ny - 1;
    int first = max(1, blockIdx.z * planes), last = blockIdx.z == gridDim.z - 1 ? nz - 1 : (blockIdx.z + 1) * planes;
    float below = have ? in[AT(x, y, first - 1)] : 0.0f, here = have ? in[AT(x, y, first)] : 0.0f;
    for (int z = first; z < last; z++) {
        float above = have ? in[AT(x, y, z + 1)] : 0.0f;
        s[ty][tx] = here;
        if (have) {
            if (threadIdx.x == 0 && x > 0)
                s[ty][0] = in[AT(x - 1, y, z)];
            if (threadIdx.x == 31 && x < nx - 1)
                s[ty][33] = in[AT(x + 1, y, z)];
            if (threadIdx.y == 0 && y > 0)
                s[0][tx] = in[AT(x, y - 1, z)];
            if (threadIdx.y == 15 && y < ny - 1)
                s[17][tx] = in[AT(x, y + 1, z)];
        }
        __syncthreads();
        if (inside)
            out[AT(x, y, z)] = c0 * here + c1 * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx] + below + above);
        __syncthreads();
        below = here;
        here = above;
    }
}
