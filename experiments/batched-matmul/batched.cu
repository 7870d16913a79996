// COUNT products of S x S matrices of f32, c[i] = a[i] b[i], S up to 64:
//   thread_products  a thread an element, straight from memory
//   warp_products    a warp a product (S 16 or 32): b's columns by lane, a's elements handed round by shuffles
//   block_products   a block a product: both matrices in shared memory, a square of 4 x 4 a thread
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
