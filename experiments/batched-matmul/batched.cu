// COUNT products of S x S matrices of f32, c[i] = a[i] b[i], S up to 64:
//   thread_products  one thread per element, straight from memory
//   lone_products    one thread per product: a row of a in registers, b's rows four columns at a time
//   warp_products    a warp a product (S 16 or 32): b's columns by lane, a's elements handed round by shuffles
//   block_products   a block a product: both matrices in shared memory, a square of 4 x 4 a thread
//   tensor_products  a warp 16 rows: tensor cores, each f32 as two tf32, three products for one
// SPDX-License-Identifier: Apache-2.0
#ifndef S
#define S 16
#endif

extern "C" __global__ void thread_products(float *c, const float *a, const float *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, one = i / (S * S), row = i / S % S, col = i % S;
    if (one >= count)
        return;
    const float *u = a + (size_t)one * S * S + row * S, *v = b + (size_t)one * S * S + col;
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < S; k++)
        sum += u[k] * v[k * S];
    c[i] = sum;
}

extern "C" __global__ void lone_products(float *c, const float *a, const float *b, int count)
{
    int one = blockIdx.x * blockDim.x + threadIdx.x;
    if (one >= count)
        return;
    const float *u = a + (size_t)one * S * S, *v = b + (size_t)one * S * S;
    float *to = c + (size_t)one * S * S;
    for (int row = 0; row < S; row++) {
        __align__(16) float mine[S];
#pragma unroll
        for (int k = 0; k < S; k += 4)
            *(float4 *)&mine[k] = *(const float4 *)&u[row * S + k];
#pragma unroll 1
        for (int col = 0; col < S; col += 4) {
            float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
            for (int k = 0; k < S; k++) {
                float4 by = *(const float4 *)&v[k * S + col];
                sum.x += mine[k] * by.x;
                sum.y += mine[k] * by.y;
                sum.z += mine[k] * by.z;
                sum.w += mine[k] * by.w;
            }
            *(float4 *)&to[row * S + col] = sum;
        }
    }
}

#if S <= 32
extern "C" __global__ void warp_products(float *c, const float *a, const float *b, int count)
{
    enum { HALVES = 32 / S }; // two rows at once where S is 16
    int one = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    int col = lane % S, half = lane / S;
    if (one >= count)
        return;
    const float *u = a + (size_t)one * S * S, *v = b + (size_t)one * S * S;
    float *to = c + (size_t)one * S * S, mine[S];
#pragma unroll
    for (int k = 0; k < S; k++)
        mine[k] = v[k * S + col];
#pragma unroll 4
    for (int row = half; row < S; row += HALVES) {
        float x = u[row * S + col], sum = 0;
#pragma unroll
        for (int k = 0; k < S; k++)
            sum += __shfl_sync(0xffffffffu, x, half * S + k) * mine[k];
        to[row * S + col] = sum;
    }
}
#endif

extern "C" __global__ void block_products(float *c, const float *a, const float *b, int count)
{
    enum { SIDE = S / 4, THREADS = SIDE * SIDE, EACH = 256 / THREADS }; // products a block
    __shared__ __align__(16) float us[EACH][S][S + 4], vs[EACH][S][S];
    int slot = threadIdx.x / THREADS, t = threadIdx.x % THREADS, one = blockIdx.x * EACH + slot;
    int row = t / SIDE * 4, col = t % SIDE * 4;
    float sum[4][4] = {{0}};
    if (one < count)
        for (int i = t; i < S * S / 4; i += THREADS) {
            *(float4 *)&us[slot][i / SIDE][i % SIDE * 4] = ((const float4 *)(a + (size_t)one * S * S))[i];
            *(float4 *)&vs[slot][i / SIDE][i % SIDE * 4] = ((const float4 *)(b + (size_t)one * S * S))[i];
        }
    __syncthreads();
    if (one >= count)
        return;
#pragma unroll 4
    for (int k = 0; k < S; k++) {
        float4 v = *(float4 *)&vs[slot][k][col];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            float u = us[slot][row + i][k];
            sum[i][0] += u * v.x;
            sum[i][1] += u * v.y;
            sum[i][2] += u * v.z;
            sum[i][3] += u * v.w;
        }
    }
    for (int i = 0; i < 4; i++)
        *(float4 *)(c + (size_t)one * S * S + (row + i) * S + col) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

/* ---- tensor cores ------------------------------------------------------------------------------------------ */

#if __CUDA_ARCH__ >= 800
// What tf32 keeps of x, and what it keeps of the rest: their products make up an f32 product but for 2^-22 of it.
static __device__ __forceinline__ void split(float x, unsigned *high, unsigned *low)
{
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(*high) : "f"(x));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(*low) : "f"(x - __int_as_float((int)*high)));
}

static __device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                 "{%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// A warp 16 rows of a product; rows in shared memory are padded so that fragments ask each bank once.
extern "C" __global__ void __launch_bounds__(128)
tensor_products(float *c, const float *a, const float *b, int count)
{
    enum { EACH = 64 / S, PITCH_A = S + 4, PITCH_B = S + 8 };
    __shared__ __align__(16) float us[64][PITCH_A], vs[EACH][S][PITCH_B];
    int first = blockIdx.x * EACH, rows = min(EACH, count - first) * S, warp = threadIdx.x / 32;
    const float4 *u = (const float4 *)(a + (size_t)first * S * S), *v = (const float4 *)(b + (size_t)first * S * S);
#pragma unroll
    for (int i = threadIdx.x; i < 64 * S / 4; i += 128)
        if (i / (S / 4) < rows) {
            *(float4 *)&us[i / (S / 4)][i % (S / 4) * 4] = u[i];
            *(float4 *)&vs[i / (S * S / 4)][i / (S / 4) % S][i % (S / 4) * 4] = v[i];
        }
    __syncthreads();
    if (warp * 16 >= rows)
        return;
    int group = threadIdx.x % 32 / 4, own = threadIdx.x % 4, row = warp * 16 + group, one = warp * 16 / S;
    float d[S / 8][4] = {{0}};
#pragma unroll
    for (int k = 0; k < S; k += 8) {
        unsigned high[4], low[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
            split(us[row + i % 2 * 8][k + own + i / 2 * 4], &high[i], &low[i]);
#pragma unroll
        for (int j = 0; j < S / 8; j++) {
            unsigned top[2], rest[2];
#pragma unroll
            for (int i = 0; i < 2; i++)
                split(vs[one][k + own + i * 4][j * 8 + group], &top[i], &rest[i]);
            multiply(d[j], low, top);
            multiply(d[j], high, rest);
            multiply(d[j], high, top);
        }
    }
    float *to = c + (size_t)first * S * S + (size_t)row * S;
#pragma unroll
    for (int j = 0; j < S / 8; j++) {
        *(float2 *)(to + j * 8 + own * 2) = make_float2(d[j][0], d[j][1]);
        *(float2 *)(to + 8 * S + j * 8 + own * 2) = make_float2(d[j][2], d[j][3]);
    }
}
#endif
