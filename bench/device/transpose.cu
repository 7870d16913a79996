// Candidates for the last step of experiments/transpose, beside a copy kernel and cuBLAS's geam in one
// process: checked on the device, then the median of 21 events each, candidates interleaved.
// Build and run: bench/device/transpose.sh
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#define CHECK(x)                                                                              \
    do {                                                                                      \
        cudaError_t e_ = (x);                                                                 \
        if (e_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_));       \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)

__global__ void copy4(float4 *out, const float4 *in, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x * 4 + threadIdx.x;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        v[k] = in[i + k * blockDim.x];
#pragma unroll
    for (int k = 0; k < 4; k++)
        out[i + k * blockDim.x] = v[k];
}

__global__ void copy1(float4 *out, const float4 *in)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void rows32x8(float *out, const float *in, int N)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8)
        tile[threadIdx.y + i][threadIdx.x] = in[(size_t)(y + i) * N + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (int i = 0; i < 32; i += 8)
        out[(size_t)(y + i) * N + x] = tile[threadIdx.x][threadIdx.y + i];
}

// Tiles of WIDE columns and HIGH rows; 16 bytes per lane on both sides. A warp reads 4 rows of 8 lanes,
// stores the words transposed, rows of a column swizzled by its group of four, so that neither side
// has a bank conflict.
template <int WIDE, int HIGH, int WARPS, int ORDER, int HINT>
__global__ void __launch_bounds__(WARPS * 32) wide(float *out, const float *in, int N)
{
    extern __shared__ __align__(16) float tile[];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int bx = blockIdx.x, by = blockIdx.y;
    if constexpr (ORDER == 1) { // diagonals
        bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else if constexpr (ORDER >= 2) { // stripes of ORDER columns of tiles, so that written rows stay open
        int linear = blockIdx.y * gridDim.x + blockIdx.x, stripe = ORDER * gridDim.y;
        bx = linear / stripe * ORDER + linear % ORDER;
        by = linear % stripe / ORDER;
    } else if constexpr (ORDER < 0) { // stripes of -ORDER rows of tiles
        int linear = blockIdx.y * gridDim.x + blockIdx.x, stripe = -ORDER * gridDim.x;
        by = linear / stripe * -ORDER + linear % -ORDER;
        bx = linear % stripe / -ORDER;
    }
    constexpr int ACROSS = WIDE / 32, GROUPS = WARPS / ACROSS, PASSES = HIGH / (4 * GROUPS);
    const int c = (warp % ACROSS) * 32 + (lane & 7) * 4, r0 = (warp / ACROSS) * 4 + (lane >> 3);
    const float *from = in + (size_t)(by * HIGH) * N + bx * WIDE + c;
    float4 v[PASSES];
#pragma unroll
    for (int p = 0; p < PASSES; p++) {
        const float4 *a = (const float4 *)(from + (size_t)(r0 + p * 4 * GROUPS) * N);
        v[p] = HINT ? __ldcs(a) : *a;
    }
#pragma unroll
    for (int p = 0; p < PASSES; p++) {
        const int r = (r0 + p * 4 * GROUPS) ^ ((lane & 7) * 4);
        tile[(c + 0) * HIGH + r] = v[p].x;
        tile[(c + 1) * HIGH + r] = v[p].y;
        tile[(c + 2) * HIGH + r] = v[p].z;
        tile[(c + 3) * HIGH + r] = v[p].w;
    }
    __syncthreads();
    constexpr int QUADS = HIGH / 4, ROWS = WARPS * 32 / QUADS;
    const int q = threadIdx.x % QUADS;
#pragma unroll
    for (int y = threadIdx.x / QUADS; y < WIDE; y += ROWS) {
        float4 w = *(const float4 *)&tile[y * HIGH + ((q * 4) ^ ((y >> 2 & 7) * 4))];
        float4 *b = (float4 *)(out + (size_t)(bx * WIDE + y) * N + by * HIGH + q * 4);
        if (HINT)
            __stcs(b, w);
        else
            *b = w;
    }
}

__global__ void fill(float *p, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        p[i] = __uint_as_float(0x3f000000u | ((unsigned)(i * 2654435761u) >> 9));
}
__global__ void differs(const float *out, const float *in, int N, int *wrong)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < N && out[(size_t)y * N + x] != in[(size_t)x * N + y])
        atomicAdd(wrong, 1);
}

typedef int (*geam_fn)(void *, int, int, int, int, const float *, const float *, int, const float *,
                       const float *, int, float *, int);
static void *blas;
static geam_fn geam;

struct candidate {
    const char *name;
    void (*launch)(float *out, const float *in, int N);
    bool transposes;
    std::vector<float> ms;
};
#define WIDE(name, w, h, warps, order, hint)                                              \
    {                                                                                     \
        name, [](float *o, const float *i, int N) {                                       \
            cudaFuncSetAttribute(wide<w, h, warps, order, hint>,                          \
                                 cudaFuncAttributeMaxDynamicSharedMemorySize, w * h * 4); \
            wide<w, h, warps, order, hint>                                                \
                <<<dim3(N / w, N / h), warps * 32, w * h * 4>>>(o, i, N);                 \
        }, true, {}                                                                       \
    }

