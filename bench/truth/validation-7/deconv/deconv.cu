// Transposed convolution 4 x 4 of stride 2 and padding 1, 16 channels of n x n to 8 of twice the size. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void deconv_atomics(float *out, const float *in, const float *w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (i >= n * n)
        return;
    int y = i / n, x = i % n;
    float v = in[c * n * n + i];
    for (int o = 0; o < 8; o++)
        for (int ky = 0; ky < 4; ky++)
            for (int kx = 0; kx < 4; kx++) {
                int oy = 2 * y - 1 + ky, ox = 2 * x - 1 + kx;
                if (oy >= 0 && oy < 2 * n && ox >= 0 && ox < 2 * n)
                    atomicAdd(&out[(o * 2 * n + oy) * 2 * n + ox], v * w[(c * 8 + o) * 16 + ky * 4 + kx]);
            }
}

// An output has two rows and two columns of the inputs, by its parity.
extern "C" __global__ void deconv_gather(float *out, const float *in, const float *w, int n)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
    if (ox >= 2 * n || oy >= 2 * n)
        return;
    float sum = 0.0f;
    for (int c = 0; c < 16; c++)
        for (int ky = (oy + 1) % 2; ky < 4; ky += 2)
            for (int kx = (ox + 1) % 2; kx < 4; kx += 2) {
                int y = (oy + 1 - ky) / 2, x = (ox + 1 - kx) / 2;
                if (oy + 1 >= ky && y < n && ox + 1 >= kx && x < n)
                    sum += in[(c * n + y) * n + x] * w[(c * 8 + o) * 16 + ky * 4 + kx];
            }
    out[(o * 2 * n + oy) * 2 * n + ox] = sum;
}

// Two by two outputs from three by three inputs; the channel's weights in shared memory.
extern "C" __global__ void __launch_bounds__(128) deconv_four(float *__restrict__ out, const float *__restrict__ in,
                                                              const float *__restrict__ w, int n)
{
    __shared__ float ws[16][16];
    int t = threadIdx.y * 32 + threadIdx.x, o = blockIdx.z;
    for (int i = t; i < 256; i += 128)
        ws[i / 16][i % 16] = w[(i / 16 * 8 + o) * 16 + i % 16];
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= n || y >= n)
        return;
    float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
    for (int k = 0; k < 16; k++) {
        float v[3][3];
#pragma unroll
        for (int j = 0; j < 3; j++)
#pragma unroll
            for (int i = 0; i < 3; i++) {
                int yy = y + j - 1, xx = x + i - 1;
                v[j][i] = yy >= 0 && yy < n && xx >= 0 && xx < n ? in[(k * n + yy) * n + xx] : 0.0f;
            }
        const float *u = ws[k];
        a += v[1][1] * u[5] + v[1][0] * u[7] + v[0][1] * u[13] + v[0][0] * u[15];
        b += v[1][1] * u[6] + v[1][2] * u[4] + v[0][1] * u[14] + v[0][2] * u[12];
        c += v[1][1] * u[9] + v[1][0] * u[11] + v[2][1] * u[1] + v[2][0] * u[3];
        d += v[1][1] * u[10] + v[1][2] * u[8] + v[2][1] * u[2] + v[2][2] * u[0];
    }
    float2 *to = (float2 *)&out[(o * 2 * n + 2 * y) * 2 * n + 2 * x];
    to[0] = make_float2(a, b);
    to[n] = make_float2(c, d);
}
