// The f32 sum in double; integers wrap around.
// SPDX-License-Identifier: Apache-2.0
void scan_f32_ref(float *out, const float *in, long long n)
{
    double sum = 0;
    for (long long i = 0; i < n; i++) {
        sum += (double)in[i];
        out[i] = (float)sum;
    }
}

void scan_i32_ref(int *out, const int *in, long long n)
{
    unsigned sum = 0;
    for (long long i = 0; i < n; i++) {
        sum += (unsigned)in[i];
        out[i] = (int)sum;
    }
}
