// The sums of segments, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void segments_ref(float *sums, const float *x, const int *offsets, int segments)
{
    for (int s = 0; s < segments; s++) {
        double sum = 0;
        for (int i = offsets[s]; i < offsets[s + 1]; i++)
            sum += x[i];
        sums[s] = (float)sum;
    }
}
