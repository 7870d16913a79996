// A cuBLAS for tests, beside fake_driver.c: matrices by columns, in the host's memory, and the fake
// clock. FAKE_CUBLAS_STATUS is what creating a handle returns.
// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void fake_work(void); // of fake_driver.c: a launch's time passes

static struct {
    void *stream, *workspace;
    int math;
} handle;

int cublasCreate_v2(void **out)
{
    const char *status = getenv("FAKE_CUBLAS_STATUS");
    *out = &handle;
    return status ? atoi(status) : 0;
}

int cublasDestroy_v2(void *h)
{
    return h == &handle ? 0 : 1;
}

int cublasGetProperty(int property, int *value)
{
    *value = property == 0 ? 13 : 7;
    return 0;
}

int cublasSetStream_v2(void *h, void *stream)
{
    (void)h;
    handle.stream = stream;
    handle.workspace = NULL;
    return 0;
}

int cublasSetWorkspace_v2(void *h, void *workspace, size_t size_bytes)
{
    (void)h;
    handle.workspace = workspace;
    return size_bytes > 0 ? 0 : 7;
}

int cublasSetMathMode(void *h, int mode)
{
    (void)h;
    handle.math = mode;
    return mode == 0 || mode == 3 ? 0 : 7;
}

// Of op(x), row i and column j.
static float at(const float *x, int op, int ld, int i, int j)
{
    return op ? x[j + (size_t)i * ld] : x[i + (size_t)j * ld];
}

int cublasSgeam(void *h, int op_a, int op_b, int m, int n, const float *alpha, const float *a,
                int lda, const float *beta, const float *b, int ldb, float *c, int ldc)
{
    if (h != &handle || lda < (op_a ? n : m) || ldb < (op_b ? n : m) || ldc < m)
        return 7;
    fake_work();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            c[i + (size_t)j * ldc] =
                *alpha * at(a, op_a, lda, i, j) + (*beta != 0 ? *beta * at(b, op_b, ldb, i, j) : 0);
    return 0;
}

int cublasSgemm_v2(void *h, int op_a, int op_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc)
{
    if (h != &handle || !handle.stream || !handle.workspace || lda < (op_a ? k : m) ||
        ldb < (op_b ? n : k) || ldc < m)
        return 7;
    fake_work();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = handle.math == 3 ? 0.125 : 0; // tf32 is not exact, as the checks shall see
            for (int x = 0; x < k; x++)
                sum += (double)at(a, op_a, lda, i, x) * at(b, op_b, ldb, x, j);
            float *to = &c[i + (size_t)j * ldc];
            *to = (float)(*alpha * sum) + (*beta != 0 ? *beta * *to : 0);
        }
    return 0;
}

#define NONE(name) \
    int name(void) \
    {              \
        return 15; \
    }
NONE(cublasDgeam)
NONE(cublasDgemm_v2)
NONE(cublasGemmEx)
