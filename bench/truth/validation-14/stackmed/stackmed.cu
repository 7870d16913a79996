// The median of nine frames at each pixel. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define MAX_FRAMES 32

extern "C" __global__ void stackmed_insertion(unsigned short *out, const unsigned short *frames, int pixels, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels)
        return;
    unsigned short sorted[MAX_FRAMES];
    for (int f = 0; f < count; f++) {
        unsigned short v = frames[f * pixels + i];
        int k = f - 1;
        while (k >= 0 && sorted[k] > v) {
            sorted[k + 1] = sorted[k];
            k--;
        }
        sorted[k + 1] = v;
    }
    out[i] = sorted[count / 2];
}

#define EACH(X) X(1, 2) X(4, 5) X(7, 8) X(0, 1) X(3, 4) X(6, 7) X(1, 2) X(4, 5) X(7, 8) X(0, 3) X(5, 8) X(4, 7) X(3, 6) X(1, 4) X(2, 5) X(4, 7) X(4, 2) X(6, 4) X(4, 2)

extern "C" __global__ void stackmed_network(unsigned short *__restrict__ out, const unsigned short *__restrict__ frames, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels)
        return;
    int v[9];
#pragma unroll
    for (int f = 0; f < 9; f++)
        v[f] = frames[(size_t)f * pixels + i];
#define ORDER(a, b)             \
    {                           \
        int t = min(v[a], v[b]); \
        v[b] = max(v[a], v[b]); \
        v[a] = t;               \
    }
    EACH(ORDER)
#undef ORDER
    out[i] = v[4];
}

// Two pixels a word; pixels are counted in pairs.
extern "C" __global__ void stackmed_packed(unsigned *__restrict__ out, const unsigned *__restrict__ frames, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    unsigned v[9];
#pragma unroll
    for (int f = 0; f < 9; f++)
        v[f] = __ldg(&frames[(size_t)f * pairs + i]);
#define ORDER(a, b)                      \
    {                                    \
        unsigned t = __vminu2(v[a], v[b]); \
        v[b] = __vmaxu2(v[a], v[b]);     \
        v[a] = t;                        \
    }
    EACH(ORDER)
    out[i] = v[4];
}
