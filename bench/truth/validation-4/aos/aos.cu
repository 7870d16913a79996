// Records of seven floats to seven arrays. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
struct particle {
    float x, y, z, vx, vy, vz, mass;
};

extern "C" __global__ void aos_record(float *out, const particle *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particle p = in[i];
    out[i] = p.x;
    out[n + i] = p.y;
    out[2 * n + i] = p.z;
    out[3 * n + i] = p.vx;
    out[4 * n + i] = p.vy;
    out[5 * n + i] = p.vz;
    out[6 * n + i] = p.mass;
}

// Blocks of one array each.
extern "C" __global__ void aos_column(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, f = blockIdx.y;
    if (i < n)
        out[f * n + i] = in[7 * i + f];
}

// 128 records through shared memory, which are read as they lie.
extern "C" __global__ void aos_shared(float *out, const float *in, int n)
{
    __shared__ float s[7 * 128];
    int first = blockIdx.x * 128, t = threadIdx.x, count = min(128, n - first);
    for (int i = t; i < 7 * count; i += 128)
        s[i] = in[7 * first + i];
    __syncthreads();
    if (t >= count)
        return;
#pragma unroll
    for (int f = 0; f < 7; f++)
        out[f * n + first + t] = s[7 * t + f];
}
