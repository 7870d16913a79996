// SPDX-License-Identifier: Apache-2.0
void total_ref(float *out, const float *in, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += in[i];
    out[0] = (float)sum;
}

void beside_ref(float *out, const float *in, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (i > 0 ? in[i - 1] : 0) + (i + 1 < n ? in[i + 1] : 0);
}

void scaled_ref(float *out, const float *in, int n, const float *factor)
{
    for (int i = 0; i < n; i++)
        out[i] = factor[i & 3] * in[i];
}

void turned_ref(float *out, const float *in, int n, int columns)
{
    for (int i = 0; i < n * columns; i++)
        out[i % columns * n + i / columns] = in[i];
}
