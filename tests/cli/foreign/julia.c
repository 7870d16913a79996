// What the kernels in CUDA.jl's form should give, in double.
// SPDX-License-Identifier: Apache-2.0
void axpy_ref(float *y, const float *x)
{
    for (int i = 0; i < 5000; i++)
        y[i] = (float)(2.5 * (double)x[i] + (double)y[i]);
}

void block_sum_ref(float *out, const float *x)
{
    for (int b = 0; b < 40; b++) {
        double sum = 0;
        for (int i = 0; i < 128; i++)
            sum += (double)x[b * 128 + i];
        out[b] = (float)sum;
    }
}
