// A quasi-random integral, for the fifth validation list.
// SPDX-License-Identifier: Apache-2.0
void sobol_ref(float *result, const unsigned *directions, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        unsigned gray = (unsigned)i ^ (unsigned)i >> 1;
        double product = 1;
        for (int d = 0; d < 8; d++) {
            unsigned x = 0;
            for (int b = 0; gray >> b; b++)
                x ^= gray >> b & 1 ? directions[32 * d + b] : 0;
            product *= 1 + (x / 4294967296.0 - 0.5) / (d + 1);
        }
        sum += product;
    }
    *result = (float)(sum / n);
}
