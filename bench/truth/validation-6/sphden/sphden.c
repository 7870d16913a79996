// Densities of particles, for the sixth validation list.
// SPDX-License-Identifier: Apache-2.0
void sphden_ref(float *density, const float *place, int n)
{
    for (int i = 0; i < n; i++) {
        const float *a = place + 4 * i;
        float sum = 0;
        for (int j = 0; j < n; j++) {
            const float *b = place + 4 * j;
            float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            float left = 0.04f - (x * x + y * y + z * z);
            if (left > 0)
                sum += b[3] * left * left * left;
        }
        density[i] = sum * 3059924.0f;
    }
}
