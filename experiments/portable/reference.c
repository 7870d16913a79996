// SPDX-License-Identifier: Apache-2.0
void block_sums_ref(float *sums, const float *in, int n)
{
    for (int block = 0; block < n / 1024; block++) {
        double sum = 0;
        for (int i = 0; i < 1024; i++)
            sum += in[block * 1024 + i];
        sums[block] = (float)sum;
    }
}
