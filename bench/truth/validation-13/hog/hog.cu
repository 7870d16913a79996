// Magnitudes of gradients added up by direction, nine of 20 degrees each, in cells of 8 x 8 pixels. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ int cosine[9] = {1024, 962, 784, 512, 178, -178, -512, -784, -962}, sine[9] = {0, 350, 658, 887, 1008, 1008, 887, 658, 350};

__device__ int direction(int gx, int gy)
{
    if (gy < 0 || (gy == 0 && gx < 0)) {
        gx = -gx;
        gy = -gy;
    }
    int bin = 0;
    for (int k = 1; k < 9; k++)
        if (gy * cosine[k] >= gx * sine[k])
            bin = k;
        else
            break;
    return bin;
}

extern "C" __global__ void hog_atomics(float *cells, const unsigned char *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int gx = (int)in[y * width + min(x + 1, width - 1)] - in[y * width + max(x - 1, 0)];
    int gy = (int)in[min(y + 1, height - 1) * width + x] - in[max(y - 1, 0) * width + x];
    float magnitude = sqrtf((float)(gx * gx + gy * gy));
    atomicAdd(&cells[(y / 8 * (width / 8) + x / 8) * 9 + direction(gx, gy)], magnitude);
}

extern "C" __global__ void hog_cell(float *cells, const unsigned char *in, int width, int height)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, across = width / 8;
    if (c >= across * (height / 8))
        return;
    float bins[9];
    for (int k = 0; k < 9; k++)
        bins[k] = 0.0f;
    for (int y = c / across * 8; y < c / across * 8 + 8; y++)
        for (int x = c % across * 8; x < c % across * 8 + 8; x++) {
            int gx = (int)in[y * width + min(x + 1, width - 1)] - in[y * width + max(x - 1, 0)];
            int gy = (int)in[min(y + 1, height - 1) * width + x] - in[max(y - 1, 0) * width + x];
            bins[direction(gx, gy)] += sqrtf((float)(gx * gx + gy * gy));
        }
    for (int k = 0; k < 9; k++)
        cells[c * 9 + k] = bins[k];
}

// Four cells a block of 32 x 8 pixels, their bins in shared memory; directions by counting with literals.
extern "C" __global__ void __launch_bounds__(256) hog_shared(float *__restrict__ cells, const unsigned char *__restrict__ in, int n)
{
    __shared__ unsigned char s[10][36];
    __shared__ float bins[36];
    int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx, x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int i = t; i < 340; i += 256)
        s[i / 34][i % 34] = in[min(max(y0 + i / 34, 0), n - 1) * n + min(max(x0 + i % 34, 0), n - 1)];
    if (t < 36)
        bins[t] = 0.0f;
    __syncthreads();
    if (x0 + 1 + tx < n) {
        int gx = (int)s[ty + 1][tx + 2] - s[ty + 1][tx], gy = (int)s[ty + 2][tx + 1] - s[ty][tx + 1];
        float magnitude;
        asm("sqrt.approx.f32 %0, %1;" : "=f"(magnitude) : "f"((float)(gx * gx + gy * gy)));
        int turn = (gy < 0 || (gy == 0 && gx < 0)) ? -1 : 1;
        gx *= turn;
        gy *= turn;
        int bin = (gy * 962 >= gx * 350) + (gy * 784 >= gx * 658) + (gy * 512 >= gx * 887) + (gy * 178 >= gx * 1008) + (gy * -178 >= gx * 1008) + (gy * -512 >= gx * 887) +
                  (gy * -784 >= gx * 658) + (gy * -962 >= gx * 350);
        atomicAdd(&bins[tx / 8 * 9 + bin], magnitude);
    }
    __syncthreads();
    if (t < 36 && blockIdx.x * 4 + t / 9 < n / 8)
        cells[(blockIdx.y * (n / 8) + blockIdx.x * 4) * 9 + t] = bins[t];
}
