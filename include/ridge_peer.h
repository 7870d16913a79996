/* A peer as a plug-in: a shared object that lets a variant of an experiment call a library,
 *     library: FILE.so:FUNCTION
 *     args: [out, in, N]
 * FUNCTION is exported with C linkage, takes nothing and returns the plug-in's struct ridge_peer. The
 * call runs in ridge's worker process, with the device's primary context current; it puts its work
 * into the given stream and does not wait for it. bench/peers has examples.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RIDGE_PEER_H
#define RIDGE_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RIDGE_PEER_ABI 1

/* An argument of the variant, in the order of its `args`. A buffer has an address on the device; a
 * number has its value twice. */
struct ridge_peer_argument {
    void *buffer;     /* NULL for a number */
    size_t count;     /* of the buffer's elements */
    const char *type; /* "f32", "u8" ... */
    int64_t integer;
    double real;
};

struct ridge_peer_call {
    void *stream;    /* a cudaStream_t */
    void *workspace; /* on the device, workspace_bytes of it; NULL when its size is asked */
    size_t workspace_bytes;
    const struct ridge_peer_argument *arguments;
    size_t argument_count;
};

/* Both functions return NULL, or why it cannot be done (text that outlives the call). */
struct ridge_peer {
    int abi;          /* RIDGE_PEER_ABI */
    const char *name; /* of the library, with its version: "CUB 3.0.1" */
    /* How much memory on the device it needs beside the buffers; asked outside of any timing. */
    const char *(*workspace)(const struct ridge_peer_call *call, size_t *size_bytes);
    const char *(*run)(const struct ridge_peer_call *call);
};

typedef const struct ridge_peer *ridge_peer_function(void);

#ifdef __cplusplus
}
#endif

#endif
