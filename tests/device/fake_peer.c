// A plug-in for tests, beside fake_driver.c: c = 2 a b' in the host's memory.
// SPDX-License-Identifier: Apache-2.0
#include "ridge_peer.h"

#include <stdlib.h>

void fake_work(void); // of fake_driver.c: a launch's time passes

static const char *workspace(const struct ridge_peer_call *call, size_t *size_bytes)
{
    *size_bytes = 4096;
    return call->argument_count == 6 && call->arguments[3].type[0] == 'i'
               ? NULL
               : "product takes six arguments";
}

static const char *run(const struct ridge_peer_call *call)
{
    const struct ridge_peer_argument *x = call->arguments;
    float *c = x[0].buffer;
    const float *a = x[1].buffer, *b = x[2].buffer;
    int64_t m = x[3].integer, n = x[4].integer, k = x[5].integer;
    if (!call->workspace || call->workspace_bytes < 4096 || !call->stream ||
        x[0].count != (size_t)(m * n))
        return "the workspace or a buffer is too small";
    *(char *)call->workspace = 1;
    fake_work();
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += (double)a[i * k + l] * b[j * k + l];
            c[i * n + j] = (float)(2 * sum);
        }
    return NULL;
}

static const char *crash(const struct ridge_peer_call *call, size_t *size_bytes)
{
    (void)call, (void)size_bytes;
    abort();
}

const struct ridge_peer *product(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, "Fake 1.2", workspace, run};
    return &peer;
}

const struct ridge_peer *crashing(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI, "Fake 1.2", crash, run};
    return &peer;
}

const struct ridge_peer *older(void)
{
    static const struct ridge_peer peer = {RIDGE_PEER_ABI - 1, "Fake 1.2", workspace, run};
    return &peer;
}
