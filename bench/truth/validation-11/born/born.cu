// Inverse Born radii: integrals over spheres about all other atoms in closed form. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void born_plain(float *out, const float *p, const float *radius, int n, float shrink)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0.0f;
    for (int j = 0; j < n; j++) {
        if (j == i)
            continue;
        float dx = p[3 * i] - p[3 * j], dy = p[3 * i + 1] - p[3 * j + 1], dz = p[3 * i + 2] - p[3 * j + 2];
        float r = sqrtf(dx * dx + dy * dy + dz * dz), s = shrink * radius[j], upper = r + s;
        if (upper > radius[i]) {
            float lower = fmaxf(radius[i], fabsf(r - s)), l = 1.0f / lower, u = 1.0f / upper;
            sum += l - u + 0.25f * r * (u * u - l * l) + 0.5f / r * logf(u / l) + 0.25f * s * s / r * (l * l - u * u);
        }
    }
    out[i] = 1.0f / radius[i] - 0.5f * sum;
}

extern "C" __global__ void __launch_bounds__(128) born_tile(float *out, const float *p, const float *radius, int n)
{
    __shared__ float4 others[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, own = min(i, n - 1);
    float x = p[3 * own], y = p[3 * own + 1], z = p[3 * own + 2], rho = radius[own], sum = 0.0f;
    for (int first = 0; first < n; first += 128) {
        int j = first + t;
        if (j < n)
            others[t] = make_float4(p[3 * j], p[3 * j + 1], p[3 * j + 2], 0.8f * radius[j]);
        __syncthreads();
        for (int k = 0; k < min(128, n - first); k++) {
            if (first + k == i)
                continue;
            float4 o = others[k];
            float dx = x - o.x, dy = y - o.y, dz = z - o.z, square = dx * dx + dy * dy + dz * dz;
            float inverse = rsqrtf(square), r = square * inverse, upper = r + o.w;
            if (upper > rho) {
                float l = 1.0f / fmaxf(rho, fabsf(r - o.w)), u = 1.0f / upper;
                sum += l - u + 0.25f * (r - o.w * o.w * inverse) * (u * u - l * l) + 0.5f * inverse * logf(u / l);
            }
        }
        __syncthreads();
    }
    if (i < n)
        out[i] = 1.0f / rho - 0.5f * sum;
}

// Eight threads share two atoms and take every eighth of the others.
extern "C" __global__ void __launch_bounds__(256) born_two(float *__restrict__ out, const float *__restrict__ p, const float *__restrict__ radius, int n)
{
    __shared__ float4 others[256];
    int t = threadIdx.x, part = t % 8, i = blockIdx.x * 64 + t / 8 * 2;
    float x[2], y[2], z[2], rho[2], sum[2] = {};
#pragma unroll
    for (int a = 0; a < 2; a++) {
        int own = min(i + a, n - 1);
        x[a] = p[3 * own];
        y[a] = p[3 * own + 1];
        z[a] = p[3 * own + 2];
        rho[a] = radius[own];
    }
    for (int first = 0; first < n; first += 256) {
        int j = first + t;
        __syncthreads();
        others[t] = j < n ? make_float4(p[3 * j], p[3 * j + 1], p[3 * j + 2], 0.8f * radius[j]) : make_float4(1e6f, 1e6f, 1e6f, 0.0f);
        __syncthreads();
#pragma unroll 2
        for (int k = part; k < 256; k += 8) {
            float4 o = others[k];
#pragma unroll
            for (int a = 0; a < 2; a++) {
                float dx = x[a] - o.x, dy = y[a] - o.y, dz = z[a] - o.z, square = fmaxf(dx * dx + dy * dy + dz * dz, 1e-12f);
                float inverse = rsqrtf(square), r = square * inverse, upper = r + o.w, lower = fmaxf(rho[a], fabsf(r - o.w));
                float l = __fdividef(1.0f, lower), u = __fdividef(1.0f, upper);
                float term = l - u + 0.25f * (r - o.w * o.w * inverse) * (u * u - l * l) + 0.34657359f * inverse * __log2f(lower * u);
                sum[a] += upper > rho[a] && first + k != i + a ? term : 0.0f;
            }
        }
    }
#pragma unroll
    for (int d = 4; d > 0; d /= 2) {
        sum[0] += __shfl_xor_sync(0xffffffff, sum[0], d);
        sum[1] += __shfl_xor_sync(0xffffffff, sum[1], d);
    }
    if (part < 2 && i + part < n)
        out[i + part] = (part ? 1.0f / rho[1] : 1.0f / rho[0]) - 0.5f * (part ? sum[1] : sum[0]);
}
