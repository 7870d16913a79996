// A level of the wavelet 9/7: low numbers before high ones in rows and columns, mirrored at the borders. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define A -1.586134342f
#define B -0.05298011854f
#define C 0.8829110762f
#define D 0.4435068522f
#define K 1.149604398f

// A block has a row of 512.
extern "C" __global__ void dwt97_rows(float *to, const float *from)
{
    __shared__ float s[512];
    int t = threadIdx.x, row = blockIdx.x * 512, left = t > 0 ? 2 * t - 1 : 1, right = t < 255 ? 2 * t + 2 : 510;
    s[t] = from[row + t];
    s[t + 256] = from[row + t + 256];
    __syncthreads();
    s[2 * t + 1] += A * (s[2 * t] + s[right]);
    __syncthreads();
    s[2 * t] += B * (s[left] + s[2 * t + 1]);
    __syncthreads();
    s[2 * t + 1] += C * (s[2 * t] + s[right]);
    __syncthreads();
    s[2 * t] += D * (s[left] + s[2 * t + 1]);
    __syncthreads();
    to[row + t] = s[2 * t] / K;
    to[row + t + 256] = s[2 * t + 1] * K;
}

// A thread walks down a column with the last numbers of each step.
extern "C" __global__ void dwt97_columns(float *to, const float *from, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    // The mirrored ends: what the numbers above the first row are after each step.
    float e0 = from[x], o1 = from[width + x], e2 = from[2 * width + x];
    float odd_a = o1 + A * (e0 + e2), even_b = e0 + 2.0f * B * odd_a, even = e2, odd_c = 0.0f;
    for (int k = 0; k < height / 2; k++) {
        // odd_a is that of row 2k + 1, even_b that of row 2k, even the one of row 2k + 2.
        float next_a, next_b;
        if (k + 1 < height / 2) {
            float o = from[(2 * k + 3) * width + x], e = k + 2 < height / 2 ? from[(2 * k + 4) * width + x] : even;
            next_a = o + A * (even + e);
            next_b = even + B * (odd_a + next_a);
            even = e;
        } else {
            next_a = odd_a;
            next_b = even_b;
        }
        float c = odd_a + C * (even_b + next_b);
        float d = even_b + D * ((k == 0 ? c : odd_c) + c);
        to[k * width + x] = d / K;
        to[(height / 2 + k) * width + x] = c * K;
        odd_c = c;
        odd_a = next_a;
        even_b = next_b;
    }
}

__device__ int mirror(int i, int n)
{
    i = i < 0 ? -i : i;
    return i < n ? i : 2 * n - 2 - i;
}

// 32 x 32 numbers with four more on all sides.
extern "C" __global__ void __launch_bounds__(256) dwt97_tile(float *__restrict__ out, const float *__restrict__ image, int height)
{
    __shared__ float s[40][41];
    int t = threadIdx.x, left = blockIdx.x * 32, top = blockIdx.y * 32;
    for (int i = t; i < 1600; i += 256)
        s[i / 40][i % 40] = image[mirror(top + i / 40 - 4, height) * 512 + mirror(left + i % 40 - 4, 512)];
    __syncthreads();
    const float by[4] = {A, B, C, D};
#pragma unroll
    for (int step = 0; step < 4; step++) {
        int few = 19 - step;
        for (int i = t; i < 40 * few; i += 256) {
            int c = 2 * (i / 40) + 1 + step, r = i % 40;
            s[r][c] += by[step] * (s[r][c - 1] + s[r][c + 1]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int step = 0; step < 4; step++) {
        int few = 19 - step;
        for (int i = t; i < 32 * few; i += 256) {
            int r = 2 * (i / 32) + 1 + step, c = 4 + i % 32;
            s[r][c] += by[step] * (s[r - 1][c] + s[r + 1][c]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = t; i < 1024; i += 256) {
        int r = i / 32, c = i % 32, high = r / 16, right = c / 16;
        float v = s[4 + r % 16 * 2 + high][4 + c % 16 * 2 + right] * (high ? K : 1.0f / K) * (right ? K : 1.0f / K);
        out[(high * height / 2 + top / 2 + r % 16) * 512 + right * 256 + left / 2 + c % 16] = v;
    }
}
