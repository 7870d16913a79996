// The nearest triangle along each ray, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
static void cross(double *c, const double *a, const double *b)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// How far along the ray the triangle is, or 1e30.
static double hit(const float *origin, const float *direction, const float *triangle)
{
    double s[3], d[3], a[3], b[3], p[3], q[3];
    for (int i = 0; i < 3; i++) {
        s[i] = origin[i] - triangle[i];
        d[i] = direction[i];
        a[i] = triangle[3 + i];
        b[i] = triangle[6 + i];
    }
    cross(p, d, b);
    cross(q, s, a);
    double det = dot(a, p), sign = det < 0 ? -1 : 1;
    double u = sign * dot(s, p), v = sign * dot(d, q), t = sign * dot(b, q);
    int is_hit = det != 0 && u >= 0 && v >= 0 && u + v <= sign * det && t > 0;
    return is_hit ? t / (sign * det) : 1e30;
}

void raytri_ref(float *distance, const float *origin, const float *direction,
                const float *triangles, int rays)
{
    for (int r = 0; r < rays; r++) {
        double nearest = 1e30;
        for (int k = 0; k < 160; k++) {
            double t = hit(origin + 3 * r, direction + 3 * r, triangles + 9 * k);
            nearest = t < nearest ? t : nearest;
        }
        distance[r] = (float)nearest;
    }
}
