// Forty points of clouds of 2048, each the farthest from those before it, beginning with the first. Coordinates are whole numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

// The larger the distance, and then the lower the point, the larger the key.
__device__ u64 key(float distance, int point)
{
    return (u64)__float_as_uint(distance) << 32 | (unsigned)~point;
}

extern "C" __global__ void fps_begin(int *chosen, float *distance, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, cloud = blockIdx.y;
    if (i < n)
        distance[cloud * n + i] = 1e30f;
    if (i == 0)
        chosen[cloud * count] = 0;
}

extern "C" __global__ void fps_distances(u64 *part, float *distance, const int *chosen, const float *p, int n, int count, int k)
{
    __shared__ u64 s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, cloud = blockIdx.y;
    s[t] = 0;
    if (i < n) {
        const float *own = p + 3 * (cloud * n + i), *last = p + 3 * (cloud * n + chosen[cloud * count + k - 1]);
        float dx = own[0] - last[0], dy = own[1] - last[1], dz = own[2] - last[2];
        float d = fminf(distance[cloud * n + i], dx * dx + dy * dy + dz * dz);
        distance[cloud * n + i] = d;
        s[t] = key(d, i);
    }
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] = max(s[t], s[t + d]);
        __syncthreads();
    }
    if (t == 0)
        part[cloud * gridDim.x + blockIdx.x] = s[0];
}

extern "C" __global__ void fps_choose(int *chosen, const u64 *part, int parts, int count, int k, int clouds)
{
    int cloud = blockIdx.x * blockDim.x + threadIdx.x;
    if (cloud >= clouds)
        return;
    u64 most = 0;
    for (int j = 0; j < parts; j++)
        most = max(most, part[cloud * parts + j]);
    chosen[cloud * count + k] = ~(unsigned)most;
}

extern "C" __global__ void fps_tree(int *chosen, float *distance, const float *p, int n, int count)
{
    __shared__ u64 s[512];
    int t = threadIdx.x, last = 0;
    p += 3 * blockIdx.x * n;
    distance += blockIdx.x * n;
    for (int i = t; i < n; i += blockDim.x)
        distance[i] = 1e30f;
    if (t == 0)
        chosen[blockIdx.x * count] = 0;
    for (int k = 1; k < count; k++) {
        float x = p[3 * last], y = p[3 * last + 1], z = p[3 * last + 2];
        u64 most = 0;
        for (int i = t; i < n; i += blockDim.x) {
            float dx = p[3 * i] - x, dy = p[3 * i + 1] - y, dz = p[3 * i + 2] - z;
            distance[i] = fminf(distance[i], dx * dx + dy * dy + dz * dz);
            most = max(most, key(distance[i], i));
        }
        s[t] = most;
        __syncthreads();
        for (int d = blockDim.x / 2; d > 0; d /= 2) {
            if (t < d)
                s[t] = max(s[t], s[t + d]);
            __syncthreads();
        }
        last = ~(unsigned)s[0];
        if (t == 0)
            chosen[blockIdx.x * count + k] = last;
        __syncthreads();
    }
}

// Four points a thread in registers; each warp finds the largest of all warps by itself.
extern "C" __global__ void __launch_bounds__(512) fps_shuffles(int *__restrict__ chosen, const float *__restrict__ p)
{
    __shared__ float xs[2048], ys[2048], zs[2048];
    __shared__ u64 part[2][16];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, last = 0;
    p += 6144 * blockIdx.x;
    float x[4], y[4], z[4], distance[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int i = t + 512 * j;
        xs[i] = x[j] = p[3 * i];
        ys[i] = y[j] = p[3 * i + 1];
        zs[i] = z[j] = p[3 * i + 2];
        distance[j] = 1e30f;
    }
    if (t == 0)
        chosen[blockIdx.x * 40] = 0;
    __syncthreads();
    for (int k = 1; k < 40; k++) {
        float lx = xs[last], ly = ys[last], lz = zs[last];
        u64 most = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float dx = x[j] - lx, dy = y[j] - ly, dz = z[j] - lz;
            distance[j] = fminf(distance[j], dx * dx + dy * dy + dz * dz);
            most = max(most, key(distance[j], t + 512 * j));
        }
#pragma unroll
        for (int d = 16; d > 0; d /= 2)
            most = max(most, __shfl_xor_sync(0xffffffff, most, d));
        if (lane == 0)
            part[k % 2][warp] = most;
        __syncthreads();
        most = part[k % 2][lane % 16];
#pragma unroll
        for (int d = 8; d > 0; d /= 2)
            most = max(most, __shfl_xor_sync(0xffffffff, most, d));
        last = ~(unsigned)most;
        if (t == 0)
            chosen[blockIdx.x * 40 + k] = last;
    }
}
