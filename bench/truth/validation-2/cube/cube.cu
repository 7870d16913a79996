// A stencil of 27 points on a cube of f32: centre, faces, edges and corners have weights of their own; the shell is left.
// Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr float CENTRE = 0.3f, FACE = 0.05f, EDGE = 0.02f, CORNER = 0.02f;

// A thread per point, 27 loads.
extern "C" __global__ void cube_plain(float *out, const float *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    float sum = 0;
#pragma unroll
    for (int dz = -1; dz <= 1; dz++)
#pragma unroll
        for (int dy = -1; dy <= 1; dy++)
#pragma unroll
            for (int dx = -1; dx <= 1; dx++) {
                int away = (dx != 0) + (dy != 0) + (dz != 0);
                sum += (away == 0 ? CENTRE : away == 1 ? FACE : away == 2 ? EDGE : CORNER) * in[((z + dz) * n + y + dy) * n + x + dx];
            }
    out[(z * n + y) * n + x] = sum;
}

// What a plane gives to the point in it, and to those before and behind it.
struct plane {
    float here, beside;
};

__device__ plane sums(float centre, float sides, float corners)
{
    plane p = {CENTRE * centre + FACE * sides + EDGE * corners, FACE * centre + EDGE * sides + CORNER * corners};
    return p;
}

// Each thread goes along z and reads nine points of each plane once.
extern "C" __global__ void cube_march(float *out, const float *in, int n, int each)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z0 = blockIdx.z * each + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    auto look = [&](int z) {
        const float *p = in + (z * n + y) * n + x;
        return sums(p[0], p[-1] + p[1] + p[-n] + p[n], p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1]);
    };
    plane before = look(z0 - 1), now = look(z0);
    for (int z = z0; z < min(z0 + each, n - 1); z++) {
        plane behind = look(z + 1);
        out[(z * n + y) * n + x] = before.beside + now.here + behind.beside;
        before = now;
        now = behind;
    }
}

// The same with each plane's tile of 32 x 8 in shared memory, two of them in turns.
extern "C" __global__ void cube_tile(float *out, const float *in, int n, int each)
{
    __shared__ float s[2][10][34];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx + 1, y = blockIdx.y * 8 + ty + 1, z0 = blockIdx.z * each + 1;
    auto look = [&](int z) {
        float(*tile)[34] = s[z & 1];
        for (int i = ty * 32 + tx; i < 340; i += 256) {
            int px = min(blockIdx.x * 32 + i % 34, n - 1), py = min(blockIdx.y * 8 + i / 34, n - 1);
            tile[i / 34][i % 34] = in[(z * n + py) * n + px];
        }
        __syncthreads();
        const float *p = &tile[ty + 1][tx + 1];
        return sums(p[0], p[-1] + p[1] + p[-34] + p[34], p[-35] + p[-33] + p[33] + p[35]);
    };
    plane before = look(z0 - 1), now = look(z0);
    for (int z = z0; z < min(z0 + each, n - 1); z++) {
        plane behind = look(z + 1);
        if (x < n - 1 && y < n - 1)
            out[(z * n + y) * n + x] = before.beside + now.here + behind.beside;
        before = now;
        now = behind;
    }
}
