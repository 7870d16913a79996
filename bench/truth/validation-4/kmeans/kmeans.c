// Nearest centres, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void kmeans_ref(int *label, const float *points, const float *centers, int n)
{
    for (int i = 0; i < n; i++) {
        float best = 1e30f;
        for (int c = 0; c < 32; c++) {
            float sum = 0;
            for (int k = 0; k < 8; k++) {
                float away = points[8 * i + k] - centers[8 * c + k];
                sum += away * away;
            }
            if (sum < best) {
                best = sum;
                label[i] = c;
            }
        }
    }
}
