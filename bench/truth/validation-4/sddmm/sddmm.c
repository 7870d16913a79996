// Products of rows at a sparse matrix's places, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
void sddmm_ref(float *out, const int *row, const int *col, const float *value, const float *a,
               const float *b, int entries)
{
    for (int e = 0; e < entries; e++) {
        double sum = 0;
        for (int i = 0; i < 64; i++)
            sum += (double)a[row[e] * 64 + i] * b[col[e] * 64 + i];
        out[e] = (float)(value[e] * sum);
    }
}
