// cuBLAS's products of many small f32 matrices as a peer: `library: cublas_batched.so:sgemm`, args: [c, a, b, COUNT, S]:
// c[i] = a[i] b[i], COUNT times S x S, row-major, one after the other; f32 arithmetic, no TF32.
// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>
#include <stdio.h>
#include <string.h>

#include "ridge_peer.h"

static cublasHandle_t handle;

static const char *name(void)
{
    static char text[32];
    int version = 0;
    if (handle == NULL && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS)
        return "cuBLAS";
    cublasGetVersion(handle, &version);
    snprintf(text, sizeof text, "cuBLAS %d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    return text;
}

static const char *workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    const struct ridge_peer_argument *x = call->arguments;
    bool ok = call->argument_count == 5 && !x[3].buffer && !x[4].buffer && x[3].integer >= 0 && x[4].integer > 0 &&
              x[4].integer < 1 << 15;
    for (int i = 0; i < 3 && ok; i++)
        ok = x[i].buffer && strcmp(x[i].type, "f32") == 0 &&
             (size_t)(x[3].integer * x[4].integer * x[4].integer) <= x[i].count;
    *size_bytes = 32 << 20;
    if (!ok)
        return "sgemm takes [c, a, b, COUNT, S]: three buffers of f32, how many products, and their size";
    return handle == NULL && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ? "cuBLAS cannot be started" : NULL;
}

static const char *run(const struct ridge_peer_call *call)
{
    const struct ridge_peer_argument *x = call->arguments;
    int s = (int)x[4].integer;
    long long step = (long long)s * s;
    float one = 1, zero = 0;
    // cuBLAS stores columns: c^T = b^T a^T.
    bool done = cublasSetStream(handle, (cudaStream_t)call->stream) == CUBLAS_STATUS_SUCCESS &&
                cublasSetWorkspace(handle, call->workspace, call->workspace_bytes) == CUBLAS_STATUS_SUCCESS &&
                cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH) == CUBLAS_STATUS_SUCCESS &&
                cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, s, s, s, &one, (const float *)x[2].buffer,
                                          s, step, (const float *)x[1].buffer, s, step, &zero, (float *)x[0].buffer, s,
                                          step, (int)x[3].integer) == CUBLAS_STATUS_SUCCESS;
    return done ? NULL : "cublasSgemmStridedBatched failed";
}

extern "C" const struct ridge_peer *sgemm(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, name(), workspace, run};
    return &peer;
}
