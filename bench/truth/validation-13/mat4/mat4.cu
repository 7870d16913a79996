// Products of three 4 x 4 matrices each, as of a model, a view and a projection. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
struct Mat4 {
    float m[4][4];
};

__device__ Mat4 mul(const Mat4 &a, const Mat4 &b)
{
    Mat4 r;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            float s = 0.0f;
            for (int k = 0; k < 4; k++)
                s += a.m[i][k] * b.m[k][j];
            r.m[i][j] = s;
        }
    return r;
}

extern "C" __global__ void mat4_chain(Mat4 *out, const Mat4 *a, const Mat4 *b, const Mat4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = mul(mul(a[i], b[i]), c[i]);
}

__device__ __forceinline__ float4 times(float4 v, const float4 *m)
{
    float4 p = m[0], q = m[1], r = m[2], s = m[3];
    return make_float4(v.x * p.x + v.y * q.x + v.z * r.x + v.w * s.x, v.x * p.y + v.y * q.y + v.z * r.y + v.w * s.y,
                       v.x * p.z + v.y * q.z + v.z * r.z + v.w * s.z, v.x * p.w + v.y * q.w + v.z * r.w + v.w * s.w);
}

extern "C" __global__ void __launch_bounds__(256) mat4_row(float4 *__restrict__ out, const float4 *__restrict__ a, const float4 *__restrict__ b, const float4 *__restrict__ c, int rows)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < rows)
        out[i] = times(times(a[i], b + (i & ~3)), c + (i & ~3));
}
