// References of products.cu.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static float from_half(uint16_t h)
{
    int e = h >> 10 & 31;
    float m = (float)(h & 1023), v = e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);
    return h & 0x8000 ? -v : v;
}

static void product(const float *A, const float *B, float *C, size_t M, size_t N, size_t K)
{
    memset(C, 0, M * N * sizeof *C);
    for (size_t r = 0; r < M; r++)
        for (size_t k = 0; k < K; k++)
            for (size_t c = 0; c < N; c++)
                C[r * N + c] += A[r * K + k] * B[k * N + c];
}

void mul640_ref(const float *A, const float *B, float *C, int M, int N, int K)
{
    product(A, B, C, (size_t)M, (size_t)N, (size_t)K);
}

void aheadsq_ref(const float *A, const float *B, float *C, int M, int N, int K)
{
    product(A, B, C, (size_t)M, (size_t)N, (size_t)K);
}

void dmul_ref(const double *A, const double *B, double *C, int M, int N, int K)
{
    memset(C, 0, (size_t)M * (size_t)N * sizeof *C);
    for (size_t r = 0; r < (size_t)M; r++)
        for (size_t k = 0; k < (size_t)K; k++)
            for (size_t c = 0; c < (size_t)N; c++)
                C[r * (size_t)N + c] += A[r * (size_t)K + k] * B[k * (size_t)N + c];
}

void pairs16_ref(const float *A, const float *B, float *C, int pairs)
{
    for (size_t p = 0; p < (size_t)pairs; p++)
        product(A + p * 256, B + p * 256, C + p * 256, 16, 16, 16);
}

void biasclamp_ref(const float *A, const float *B, const float *bias, float *C, int M, int N)
{
    product(A, B, C, (size_t)M, (size_t)N, 16);
    for (size_t r = 0; r < (size_t)M; r++)
        for (size_t c = 0; c < (size_t)N; c++)
            C[r * (size_t)N + c] = fminf(fmaxf(C[r * (size_t)N + c] + bias[c], 0), 6);
}

void htens_ref(const uint16_t *A, const uint16_t *B, float *C, int M, int N, int K)
{
    size_t rows = (size_t)M, cols = (size_t)N, deep = (size_t)K;
    float *a = malloc(rows * deep * sizeof *a), *b = malloc(cols * deep * sizeof *b);
    for (size_t i = 0; i < rows * deep; i++)
        a[i] = from_half(A[i]);
    for (size_t c = 0; c < cols; c++)
        for (size_t k = 0; k < deep; k++)
            b[k * cols + c] = from_half(B[c * deep + k]);
    product(a, b, C, rows, cols, deep);
    free(a);
    free(b);
}

void i8tens_ref(const int8_t *A, const int8_t *B, int32_t *C, int M, int N, int K)
{
    for (size_t r = 0; r < (size_t)M; r++)
        for (size_t c = 0; c < (size_t)N; c++) {
            int32_t sum = 0;
            for (size_t k = 0; k < (size_t)K; k++)
                sum += A[r * (size_t)K + k] * B[c * (size_t)K + k];
            C[r * (size_t)N + c] = sum;
        }
}

void fourvec_ref(const float *A, const float *x, float *y, int rows, int cols)
{
    for (size_t r = 0; r < (size_t)rows; r++) {
        const float *a = A + r * (size_t)cols;
        double sum[4] = {0};
        for (size_t i = 0; i < (size_t)cols; i++)
            for (size_t v = 0; v < 4; v++)
                sum[v] += a[i] * x[v * (size_t)cols + i];
        for (size_t v = 0; v < 4; v++)
            y[v * (size_t)rows + r] = (float)sum[v];
    }
}

void poscov_ref(const float *x, float *cov, int samples)
{
    memset(cov, 0, 512 * 512 * sizeof *cov);
    for (int s = 0; s < samples; s++)
        for (int j = 0; j < 512; j++)
            for (int i = 0; i < 512; i++)
                cov[j * 512 + i] += x[s * 512 + i] * x[s * 512 + j];
}
