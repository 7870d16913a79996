// The gradient of attention with respect to its values: the transpose of the probabilities, made again from scores and their
// rows' sums, times the gradient of the output. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
constexpr int D = 64;

extern "C" __global__ void attdv_value(float *dv, const float *s, const float *lse, const float *dout, int length)
{
    int j = blockIdx.x, d = threadIdx.x, head = blockIdx.y;
    s += head * length * length;
    lse += head * length;
    dout += head * length * D;
    float sum = 0.0f;
    for (int i = 0; i < length; i++)
        sum += expf(s[i * length + j] - lse[i]) * dout[i * D + d];
    dv[(head * length + j) * D + d] = sum;
}

// 16 keys and 16 of 64 dimensions a block.
extern "C" __global__ void attdv_tile(float *dv, const float *s, const float *lse, const float *dout, int length)
{
    __shared__ float p[16][16], g[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, head = blockIdx.z, j0 = blockIdx.y * 16, d0 = blockIdx.x * 16;
    s += head * length * length;
    lse += head * length;
    dout += head * length * D;
    float sum = 0.0f;
    for (int i = 0; i < length; i += 16) {
        bool inside = i + ty < length;
        p[ty][tx] = inside && j0 + tx < length ? __expf(s[(i + ty) * length + j0 + tx] - lse[i + ty]) : 0.0f;
        g[ty][tx] = inside ? dout[(i + ty) * D + d0 + tx] : 0.0f;
        __syncthreads();
        for (int e = 0; e < 16; e++)
            sum += p[e][ty] * g[e][tx];
        __syncthreads();
    }
    if (j0 + ty < length)
        dv[(head * length + j0 + ty) * D + d0 + tx] = sum;
}

// 32 keys and all dimensions a block of 128; a thread has four keys times four dimensions.
extern "C" __global__ void attdv_registers(float *dv, const float *s, const float *lse, const float *dout, int length)
{
    __shared__ __align__(16) float p[16][32], g[16][D];
    int t = threadIdx.x, tx = t % 16, ty = t / 16, head = blockIdx.y, j0 = blockIdx.x * 32;
    s += head * length * length;
    lse += head * length;
    dout += head * length * D;
    float acc[4][4] = {};
    for (int i0 = 0; i0 < length; i0 += 16) {
        for (int e = t; e < 16 * 32; e += 128) {
            int i = i0 + e / 32, j = j0 + e % 32;
            p[e / 32][e % 32] = i < length && j < length ? __expf(s[i * length + j] - lse[i]) : 0.0f;
        }
        for (int e = t; e < 16 * D / 4; e += 128) {
            int i = i0 + e / (D / 4);
            float4 v = i < length ? *(const float4 *)&dout[i * D + e % (D / 4) * 4] : make_float4(0, 0, 0, 0);
            *(float4 *)&g[e / (D / 4)][e % (D / 4) * 4] = v;
        }
        __syncthreads();
#pragma unroll 4
        for (int e = 0; e < 16; e++) {
            float4 a = *(float4 *)&p[e][ty * 4], b = *(float4 *)&g[e][tx * 4];
            float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int q = 0; q < 4; q++)
#pragma unroll
                for (int r = 0; r < 4; r++)
                    acc[q][r] += av[q] * bv[r];
        }
        __syncthreads();
    }
    for (int q = 0; q < 4; q++)
        if (j0 + ty * 4 + q < length)
            *(float4 *)&dv[(head * length + j0 + ty * 4 + q) * D + tx * 4] = make_float4(acc[q][0], acc[q][1], acc[q][2], acc[q][3]);
}
