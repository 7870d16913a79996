// Means of pixels weighted by how alike their patches are; pixels outside of the image are those of its border. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void nlm_direct(float *out, const float *image, int width, int height, int window, int patch, float by)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f, weights = 0.0f;
    for (int dy = -window; dy <= window; dy++)
        for (int dx = -window; dx <= window; dx++) {
            float far = 0.0f;
            for (int j = -patch; j <= patch; j++)
                for (int i = -patch; i <= patch; i++) {
                    int ax = min(max(x + i, 0), width - 1), ay = min(max(y + j, 0), height - 1);
                    int bx = min(max(x + dx + i, 0), width - 1), by = min(max(y + dy + j, 0), height - 1);
                    float diff = image[ay * width + ax] - image[by * width + bx];
                    far += diff * diff;
                }
            int qx = min(max(x + dx, 0), width - 1), qy = min(max(y + dy, 0), height - 1);
            float weight = expf(-far * by);
            sum += weight * image[qy * width + qx];
            weights += weight;
        }
    out[y * width + x] = sum / weights;
}

extern "C" __global__ void __launch_bounds__(256) nlm_tile(float *out, const float *image, int side)
{
    __shared__ float tile[30][31];
    int tx = threadIdx.x, ty = threadIdx.y;
    for (int i = ty * 16 + tx; i < 900; i += 256) {
        int x = min(max((int)blockIdx.x * 16 + i % 30 - 7, 0), side - 1), y = min(max((int)blockIdx.y * 16 + i / 30 - 7, 0), side - 1);
        tile[i / 30][i % 30] = image[y * side + x];
    }
    __syncthreads();
    float own[5][5], sum = 0.0f, weights = 0.0f;
#pragma unroll
    for (int j = 0; j < 5; j++)
#pragma unroll
        for (int i = 0; i < 5; i++)
            own[j][i] = tile[ty + 5 + j][tx + 5 + i];
    for (int dy = 0; dy < 11; dy++)
        for (int dx = 0; dx < 11; dx++) {
            float far = 0.0f;
#pragma unroll
            for (int j = 0; j < 5; j++)
#pragma unroll
                for (int i = 0; i < 5; i++) {
                    float diff = own[j][i] - tile[ty + dy + j][tx + dx + i];
                    far += diff * diff;
                }
            float weight = __expf(-0.5f * far);
            sum += weight * tile[ty + dy + 2][tx + dx + 2];
            weights += weight;
        }
    out[(blockIdx.y * 16 + ty) * side + blockIdx.x * 16 + tx] = sum / weights;
}

// For each shift the differences of the tile once, then sums of five along rows and of five rows.
extern "C" __global__ void __launch_bounds__(256) nlm_sums(float *__restrict__ out, const float *__restrict__ image, int side)
{
    __shared__ float tile[22][47];
    __shared__ float squares[12][37];
    __shared__ float rows[12][32];
    int t = threadIdx.x, tx = t % 32, ty = t / 32;
    for (int i = t; i < 22 * 46; i += 256) {
        int x = min(max((int)blockIdx.x * 32 + i % 46 - 7, 0), side - 1), y = min(max((int)blockIdx.y * 8 + i / 46 - 7, 0), side - 1);
        tile[i / 46][i % 46] = image[y * side + x];
    }
    __syncthreads();
    float sum = 0.0f, weights = 0.0f;
    for (int dy = 0; dy < 11; dy++)
        for (int dx = 0; dx < 11; dx++) {
            for (int i = t; i < 432; i += 256) {
                int r = i / 36, c = i % 36;
                float diff = tile[r + 5][c + 5] - tile[r + dy][c + dx];
                squares[r][c] = diff * diff;
            }
            __syncthreads();
            for (int i = t; i < 384; i += 256) {
                const float *from = &squares[i / 32][i % 32];
                rows[i / 32][i % 32] = from[0] + from[1] + from[2] + from[3] + from[4];
            }
            __syncthreads();
            float far = rows[ty][tx] + rows[ty + 1][tx] + rows[ty + 2][tx] + rows[ty + 3][tx] + rows[ty + 4][tx];
            float weight = __expf(-0.5f * far);
            sum += weight * tile[ty + dy + 2][tx + dx + 2];
            weights += weight;
        }
    out[(blockIdx.y * 8 + ty) * side + blockIdx.x * 32 + tx] = __fdividef(sum, weights);
}
