// Rows of 256 sorted by Batcher's odd-even merges: runs of p become runs of 2 p by steps of p, p/2 to 1. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void oddeven_copy(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// Pair number t of a step: the lower of its places; -1 where it would leave its run.
__device__ int lower(int t, int p, int k)
{
    int i = t % k + t / k * 2 * k + k % p;
    return i + k < 256 && i / (2 * p) == (i + k) / (2 * p) ? i : -1;
}

__device__ void in_order(float *a, float *b)
{
    float x = *a, y = *b;
    if (x > y) {
        *a = y;
        *b = x;
    }
}

extern "C" __global__ void oddeven_step(float *out, int p, int k, int rows)
{
    int row = blockIdx.x * 2 + threadIdx.x / 128, i = lower(threadIdx.x % 128, p, k);
    if (row < rows && i >= 0)
        in_order(&out[row * 256 + i], &out[row * 256 + i + k]);
}

extern "C" __global__ void oddeven_shared(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x, first = blockIdx.x * 256;
    s[t] = in[first + t];
    s[t + 128] = in[first + t + 128];
    __syncthreads();
    for (int p = 1; p < 256; p *= 2)
        for (int k = p; k > 0; k /= 2) {
            int i = lower(t, p, k);
            if (i >= 0)
                in_order(&s[i], &s[i + k]);
            __syncthreads();
        }
    out[first + t] = s[t];
    out[first + t + 128] = s[t + 128];
}

// Place i is register i / 32 of lane i % 32.
template <int p, int k> __device__ void step(float (&v)[8], int lane)
{
    float higher[8], before[8];
    if (k >= 32) {
#pragma unroll
        for (int r = 0; r < 8; r++) {
            higher[r] = v[(r + k / 32) % 8];
            before[r] = v[(r + 8 - k / 32) % 8];
        }
    } else if (k == p) {
#pragma unroll
        for (int r = 0; r < 8; r++)
            higher[r] = before[r] = __shfl_xor_sync(0xffffffff, v[r], k);
    } else {
        float up[8], down[8];
#pragma unroll
        for (int r = 0; r < 8; r++) {
            up[r] = __shfl_sync(0xffffffff, v[r], lane + k);
            down[r] = __shfl_sync(0xffffffff, v[r], lane - k);
        }
#pragma unroll
        for (int r = 0; r < 8; r++) {
            higher[r] = lane + k < 32 ? up[r] : up[(r + 1) % 8];
            before[r] = lane >= k ? down[r] : down[(r + 7) % 8];
        }
    }
#pragma unroll
    for (int r = 0; r < 8; r++) {
        int i = 32 * r + lane, j = i - k % p;
        bool low = j >= 0 && j / k % 2 == 0;
        int a = low ? i : i - k;
        if (a >= k % p && a + k < 256 && a / (2 * p) == (a + k) / (2 * p))
            v[r] = low ? fminf(v[r], higher[r]) : fmaxf(v[r], before[r]);
    }
}

template <int p, int k> __device__ void merge(float (&v)[8], int lane)
{
    step<p, k>(v, lane);
    if constexpr (k > 1)
        merge<p, k / 2>(v, lane);
}

extern "C" __global__ void __launch_bounds__(128) oddeven_registers(float *__restrict__ out, const float *__restrict__ in, int rows)
{
    int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float v[8];
#pragma unroll
    for (int r = 0; r < 8; r++)
        v[r] = in[row * 256 + 32 * r + lane];
    merge<1, 1>(v, lane);
    merge<2, 2>(v, lane);
    merge<4, 4>(v, lane);
    merge<8, 8>(v, lane);
    merge<16, 16>(v, lane);
    merge<32, 32>(v, lane);
    merge<64, 64>(v, lane);
    merge<128, 128>(v, lane);
#pragma unroll
    for (int r = 0; r < 8; r++)
        out[row * 256 + 32 * r + lane] = v[r];
}
