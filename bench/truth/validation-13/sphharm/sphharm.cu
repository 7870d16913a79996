// Real spherical harmonics to degree four of directions, which need not have length one. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__constant__ float norms[15] = {0.282094792f, 0.488602512f, 0.488602512f, 0.630783131f, 0.36418281f, 0.182091405f, 0.746352665f, 0.3046972f, 0.0963537148f, 0.0393362393f, 0.846284375f, 0.267618617f, 0.0630783131f, 0.0168583883f, 0.00596034034f};

extern "C" __global__ void sphharm_recurrence(float *out, const float *dir, int n, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = dir[3 * i], y = dir[3 * i + 1], z = dir[3 * i + 2];
    float length = sqrtf(x * x + y * y + z * z);
    x /= length;
    y /= length;
    z /= length;
    float v[25], top = 1.0f, c = 1.0f, s = 0.0f;
    for (int m = 0; m <= degree; m++) {
        float last = 0.0f, p = top;
        for (int l = m; l <= degree; l++) {
            float k = norms[l * (l + 1) / 2 + m] * p;
            v[l * l + l + m] = k * c;
            if (m > 0)
                v[l * l + l - m] = k * s;
            float next = ((2 * l + 1) * z * p - (l + m) * last) / (l - m + 1);
            last = p;
            p = next;
        }
        top *= 2 * m + 1;
        float cn = c * x - s * y;
        s = c * y + s * x;
        c = cn;
    }
    for (int k = 0; k < (degree + 1) * (degree + 1); k++)
        out[i * (degree + 1) * (degree + 1) + k] = v[k];
}

__device__ __forceinline__ void harmonics(float *to, float x, float y, float z)
{
    float by = rsqrtf(x * x + y * y + z * z);
    x *= by;
    y *= by;
    z *= by;
    float xx = x * x, yy = y * y, zz = z * z, xy = x * y, yz = y * z, xz = x * z, d = xx - yy;
    to[0] = 0.282094792f;
    to[1] = 0.488602512f * y;
    to[2] = 0.488602512f * z;
    to[3] = 0.488602512f * x;
    to[4] = 1.09254843f * xy;
    to[5] = 1.09254843f * yz;
    to[6] = 0.315391565f * (3.0f * zz - 1.0f);
    to[7] = 1.09254843f * xz;
    to[8] = 0.546274215f * d;
    to[9] = 0.590043590f * y * (3.0f * xx - yy);
    to[10] = 2.89061144f * xy * z;
    to[11] = 0.457045799f * y * (5.0f * zz - 1.0f);
    to[12] = 0.373176333f * z * (5.0f * zz - 3.0f);
    to[13] = 0.457045799f * x * (5.0f * zz - 1.0f);
    to[14] = 1.44530572f * z * d;
    to[15] = 0.590043590f * x * (xx - 3.0f * yy);
    to[16] = 2.50334294f * xy * d;
    to[17] = 1.77013077f * yz * (3.0f * xx - yy);
    to[18] = 0.946174696f * xy * (7.0f * zz - 1.0f);
    to[19] = 0.669046544f * yz * (7.0f * zz - 3.0f);
    to[20] = 0.105785547f * (35.0f * zz * zz - 30.0f * zz + 3.0f);
    to[21] = 0.669046544f * xz * (7.0f * zz - 3.0f);
    to[22] = 0.473087348f * d * (7.0f * zz - 1.0f);
    to[23] = 1.77013077f * xz * (xx - 3.0f * yy);
    to[24] = 0.625835735f * (d * d - 4.0f * xy * xy);
}

extern "C" __global__ void __launch_bounds__(128) sphharm_polynomials(float *__restrict__ out, const float *__restrict__ dir, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        harmonics(out + 25 * i, dir[3 * i], dir[3 * i + 1], dir[3 * i + 2]);
}

// A block's directions and harmonics pass through shared memory; n is a multiple of 4.
extern "C" __global__ void __launch_bounds__(128) sphharm_rows(float4 *__restrict__ out, const float4 *__restrict__ dir, int n)
{
    __shared__ __align__(16) float s[25 * 128];
    int t = threadIdx.x, here = min(128, n - blockIdx.x * 128);
    if (t < here * 3 / 4)
        ((float4 *)s)[t] = dir[blockIdx.x * 96 + t];
    __syncthreads();
    int own = 3 * min(t, here - 1);
    float x = s[own], y = s[own + 1], z = s[own + 2];
    __syncthreads();
    if (t < here)
        harmonics(s + 25 * t, x, y, z);
    __syncthreads();
    for (int k = t; k < here * 25 / 4; k += 128)
        out[(size_t)blockIdx.x * 800 + k] = ((const float4 *)s)[k];
}
