// A volume of eight channels times 3 x 3 x 3 weights to eight channels, zeros around it. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void convt3_direct(float *out, const float *x, const float *w, int in_channels, int out_channels, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, volume = side * side * side;
    if (i >= out_channels * volume)
        return;
    int px = i % side, py = i / side % side, pz = i / (side * side) % side, o = i / volume;
    float sum = 0.0f;
    for (int c = 0; c < in_channels; c++)
        for (int dz = 0; dz < 3; dz++)
            for (int dy = 0; dy < 3; dy++)
                for (int dx = 0; dx < 3; dx++) {
                    int sx = px + dx - 1, sy = py + dy - 1, sz = pz + dz - 1;
                    if (sx >= 0 && sx < side && sy >= 0 && sy < side && sz >= 0 && sz < side)
                        sum += x[((c * side + sz) * side + sy) * side + sx] * w[((o * in_channels + c) * 3 + dz) * 9 + dy * 3 + dx];
                }
    out[i] = sum;
}

extern "C" __global__ void convt3_weights(float *out, const float *x, const float *w, int side)
{
    __shared__ float ws[216][8];
    int volume = side * side * side, i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = threadIdx.x; k < 1728; k += blockDim.x)
        ws[k % 216][k / 216] = w[k];
    __syncthreads();
    if (i >= volume)
        return;
    int px = i % side, py = i / side % side, pz = i / (side * side);
    float sum[8] = {};
    for (int c = 0; c < 8; c++)
        for (int tap = 0; tap < 27; tap++) {
            int sx = px + tap % 3 - 1, sy = py + tap / 3 % 3 - 1, sz = pz + tap / 9 - 1;
            if ((unsigned)sx >= side || (unsigned)sy >= side || (unsigned)sz >= side)
                continue;
            float v = x[((c * side + sz) * side + sy) * side + sx];
            for (int o = 0; o < 8; o++)
                sum[o] += v * ws[c * 27 + tap][o];
        }
    for (int o = 0; o < 8; o++)
        out[o * volume + i] = sum[o];
}

// A tile of 8 x 4 x 4 places of one channel after the other.
extern "C" __global__ void __launch_bounds__(128) convt3_tile(float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ w, int side)
{
    __shared__ __align__(16) float ws[216][8];
    __shared__ float tile[6][6][10];
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, t = (tz * 4 + ty) * 8 + tx, volume = side * side * side;
    int x0 = blockIdx.x * 8, y0 = blockIdx.y * 4, z0 = blockIdx.z * 4;
    for (int k = t; k < 1728; k += 128)
        ws[k % 216][k / 216] = w[k];
    float sum[8] = {};
    for (int c = 0; c < 8; c++) {
        __syncthreads();
        for (int k = t; k < 360; k += 128) {
            int sx = x0 + k % 10 - 1, sy = y0 + k / 10 % 6 - 1, sz = z0 + k / 60 - 1;
            bool in = (unsigned)sx < side && (unsigned)sy < side && (unsigned)sz < side;
            (&tile[0][0][0])[k] = in ? x[((c * side + sz) * side + sy) * side + sx] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int dz = 0; dz < 3; dz++)
#pragma unroll
            for (int dy = 0; dy < 3; dy++)
#pragma unroll
                for (int dx = 0; dx < 3; dx++) {
                    float v = tile[tz + dz][ty + dy][tx + dx];
                    const float4 *row = (const float4 *)ws[c * 27 + dz * 9 + dy * 3 + dx];
                    float4 a = row[0], b = row[1];
                    sum[0] += v * a.x;
                    sum[1] += v * a.y;
                    sum[2] += v * a.z;
                    sum[3] += v * a.w;
                    sum[4] += v * b.x;
                    sum[5] += v * b.y;
                    sum[6] += v * b.z;
                    sum[7] += v * b.w;
                }
    }
    int px = x0 + tx, py = y0 + ty, pz = z0 + tz;
    if (px < side && py < side && pz < side)
#pragma unroll
        for (int o = 0; o < 8; o++)
            out[o * volume + (pz * side + py) * side + px] = sum[o];
}
