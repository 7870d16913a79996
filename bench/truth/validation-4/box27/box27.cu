// A stencil of all 27 points around each, in doubles: one weight for the middle, faces, edges and corners each. Nothing is
// tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
#define MIDDLE -2.0
#define FACE 0.25
#define EDGE 0.0625
#define CORNER 0.015625

extern "C" __global__ void box27_plain(double *out, const double *in, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1, z = blockIdx.z + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    const double *p = in + (z * n + y) * n + x;
    int s = n * n;
    double face = p[-1] + p[1] + p[-n] + p[n] + p[-s] + p[s];
    double edge = p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1] + p[-s - 1] + p[-s + 1] + p[s - 1] + p[s + 1] + p[-s - n] + p[-s + n] +
                  p[s - n] + p[s + n];
    double corner = p[-s - n - 1] + p[-s - n + 1] + p[-s + n - 1] + p[-s + n + 1] + p[s - n - 1] + p[s - n + 1] + p[s + n - 1] + p[s + n + 1];
    out[(z * n + y) * n + x] = MIDDLE * p[0] + FACE * face + EDGE * edge + CORNER * corner;
}

__device__ void plane(const double *p, int n, double *middle, double *face, double *corner)
{
    *middle = p[0];
    *face = p[-1] + p[1] + p[-n] + p[n];
    *corner = p[-n - 1] + p[-n + 1] + p[n - 1] + p[n + 1];
}

// Goes up through the planes; what a plane gives is kept for the next two.
extern "C" __global__ void box27_march(double *out, const double *in, int n, int depth)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= n - 1 || y >= n - 1)
        return;
    int first = blockIdx.z * depth + 1, last = min(first + depth, n - 1), s = n * n;
    const double *p = in + (first * n + y) * n + x;
    double m0, f0, c0, m1, f1, c1, m2, f2, c2;
    plane(p - s, n, &m0, &f0, &c0);
    plane(p, n, &m1, &f1, &c1);
    for (int z = first; z < last; z++, p += s) {
        plane(p + s, n, &m2, &f2, &c2);
        out[(z * n + y) * n + x] = MIDDLE * m1 + FACE * (f1 + m0 + m2) + EDGE * (c1 + f0 + f2) + CORNER * (c0 + c2);
        m0 = m1;
        f0 = f1;
        c0 = c1;
        m1 = m2;
        f1 = f2;
        c1 = c2;
    }
}

// The same, 17 planes a block, with each plane of 34 x 10 in shared memory.
extern "C" __global__ void box27_tile(double *out, const double *in, int n)
{
    __shared__ double s[10][34];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
    bool inside = x < n && y < n, result = tx >= 1 && tx <= 32 && ty >= 1 && ty <= 8 && x < n - 1 && y < n - 1;
    int first = blockIdx.z * 17, last = min(first + 19, n);
    double m0 = 0, f0 = 0, c0 = 0, m1 = 0, f1 = 0, c1 = 0;
    for (int z = first; z < last; z++) {
        s[ty][tx] = inside ? in[(z * n + y) * n + x] : 0;
        __syncthreads();
        if (result) {
            double m2 = s[ty][tx], f2 = s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx];
            double c2 = s[ty - 1][tx - 1] + s[ty - 1][tx + 1] + s[ty + 1][tx - 1] + s[ty + 1][tx + 1];
            if (z >= first + 2)
                out[((z - 1) * n + y) * n + x] = MIDDLE * m1 + FACE * (f1 + m0 + m2) + EDGE * (c1 + f0 + f2) + CORNER * (c0 + c2);
            m0 = m1;
            f0 = f1;
            c0 = c1;
            m1 = m2;
            f1 = f2;
            c1 = c2;
        }
        __syncthreads();
    }
}
