// In double; the order of the kernels' sums in float shows in the last bits.
// SPDX-License-Identifier: Apache-2.0
void conv_ref(float *y, const float *x, const float *weights, long long n, int count,
              long long first, long long end)
{
    for (long long i = first; i < end; i++) {
        double sum = 0;
        for (int k = 0; k < count; k++) {
            long long at = i + k - count / 2;
            if (at >= 0 && at < n)
                sum += (double)weights[k] * (double)x[at];
        }
        y[i] = (float)sum;
    }
}
