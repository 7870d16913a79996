// A cell keeps its sand modulo four and gives a quarter of the rest to each neighbour; what leaves the table is lost. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void sandpile_step(int *out, const int *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int i = y * width + x, sand = in[i] % 4;
    if (x > 0)
        sand += in[i - 1] / 4;
    if (x < width - 1)
        sand += in[i + 1] / 4;
    if (y > 0)
        sand += in[i - width] / 4;
    if (y < height - 1)
        sand += in[i + width] / 4;
    out[i] = sand;
}

// Four steps a launch: 32 x 32 cells and a border of four, four rows a thread.
extern "C" __global__ void __launch_bounds__(400) sandpile_tile(int *__restrict__ out, const int *__restrict__ in, int n)
{
    __shared__ int s[2][42][43];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx - 4, y = blockIdx.y * 32 + ty - 4;
    for (int i = ty * 40 + tx; i < 2 * 42 * 43; i += 400)
        (&s[0][0][0])[i] = 0;
    __syncthreads();
    bool inside[4];
#pragma unroll
    for (int r = 0; r < 4; r++) {
        int row = y + 10 * r;
        inside[r] = x >= 0 && x < n && row >= 0 && row < n;
        if (inside[r])
            s[0][ty + 10 * r + 1][tx + 1] = in[row * n + x];
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < 4; step++) {
        int(*from)[43] = s[step % 2], (*to)[43] = s[(step + 1) % 2];
#pragma unroll
        for (int r = 0; r < 4; r++) {
            int i = ty + 10 * r + 1, j = tx + 1;
            if (inside[r])
                to[i][j] = (from[i][j] & 3) + (from[i - 1][j] >> 2) + (from[i + 1][j] >> 2) + (from[i][j - 1] >> 2) + (from[i][j + 1] >> 2);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 4; r++) {
        int i = ty + 10 * r;
        if (tx >= 4 && tx < 36 && i >= 4 && i < 36)
            out[(y + 10 * r) * n + x] = s[0][i + 1][tx + 1];
    }
}
