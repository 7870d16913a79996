// Sums of boosted trees, for the eighth validation list.
// SPDX-License-Identifier: Apache-2.0
void boost_ref(float *out, const float *x, const int *feature, const float *limit,
               const float *leaf, int n)
{
    for (int i = 0; i < n; i++, x += 32) {
        double sum = 0;
        for (int t = 0; t < 6144; t += 64) {
            int node = 1;
            while (node < 64)
                node = 2 * node + (x[feature[t + node]] > limit[t + node]);
            sum += (double)leaf[t + node - 64];
        }
        out[i] = (float)sum;
    }
}
