// Irregular accesses for the validation of the time model: sparse matrices, gathers, searches, chains,
// atomics anywhere. Nothing is tuned on them.
// SPDX-License-Identifier: Apache-2.0

__device__ unsigned mix(unsigned h)
{
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    return h ^ h >> 16;
}

// Rows of 8 to 55 entries, 64 apart.
extern "C" __global__ void spmv_thread(float *out, const float *values, const unsigned *columns, const float *v, int rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    int entries = 8 + mix(r) % 48;
    float sum = 0;
    for (int i = 0; i < entries; i++)
        sum += values[r * 64 + i] * v[columns[r * 64 + i]];
    out[r] = sum;
}

extern "C" __global__ void spmv_warp(float *out, const float *values, const unsigned *columns, const float *v, int rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    int entries = 8 + mix(r) % 48;
    float sum = 0;
    for (int i = lane; i < entries; i += 32)
        sum += values[r * 64 + i] * v[columns[r * 64 + i]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        out[r] = sum;
}

extern "C" __global__ void gather_words(unsigned *out, const unsigned *in, const unsigned *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];
}

extern "C" __global__ void scatter_words(unsigned *out, const unsigned *in, const unsigned *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[index[i]] = in[i];
}

// Where each of `index` would stand among 0, 2, 4 ….
extern "C" __global__ void binary_search(unsigned *out, const unsigned *sorted, const unsigned *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned want = index[i], low = 0, high = n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (sorted[middle] < want)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

extern "C" __global__ void chase(unsigned *out, const unsigned *next, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = mix(i) % n;
    for (int s = 0; s < steps; s++)
        at = next[at];
    out[i] = at;
}

extern "C" __global__ void count_anywhere(unsigned *bins, const unsigned *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[index[i]], 1u);
}

extern "C" __global__ void add_anywhere(float *bins, const unsigned *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[index[i]], 1.0f);
}

// A table with open addressing: the keys are put in.
extern "C" __global__ void hash_insert(unsigned *table, const unsigned *keys, int n, unsigned places)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i] + 1, at = mix(key) & (places - 1);
    for (int tries = 0; tries < 64; tries++, at = (at + 1) & (places - 1)) {
        unsigned old = atomicCAS(&table[at], 0u, key);
        if (old == 0 || old == key)
            return;
    }
}

// Keeps the odd ones: a ballot and an atomic a warp.
extern "C" __global__ void compact_odd(unsigned *out, unsigned *count, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool keep = i < n && in[i] % 2 == 1;
    unsigned all = __ballot_sync(~0u, keep), base = 0;
    if (lane == 0 && all != 0)
        base = atomicAdd(count, __popc(all));
    base = __shfl_sync(~0u, base, 0);
    if (keep)
        out[base + __popc(all & ((1u << lane) - 1))] = in[i];
}
