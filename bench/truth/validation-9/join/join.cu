// Rows of two tables with equal keys: how many, and the sum of their payloads' products. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

__device__ unsigned mixed(unsigned k)
{
    k = (k ^ k >> 16) * 0x85ebca6b;
    k = (k ^ k >> 13) * 0xc2b2ae35;
    return k ^ k >> 16;
}

__device__ void add(u64 *out, u64 count, u64 sum)
{
    for (int d = 16; d > 0; d /= 2) {
        count += __shfl_xor_sync(0xffffffff, count, d);
        sum += __shfl_xor_sync(0xffffffff, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&out[0], count);
        atomicAdd(&out[1], sum);
    }
}

extern "C" __global__ void join_clear(int *keys, int count, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        keys[i] = value;
}

extern "C" __global__ void join_build(int *keys, int *values, const int *key, const int *value, int slots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = mixed(key[i]) % slots;
    while (atomicCAS(&keys[at], -1, key[i]) != -1)
        at = (at + 1) % slots;
    values[at] = value[i];
}

extern "C" __global__ void join_probe(u64 *out, const int *keys, const int *values, const int *key, const int *value, int slots, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    u64 count = 0, sum = 0;
    if (i < n) {
        int at = mixed(key[i]) % slots;
        while (keys[at] != -1 && keys[at] != key[i])
            at = (at + 1) % slots;
        if (keys[at] == key[i]) {
            count = 1;
            sum = (u64)values[at] * value[i];
        }
    }
    add(out, count, sum);
}

// Rows to 64 parts by the highest bits of the hash; a block takes places for 1024 rows at once.
extern "C" __global__ void __launch_bounds__(256) join_split(int2 *__restrict__ rows, int *__restrict__ counts, const int *__restrict__ key,
                                                             const int *__restrict__ value, int room, int n, int side)
{
    __shared__ int own[64], first[64];
    int t = threadIdx.x, part[4], place[4];
    if (t < 64)
        own[t] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int i = blockIdx.x * 1024 + 256 * k + t;
        if (i < n) {
            part[k] = mixed(key[i]) >> 26;
            place[k] = atomicAdd(&own[part[k]], 1);
        }
    }
    __syncthreads();
    if (t < 64)
        first[t] = atomicAdd(&counts[64 * side + t], own[t]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 4; k++) {
        int i = blockIdx.x * 1024 + 256 * k + t;
        if (i < n)
            rows[part[k] * room + first[part[k]] + place[k]] = make_int2(key[i], value[i]);
    }
}

extern "C" __global__ void __launch_bounds__(512) join_parts(u64 *__restrict__ out, const int2 *__restrict__ build, const int2 *__restrict__ probe,
                                                             const int *__restrict__ counts, int room)
{
    __shared__ int keys[2048], values[2048];
    int t = threadIdx.x, part = blockIdx.x, few = counts[part], many = counts[64 + part];
    for (int i = t; i < 2048; i += 512)
        keys[i] = -1;
    __syncthreads();
    for (int i = t; i < few; i += 512) {
        int2 row = build[part * room + i];
        int at = mixed(row.x) & 2047;
        while (atomicCAS(&keys[at], -1, row.x) != -1)
            at = at + 1 & 2047;
        values[at] = row.y;
    }
    __syncthreads();
    u64 count = 0, sum = 0;
    for (int i = t; i < many; i += 512) {
        int2 row = probe[part * room * 4 + i];
        int at = mixed(row.x) & 2047, key;
        while ((key = keys[at]) != -1 && key != row.x)
            at = at + 1 & 2047;
        if (key == row.x) {
            count++;
            sum += (u64)values[at] * row.y;
        }
    }
    add(out, count, sum);
}
