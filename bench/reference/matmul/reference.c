// SPDX-License-Identifier: Apache-2.0
void matmul_ref(float *c, const float *a, const float *b, int M, int N, int K)
{
    for (long y = 0; y < M; y++)
        for (long x = 0; x < N; x++) {
            double sum = 0;
            for (long k = 0; k < K; k++) // a column of b, so slowly
                sum += (double)a[y * K + k] * b[k * N + x];
            c[y * N + x] = (float)sum;
        }
}
