// Candidates for experiments/softmax and layernorm: a row in the registers of a part of a warp's block, of a
// block, of a cluster; how many 16-byte vectors a thread holds; beside a copy kernel of the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>
#include <cuda_bf16.h>

#include "bulk.h"
#include "tune.h"

namespace cg = cooperative_groups;
enum op { SOFTMAX, RMS, LAYER };
static const char *op_name[] = {"softmax", "rms", "layer"};
static int sms;
static void *x, *y, *w;
static size_t total_bytes = (size_t)1 << 30;

template <typename T> struct vec;
template <> struct vec<float> {
    static const int N = 4;
    static __device__ void unpack(float *f, uint4 v)
    {
        f[0] = __uint_as_float(v.x), f[1] = __uint_as_float(v.y), f[2] = __uint_as_float(v.z), f[3] = __uint_as_float(v.w);
    }
    static __device__ uint4 pack(const float *f)
    {
        return make_uint4(__float_as_uint(f[0]), __float_as_uint(f[1]), __float_as_uint(f[2]), __float_as_uint(f[3]));
    }
};
template <> struct vec<__nv_bfloat16> {
    static const int N = 8;
    static __device__ void unpack(float *f, uint4 v)
    {
        unsigned u[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; i++)
            f[2 * i] = __uint_as_float(u[i] << 16), f[2 * i + 1] = __uint_as_float(u[i] & 0xffff0000u);
    }
    static __device__ uint4 pack(const float *f)
    {
        unsigned u[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            __nv_bfloat162 p = __floats2bfloat162_rn(f[2 * i], f[2 * i + 1]);
            memcpy(&u[i], &p, 4);
        }
        return make_uint4(u[0], u[1], u[2], u[3]);
    }
};

template <int WIDTH> static __device__ float all_max(float v)
{
#pragma unroll
    for (int s = WIDTH / 2; s > 0; s /= 2)
        v = fmaxf(v, __shfl_xor_sync(~0u, v, s));
    return v;
}
template <int WIDTH> static __device__ float all_sum(float v)
{
#pragma unroll
    for (int s = WIDTH / 2; s > 0; s /= 2)
        v += __shfl_xor_sync(~0u, v, s);
    return v;
}

// (m, s) of the whole row: s counts in units of exp(m) in softmax, m is not used in the other two.
struct pair { float m, s; };
template <int OP> static __device__ pair join(pair a, pair b)
{
    if (OP != SOFTMAX)
        return {a.m + b.m, a.s + b.s};
    float m = fmaxf(a.m, b.m);
    return {m, a.s * exp2f(a.m - m) + b.s * exp2f(b.m - m)};
}

template <int OP> static __device__ pair none(void) { return {OP == SOFTMAX ? __int_as_float(0xff800000) : 0.0f, 0.0f}; }
template <int OP> static __device__ pair join_lanes(pair p)
{
    if (OP != SOFTMAX)
        return {all_sum<32>(p.m), all_sum<32>(p.s)};
    float m = all_max<32>(p.m);
    return {m, all_sum<32>(p.s > 0 ? p.s * exp2f(p.m - m) : 0)};
}
template <int OP, int WARPS> static __device__ pair join_block(pair p, pair *part, int t)
{
    if (t % 32 == 0)
        part[t / 32] = p;
    __syncthreads();
    return join_lanes<OP>(t % 32 < WARPS ? part[t % 32] : none<OP>());
}

