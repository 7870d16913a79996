// Kalman filters of places and velocities in a plane, from zeros and a covariance of one, over 32 measurements of places. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
struct track {
    double x[4], p[4][4];
};

__device__ void follow(double (&x)[4], double (&p)[4][4], double z0, double z1, double dt, double q, double r)
{
    for (int j = 0; j < 2; j++)
        x[j] += dt * x[j + 2];
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 2; j++)
            p[j][k] += dt * p[j + 2][k];
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 2; j++)
            p[k][j] += dt * p[k][j + 2];
    for (int k = 0; k < 4; k++)
        p[k][k] += q;
    double a = p[0][0] + r, b = p[0][1], c = p[1][0], d = p[1][1] + r, det = a * d - b * c;
    double e0 = z0 - x[0], e1 = z1 - x[1], gain[4][2], top[2][4];
    for (int k = 0; k < 4; k++) {
        gain[k][0] = (p[k][0] * d - p[k][1] * c) / det;
        gain[k][1] = (p[k][1] * a - p[k][0] * b) / det;
        top[0][k] = p[0][k];
        top[1][k] = p[1][k];
        x[k] += gain[k][0] * e0 + gain[k][1] * e1;
    }
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 4; j++)
            p[k][j] -= gain[k][0] * top[0][j] + gain[k][1] * top[1][j];
}

extern "C" __global__ void kalman_begin(track *tracks, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < 4; k++) {
        tracks[i].x[k] = 0.0;
        for (int j = 0; j < 4; j++)
            tracks[i].p[k][j] = k == j ? 1.0 : 0.0;
    }
}

extern "C" __global__ void kalman_step(track *tracks, double *out, const float *z, int n, int step, double dt, double q, double r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    track own = tracks[i];
    follow(own.x, own.p, z[2 * step * n + i], z[(2 * step + 1) * n + i], dt, q, r);
    tracks[i] = own;
    for (int k = 0; k < 4; k++)
        out[k * n + i] = own.x[k];
}

extern "C" __global__ void __launch_bounds__(64) kalman_arrays(double *out, const float *z, int n, double dt, double q, double r)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    double x[4] = {}, p[4][4] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    for (int step = 0; step < 32; step++)
        follow(x, p, z[2 * step * n + i], z[(2 * step + 1) * n + i], dt, q, r);
    for (int k = 0; k < 4; k++)
        out[k * n + i] = x[k];
}

// Ten numbers of the covariance, in single precision.
extern "C" __global__ void __launch_bounds__(128) kalman_half(double *__restrict__ out, const float *__restrict__ z, int n)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n)
        return;
    const float dt = 0.1f, q = 0.01f, r = 0.5f;
    float x0 = 0.0f, x1 = 0.0f, x2 = 0.0f, x3 = 0.0f;
    float p00 = 1.0f, p01 = 0.0f, p02 = 0.0f, p03 = 0.0f, p11 = 1.0f, p12 = 0.0f, p13 = 0.0f, p22 = 1.0f, p23 = 0.0f, p33 = 1.0f;
#pragma unroll 2
    for (int step = 0; step < 32; step++) {
        float z0 = z[2 * step * n + i], z1 = z[(2 * step + 1) * n + i];
        x0 += dt * x2;
        x1 += dt * x3;
        p00 += dt * (2.0f * p02 + dt * p22) + q;
        p01 += dt * (p12 + p03 + dt * p23);
        p11 += dt * (2.0f * p13 + dt * p33) + q;
        p02 += dt * p22;
        p03 += dt * p23;
        p12 += dt * p23;
        p13 += dt * p33;
        p22 += q;
        p33 += q;
        float a = p00 + r, d = p11 + r, inverse = __frcp_rn(a * d - p01 * p01), e0 = z0 - x0, e1 = z1 - x1;
        float ia = d * inverse, ib = -p01 * inverse, id = a * inverse;
        float k00 = p00 * ia + p01 * ib, k01 = p00 * ib + p01 * id, k10 = p01 * ia + p11 * ib, k11 = p01 * ib + p11 * id;
        float k20 = p02 * ia + p12 * ib, k21 = p02 * ib + p12 * id, k30 = p03 * ia + p13 * ib, k31 = p03 * ib + p13 * id;
        x0 += k00 * e0 + k01 * e1;
        x1 += k10 * e0 + k11 * e1;
        x2 += k20 * e0 + k21 * e1;
        x3 += k30 * e0 + k31 * e1;
        p22 -= k20 * p02 + k21 * p12;
        p23 -= k20 * p03 + k21 * p13;
        p33 -= k30 * p03 + k31 * p13;
        float t02 = p02 - k00 * p02 - k01 * p12, t12 = p12 - k10 * p02 - k11 * p12;
        float t03 = p03 - k00 * p03 - k01 * p13, t13 = p13 - k10 * p03 - k11 * p13;
        float t00 = p00 - k00 * p00 - k01 * p01, t01 = p01 - k00 * p01 - k01 * p11;
        p11 -= k10 * p01 + k11 * p11;
        p00 = t00;
        p01 = t01;
        p02 = t02;
        p03 = t03;
        p12 = t12;
        p13 = t13;
    }
    out[i] = x0;
    out[n + i] = x1;
    out[2 * n + i] = x2;
    out[3 * n + i] = x3;
}
