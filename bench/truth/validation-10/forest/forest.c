// Trees of decisions, for the tenth validation list.
// SPDX-License-Identifier: Apache-2.0
void forest_ref(float *out, const float *x, const unsigned char *feature, const float *limit,
                const float *leaf, int n)
{
    for (int i = 0; i < n; i++, x += 24) {
        double sum = 0;
        for (int t = 0; t < 64; t++) {
            int node = 1;
            while (node < 256)
                node = 2 * node + (x[feature[256 * t + node]] > limit[256 * t + node]);
            sum += leaf[256 * t + node - 256];
        }
        out[i] = (float)(sum / 64);
    }
}
