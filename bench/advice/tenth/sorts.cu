// Sorts and their steps: bitonic1k_*, oephase_*, radixcount_*, split1_*, mergeruns_*, ranksort_*, sort8_*, payload_*. Each pair's YAML
// says what differs.
// SPDX-License-Identifier: Apache-2.0

/* ---- 1024 keys a block, by a bitonic network --------------------------------------------------------------------------------- */

extern "C" __global__ void bitonic1k_keys(int *out, const int *in)
{
    __shared__ int s[1024];
    int tid = threadIdx.x;
    s[tid] = in[blockIdx.x * 1024 + tid];
    __syncthreads();
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int ixj = tid ^ j;
            if (ixj > tid) {
                int a = s[tid], b = s[ixj];
                if (((tid & k) == 0) == (a > b)) {
                    s[tid] = b;
                    s[ixj] = a;
                }
            }
            __syncthreads();
        }
    out[blockIdx.x * 1024 + tid] = s[tid];
}

extern "C" __global__ void bitonic1k_pairs(int *out, const int *in)
{
    __shared__ int s[1024];
    int tid = threadIdx.x;
    s[tid] = in[blockIdx.x * 1024 + tid];
    s[tid + 512] = in[blockIdx.x * 1024 + tid + 512];
    __syncthreads();
    for (int k = 2; k <= 1024; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int i = 2 * tid - (tid & (j - 1)), ixj = i + j;
            int a = s[i], b = s[ixj];
            if (((i & k) == 0) == (a > b)) {
                s[i] = b;
                s[ixj] = a;
            }
            __syncthreads();
        }
    out[blockIdx.x * 1024 + tid] = s[tid];
    out[blockIdx.x * 1024 + tid + 512] = s[tid + 512];
}

/* ---- Few keys, by exchanges of odd and even neighbours ----------------------------------------------------------------------- */

extern "C" __global__ void oephase_copy(float *keys, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        keys[i] = in[i];
}

extern "C" __global__ void oephase_launch(float *keys, int phase, int n)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + phase % 2;
    if (i + 1 < n && keys[i] > keys[i + 1]) {
        float t = keys[i];
        keys[i] = keys[i + 1];
        keys[i + 1] = t;
    }
}

extern "C" __global__ void oephase_block(float *keys, const float *in, int n)
{
    extern __shared__ float s[];
    int tid = threadIdx.x;
    for (int i = tid; i < n; i += blockDim.x)
        s[i] = in[i];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * tid + phase % 2;
        if (i + 1 < n && s[i] > s[i + 1]) {
            float t = s[i];
            s[i] = s[i + 1];
            s[i + 1] = t;
        }
        __syncthreads();
    }
    for (int i = tid; i < n; i += blockDim.x)
        keys[i] = s[i];
}

/* ---- How many bytes the keys of each of 16 digits bring; the low byte of a key says ------------------------------------------ */

extern "C" __global__ void radixcount_global(unsigned *count, const unsigned *keys, int shift, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&count[(keys[i] >> shift) & 15], keys[i] & 255);
}

extern "C" __global__ void radixcount_shared(unsigned *count, const unsigned *keys, int shift, int n)
{
    __shared__ unsigned digit[16];
    if (threadIdx.x < 16)
        digit[threadIdx.x] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&digit[(keys[i] >> shift) & 15], keys[i] & 255);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&count[threadIdx.x], digit[threadIdx.x]);
}

// A counter for each digit and lane, so that no lane waits for another.
extern "C" __global__ void radixcount_lanes(unsigned *count, const unsigned *keys, int shift, int n)
{
    __shared__ unsigned digit[16 * 32];
    int lane = threadIdx.x % 32;
    for (int i = threadIdx.x; i < 16 * 32; i += blockDim.x)
        digit[i] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&digit[((keys[i] >> shift) & 15) * 32 + lane], keys[i] & 255);
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int k = 0; k < 32; k++)
            sum += digit[threadIdx.x * 32 + (k + threadIdx.x) % 32];
        atomicAdd(&count[threadIdx.x], sum);
    }
}

/* ---- 256 keys a block, sorted by their low eight bits, bit by bit ------------------------------------------------------------ */

extern "C" __global__ void split1_scan(unsigned *out, const unsigned *in)
{
    __shared__ unsigned key[256];
    __shared__ int zeros[256];
    int tid = threadIdx.x;
    unsigned k = in[blockIdx.x * 256 + tid];
    for (int bit = 0; bit < 8; bit++) {
        int one = (k >> bit) & 1;
        zeros[tid] = !one;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            int v = tid >= d ? zeros[tid - d] : 0;
            __syncthreads();
            zeros[tid] += v;
            __syncthreads();
        }
        int to = one ? zeros[255] + tid - zeros[tid] : zeros[tid] - 1;
        key[to] = k;
        __syncthreads();
        k = key[tid];
    }
    out[blockIdx.x * 256 + tid] = k;
}

