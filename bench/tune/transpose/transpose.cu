// A tile of COLUMNS x LINES elements is read by rows and written by columns; see experiment.yaml.
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void tile(float *out, const float *in, int n)
{
    __shared__ float kept[LINES][COLUMNS + PAD];
    int tile_x = BY_ROW ? blockIdx.x : blockIdx.y, tile_y = BY_ROW ? blockIdx.y : blockIdx.x;
    int x = tile_x * COLUMNS, y = tile_y * LINES;
    for (int i = threadIdx.y; i < LINES; i += ROWS)
        kept[i][threadIdx.x] = in[(size_t)(y + i) * n + x + threadIdx.x];
    __syncthreads();
    int thread = threadIdx.y * COLUMNS + threadIdx.x, column = thread % LINES;
    for (int i = thread / LINES; i < COLUMNS; i += COLUMNS * ROWS / LINES)
        out[(size_t)(x + i) * n + y + column] = kept[column][i];
}