int main()
{
    candidate all[] = {
        {"copy float4 x4", [](float *o, const float *i, int N) {
             size_t n = (size_t)N * N / 4;
             copy4<<<(unsigned)(n / 1024), 256>>>((float4 *)o, (const float4 *)i, n);
         }, false, {}},
        {"copy float4", [](float *o, const float *i, int N) {
             size_t n = (size_t)N * N / 4;
             copy1<<<(unsigned)(n / 512), 512>>>((float4 *)o, (const float4 *)i);
         }, false, {}},
        {"cudaMemcpy", [](float *o, const float *i, int N) {
             cudaMemcpyAsync(o, i, (size_t)N * N * 4, cudaMemcpyDeviceToDevice);
         }, false, {}},
        {"cuBLAS geam", [](float *o, const float *i, int N) {
             float one = 1, zero = 0;
             if (geam)
                 geam(blas, 1, 0, N, N, &one, i, N, &zero, i, N, o, N);
         }, true, {}},
        {"rows 32x32", [](float *o, const float *i, int N) {
             rows32x8<<<dim3(N / 32, N / 32), dim3(32, 8)>>>(o, i, N);
         }, true, {}},
        WIDE("64x64, 8 warps, order 0", 64, 64, 8, 0, 0),
        WIDE("64x64, 8 warps, order 2", 64, 64, 8, 2, 0),
        WIDE("64x64, 8 warps, order 4", 64, 64, 8, 4, 0),
        WIDE("64x64, 8 warps, order 8", 64, 64, 8, 8, 0),
        WIDE("64x64, 8 warps, order 16", 64, 64, 8, 16, 0),
        WIDE("64x64, 8 warps, order -4", 64, 64, 8, -4, 0),
        WIDE("64x64, 8 warps, order -8", 64, 64, 8, -8, 0),
        WIDE("64x64, 16 warps, order 0", 64, 64, 16, 0, 0),
        WIDE("64x64, 16 warps, order 4", 64, 64, 16, 4, 0),
        WIDE("64x64, 16 warps, order 8", 64, 64, 16, 8, 0),
        WIDE("64x64, 16 warps, order -8", 64, 64, 16, -8, 0),
        WIDE("128x64, 16 warps, order 0", 128, 64, 16, 0, 0),
        WIDE("128x64, 16 warps, order 4", 128, 64, 16, 4, 0),
        WIDE("128x64, 16 warps, order 8", 128, 64, 16, 8, 0),
        WIDE("128x64, 16 warps, order -8", 128, 64, 16, -8, 0),
        WIDE("64x128, 16 warps, order 0", 64, 128, 16, 0, 0),
        WIDE("64x128, 16 warps, order 4", 64, 128, 16, 4, 0),
        WIDE("64x128, 16 warps, order 8", 64, 128, 16, 8, 0),
        WIDE("64x128, 16 warps, order -8", 64, 128, 16, -8, 0),
        WIDE("128x128, 16 warps, order 0", 128, 128, 16, 0, 0),
        WIDE("128x128, 16 warps, order 4", 128, 128, 16, 4, 0),
        WIDE("128x128, 16 warps, order 8", 128, 128, 16, 8, 0),
        WIDE("128x128, 16 warps, order -8", 128, 128, 16, -8, 0),
        WIDE("128x128, 32 warps, order 0", 128, 128, 32, 0, 0),
        WIDE("128x128, 32 warps, order 4", 128, 128, 32, 4, 0),
        WIDE("128x128, 32 warps, order 8", 128, 128, 32, 8, 0),
        WIDE("128x128, 32 warps, order -8", 128, 128, 32, -8, 0),
    };
    void *library = dlopen("libcublas.so.13", RTLD_NOW);
    if (!library)
        library = dlopen("libcublas.so.12", RTLD_NOW);
    if (library) {
        auto create = (int (*)(void **))dlsym(library, "cublasCreate_v2");
        if (create && create(&blas) == 0)
            geam = (geam_fn)dlsym(library, "cublasSgeam");
    }
    int *wrong;
    CHECK(cudaMalloc(&wrong, 4));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int N : {1024, 2048, 4096, 8192, 16384, 32768}) {
        float *in, *out;
        size_t bytes = (size_t)N * N * 4;
        CHECK(cudaMalloc(&in, bytes));
        CHECK(cudaMalloc(&out, bytes));
        fill<<<4096, 256>>>(in, (size_t)N * N);
        for (candidate &c : all) {
            c.ms.clear();
            if (!c.transposes)
                continue;
            CHECK(cudaMemset(out, 255, bytes));
            CHECK(cudaMemset(wrong, 0, 4));
            c.launch(out, in, N);
            differs<<<dim3((N + 255) / 256, N), 256>>>(out, in, N, wrong);
            int n;
            CHECK(cudaMemcpy(&n, wrong, 4, cudaMemcpyDeviceToHost));
            if (n)
                printf("WRONG %s N=%d: %d elements\n", c.name, N, n);
        }
        for (int round = 0; round < 24; round++)
            for (candidate &c : all) {
                float ms;
                CHECK(cudaEventRecord(start));
                c.launch(out, in, N);
                CHECK(cudaEventRecord(stop));
                CHECK(cudaEventSynchronize(stop));
                CHECK(cudaEventElapsedTime(&ms, start, stop));
                if (round >= 3)
                    c.ms.push_back(ms);
            }
        for (candidate &c : all) {
            std::sort(c.ms.begin(), c.ms.end());
            float ms = c.ms[c.ms.size() / 2];
            printf("N=%-6d %-26s %9.4f ms %8.1f GB/s\n", N, c.name, ms, 2.0 * bytes / ms / 1e6);
        }
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
    return 0;
}
