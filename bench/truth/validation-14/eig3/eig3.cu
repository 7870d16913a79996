// Eigenvalues of symmetric 3 x 3 matrices, from the largest down. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void eig3_f64(float *out, const float *m, int n, double enough)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double a[3][3];
    a[0][0] = m[i];
    a[0][1] = a[1][0] = m[n + i];
    a[0][2] = a[2][0] = m[2 * n + i];
    a[1][1] = m[3 * n + i];
    a[1][2] = a[2][1] = m[4 * n + i];
    a[2][2] = m[5 * n + i];
    for (int turn = 0; turn < 50; turn++) {
        // the largest element off the diagonal goes
        int p = 0, q = 1;
        if (fabs(a[0][2]) > fabs(a[p][q]))
            q = 2;
        if (fabs(a[1][2]) > fabs(a[p][q])) {
            p = 1;
            q = 2;
        }
        if (fabs(a[p][q]) < enough)
            break;
        double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        int r = 3 - p - q;
        double rp = a[r][p], rq = a[r][q];
        a[p][p] -= t * a[p][q];
        a[q][q] += t * a[p][q];
        a[p][q] = a[q][p] = 0.0;
        a[r][p] = a[p][r] = c * rp - s * rq;
        a[r][q] = a[q][r] = s * rp + c * rq;
    }
    double x = a[0][0], y = a[1][1], z = a[2][2], u;
    if (x < y) {
        u = x;
        x = y;
        y = u;
    }
    if (y < z) {
        u = y;
        y = z;
        z = u;
    }
    if (x < y) {
        u = x;
        x = y;
        y = u;
    }
    out[i] = x;
    out[n + i] = y;
    out[2 * n + i] = z;
}

extern "C" __global__ void eig3_angles(float *out, const float *m, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float xx = m[i], xy = m[n + i], xz = m[2 * n + i], yy = m[3 * n + i], yz = m[4 * n + i], zz = m[5 * n + i];
    float q = (xx + yy + zz) / 3.0f;
    float off = xy * xy + xz * xz + yz * yz;
    float p = sqrtf(((xx - q) * (xx - q) + (yy - q) * (yy - q) + (zz - q) * (zz - q) + 2.0f * off) / 6.0f);
    if (p < 1e-20f) {
        out[i] = out[n + i] = out[2 * n + i] = q;
        return;
    }
    float a = (xx - q) / p, b = (yy - q) / p, c = (zz - q) / p, d = xy / p, e = xz / p, f = yz / p;
    float half_det = 0.5f * (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e));
    float phi = acosf(fminf(fmaxf(half_det, -1.0f), 1.0f)) / 3.0f;
    float most = q + 2.0f * p * cosf(phi), least = q + 2.0f * p * cosf(phi + 2.0943951f);
    out[i] = most;
    out[n + i] = 3.0f * q - most - least;
    out[2 * n + i] = least;
}

__device__ __forceinline__ void rotate(float &pp, float &qq, float &pq, float &rp, float &rq)
{
    float d = qq - pp, twice = 2.0f * pq, root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(fmaf(d, d, twice * twice)));
    float t = __fdividef(copysignf(1.0f, d) * twice, fabsf(d) + root + 1e-30f), c = rsqrtf(fmaf(t, t, 1.0f)), s = t * c, old = rp;
    pp = fmaf(-t, pq, pp);
    qq = fmaf(t, pq, qq);
    pq = 0.0f;
    rp = fmaf(c, old, -s * rq);
    rq = fmaf(s, old, c * rq);
}

extern "C" __global__ void __launch_bounds__(256) eig3_sweeps(float *__restrict__ out, const float *__restrict__ m, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    float xx = m[i], xy = m[n + i], xz = m[2 * n + i], yy = m[3 * n + i], yz = m[4 * n + i], zz = m[5 * n + i];
#pragma unroll
    for (int sweep = 0; sweep < 4; sweep++) {
        rotate(xx, yy, xy, xz, yz);
        rotate(xx, zz, xz, xy, yz);
        rotate(yy, zz, yz, xy, xz);
    }
    float most = fmaxf(xx, yy), other = fminf(xx, yy);
    out[i] = fmaxf(most, zz);
    out[n + i] = fmaxf(other, fminf(most, zz));
    out[2 * n + i] = fminf(other, zz);
}
