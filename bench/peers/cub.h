// What the plug-ins around CUB share: its version, its errors, its two-phase calls.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_BENCH_PEERS_CUB_H
#define RIDGE_BENCH_PEERS_CUB_H

#include <cub/cub.cuh>
#include <stdio.h>
#include <string.h>

#include "ridge_peer.h"

static inline const char *cub_name(void)
{
    static char name[32];
    snprintf(name, sizeof name, "CUB %d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
             CUB_SUBMINOR_VERSION);
    return name;
}

static inline const char *cub_error(cudaError_t status)
{
    return status == cudaSuccess ? NULL : cudaGetErrorString(status);
}

static inline bool cub_is(const struct ridge_peer_argument *a, const char *type)
{
    return a->buffer && strcmp(a->type, type) == 0;
}

// A CUB call asks for its memory when it is given none, and never gets an empty one.
template <typename Call>
static const char *cub_workspace(const struct ridge_peer_call *call, size_t *size_bytes, Call work)
{
    *size_bytes = 0;
    return cub_error(work(NULL, *size_bytes, (cudaStream_t)call->stream));
}

template <typename Call> static const char *cub_run(const struct ridge_peer_call *call, Call work)
{
    size_t size_bytes = call->workspace_bytes;
    return cub_error(work(call->workspace, size_bytes, (cudaStream_t)call->stream));
}

#endif
