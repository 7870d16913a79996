// Two sorted lists merged to one. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

// How many of list's first n are below v, or not above it.
__device__ int place(const unsigned *list, int n, unsigned v, bool with_equal)
{
    int low = 0, high = n;
    while (low < high) {
        int mid = (low + high) / 2;
        if (list[mid] < v || (with_equal && list[mid] == v))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

// Each key looks for its place in the other list.
extern "C" __global__ void merge_rank(unsigned *out, const unsigned *a, const unsigned *b, int na, int nb)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na)
        out[i + place(b, nb, a[i], false)] = a[i];
    else if (i < na + nb)
        out[i - na + place(a, na, b[i - na], true)] = b[i - na];
}

// How many of a are among the first d of both.
__device__ int path(const unsigned *a, int na, const unsigned *b, int nb, int d)
{
    int low = max(d - nb, 0), high = min(d, na);
    while (low < high) {
        int mid = (low + high) / 2;
        if (a[mid] <= b[d - 1 - mid])
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

// Each thread makes 16 of the result, from where the merge path crosses its diagonal.
extern "C" __global__ void merge_path(unsigned *out, const unsigned *a, const unsigned *b, int na, int nb)
{
    int d = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    if (d >= na + nb)
        return;
    int i = path(a, na, b, nb, d), j = d - i;
    for (int k = d; k < min(d + 16, na + nb); k++)
        out[k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}

// Each block makes 1024: its parts of both lists in shared memory, then eight a thread, and out in order.
extern "C" __global__ void merge_staged(unsigned *out, const unsigned *a, const unsigned *b, int na, int nb)
{
    __shared__ unsigned s[1024];
    __shared__ int edge[2];
    int t = threadIdx.x, d0 = blockIdx.x * 1024, d1 = min(d0 + 1024, na + nb);
    if (t < 2)
        edge[t] = path(a, na, b, nb, t == 0 ? d0 : d1);
    __syncthreads();
    int a0 = edge[0], mine = edge[1] - a0, b0 = d0 - a0, all = d1 - d0;
    for (int i = t; i < all; i += 128)
        s[i] = i < mine ? a[a0 + i] : b[b0 + i - mine];
    __syncthreads();
    unsigned r[8];
    int d = min(t * 8, all), i = path(s, mine, s + mine, all - mine, d), j = d - i + mine;
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (d + k < all)
            r[k] = j >= all || (i < mine && s[i] <= s[j]) ? s[i++] : s[j++];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        if (d + k < all)
            s[d + k] = r[k];
    __syncthreads();
    for (int k = t; k < all; k += 128)
        out[d0 + k] = s[k];
}
