// CUB's scans as peers: `library: cub_scan.so:inclusive_sum`, args: [out, in, N], both f32 or both i32.
// SPDX-License-Identifier: Apache-2.0
#include "cub.h"

static const char *check(const struct ridge_peer_call *call)
{
    const struct ridge_peer_argument *a = call->arguments;
    return call->argument_count == 3 &&
                   ((cub_is(&a[0], "f32") && cub_is(&a[1], "f32")) ||
                    (cub_is(&a[0], "i32") && cub_is(&a[1], "i32"))) &&
                   a[2].integer >= 0 && (size_t)a[2].integer <= a[1].count &&
                   (size_t)a[2].integer <= a[0].count
               ? NULL
               : "inclusive_sum takes [out, in, N]: two buffers of f32 or of i32, and how many to add";
}

template <typename T>
static cudaError_t scan(const struct ridge_peer_call *call, void *workspace, size_t &bytes,
                        cudaStream_t stream)
{
    const struct ridge_peer_argument *a = call->arguments;
    return cub::DeviceScan::InclusiveSum(workspace, bytes, (const T *)a[1].buffer, (T *)a[0].buffer,
                                         (long long)a[2].integer, stream);
}

static cudaError_t scan_any(const struct ridge_peer_call *call, void *workspace, size_t &bytes,
                            cudaStream_t stream)
{
    return cub_is(&call->arguments[0], "f32") ? scan<float>(call, workspace, bytes, stream)
                                              : scan<int>(call, workspace, bytes, stream);
}

static const char *scan_workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    const char *why = check(call);
    return why ? why
               : cub_workspace(call, size_bytes, [=](void *workspace, size_t &bytes, cudaStream_t s) {
                     return scan_any(call, workspace, bytes, s);
                 });
}

static const char *scan_run(const struct ridge_peer_call *call)
{
    return cub_run(call, [=](void *workspace, size_t &bytes, cudaStream_t s) {
        return scan_any(call, workspace, bytes, s);
    });
}

extern "C" const struct ridge_peer *inclusive_sum(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, cub_name(), scan_workspace, scan_run};
    return &peer;
}
