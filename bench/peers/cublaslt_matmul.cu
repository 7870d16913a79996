// cuBLASLt's product of 8-bit matrices as a peer: `library: cublaslt_matmul.so:e4m3_fast` or `:e4m3_exact`, args:
// [c, a, b, M, N, K]: c (bf16, M x N) = a (e4m3, M x K) b^T (e4m3, N x K), all row-major. fast: sums as the tensor
// cores keep them (CUBLASLT_MATMUL_DESC_FAST_ACCUM); exact: moved to f32 in between.
// The algorithm is the first that cuBLASLt's heuristic names for the shape and 32 MiB of workspace.
// SPDX-License-Identifier: Apache-2.0
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

#include "ridge_peer.h"

enum { WORKSPACE_BYTES = 32 << 20 };

// What a shape needs, made once outside of any timing.
struct plan {
    int m, n, k, fast;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulAlgo_t algorithm;
    const char *error;
};
static cublasLtHandle_t handle;
static plan plans[8];
static int plan_count;

static const char *name(void)
{
    static char text[32];
    size_t v = cublasLtGetVersion();
    snprintf(text, sizeof text, "cuBLASLt %zu.%zu.%zu", v / 10000, v / 100 % 100, v % 100);
    return text;
}

static const char *check(const struct ridge_peer_call *call)
{
    const struct ridge_peer_argument *x = call->arguments;
    bool ok = call->argument_count == 6 && x[0].buffer && x[1].buffer && x[2].buffer &&
              strcmp(x[0].type, "bf16") == 0 && strcmp(x[1].type, "e4m3") == 0 && strcmp(x[2].type, "e4m3") == 0;
    for (int i = 3; i < 6 && ok; i++)
        ok = !x[i].buffer && x[i].integer > 0 && x[i].integer < 1 << 30;
    ok = ok && (size_t)(x[3].integer * x[4].integer) <= x[0].count &&
         (size_t)(x[3].integer * x[5].integer) <= x[1].count && (size_t)(x[4].integer * x[5].integer) <= x[2].count;
    if (!ok)
        return "it takes [c, a, b, M, N, K]: c of bf16, a and b of e4m3";
    return x[5].integer % 16 == 0 && x[4].integer % 8 == 0 ? NULL : "K must be a multiple of 16, N of 8";
}

// cuBLASLt stores columns: c^T (n x m) = b (stored by columns k x n, transposed) times a^T (k x m).
static void prepare(plan *p)
{
    cublasOperation_t yes = CUBLAS_OP_T, no = CUBLAS_OP_N;
    signed char fast = (signed char)p->fast;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    size_t bytes = WORKSPACE_BYTES;
    int count = 0;
    if (handle == NULL && cublasLtCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
        p->error = "cuBLASLt cannot be started";
        return;
    }
    bool ok = cublasLtMatmulDescCreate(&p->product, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS;
    cublasLtMatmulDescSetAttribute(p->product, CUBLASLT_MATMUL_DESC_TRANSA, &yes, sizeof yes);
    cublasLtMatmulDescSetAttribute(p->product, CUBLASLT_MATMUL_DESC_TRANSB, &no, sizeof no);
    cublasLtMatmulDescSetAttribute(p->product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
    ok = ok && cublasLtMatrixLayoutCreate(&p->b, CUDA_R_8F_E4M3, p->k, p->n, p->k) == CUBLAS_STATUS_SUCCESS &&
         cublasLtMatrixLayoutCreate(&p->a, CUDA_R_8F_E4M3, p->k, p->m, p->k) == CUBLAS_STATUS_SUCCESS &&
         cublasLtMatrixLayoutCreate(&p->c, CUDA_R_16BF, p->n, p->m, p->n) == CUBLAS_STATUS_SUCCESS &&
         cublasLtMatmulPreferenceCreate(&preference) == CUBLAS_STATUS_SUCCESS;
    if (!ok) {
        p->error = "cuBLASLt cannot describe this product";
        return;
    }
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
    ok = cublasLtMatmulAlgoGetHeuristic(handle, p->product, p->b, p->a, p->c, p->c, preference, 1, &found, &count) ==
             CUBLAS_STATUS_SUCCESS && count > 0;
    cublasLtMatmulPreferenceDestroy(preference);
    p->algorithm = found.algo;
    p->error = ok ? NULL : "cuBLASLt has no algorithm for this product";
}

static plan *plan_of(const struct ridge_peer_call *call, int fast)
{
    const struct ridge_peer_argument *x = call->arguments;
    int m = (int)x[3].integer, n = (int)x[4].integer, k = (int)x[5].integer;
    for (int i = 0; i < plan_count; i++)
        if (plans[i].m == m && plans[i].n == n && plans[i].k == k && plans[i].fast == fast)
            return &plans[i];
    plan *p = &plans[plan_count < 8 ? plan_count++ : 7];
    *p = plan{};
    p->m = m, p->n = n, p->k = k, p->fast = fast;
    prepare(p);
    return p;
}

static const char *workspace(const struct ridge_peer_call *call, size_t *size_bytes, int fast)
{
    const char *why = check(call);
    *size_bytes = WORKSPACE_BYTES;
    return why ? why : plan_of(call, fast)->error;
}

static const char *run(const struct ridge_peer_call *call, int fast)
{
    const struct ridge_peer_argument *x = call->arguments;
    plan *p = plan_of(call, fast);
    float one = 1, zero = 0;
    if (p->error)
        return p->error;
    return cublasLtMatmul(handle, p->product, &one, x[2].buffer, p->b, x[1].buffer, p->a, &zero, x[0].buffer, p->c,
                          x[0].buffer, p->c, &p->algorithm, call->workspace, call->workspace_bytes,
                          (cudaStream_t)call->stream) == CUBLAS_STATUS_SUCCESS
               ? NULL
               : "cublasLtMatmul failed";
}

static const char *fast_workspace(const struct ridge_peer_call *c, size_t *bytes) { return workspace(c, bytes, 1); }
static const char *exact_workspace(const struct ridge_peer_call *c, size_t *bytes) { return workspace(c, bytes, 0); }
static const char *fast_run(const struct ridge_peer_call *c) { return run(c, 1); }
static const char *exact_run(const struct ridge_peer_call *c) { return run(c, 0); }

extern "C" const struct ridge_peer *e4m3_fast(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, name(), fast_workspace, fast_run};
    return &peer;
}
extern "C" const struct ridge_peer *e4m3_exact(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, name(), exact_workspace, exact_run};
    return &peer;
}
