// A tile of COLUMNS x LINES elements is read by rows and written by columns; see experiment.yaml.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void tile(float *out, const float *in, int n, int by_row)
{
    __shared__ float kept[LINES][COLUMNS + PAD];
    int across = n / COLUMNS, down = n / LINES;
    int thread = threadIdx.y * COLUMNS + threadIdx.x, column = thread % LINES;
    for (int t = blockIdx.x; t < across * down; t += gridDim.x) {
        int x = COLUMNS * (by_row ? t % across : t / down);
        int y = LINES * (by_row ? t / across : t % down);
        for (int i = threadIdx.y; i < LINES; i += ROWS)
            kept[i][threadIdx.x] = in[(size_t)(y + i) * n + x + threadIdx.x];
        __syncthreads();
        for (int i = thread / LINES; i < COLUMNS; i += COLUMNS * ROWS / LINES)
            out[(size_t)(x + i) * n + y + column] = kept[column][i];
        __syncthreads();
    }
}
