// Potential of 96 Gaussian charges at points by the Boys function of order 0. Nothing is tuned on these kernels (bench/truth/README.md).
// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void boys_erf(double *v, const double *points, const double *atoms, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0;
    for (int j = 0; j < count; j++) {
        double dx = points[3 * i] - atoms[5 * j], dy = points[3 * i + 1] - atoms[5 * j + 1], dz = points[3 * i + 2] - atoms[5 * j + 2];
        double a = atoms[5 * j + 3], t = a * (dx * dx + dy * dy + dz * dz);
        double f = t < 1e-12 ? 1.0 : 0.5 * sqrt(3.14159265358979324 / t) * erf(sqrt(t));
        sum += atoms[5 * j + 4] * 2.0 * sqrt(a / 3.14159265358979324) * f;
    }
    v[i] = sum;
}

// Orders 0 to 5 at 0, 1/8, 2/8 ... 16.
extern "C" __global__ void boys_fill(double *table)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 128)
        return;
    double t = i / 8.0, term = 1.0 / 11.0, sum = term, e = exp(-t);
    for (int k = 1; k < 90; k++) {
        term *= 2.0 * t / (11 + 2 * k);
        sum += term;
    }
    double f = e * sum;
    for (int order = 5; order >= 0; order--) {
        table[i * 6 + order] = f;
        f = (2.0 * t * f + e) / (2 * order - 1);
    }
}

extern "C" __global__ void boys_table(double *v, const double *points, const double *atoms, const double *table, int n, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double sum = 0.0, x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
    for (int j = 0; j < count; j++) {
        double dx = x - atoms[5 * j], dy = y - atoms[5 * j + 1], dz = z - atoms[5 * j + 2], a = atoms[5 * j + 3];
        double t = a * (dx * dx + dy * dy + dz * dz), f;
        if (t < 16.0) {
            int k = (int)(t * 8.0 + 0.5);
            double d = k / 8.0 - t;
            const double *row = table + 6 * k;
            f = row[0] + d * (row[1] + d / 2.0 * (row[2] + d / 3.0 * (row[3] + d / 4.0 * (row[4] + d / 5.0 * row[5]))));
        } else
            f = 0.886226925452758 * rsqrt(t);
        sum += atoms[5 * j + 4] * 1.128379167095513 * sqrt(a) * f;
    }
    v[i] = sum;
}

// Atoms and the table's first four orders in f32.
extern "C" __global__ void __launch_bounds__(192) boys_shared(double *__restrict__ v, const double *__restrict__ points,
                                                              const double *__restrict__ atoms, const double *__restrict__ table, int n)
{
    __shared__ float4 rows[129], where[96];
    __shared__ float size[96];
    int t = threadIdx.x, i = blockIdx.x * 192 + t;
    if (t < 129)
        rows[t] = make_float4(table[6 * t], table[6 * t + 1], table[6 * t + 2] * 0.5, table[6 * t + 3] / 6.0);
    if (t < 96) {
        where[t] = make_float4(atoms[5 * t], atoms[5 * t + 1], atoms[5 * t + 2], atoms[5 * t + 3]);
        size[t] = atoms[5 * t + 4] * 1.128379167095513 * sqrt(atoms[5 * t + 3]);
    }
    __syncthreads();
    if (i >= n)
        return;
    float sum = 0.0f, x = points[3 * i], y = points[3 * i + 1], z = points[3 * i + 2];
#pragma unroll 2
    for (int j = 0; j < 96; j++) {
        float4 atom = where[j];
        float dx = x - atom.x, dy = y - atom.y, dz = z - atom.z, r = atom.w * (dx * dx + dy * dy + dz * dz), f = 0.88622693f * rsqrtf(r);
        if (r < 16.0f) {
            int k = __float2int_rn(r * 8.0f);
            float d = k * 0.125f - r;
            float4 c = rows[k];
            f = fmaf(d, fmaf(d, fmaf(d, c.w, c.z), c.y), c.x);
        }
        sum += size[j] * f;
    }
    v[i] = sum;
}
