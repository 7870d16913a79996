// Vertices moved by four of 64 bones, matrices of 3 x 4, with weights. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void skin_global(float *out, const float *pos, const float *weight, const unsigned char *bone, const float *bones, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum[3] = {};
    for (int k = 0; k < 4; k++) {
        const float *m = bones + bone[4 * i + k] * 12;
        for (int r = 0; r < 3; r++)
            sum[r] += weight[4 * i + k] * (m[4 * r] * pos[3 * i] + m[4 * r + 1] * pos[3 * i + 1] + m[4 * r + 2] * pos[3 * i + 2] + m[4 * r + 3]);
    }
    for (int r = 0; r < 3; r++)
        out[3 * i + r] = sum[r];
}

extern "C" __global__ void skin_records(float *out, const float *pos, const float4 *weight, const uchar4 *bone, const float4 *bones, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 w4 = weight[i];
    uchar4 b4 = bone[i];
    float w[4] = {w4.x, w4.y, w4.z, w4.w}, x = pos[3 * i], y = pos[3 * i + 1], z = pos[3 * i + 2];
    int b[4] = {b4.x, b4.y, b4.z, b4.w};
    float4 m[3] = {};
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 3; r++) {
            float4 row = bones[b[k] * 3 + r];
            m[r].x += w[k] * row.x;
            m[r].y += w[k] * row.y;
            m[r].z += w[k] * row.z;
            m[r].w += w[k] * row.w;
        }
    for (int r = 0; r < 3; r++)
        out[3 * i + r] = m[r].x * x + m[r].y * y + m[r].z * z + m[r].w;
}

// Rows of all bones, and the block's vertices, in shared memory.
extern "C" __global__ void __launch_bounds__(256) skin_shared(float *__restrict__ out, const float *__restrict__ pos, const float4 *__restrict__ weight,
                                                              const uchar4 *__restrict__ bone, const float4 *__restrict__ bones, int n)
{
    __shared__ float4 rows[192];
    __shared__ float v[768];
    int t = threadIdx.x, first = blockIdx.x * 256, i = first + t, numbers = min(n - first, 256) * 3;
    if (t < 192)
        rows[t] = bones[t];
    for (int k = t; k < numbers; k += 256)
        v[k] = pos[first * 3 + k];
    __syncthreads();
    if (i < n) {
        float4 w = weight[i];
        uchar4 b = bone[i];
        float x = v[3 * t], y = v[3 * t + 1], z = v[3 * t + 2];
#pragma unroll
        for (int r = 0; r < 3; r++) {
            float4 p = rows[b.x * 3 + r], q = rows[b.y * 3 + r], s = rows[b.z * 3 + r], u = rows[b.w * 3 + r];
            v[3 * t + r] = w.x * (p.x * x + p.y * y + p.z * z + p.w) + w.y * (q.x * x + q.y * y + q.z * z + q.w) +
                           w.z * (s.x * x + s.y * y + s.z * z + s.w) + w.w * (u.x * x + u.y * y + u.z * z + u.w);
        }
    }
    __syncthreads();
    for (int k = t; k < numbers; k += 256)
        out[first * 3 + k] = v[k];
}
