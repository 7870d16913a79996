// Forces within a cutoff, for the second validation list.
// SPDX-License-Identifier: Apache-2.0
void lj_ref(float *force, const float *at, float cut, int n)
{
    for (int i = 0; i < n; i++) {
        float f[3] = {0, 0, 0};
        for (int j = 0; j < n; j++) {
            const float *a = at + 4 * i, *b = at + 4 * j;
            float d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]},
                  square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (square < cut) {
                float inverse = 1 / (square + 0.5f), six = inverse * inverse * inverse,
                      s = (2 * six - 1) * six * inverse * a[3] * b[3];
                for (int c = 0; c < 3; c++)
                    f[c] += s * d[c];
            }
        }
        for (int c = 0; c < 4; c++)
            force[4 * i + c] = c < 3 ? f[c] : 0;
    }
}
