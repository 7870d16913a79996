// SPDX-License-Identifier: Apache-2.0
void product_ref(float *c, const float *a, const float *b, int M, int N, int K)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += (double)a[i * K + k] * (double)b[j * K + k];
            c[i * N + j] = (float)(2 * sum);
        }
}
