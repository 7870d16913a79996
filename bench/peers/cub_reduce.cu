// CUB's reductions as peers: `library: cub_reduce.so:sum_f32`, args: [out, in, N].
// SPDX-License-Identifier: Apache-2.0
#include "cub.h"

static const char *check(const struct ridge_peer_call *call)
{
    const struct ridge_peer_argument *a = call->arguments;
    return call->argument_count == 3 && cub_is(&a[0], "f32") && cub_is(&a[1], "f32") &&
                   a[2].integer >= 0 && (size_t)a[2].integer <= a[1].count
               ? NULL
               : "sum_f32 takes [out, in, N]: two buffers of f32, and how many of the second to add";
}

static cudaError_t sum(const struct ridge_peer_call *call, void *workspace, size_t &bytes,
                       cudaStream_t stream)
{
    const struct ridge_peer_argument *a = call->arguments;
    return cub::DeviceReduce::Sum(workspace, bytes, (const float *)a[1].buffer, (float *)a[0].buffer,
                                  a[2].integer, stream);
}

static const char *sum_workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    const char *why = check(call);
    return why ? why
               : cub_workspace(call, size_bytes, [=](void *workspace, size_t &bytes, cudaStream_t s) {
                     return sum(call, workspace, bytes, s);
                 });
}

static const char *sum_run(const struct ridge_peer_call *call)
{
    return cub_run(call, [=](void *workspace, size_t &bytes, cudaStream_t s) {
        return sum(call, workspace, bytes, s);
    });
}

extern "C" const struct ridge_peer *sum_f32(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, cub_name(), sum_workspace, sum_run};
    return &peer;
}
