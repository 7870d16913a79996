// Eight nearest points, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void knn3_ref(float *out, const float *p, int n)
{
    for (int i = 0; i < n; i++, out += 8) {
        for (int k = 0; k < 8; k++)
            out[k] = 1e30f;
        for (int j = 0; j < n; j++) {
            float dx = p[3 * j] - p[3 * i], dy = p[3 * j + 1] - p[3 * i + 1],
                  dz = p[3 * j + 2] - p[3 * i + 2], d = dx * dx + dy * dy + dz * dz;
            if (j == i || d >= out[7])
                continue;
            int at = 7;
            for (; at > 0 && out[at - 1] > d; at--)
                out[at] = out[at - 1];
            out[at] = d;
        }
    }
}
