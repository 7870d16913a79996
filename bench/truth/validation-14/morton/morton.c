// Codes along a Z curve, for the fourteenth validation list.
// SPDX-License-Identifier: Apache-2.0
void morton_ref(unsigned long long *codes, const float *points, int n)
{
    for (int i = 0; i < n; i++) {
        codes[i] = 0;
        for (int k = 0; k < 3; k++) {
            double v = (double)points[3 * i + k] * 2097152;
            unsigned long long at = v < 2097151 ? (unsigned long long)v : 2097151;
            for (int b = 0; b < 21; b++)
                codes[i] |= (at >> b & 1) << (3 * b + k);
        }
    }
}
