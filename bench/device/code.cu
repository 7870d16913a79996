// How fast warps issue straight code of 64 to 8,192 instructions: in a loop, by one to eight blocks of 256 threads an SM, warps together or a quarter of a turn
// apart, and once, block after block. nvcc -O3 -arch=sm_90 -o code code.cu && ./code takes a second. 32 KiB of code cost nothing (docs/JOURNAL.md).
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cuda_runtime.h>
template <int N> __global__ void __launch_bounds__(256) body(float *out, int turns, int skew, float b, float c)
{
    float a[8];
    for (int k = 0; k < 8; k++) a[k] = threadIdx.x + k;
    if (skew > 0) {
        long long start = clock64();
        while (clock64() - start < (long long)(threadIdx.x / 32 * 37 % 8 + blockIdx.x / 132 % 8 * 8) * skew) { }
    }
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int i = 0; i < N / 8; i++)
#pragma unroll
            for (int k = 0; k < 8; k++) a[k] = fmaf(a[k], b, c);
    }
    float s = 0;
    for (int k = 0; k < 8; k++) s += a[k];
    if (s == 12345.678f) out[0] = s;
}
// with a shared load every 16 instructions, waited for
template <int N> __global__ void __launch_bounds__(256) mixed(float *out, int turns, int skew, float b, float c)
{
    __shared__ float sh[256];
    float a[8];
    sh[threadIdx.x] = threadIdx.x; __syncthreads();
    for (int k = 0; k < 8; k++) a[k] = threadIdx.x + k;
    if (skew > 0) {
        long long start = clock64();
        while (clock64() - start < (long long)(threadIdx.x / 32 * 37 % 8 + blockIdx.x / 132 % 8 * 8) * skew) { }
    }
    volatile float *v = sh;
#pragma unroll 1
    for (int t = 0; t < turns; t++) {
#pragma unroll
        for (int i = 0; i < N / 16; i++) {
            float x = v[(threadIdx.x + i) & 255];
#pragma unroll
            for (int k = 0; k < 7; k++) a[k] = fmaf(a[k], b, x);
#pragma unroll
            for (int k = 0; k < 7; k++) a[k] = fmaf(a[k], b, c);
        }
    }
    float s = 0;
    for (int k = 0; k < 8; k++) s += a[k];
    if (s == 12345.678f) out[0] = s;
}
typedef void (*K)(float *, int, int, float, float);
static float timed(K k, int grid, int turns, int skew, float *out)
{
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
    float best = 1e9f;
    for (int r = 0; r < 5; r++) {
        cudaEventRecord(e0); k<<<grid, 256>>>(out, turns, skew, 0.5f, 0.25f); cudaEventRecord(e1); cudaEventSynchronize(e1);
        float ms; cudaEventElapsedTime(&ms, e0, e1); if (ms < best) best = ms;
    }
    return best * 1e6f;
}
int main()
{
    float *out; cudaMalloc(&out, 4);
    int sizes[] = {64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192};
    K bodies[] = {body<64>, body<128>, body<256>, body<384>, body<512>, body<768>, body<1024>, body<1536>, body<2048>, body<4096>, body<8192>};
    K mixes[] = {mixed<64>, mixed<128>, mixed<256>, mixed<384>, mixed<512>, mixed<768>, mixed<1024>, mixed<1536>, mixed<2048>, mixed<4096>, mixed<8192>};
    printf("kind,n,blocks_per_sm,skew,turns,ns_per_turn_of_a_scheduler,cycles_per_instruction_of_a_scheduler\n");
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; s < 11; s++)
            for (int blocks = 1; blocks <= 8; blocks *= 2)
                for (int skewed = 0; skewed < 2; skewed++) {
                    K k = kind ? mixes[s] : bodies[s];
                    int n = sizes[s], few = 65536 / n / 4 + 4, many = few * 3, skew = skewed ? n / 4 : 0;
                    float a = timed(k, 132 * blocks, few, skew, out), b = timed(k, 132 * blocks, many, skew, out);
                    float per = (b - a) / (many - few);
                    printf("%s,%d,%d,%d,%d,%.1f,%.3f\n", kind ? "mixed" : "ffma", n, blocks, skew, many, per, per * 1.98f / (n * 2.0f * blocks));
                }
    // straight code, once a warp, block after block
    printf("once: n, waves 12 of 8 blocks: ns, cycles per instruction\n");
    for (int kind = 0; kind < 2; kind++)
        for (int s = 0; s < 11; s++) {
            K k = kind ? mixes[s] : bodies[s];
            float a = timed(k, 132 * 8 * 4, 1, 0, out), b = timed(k, 132 * 8 * 16, 1, 0, out);
            printf("once-%s,%d,%.1f,%.3f\n", kind ? "mixed" : "ffma", sizes[s], (b - a) / 12, (b - a) / 12 * 1.98f / (sizes[s] * 16.0f));
        }
    return cudaDeviceSynchronize() != cudaSuccess;
}
