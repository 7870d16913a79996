// Rounds of a least spanning tree: each part takes its least edge to another, and parts that are joined become one. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
typedef unsigned long long u64;

extern "C" __global__ void boruvka_begin(int *label, u64 *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        label[i] = i;
    if (i == 0)
        *total = 0;
}

extern "C" __global__ void boruvka_clear(u64 *best, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        best[i] = ~0ull;
}

// An edge's number makes its weight unlike all others.
extern "C" __global__ void boruvka_least(u64 *best, const int *label, const int *u, const int *v, const unsigned *w, int edges)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int a = label[u[e]], b = label[v[e]];
    if (a == b)
        return;
    u64 key = (u64)w[e] << 32 | e;
    atomicMin(&best[a], key);
    atomicMin(&best[b], key);
}

__device__ u64 seen(const u64 *p)
{
    u64 v;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

extern "C" __global__ void __launch_bounds__(512)
    boruvka_look(u64 *best, const int *__restrict__ label, const int *__restrict__ u, const int *__restrict__ v, const unsigned *__restrict__ w, int edges)
{
    int e = blockIdx.x * 512 + threadIdx.x;
    if (e >= edges)
        return;
    int a = label[u[e]], b = label[v[e]];
    if (a == b)
        return;
    u64 key = (u64)w[e] << 32 | e;
    if (key < seen(&best[a]))
        atomicMin(&best[a], key);
    if (key < seen(&best[b]))
        atomicMin(&best[b], key);
}

// Of two parts that take the same edge the lower one stays.
extern "C" __global__ void boruvka_hook(int *parent, u64 *total, const u64 *best, const int *label, const int *u, const int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int to = i;
    if (label[i] == i && best[i] != ~0ull) {
        int e = (int)best[i], a = label[u[e]], b = label[v[e]], other = a == i ? b : a;
        if (best[other] != best[i] || other < i) {
            to = other;
            atomicAdd(total, best[i] >> 32);
        }
    }
    parent[i] = to;
}

extern "C" __global__ void boruvka_flatten(int *label, const int *parent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int at = label[i];
    while (parent[at] != at)
        at = parent[at];
    label[i] = at;
}
