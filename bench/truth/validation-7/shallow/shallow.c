// A step of the shallow water equations, for the seventh validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

struct cell {
    double h, p, q;
};

static int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static struct cell at(const float *h, const float *p, const float *q, int y, int x, int n)
{
    int i = inside(y, n) * n + inside(x, n);
    return (struct cell){(double)h[i], (double)p[i], (double)q[i]};
}

// The flux along p from a to b.
static struct cell flux(struct cell a, struct cell b)
{
    double u = a.p / a.h, v = b.p / b.h;
    double speed = fmax(fabs(u) + sqrt(9.81 * a.h), fabs(v) + sqrt(9.81 * b.h));
    return (struct cell){
        0.5 * (a.p + b.p) - 0.5 * speed * (b.h - a.h),
        0.5 * (a.p * u + 4.905 * a.h * a.h + b.p * v + 4.905 * b.h * b.h) -
            0.5 * speed * (b.p - a.p),
        0.5 * (a.q * u + b.q * v) - 0.5 * speed * (b.q - a.q),
    };
}

static struct cell turned(struct cell a)
{
    return (struct cell){a.h, a.q, a.p};
}

void shallow_ref(float *ho, float *po, float *qo, const float *h, const float *p, const float *q,
                 float c, int n)
{
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            struct cell own = at(h, p, q, y, x, n);
            struct cell l = flux(at(h, p, q, y, x - 1, n), own);
            struct cell r = flux(own, at(h, p, q, y, x + 1, n));
            struct cell u = turned(flux(turned(at(h, p, q, y - 1, x, n)), turned(own)));
            struct cell d = turned(flux(turned(own), turned(at(h, p, q, y + 1, x, n))));
            ho[y * n + x] = (float)(own.h - (double)c * (r.h - l.h + d.h - u.h));
            po[y * n + x] = (float)(own.p - (double)c * (r.p - l.p + d.p - u.p));
            qo[y * n + x] = (float)(own.q - (double)c * (r.q - l.q + d.q - u.q));
        }
}
