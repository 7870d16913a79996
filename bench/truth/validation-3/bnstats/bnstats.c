// Mean and variance of each channel, for the third validation list.
// SPDX-License-Identifier: Apache-2.0
void bnstats_ref(float *mean, float *variance, const float *in, int images, int channels,
                 int pixels)
{
    double count = (double)images * pixels;
    for (int c = 0; c < channels; c++) {
        double sum = 0, square = 0;
        for (long i = 0; i < images; i++)
            for (int p = 0; p < pixels; p++)
                sum += in[(i * channels + c) * pixels + p];
        for (long i = 0; i < images; i++)
            for (int p = 0; p < pixels; p++) {
                double away = in[(i * channels + c) * pixels + p] - sum / count;
                square += away * away;
            }
        mean[c] = (float)(sum / count);
        variance[c] = (float)(square / count);
    }
}