extern "C" __global__ void split1_ballot(unsigned *out, const unsigned *in)
{
    __shared__ unsigned key[256];
    __shared__ int zeros[8];
    int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;
    unsigned k = in[blockIdx.x * 256 + tid];
    for (int bit = 0; bit < 8; bit++) {
        int one = (k >> bit) & 1;
        unsigned mask = __ballot_sync(0xffffffff, !one);
        if (lane == 0)
            zeros[warp] = __popc(mask);
        __syncthreads();
        int before = __popc(mask & ((1u << lane) - 1)), all = 0;
        for (int w = 0; w < 8; w++) {
            before += w < warp ? zeros[w] : 0;
            all += zeros[w];
        }
        key[one ? all + tid - before : before] = k;
        __syncthreads();
        k = key[tid];
    }
    out[blockIdx.x * 256 + tid] = k;
}

/* ---- Sixteen keys a thread are each sorted; a pair of such runs is merged ---------------------------------------------------- */

#define RUN 16

static __device__ __forceinline__ int run_key(const int *in, int run, int i)
{
    return (in[run * RUN + i] & 4095) + 4096 * i; // ascending along a run
}

extern "C" __global__ void mergeruns_serial(int *out, const int *in, int pairs)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs)
        return;
    int i = 0, j = 0;
    for (int k = 0; k < 2 * RUN; k++) {
        bool first = j == RUN || (i < RUN && run_key(in, 2 * p, i) <= run_key(in, 2 * p + 1, j));
        out[p * 2 * RUN + k] = first ? run_key(in, 2 * p, i++) : run_key(in, 2 * p + 1, j++);
    }
}

// A thread a key: its place is its own in its run, and how many of the other run are less.
extern "C" __global__ void mergeruns_rank(int *out, const int *in, int pairs)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, p = t / (2 * RUN);
    if (p >= pairs)
        return;
    int run = t / RUN, i = t % RUN, second = run & 1, key = run_key(in, run, i);
    int low = 0, high = RUN;
    while (low < high) {
        int mid = (low + high) / 2, other = run_key(in, run ^ 1, mid);
        if (second ? other <= key : other < key)
            low = mid + 1;
        else
            high = mid;
    }
    out[p * 2 * RUN + i + low] = key;
}

/* ---- The bucket of each key: how many splitters are less ---------------------------------------------------------------------- */

extern "C" __global__ void ranksort_global(int *rank, const int *keys, const int *splitters, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int key = keys[i], r = 0;
    for (int j = 0; j < m; j++)
        r += splitters[j] < key;
    rank[i] = r;
}

// m is a multiple of 1024, n of 256: a block of 256 takes as many keys at a time, four to a load.
extern "C" __global__ void ranksort_tile(int *rank, const int *keys, const int *splitters, int n, int m)
{
    __shared__ int4 tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int key = keys[i], r = 0;
    for (int base = 0; base < m; base += 1024) {
        __syncthreads();
        tile[threadIdx.x] = ((const int4 *)(splitters + base))[threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            int4 k = tile[j];
            r += k.x < key;
            r += k.y < key;
            r += k.z < key;
            r += k.w < key;
        }
    }
    rank[i] = r;
}

/* ---- Eight keys a thread, sorted; key k of thread t is at k * n + t ---------------------------------------------------------- */

extern "C" __global__ void sort8_insertion(float *out, const float *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    float a[8];
    for (int k = 0; k < 8; k++) {
        float key = in[k * n + t];
        int i = k - 1;
        while (i >= 0 && a[i] > key) {
            a[i + 1] = a[i];
            i--;
        }
        a[i + 1] = key;
    }
    for (int k = 0; k < 8; k++)
        out[k * n + t] = a[k];
}

extern "C" __global__ void sort8_network(float *out, const float *in, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    float a[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = in[k * n + t];
#pragma unroll
    for (int phase = 0; phase < 8; phase++)
#pragma unroll
        for (int i = phase % 2; i + 1 < 8; i += 2) {
            float low = fminf(a[i], a[i + 1]);
            a[i + 1] = fmaxf(a[i], a[i + 1]);
            a[i] = low;
        }
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[k * n + t] = a[k];
}

/* ---- Records of 64 bytes, brought into the order of their keys --------------------------------------------------------------- */

struct record {
    float field[16];
};

extern "C" __global__ void payload_record(record *out, const record *in, const int *order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int k = 0; k < 16; k++)
            out[i].field[k] = in[order[i]].field[k];
}

extern "C" __global__ void payload_quarter(float4 *out, const float4 *in, const int *order, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < 4 * n)
        out[t] = in[order[t / 4] * 4 + t % 4];
}
