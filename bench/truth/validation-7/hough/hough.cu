// Each bright point votes for the lines through it, 180 angles. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void hough_angles(int *turn)
{
    int a = threadIdx.x;
    if (a >= 180)
        return;
    float c, s;
    sincospif(a / 180.0f, &s, &c);
    turn[2 * a] = __float2int_rn(1024.0f * c);
    turn[2 * a + 1] = __float2int_rn(1024.0f * s);
}

extern "C" __global__ void hough_global(int *votes, const unsigned char *in, const int *turn, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n || in[y * n + x] <= 242)
        return;
    for (int a = 0; a < 180; a++) {
        int distance = (x * turn[2 * a] + y * turn[2 * a + 1]) >> 10;
        atomicAdd(&votes[a * 3 * n + n + distance], 1);
    }
}

// Bright points, in any order: x in the lower half.
extern "C" __global__ void hough_points(int *points, int *found, const unsigned char *in, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && in[i] > 242)
        points[atomicAdd(found, 1)] = i / n << 16 | i % n;
}

// A block counts the votes of an angle.
extern "C" __global__ void hough_shared(int *__restrict__ votes, const int *__restrict__ points, const int *__restrict__ found,
                                        int n)
{
    extern __shared__ int s[];
    int a = blockIdx.x, count = *found;
    float cf, sf;
    sincospif(a / 180.0f, &sf, &cf);
    int cosine = __float2int_rn(1024.0f * cf), sine = __float2int_rn(1024.0f * sf);
    for (int i = threadIdx.x; i < 3 * n; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        int p = points[i];
        atomicAdd(&s[n + (((p & 0xffff) * cosine + (p >> 16) * sine) >> 10)], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 3 * n; i += blockDim.x)
        votes[a * 3 * n + i] = s[i];
}
