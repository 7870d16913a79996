// A stencil of 27 points, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void cube_ref(float *out, const float *in, int n)
{
    static const float weight[4] = {0.3f, 0.05f, 0.02f, 0.02f};
    for (int z = 1; z < n - 1; z++)
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                float sum = 0;
                for (int dz = -1; dz <= 1; dz++)
                    for (int dy = -1; dy <= 1; dy++)
                        for (int dx = -1; dx <= 1; dx++)
                            sum += weight[(dx != 0) + (dy != 0) + (dz != 0)] *
                                   in[((z + dz) * n + y + dy) * n + x + dx];
                out[(z * n + y) * n + x] = sum;
            }
}
