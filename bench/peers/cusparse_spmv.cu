// cuSPARSE's SpMV as a peer: `library: cusparse_spmv.so:spmv_csr`, args: [y, starts, columns, values, x, rows, elements];
// CSR with i32 indices, f32, a square matrix, the library's default algorithm. Linked with -lcusparse.
// spmv_csr_prepared is the same after cusparseSpMV_preprocess, done by the first call with a matrix and not again: what it
// finds out about a matrix is kept, as a program keeps it that multiplies by the same one many times.
// SPDX-License-Identifier: Apache-2.0
#include <cusparse.h>
#include <stdio.h>
#include <string.h>

#include "ridge_peer.h"

static cusparseHandle_t handle;
static char name[48];

static const char *said(cusparseStatus_t status)
{
    return status == CUSPARSE_STATUS_SUCCESS ? NULL : cusparseGetErrorString(status);
}

static bool is_buffer(const struct ridge_peer_argument *a, const char *type)
{
    return a->buffer && strcmp(a->type, type) == 0;
}

static const char *check(const struct ridge_peer_call *call)
{
    const struct ridge_peer_argument *a = call->arguments;
    bool fits = call->argument_count == 7 && is_buffer(&a[0], "f32") && is_buffer(&a[1], "i32") &&
                is_buffer(&a[2], "i32") && is_buffer(&a[3], "f32") && is_buffer(&a[4], "f32") &&
                a[5].integer >= 0 && a[6].integer >= 0 && (size_t)a[5].integer <= a[0].count &&
                (size_t)a[5].integer < a[1].count && (size_t)a[6].integer <= a[2].count &&
                (size_t)a[6].integer <= a[3].count && (size_t)a[5].integer <= a[4].count;
    return fits ? NULL
                : "spmv_csr takes [y, starts, columns, values, x, rows, elements]: f32, i32, i32, f32, f32";
}

struct problem {
    cusparseSpMatDescr_t matrix;
    cusparseDnVecDescr_t x, y;
};

static const char *problem_open(const struct ridge_peer_call *call, struct problem *p)
{
    const struct ridge_peer_argument *a = call->arguments;
    const char *why = check(call);
    if (!why && !handle)
        why = said(cusparseCreate(&handle));
    if (!why)
        why = said(cusparseSetStream(handle, (cudaStream_t)call->stream));
    if (!why)
        why = said(cusparseCreateCsr(&p->matrix, a[5].integer, a[5].integer, a[6].integer, a[1].buffer,
                                     a[2].buffer, a[3].buffer, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    if (!why)
        why = said(cusparseCreateDnVec(&p->x, a[5].integer, a[4].buffer, CUDA_R_32F));
    if (!why)
        why = said(cusparseCreateDnVec(&p->y, a[5].integer, a[0].buffer, CUDA_R_32F));
    return why;
}

static void problem_close(struct problem *p)
{
    if (p->matrix)
        cusparseDestroySpMat(p->matrix);
    if (p->x)
        cusparseDestroyDnVec(p->x);
    if (p->y)
        cusparseDestroyDnVec(p->y);
}

static const float one = 1, zero = 0;

static const char *spmv_workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    struct problem p = {};
    const char *why = problem_open(call, &p);
    if (!why)
        why = said(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, p.matrix, p.x,
                                           &zero, p.y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, size_bytes));
    problem_close(&p);
    return why;
}

static const char *spmv_run(const struct ridge_peer_call *call)
{
    struct problem p = {};
    const char *why = problem_open(call, &p);
    if (!why)
        why = said(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, p.matrix, p.x, &zero, p.y,
                                CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, call->workspace));
    problem_close(&p);
    return why;
}

// What spmv_csr_prepared keeps, and of which buffers.
static struct problem kept;
static const void *kept_of[6];

static void kept_forget(void)
{
    problem_close(&kept);
    kept = {};
}

// Asked once for each case, so before a matrix is another one at the same place.
static const char *prepared_workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    kept_forget();
    return spmv_workspace(call, size_bytes);
}

static const char *prepared_run(const struct ridge_peer_call *call)
{
    const void *of[6] = {call->workspace};
    const char *why = check(call);
    for (int i = 0; !why && i < 5; i++)
        of[1 + i] = call->arguments[i].buffer;
    if (!why && (!kept.matrix || memcmp(of, kept_of, sizeof of) != 0)) {
        kept_forget();
        why = problem_open(call, &kept);
        if (!why)
            why = said(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, kept.matrix, kept.x, &zero, kept.y,
                                               CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, call->workspace));
        if (why)
            kept_forget();
        memcpy(kept_of, of, sizeof of);
    }
    if (!why)
        why = said(cusparseSetStream(handle, (cudaStream_t)call->stream));
    if (!why)
        why = said(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, kept.matrix, kept.x, &zero, kept.y, CUDA_R_32F,
                                CUSPARSE_SPMV_ALG_DEFAULT, call->workspace));
    return why;
}

static const char *name_of_library(void)
{
    snprintf(name, sizeof name, "cuSPARSE %d.%d.%d", CUSPARSE_VERSION / 1000, CUSPARSE_VERSION % 1000 / 100,
             CUSPARSE_VERSION % 100);
    return name;
}

extern "C" const struct ridge_peer *spmv_csr(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, name_of_library(), spmv_workspace, spmv_run};
    return &peer;
}

extern "C" const struct ridge_peer *spmv_csr_prepared(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, name_of_library(), prepared_workspace, prepared_run};
    return &peer;
}