// THREADS of a row in a block of ROWS rows; CLUSTER blocks per row.
template <typename T, int OP, int THREADS, int ROWS, int VECS, int CLUSTER, int MINB>
static __global__ void __launch_bounds__(THREADS *ROWS, MINB) rows_kernel(uint4 *y, const uint4 *x, const uint4 *weight, int rows, int vectors)
{
    const int N = vec<T>::N, WARPS = THREADS / 32;
    __shared__ pair part[ROWS][WARPS > 1 ? WARPS : 1];
    __shared__ pair whole;
    int rank = CLUSTER > 1 ? blockIdx.x % CLUSTER : 0;
    int sub = threadIdx.x / THREADS, t = threadIdx.x % THREADS, row = blockIdx.x / CLUSTER * ROWS + sub;
    if (THREADS <= 32 && row >= rows)
        return;
    x += (size_t)row * vectors;
    y += (size_t)row * vectors;
    uint4 raw[VECS];
    const float LOG2E = 1.44269504f;
#pragma unroll
    for (int i = 0; i < VECS; i++) {
        int at = (i * CLUSTER + rank) * THREADS + t;
        raw[i] = at < vectors ? __ldcs(x + at) : make_uint4(0, 0, 0, 0);
    }
    pair p = {OP == SOFTMAX ? -INFINITY : 0, 0};
    float f[N];
#pragma unroll
    for (int i = 0; i < VECS; i++) {
        int at = (i * CLUSTER + rank) * THREADS + t;
        if (at < vectors) {
            vec<T>::unpack(f, raw[i]);
#pragma unroll
            for (int c = 0; c < N; c++)
                if (OP == SOFTMAX)
                    p.m = fmaxf(p.m, f[c]);
                else {
                    p.m += f[c];
                    p.s += f[c] * f[c];
                }
        }
    }
    if (OP == SOFTMAX) {
        p.m = all_max<(THREADS < 32 ? THREADS : 32)>(p.m) * LOG2E;
#pragma unroll
        for (int i = 0; i < VECS; i++) {
            int at = (i * CLUSTER + rank) * THREADS + t;
            if (at < vectors) {
                vec<T>::unpack(f, raw[i]);
#pragma unroll
                for (int c = 0; c < N; c++)
                    p.s += exp2f(f[c] * LOG2E - p.m);
            }
        }
        p.s = all_sum<(THREADS < 32 ? THREADS : 32)>(p.s);
    } else {
        p.m = all_sum<(THREADS < 32 ? THREADS : 32)>(p.m);
        p.s = all_sum<(THREADS < 32 ? THREADS : 32)>(p.s);
    }
    if (WARPS > 1)
        p = join_block<OP, WARPS>(p, part[sub], t);
    if (CLUSTER > 1) {
        cg::cluster_group cluster = cg::this_cluster();
        if (threadIdx.x == 0)
            whole = p;
        cluster.sync();
        int lane = threadIdx.x % 32;
        p = join_lanes<OP>(lane < CLUSTER ? *cluster.map_shared_rank(&whole, lane) : none<OP>());
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    }
    float scale, shift;
    float count = (float)vectors * N;
    if (OP == SOFTMAX)
        scale = 1 / p.s;
    else if (OP == RMS)
        scale = rsqrtf(p.s / count + 1e-5f), shift = 0;
    else {
        shift = p.m / count;
        scale = rsqrtf(p.s / count - shift * shift + 1e-5f);
    }
#pragma unroll
    for (int i = 0; i < VECS; i++) {
        int at = (i * CLUSTER + rank) * THREADS + t;
        if (at < vectors) {
            float g[N];
            vec<T>::unpack(f, raw[i]);
            if (OP != SOFTMAX)
                vec<T>::unpack(g, __ldg(weight + at));
#pragma unroll
            for (int c = 0; c < N; c++)
                f[c] = OP == SOFTMAX ? exp2f(f[c] * LOG2E - p.m) * scale : (f[c] - shift) * scale * g[c];
            __stcs(y + at, vec<T>::pack(f));
        }
    }
    if (CLUSTER > 1)
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Blocks stay; CLUSTER of them take a row, each a slice; the slice of the next row is on its way to shared
// memory while this one, in registers, is summed and stored.
template <typename T, int OP, int THREADS, int VECS, int CLUSTER, int MINB>
static __global__ void __launch_bounds__(THREADS, MINB) piped(uint4 *y, const uint4 *x, const uint4 *weight, int rows, int vectors)
{
    const int N = vec<T>::N, WARPS = THREADS / 32, SLICE = THREADS * VECS;
    const float LOG2E = 1.44269504f;
    extern __shared__ __align__(128) uint4 slice[];
    __shared__ pair part[WARPS], whole[2];
    __shared__ unsigned long long full;
    int rank = blockIdx.x % CLUSTER, t = threadIdx.x, step = gridDim.x / CLUSTER, row = blockIdx.x / CLUSTER;
    int mine = min(SLICE, max(0, vectors - rank * SLICE));
    x += rank * SLICE, y += rank * SLICE, weight += rank * SLICE;
    if (t == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence();
        if (row < rows && mine > 0)
            bulk_load(slice, x + (size_t)row * vectors, mine * 16, &full);
    }
    __syncthreads();
    for (int it = 0; row < rows; row += step, it++) {
        uint4 raw[VECS];
        if (mine > 0)
            mbarrier_wait(&full, it & 1);
#pragma unroll
        for (int i = 0; i < VECS; i++)
            raw[i] = slice[i * THREADS + t];
        pair p = none<OP>();
        float f[N];
#pragma unroll
        for (int i = 0; i < VECS; i++)
            if (i * THREADS + t < mine) {
                vec<T>::unpack(f, raw[i]);
#pragma unroll
                for (int c = 0; c < N; c++)
                    if (OP == SOFTMAX)
                        p.m = fmaxf(p.m, f[c]);
                    else
                        p.m += f[c], p.s += f[c] * f[c];
            }
        if (OP == SOFTMAX) {
            p.m = all_max<32>(p.m) * LOG2E;
#pragma unroll
            for (int i = 0; i < VECS; i++)
                if (i * THREADS + t < mine) {
                    vec<T>::unpack(f, raw[i]);
#pragma unroll
                    for (int c = 0; c < N; c++)
                        p.s += exp2f(f[c] * LOG2E - p.m);
                }
            p.s = all_sum<32>(p.s);
        } else
            p.m = all_sum<32>(p.m), p.s = all_sum<32>(p.s);
        p = join_block<OP, WARPS>(p, part, t); // its barrier: all have read the slice
        if (t == 0 && row + step < rows && mine > 0)
            bulk_load(slice, x + (size_t)(row + step) * vectors, mine * 16, &full);
        if (CLUSTER > 1) {
            if (t == 0)
                whole[it & 1] = p;
            asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
            asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
            cg::cluster_group cluster = cg::this_cluster();
            p = join_lanes<OP>(t % 32 < CLUSTER ? *cluster.map_shared_rank(&whole[it & 1], t % 32) : none<OP>());
        }
        float scale, shift = 0, count = (float)vectors * N;
        if (OP == SOFTMAX)
            scale = 1 / p.s;
        else if (OP == RMS)
            scale = rsqrtf(p.s / count + 1e-5f);
        else {
            shift = p.m / count;
            scale = rsqrtf(p.s / count - shift * shift + 1e-5f);
        }
        uint4 *to = y + (size_t)row * vectors;
#pragma unroll
        for (int i = 0; i < VECS; i++) {
            int at = i * THREADS + t;
            if (at < mine) {
                float g[N];
                vec<T>::unpack(f, raw[i]);
                if (OP != SOFTMAX)
                    vec<T>::unpack(g, __ldg(weight + at));
#pragma unroll
                for (int c = 0; c < N; c++)
                    f[c] = OP == SOFTMAX ? exp2f(f[c] * LOG2E - p.m) * scale : (f[c] - shift) * scale * g[c];
                __stcs(to + at, vec<T>::pack(f));
            }
        }
        if (CLUSTER == 1)
            __syncthreads(); // part is read until here
    }
    if (CLUSTER > 1) { // the others read whole until here
        asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
}

template <typename T> static bool right(int op, size_t cols)
{
    // a few rows on the host
    size_t rows = total_bytes / sizeof(T) / cols;
    std::vector<T> a(cols), b(cols), g(cols);
    CHECK(cudaMemcpy(g.data(), w, cols * sizeof(T), cudaMemcpyDeviceToHost));
    for (size_t r : {(size_t)0, rows / 2 + 1 < rows ? rows / 2 + 1 : 0, rows - 1}) {
        CHECK(cudaMemcpy(a.data(), (T *)x + r * cols, cols * sizeof(T), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(b.data(), (T *)y + r * cols, cols * sizeof(T), cudaMemcpyDeviceToHost));
        double m = -1e30, s = 0, q = 0;
        for (size_t i = 0; i < cols; i++) {
            double v = (double)(float)a[i];
            m = std::max(m, v), s += v, q += v * v;
        }
        double e = 0, mean = s / cols;
        for (size_t i = 0; i < cols; i++)
            e += exp((double)(float)a[i] - m);
        for (size_t i = 0; i < cols; i++) {
            double v = (double)(float)a[i], wv = (double)(float)g[i];
            double want = op == SOFTMAX ? exp(v - m) / e : op == RMS ? v / sqrt(q / cols + 1e-5) * wv : (v - mean) / sqrt(q / cols - mean * mean + 1e-5) * wv;
            double got = (double)(float)b[i], tol = (sizeof(T) == 2 ? 1e-2 : 1e-4) * fabs(want) + 1e-7 + (op == LAYER ? 1e-5 : 0);
            if (!(fabs(want - got) <= tol)) {
                printf("row %zu col %zu want %g got %g\n", r, i, want, got);
                return false;
            }
        }
    }
    return true;
}

template <typename T, int OP, int THREADS, int ROWS, int VECS, int CLUSTER, int MINB> static void one(void)
{
    int cols = THREADS * VECS * vec<T>::N * CLUSTER, vectors = cols / vec<T>::N;
    int rows = (int)(total_bytes / sizeof(T) / cols);
    char what[100];
    snprintf(what, sizeof what, "%s %s cols %d: %d threads x %d rows, %d vec, cluster %d, min %d", op_name[OP], sizeof(T) == 2 ? "bf16" : "f32", cols, THREADS, ROWS, VECS, CLUSTER, MINB);
    auto kernel = rows_kernel<T, OP, THREADS, ROWS, VECS, CLUSTER, MINB>;
    if (CLUSTER > 8)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaMemset(y, 0, total_bytes);
    double us = tune_time_us([&](int) {
        cudaLaunchConfig_t c = {};
        cudaLaunchAttribute a;
        c.gridDim = dim3((rows + ROWS - 1) / ROWS * CLUSTER);
        c.blockDim = dim3(THREADS * ROWS);
        a.id = cudaLaunchAttributeClusterDimension;
        a.val.clusterDim.x = CLUSTER, a.val.clusterDim.y = a.val.clusterDim.z = 1;
        c.attrs = &a;
        c.numAttrs = CLUSTER > 1;
        cudaLaunchKernelEx(&c, kernel, (uint4 *)y, (const uint4 *)x, (const uint4 *)w, rows, vectors);
    }, 20);
    tune_row(what, us, 2.0 * total_bytes, right<T>(OP, cols));
}

template <typename T, int OP, int THREADS, int VECS, int CLUSTER, int MINB> static void pipe(void)
{
    int cols = THREADS * VECS * vec<T>::N * CLUSTER, vectors = cols / vec<T>::N;
    int rows = (int)(total_bytes / sizeof(T) / cols), fit = 0, bytes = THREADS * VECS * 16;
    char what[100];
    auto kernel = piped<T, OP, THREADS, VECS, CLUSTER, MINB>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, THREADS, bytes));
    if (CLUSTER > 8)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    cudaMemset(y, 0, total_bytes);
    for (int grid : {fit * sms / CLUSTER * CLUSTER, fit * (sms / 16 * 16) / CLUSTER * CLUSTER}) {
        snprintf(what, sizeof what, "%s %s cols %d: piped %d threads, %d vec, cluster %d, per SM %d, grid %d", op_name[OP], sizeof(T) == 2 ? "bf16" : "f32", cols, THREADS, VECS, CLUSTER, fit, grid);
        double us = tune_time_us([&](int) {
            cudaLaunchConfig_t c = {};
            cudaLaunchAttribute a;
            c.gridDim = dim3(std::min(grid, rows * CLUSTER));
            c.blockDim = dim3(THREADS);
            c.dynamicSmemBytes = bytes;
            a.id = cudaLaunchAttributeClusterDimension;
            a.val.clusterDim.x = CLUSTER, a.val.clusterDim.y = a.val.clusterDim.z = 1;
            c.attrs = &a;
            c.numAttrs = CLUSTER > 1;
            cudaLaunchKernelEx(&c, kernel, (uint4 *)y, (const uint4 *)x, (const uint4 *)w, rows, vectors);
        }, 20);
        tune_row(what, us, 2.0 * total_bytes, right<T>(OP, cols));
        if (CLUSTER == 1)
            break;
    }
}

static __global__ void copy_kernel(uint4 *y, const uint4 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x * 4 + threadIdx.x;
    uint4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = __ldcs(x + i + k * blockDim.x);
#pragma unroll
    for (int k = 0; k < 4; k++)
        __stcs(y + i + k * blockDim.x, v[k]);
}
static __global__ void copy_one(uint4 *y, const uint4 *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    y[i] = x[i];
}
static __global__ void fill_bf16(__nv_bfloat16 *p, const float *f, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        p[i] = __float2bfloat16(4 * ((float)(tune_hash(i) >> 8) * 0x1p-24f) - 2);
}

template <typename T, int OP> static void all(void)
{
    const int H = sizeof(T) == 2 ? 2 : 1; // a vector has twice the columns in bf16
    one<T, OP, 128, 1, 2 / H, 1, 1>();
    one<T, OP, 64, 1, 4 / H, 1, 1>();
    one<T, OP, 256, 1, 4 / H, 1, 1>();
    one<T, OP, 128, 1, 8 / H, 1, 1>();
    one<T, OP, 256, 1, 16 / H, 1, 1>();
    one<T, OP, 512, 1, 8 / H, 1, 1>();
    one<T, OP, 1024, 1, 4 / H, 1, 2>();
    pipe<T, OP, 256, 16 / H, 1, 1>();
    pipe<T, OP, 512, 8 / H, 1, 1>();
    // 64 Ki
    one<T, OP, 1024, 1, 8 / H, 2, 1>();
    one<T, OP, 512, 1, 8 / H, 4, 1>();
    one<T, OP, 512, 1, 16 / H, 2, 1>();
    one<T, OP, 256, 1, 8 / H, 8, 1>();
    one<T, OP, 1024, 1, 16 / H, 1, 1>();
    pipe<T, OP, 1024, 16 / H, 1, 1>();
    pipe<T, OP, 1024, 8 / H, 2, 1>();
    pipe<T, OP, 512, 16 / H, 2, 1>();
    pipe<T, OP, 512, 8 / H, 4, 1>();
    pipe<T, OP, 256, 16 / H, 4, 1>();
    pipe<T, OP, 256, 8 / H, 8, 1>();
    pipe<T, OP, 512, 4 / H, 8, 1>();
    // 256 Ki
    one<T, OP, 1024, 1, 8 / H, 8, 1>();
    one<T, OP, 512, 1, 16 / H, 8, 1>();
    pipe<T, OP, 1024, 8 / H, 8, 1>();
    pipe<T, OP, 512, 16 / H, 8, 1>();
    pipe<T, OP, 512, 8 / H, 16, 1>();
    pipe<T, OP, 256, 16 / H, 16, 1>();
    if (H == 2) {
        pipe<T, OP, 1024, 8, 4, 1>();
        pipe<T, OP, 512, 16, 4, 1>();
        pipe<T, OP, 512, 8, 8, 1>();
    }
}

int main(void)
{
    sms = tune_sms();
    x = tune_buffer<char>(total_bytes);
    y = tune_buffer<char>(total_bytes);
    w = tune_buffer<float>(1 << 20);
    size_t n = total_bytes / 16;
    for (int t : {128, 256, 512, 1024}) {
        char what[40];
        snprintf(what, sizeof what, "copy 4 in flight t%d", t);
        tune_row(what, tune_time_us([&](int) { copy_kernel<<<(unsigned)(n / t / 4), t>>>((uint4 *)y, (uint4 *)x, n); }), 2.0 * total_bytes, true);
        snprintf(what, sizeof what, "copy 1 t%d", t);
        tune_row(what, tune_time_us([&](int) { copy_one<<<(unsigned)(n / t), t>>>((uint4 *)y, (uint4 *)x, n); }), 2.0 * total_bytes, true);
    }
    tune_uniform((float *)x, total_bytes / 4, -2, 2);
    tune_uniform((float *)w, 1 << 20, 0.5f, 1.5f);
    all<float, SOFTMAX>();
    all<float, LAYER>();
    fill_bf16<<<1024, 256>>>((__nv_bfloat16 *)x, NULL, total_bytes / 2);
    fill_bf16<<<1024, 256>>>((__nv_bfloat16 *)w, NULL, 1 << 20);
    all<__nv_bfloat16, SOFTMAX>();
    all<__nv_bfloat16, RMS>();
    return 0;
}
