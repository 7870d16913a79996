// A stencil of seven points, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void star7_ref(float *out, const float *in, float c0, float c1, int nx, int ny, int nz)
{
    for (int z = 1; z < nz - 1; z++)
        for (int y = 1; y < ny - 1; y++)
            for (int x = 1; x < nx - 1; x++) {
                const float *p = in + (z * ny + y) * nx + x;
                double sides = (double)p[-1] + p[1] + p[-nx] + p[nx] + p[-nx * ny] + p[nx * ny];
                out[(z * ny + y) * nx + x] = (float)((double)c0 * *p + c1 * sides);
            }
}
