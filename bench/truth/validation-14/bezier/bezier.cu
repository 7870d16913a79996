// Bicubic patches of 4 x 4 control points at 16 x 16 points. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
__device__ float3 mix(float3 a, float3 b, float t)
{
    return make_float3(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
}

__device__ float3 curve(const float3 *p, float t)
{
    float3 q[4] = {p[0], p[1], p[2], p[3]};
    for (int n = 3; n > 0; n--)
        for (int i = 0; i < n; i++)
            q[i] = mix(q[i], q[i + 1], t);
    return q[0];
}

extern "C" __global__ void bezier_casteljau(float3 *out, const float3 *control, int points)
{
    float u = (float)threadIdx.y / (points - 1), v = (float)threadIdx.x / (points - 1);
    float3 rows[4];
    for (int r = 0; r < 4; r++)
        rows[r] = curve(control + blockIdx.x * 16 + 4 * r, v);
    out[(blockIdx.x * points + threadIdx.y) * points + threadIdx.x] = curve(rows, u);
}

// Weights of each place and the patch in shared memory, as are the points before they are stored.
extern "C" __global__ void __launch_bounds__(256) bezier_weights(float *__restrict__ out, const float *__restrict__ control)
{
    __shared__ float w[16][4], p[48], points[768];
    int t = threadIdx.x;
    if (t < 48)
        p[t] = control[blockIdx.x * 48 + t];
    if (t < 16) {
        float v = t * (1.0f / 15), s = 1.0f - v;
        w[t][0] = s * s * s;
        w[t][1] = 3.0f * s * s * v;
        w[t][2] = 3.0f * s * v * v;
        w[t][3] = v * v * v;
    }
    __syncthreads();
    float x = 0.0f, y = 0.0f, z = 0.0f;
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float a = w[t / 16][r];
#pragma unroll
        for (int c = 0; c < 4; c++) {
            float b = a * w[t % 16][c];
            x = fmaf(b, p[12 * r + 3 * c], x);
            y = fmaf(b, p[12 * r + 3 * c + 1], y);
            z = fmaf(b, p[12 * r + 3 * c + 2], z);
        }
    }
    points[3 * t] = x;
    points[3 * t + 1] = y;
    points[3 * t + 2] = z;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 3; k++)
        out[(size_t)blockIdx.x * 768 + k * 256 + t] = points[k * 256 + t];
}

// A thread a row of 16 points, by differences of a cubic; eight patches a block.
extern "C" __global__ void __launch_bounds__(128) bezier_differences(float *__restrict__ out, const float4 *__restrict__ control, int count)
{
    int patch = blockIdx.x * 8 + threadIdx.x / 16, row = threadIdx.x % 16;
    if (patch >= count)
        return;
    float u = row / 15.0f, s = 1.0f - u, w[4] = {s * s * s, 3.0f * s * s * u, 3.0f * s * u * u, u * u * u};
    float own[12];
#pragma unroll
    for (int k = 0; k < 12; k++)
        own[k] = 0.0f;
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int k = 0; k < 3; k++) {
            float4 v = __ldg(&control[patch * 12 + 3 * r + k]);
            own[4 * k] = fmaf(w[r], v.x, own[4 * k]);
            own[4 * k + 1] = fmaf(w[r], v.y, own[4 * k + 1]);
            own[4 * k + 2] = fmaf(w[r], v.z, own[4 * k + 2]);
            own[4 * k + 3] = fmaf(w[r], v.w, own[4 * k + 3]);
        }
    float at[3], first[3], second[3], third[3];
    const float h = 1.0f / 15;
#pragma unroll
    for (int k = 0; k < 3; k++) {
        float a = own[k], b = 3.0f * (own[3 + k] - a), c = 3.0f * (own[6 + k] - 2.0f * own[3 + k] + a), d = own[9 + k] - a - b - c;
        at[k] = a;
        first[k] = h * (b + h * (c + h * d));
        second[k] = h * h * (2.0f * c + 6.0f * h * d);
        third[k] = 6.0f * h * h * h * d;
    }
    float *to = out + ((size_t)patch * 16 + row) * 48;
    for (int i = 0; i < 16; i++)
#pragma unroll
        for (int k = 0; k < 3; k++) {
            to[3 * i + k] = at[k];
            at[k] += first[k];
            first[k] += second[k];
            second[k] += third[k];
        }
}
