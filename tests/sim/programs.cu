// SPDX-License-Identifier: Apache-2.0
// Kernels of the execution tests; tests/sim/programs_{nvcc,clang}.ptx are made from this file.
#define BINS 64
__device__ int lock_word;
__device__ int lock_count;

extern "C" __global__ void vector_add(float *c, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void reduce_shuffle(float *out, const float *in, int n)
{
    __shared__ float part[32];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
        if (threadIdx.x == 0) atomicAdd(out, sum);
    }
}
extern "C" __global__ void reduce_tree(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void histogram(unsigned *bins, const unsigned *in, int n)
{
    __shared__ unsigned local[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i] % BINS], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}
extern "C" __global__ void matmul_tiled(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[y * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
extern "C" __global__ void transpose_tiled(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void transpose_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}
// Every lane takes the lock in turn.
extern "C" __global__ void spin_lock(int *order)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock_word, 0, 1) == 0) {
            order[lock_count] = blockIdx.x * blockDim.x + threadIdx.x;
            lock_count = lock_count + 1;
            __threadfence();
            atomicExch(&lock_word, 0);
            done = true;
        }
    }
}
// Blocks of a grid that is resident at once wait for one another.
extern "C" __global__ void grid_barrier(int *arrived, int *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (*(volatile int *)arrived < (int)gridDim.x) {}
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = *(volatile int *)arrived;
}
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void recursion(int *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = fibonacci(i % 11); }

__device__ __noinline__ float plus_one(float x) { return x + 1; }
__device__ __noinline__ float twice(float x) { return x * 2; }
__device__ __noinline__ float collatz(float x) { int n = (int)x, k = 0; while (n > 1) { n = n % 2 ? 3 * n + 1 : n / 2; k++; } return k; }
typedef float (*function)(float);
__device__ function functions[3] = {plus_one, twice, collatz};
extern "C" __global__ void pointers(float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = functions[i % 3]((float)i); }

extern "C" __global__ void divergence(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
    if (i >= n) return;
    for (int k = 0; k < i % 7 + 1; k++) {
        if ((i + k) % 3 == 0) continue;
        if (k == 5) break;
        switch ((i + k) % 5) {
        case 0: r += 3; break;
        case 1: r ^= i; // falls through
        case 2: r *= 2; break;
        case 3: if (i % 2) { r -= k; } else { r += k * k; } break;
        default: r = r * 31 + k;
        }
        if (r > 100000) { out[i] = -r; return; }
    }
    out[i] = r;
}
extern "C" __global__ void local_array(int *out)
{
    int a[40], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 40; k++) a[(k * 7 + i) % 40] = k * i;
    int sum = 0;
    for (int k = 0; k < 40; k++) sum = sum * 3 + a[k ^ (i & 7)];
    out[i] = sum;
}
extern __shared__ float dynamic[];
extern "C" __global__ void dynamic_shared(float *out, int n)
{
    dynamic[threadIdx.x] = threadIdx.x * 2.0f;
    __syncthreads();
    out[threadIdx.x] = dynamic[n - 1 - threadIdx.x];
}
__constant__ int table[4] = {3, 1, 4, 1};
extern "C" __global__ void ballots(unsigned *out) {
    int i = threadIdx.x;
    out[i] = __ballot_sync(0xffffffff, (i & table[i % 4]) != 0) + (unsigned)__shfl_xor_sync(0xffffffff, i * i, 5);
}
extern "C" __global__ void past_the_end(float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i + n] = 1; }
extern "C" __global__ void never_ends(int *out) { while (*(volatile int *)out == 0) {} }
extern "C" __global__ void racy(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void uninitialised(int *out, const int *in)
{
    __shared__ int s[64];
    if (threadIdx.x < 63) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void split_barrier(int *out)
{
    if (threadIdx.x < 32) { __syncthreads(); out[threadIdx.x] = 1; }
}
extern "C" __global__ void sum_doubles(double *out, const double *in, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++) s = s * 0.5 + in[i * blockDim.x + threadIdx.x];
    out[threadIdx.x] = s;
}
extern "C" __global__ void copy4(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}
