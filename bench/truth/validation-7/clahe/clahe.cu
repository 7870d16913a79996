// Bytes equalized by tiles of 64 x 64, counts above a limit spread over all. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void clahe_counts(int *counts, const unsigned char *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        atomicAdd(&counts[(y / 64 * (n / 64) + x / 64) * 256 + in[y * n + x]], 1);
}

// The map of a tile from its counts, by a block of 256.
__device__ unsigned char mapped(int count)
{
    __shared__ int s[256];
    int t = threadIdx.x, over = max(count - 48, 0);
    s[t] = over;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    over = s[0] / 256;
    __syncthreads();
    s[t] = min(count, 48) + over;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    return s[t] * 255 / 4096;
}

extern "C" __global__ void clahe_sums(unsigned char *map, const int *counts)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    map[i] = mapped(counts[i]);
}

extern "C" __global__ void clahe_look(unsigned char *out, const unsigned char *in, const unsigned char *map, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        out[y * n + x] = map[(y / 64 * (n / 64) + x / 64) * 256 + in[y * n + x]];
}

// A tile a block: its bytes stay in registers, four words of four a thread.
extern "C" __global__ void __launch_bounds__(256) clahe_merged(unsigned char *__restrict__ out,
                                                               const unsigned char *__restrict__ in, int n)
{
    __shared__ int counts[256];
    __shared__ unsigned char map[256];
    int t = threadIdx.x, at = (blockIdx.y * 64 + t / 16) * n + blockIdx.x * 64 + t % 16 * 4;
    counts[t] = 0;
    uchar4 v[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        v[i] = *(const uchar4 *)&in[at + i * 16 * n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        atomicAdd(&counts[v[i].x], 1);
        atomicAdd(&counts[v[i].y], 1);
        atomicAdd(&counts[v[i].z], 1);
        atomicAdd(&counts[v[i].w], 1);
    }
    __syncthreads();
    map[t] = mapped(counts[t]);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++)
        *(uchar4 *)&out[at + i * 16 * n] = make_uchar4(map[v[i].x], map[v[i].y], map[v[i].z], map[v[i].w]);
}
