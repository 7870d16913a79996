// A variant's steps as one CUDA graph: captured from the stream that they would be put on.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

enum { CAPTURE_THREAD_LOCAL = 1 }; // CUstreamCaptureMode

bool cuda_graph_make(struct cuda_device *c, const struct cuda_launch *launches,
                     const struct device_sequence *sequence, void **graph, struct error *err)
{
    const struct driver *cu = &c->cu;
    void *captured = NULL;
    struct error ignored = {0};
    if (!cu->cuGraphInstantiateWithFlags || !cu->cuStreamBeginCapture_v2)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "no CUDA graphs: NVIDIA's driver is older than CUDA 11.4: update it");
    if (!driver_check(cu, cu->cuStreamBeginCapture_v2(c->stream, CAPTURE_THREAD_LOCAL), err,
                      "the steps cannot be captured"))
        return false;
    bool done = cuda_enqueue(c, launches, sequence, err);
    // Capturing ends in any case: the stream is not to be left in it.
    done = driver_check(cu, cu->cuStreamEndCapture(c->stream, &captured), done ? err : &ignored,
                        "the steps cannot be captured as a graph (a library's call may not be "
                        "capturable)") &&
           done;
    done = done && driver_check(cu, cu->cuGraphInstantiateWithFlags(graph, captured, 0), err,
                                "the graph of the steps cannot be made");
    if (captured)
        (void)cu->cuGraphDestroy(captured);
    return done;
}

bool cuda_graph_launch(struct cuda_device *c, void *graph, struct error *err)
{
    return driver_check(&c->cu, c->cu.cuGraphLaunch(graph, c->stream), err,
                        "the graph cannot be launched");
}

void cuda_graph_release(struct cuda_device *c, void *graph)
{
    if (graph)
        (void)c->cu.cuGraphExecDestroy(graph);
}
