// Counts are whole numbers; the bin is computed in float, as the kernels and CUB do.
// SPDX-License-Identifier: Apache-2.0
void histogram_ref(unsigned *bins, const float *in, long long n, float low, float high, int count)
{
    float scale = (float)count / (high - low);
    for (int b = 0; b < count; b++)
        bins[b] = 0;
    for (long long i = 0; i < n; i++) {
        float at = (in[i] - low) * scale;
        if (in[i] >= low && at < (float)count)
            bins[(int)at]++;
    }
}
