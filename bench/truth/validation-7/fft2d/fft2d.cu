// Fourier transforms of images of 64 x 64 complex numbers. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

__device__ float2 add(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

__device__ float2 sub(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

__device__ float2 mul(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Eight transforms of 64 by a block of 256 threads, in shared memory: a row of s each, in bits' order at first.
__device__ void eight_rows(float2 (&s)[8][65])
{
    int row = threadIdx.x / 32, i = threadIdx.x % 32;
    for (int half = 1; half < 64; half *= 2) {
        __syncthreads();
        int k = i % half, j = 2 * (i - k) + k;
        float2 w;
        sincospif(-k / (float)half, &w.y, &w.x);
        float2 a = s[row][j], b = mul(s[row][j + half], w);
        s[row][j] = add(a, b);
        s[row][j + half] = sub(a, b);
    }
    __syncthreads();
}

extern "C" __global__ void fft2d_rows(float2 *out, const float2 *in)
{
    __shared__ float2 s[8][65];
    int first = blockIdx.x * 512;
    for (int i = threadIdx.x; i < 512; i += 256)
        s[i / 64][__brev(i % 64) >> 26] = in[first + i];
    eight_rows(s);
    for (int i = threadIdx.x; i < 512; i += 256)
        out[first + i] = s[i / 64][i % 64];
}

// Eight columns side by side.
extern "C" __global__ void fft2d_columns(float2 *out, const float2 *in)
{
    __shared__ float2 s[8][65];
    int first = blockIdx.x / 8 * 4096 + blockIdx.x % 8 * 8;
    for (int i = threadIdx.x; i < 512; i += 256)
        s[i % 8][__brev(i / 8) >> 26] = in[first + i / 8 * 64 + i % 8];
    eight_rows(s);
    for (int i = threadIdx.x; i < 512; i += 256)
        out[first + i / 8 * 64 + i % 8] = s[i % 8][i / 8];
}

extern "C" __global__ void fft2d_transpose(float2 *out, const float2 *in)
{
    __shared__ float2 s[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32, y = blockIdx.y * 32, image = blockIdx.z * 4096;
    for (int j = ty; j < 32; j += 8)
        s[j][tx] = in[image + (y + j) * 64 + x + tx];
    __syncthreads();
    for (int j = ty; j < 32; j += 8)
        out[image + (x + j) * 64 + y + tx] = s[tx][j];
}

// -i a
__device__ float2 turned(float2 a)
{
    return make_float2(a.y, -a.x);
}

// Eight numbers to their transform.
__device__ void eight(float2 (&v)[8])
{
    float2 a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        a[i] = add(v[i], v[i + 4]);
        b[i] = sub(v[i], v[i + 4]);
    }
    const float h = 0.70710678f;
    b[1] = mul(b[1], make_float2(h, -h));
    b[2] = turned(b[2]);
    b[3] = mul(b[3], make_float2(-h, -h));
    float2 p = add(a[0], a[2]), q = add(a[1], a[3]), r = sub(a[0], a[2]), s = turned(sub(a[1], a[3]));
    v[0] = add(p, q);
    v[4] = sub(p, q);
    v[2] = add(r, s);
    v[6] = sub(r, s);
    p = add(b[0], b[2]);
    q = add(b[1], b[3]);
    r = sub(b[0], b[2]);
    s = turned(sub(b[1], b[3]));
    v[1] = add(p, q);
    v[5] = sub(p, q);
    v[3] = add(r, s);
    v[7] = sub(r, s);
}

// 64 as eight times eight: a thread has numbers t, t + 8 and so on, so far apart.
__device__ void sixty_four(float2 (&v)[8], float2 *s, int t, int apart)
{
    eight(v);
    float2 w, power;
    sincospif(t / -32.0f, &w.y, &w.x);
    power = w;
#pragma unroll
    for (int k = 1; k < 8; k++) {
        v[k] = mul(v[k], power);
        power = mul(power, w);
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        s[(8 * k + t) * apart] = v[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = s[(8 * t + k) * apart];
    eight(v);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
        s[(8 * k + t) * apart] = v[k];
    __syncthreads();
}

// An image a block, in shared memory: rows, then columns.
extern "C" __global__ void __launch_bounds__(512) fft2d_whole(float2 *__restrict__ out, const float2 *__restrict__ in)
{
    __shared__ float2 s[64 * 65];
    int t = threadIdx.x, line = t / 8, first = blockIdx.x * 4096;
    float2 v[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = in[first + line * 64 + t % 8 + 8 * k];
    sixty_four(v, s + line * 65, t % 8, 1);
#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = s[(t / 64 + 8 * k) * 65 + t % 64];
    __syncthreads();
    sixty_four(v, s + t % 64, t / 64, 65);
#pragma unroll
    for (int k = 0; k < 8; k++)
        out[first + t + 512 * k] = s[(t / 64 + 8 * k) * 65 + t % 64];
}
