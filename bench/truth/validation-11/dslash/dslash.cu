// Sums over eight neighbours in four dimensions: links times vectors ahead, less adjoint links times vectors behind. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
struct complex3 {
    float2 c[3];
};

struct link {
    float2 m[3][3];
};

__device__ int hop(int site, int mu, int by, int side, int layers)
{
    int stride = mu == 0 ? 1 : mu == 1 ? side : mu == 2 ? side * side : side * side * side, length = mu == 3 ? layers : side;
    int x = site / stride % length;
    return site + ((x + by + length) % length - x) * stride;
}

extern "C" __global__ void dslash_records(complex3 *out, const link *u, const complex3 *v, int side, int layers)
{
    int site = blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= side * side * side * layers)
        return;
    complex3 sum = {};
    for (int mu = 0; mu < 4; mu++) {
        int ahead = hop(site, mu, 1, side, layers), behind = hop(site, mu, -1, side, layers);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                float2 a = u[site * 4 + mu].m[i][j], b = v[ahead].c[j];
                sum.c[i].x += a.x * b.x - a.y * b.y;
                sum.c[i].y += a.x * b.y + a.y * b.x;
                a = u[behind * 4 + mu].m[j][i];
                b = v[behind].c[j];
                sum.c[i].x -= a.x * b.x + a.y * b.y;
                sum.c[i].y -= a.x * b.y - a.y * b.x;
            }
    }
    out[site] = sum;
}

// Links as five arrays of 16 bytes for each direction, vectors as two.
extern "C" __global__ void dslash_arrays(float4 *links, float4 *vectors, const float *u, const float *v, int sites)
{
    int site = blockIdx.x * blockDim.x + threadIdx.x;
    if (site >= sites)
        return;
    for (int mu = 0; mu < 4; mu++) {
        const float *from = u + (site * 4 + mu) * 18;
        for (int k = 0; k < 4; k++)
            links[(mu * 5 + k) * sites + site] = make_float4(from[4 * k], from[4 * k + 1], from[4 * k + 2], from[4 * k + 3]);
        links[(mu * 5 + 4) * sites + site] = make_float4(from[16], from[17], 0.0f, 0.0f);
    }
    vectors[site] = make_float4(v[6 * site], v[6 * site + 1], v[6 * site + 2], v[6 * site + 3]);
    vectors[sites + site] = make_float4(v[6 * site + 4], v[6 * site + 5], 0.0f, 0.0f);
}

extern "C" __global__ void __launch_bounds__(128)
    dslash_wide(float2 *__restrict__ out, const float4 *__restrict__ links, const float4 *__restrict__ vectors, int layers)
{
    int site = blockIdx.x * 128 + threadIdx.x, sites = 512 * layers;
    float re[3] = {}, im[3] = {};
#pragma unroll
    for (int mu = 0; mu < 4; mu++) {
        int ahead = hop(site, mu, 1, 8, layers), behind = hop(site, mu, -1, 8, layers);
#pragma unroll
        for (int back = 0; back < 2; back++) {
            int from = back ? behind : site, other = back ? behind : ahead;
            float4 a[5], b[2] = {vectors[other], vectors[sites + other]};
#pragma unroll
            for (int k = 0; k < 5; k++)
                a[k] = links[(mu * 5 + k) * sites + from];
            const float *m = (const float *)a, *w = (const float *)b;
#pragma unroll
            for (int i = 0; i < 3; i++)
#pragma unroll
                for (int j = 0; j < 3; j++) {
                    int at = back ? 2 * (3 * j + i) : 2 * (3 * i + j);
                    float x = back ? -m[at] : m[at], y = m[at + 1];
                    re[i] += x * w[2 * j] - y * w[2 * j + 1];
                    im[i] += x * w[2 * j + 1] + y * w[2 * j];
                }
        }
    }
#pragma unroll
    for (int i = 0; i < 3; i++)
        out[3 * site + i] = make_float2(re[i], im[i]);
}
