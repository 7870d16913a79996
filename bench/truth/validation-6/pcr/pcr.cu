// Tridiagonal systems of 64: an equation loses its neighbours at a distance of 1, 2, 4 to 32. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0

extern "C" __global__ void pcr_block(double *x, const double *a, const double *b, const double *c, const double *d)
{
    __shared__ double sa[64], sb[64], sc[64], sd[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    double la = a[i], lb = b[i], lc = c[i], ld = d[i];
    sa[t] = la;
    sb[t] = lb;
    sc[t] = lc;
    sd[t] = ld;
    __syncthreads();
    for (int s = 1; s < 64; s *= 2) {
        double na = 0.0, nb = lb, nc = 0.0, nd = ld;
        if (t >= s) {
            double k = la / sb[t - s];
            na = -k * sa[t - s];
            nb -= k * sc[t - s];
            nd -= k * sd[t - s];
        }
        if (t + s < 64) {
            double k = lc / sb[t + s];
            nb -= k * sa[t + s];
            nc = -k * sc[t + s];
            nd -= k * sd[t + s];
        }
        __syncthreads();
        sa[t] = la = na;
        sb[t] = lb = nb;
        sc[t] = lc = nc;
        sd[t] = ld = nd;
        __syncthreads();
    }
    x[i] = ld / lb;
}

struct equation {
    double a, b, c, d;
};

__device__ equation from(equation e, int lane)
{
    equation r;
    r.a = __shfl_sync(0xffffffff, e.a, lane);
    r.b = __shfl_sync(0xffffffff, e.b, lane);
    r.c = __shfl_sync(0xffffffff, e.c, lane);
    r.d = __shfl_sync(0xffffffff, e.d, lane);
    return r;
}

__device__ equation without(equation e, equation before, equation after)
{
    double k = e.a / before.b, m = e.c / after.b;
    equation r;
    r.a = -k * before.a;
    r.b = e.b - k * before.c - m * after.a;
    r.c = -m * after.c;
    r.d = e.d - k * before.d - m * after.d;
    return r;
}

// Equations t and t + 32 are a lane's.
extern "C" __global__ void pcr_warp(double *__restrict__ x, const double *__restrict__ a, const double *__restrict__ b,
                                    const double *__restrict__ c, const double *__restrict__ d, int systems)
{
    int system = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, i = system * 64 + lane, j = i + 32;
    if (system >= systems)
        return;
    equation none = {0.0, 1.0, 0.0, 0.0};
    equation p = {a[i], b[i], c[i], d[i]}, q = {a[j], b[j], c[j], d[j]};
    for (int s = 1; s < 32; s *= 2) {
        equation pb = from(p, lane - s), qb = from(q, lane - s), pa = from(p, lane + s), qa = from(q, lane + s);
        bool first = lane < s, last = lane + s >= 32;
        equation np = without(p, first ? none : pb, last ? qa : pa);
        q = without(q, first ? pb : qb, last ? none : qa);
        p = np;
    }
    equation np = without(p, none, q);
    q = without(q, p, none);
    x[i] = np.d / np.b;
    x[j] = q.d / q.b;
}
