// NCCL. NVLink multicast stays off unless the user switched it on (NCCL_NVLS_ENABLE): a program that ends badly with it
// can take the GPUs of a whole host out of service. Only worker processes come here, so that the variable is theirs.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/nccl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NCCL_DONE = 0, NCCL_SUM = 0, NCCL_BYTES = 1 }; // ncclUint8
struct nccl_id {                                      // ncclUniqueId
    unsigned char bytes[EXCHANGE_ID_BYTES];
};
enum { VERSION_BYTES = 32, VERSION_MAJOR = 10000, VERSION_MINOR = 100 };

struct nccl {
#define NCCL(name, parameters) int(*name) parameters;
#include "device/cuda/nccl.def"
#undef NCCL
    const char *(*error_text)(int status);
    void **communicators; // NULL: another process's
    int count;
    char version[VERSION_BYTES];
};

// ncclDataType_t; -1: NCCL does not add them.
static int type_of(enum element_type type)
{
    static const int types[ELEMENT_TYPE_COUNT] = {
        [ELEMENT_F16] = 6,  [ELEMENT_BF16] = 9, [ELEMENT_E4M3] = -1, [ELEMENT_F32] = 7,
        [ELEMENT_F64] = 8,  [ELEMENT_I8] = 0,   [ELEMENT_U8] = 1,    [ELEMENT_I16] = -1,
        [ELEMENT_U16] = -1, [ELEMENT_I32] = 2,  [ELEMENT_U32] = 3,   [ELEMENT_I64] = 4,
        [ELEMENT_U64] = 5,
    };
    return types[type];
}

bool nccl_adds(enum element_type type)
{
    return type_of(type) >= 0;
}

static bool functions_load(struct nccl *n, struct error *err)
{
    const char *own = environment("RIDGE_NCCL");
    const char *const names[] = {own ? own : "libnccl.so.2", NULL};
    struct arena a = {0};
    struct error ignored = {0};
    if (own && strcmp(own, "none") == 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "RIDGE_NCCL=none leaves NCCL out");
    void *library = library_open(names, NULL, &ignored); // the loader's own choice first
    if (!library)
        library = library_open(names, cuda_folders(&a), &ignored);
    arena_release(&a);
    if (!library)
        return fail_as(err, ERROR_SYSTEM, NOWHERE,
                       "%s is not here: pip install nvidia-nccl-cu13, then set RIDGE_NCCL to its "
                       "libnccl.so.2",
                       names[0]);
#define NCCL(name, parameters)                                          \
    if (!library_symbol(library, #name, &n->name, sizeof n->name, err)) \
        return false;
#include "device/cuda/nccl.def"
#undef NCCL
    return library_symbol(library, "ncclGetErrorString", &n->error_text, sizeof n->error_text, err);
}

static bool check(const struct nccl *n, int status, const char *doing, struct error *err)
{
    return status == NCCL_DONE || fail_as(err, ERROR_SYSTEM, NOWHERE, "NCCL fails when %s: %s",
                                          doing, n->error_text(status));
}

// The library, without communicators.
static bool library_open_for(int count, struct nccl **out, struct error *err)
{
    struct nccl *n = xcalloc(1, sizeof *n);
    int version = 0;
    n->communicators = xcalloc((size_t)count + 1, sizeof(void *));
    (void)setenv("NCCL_NVLS_ENABLE", "0",
                 0); // NOLINT(concurrency-mt-unsafe): a worker's only thread
    if (!functions_load(n, err) ||
        !check(n, n->ncclGetVersion(&version), "asked for its version", err)) {
        nccl_close(n);
        return false;
    }
    (void)snprintf(n->version, sizeof n->version, "NCCL %d.%d.%d", version / VERSION_MAJOR,
                   version % VERSION_MAJOR / VERSION_MINOR, version % VERSION_MINOR);
    *out = n;
    return true;
}

// With the communicators that the call made, or not at all.
static bool opened(struct nccl *n, int status, int count, struct nccl **out, struct error *err)
{
    if (!check(n, status, "it connects the GPUs", err)) {
        nccl_close(n);
        return false;
    }
    n->count = count;
    *out = n;
    return true;
}

bool nccl_open(const int *ordinals, int count, struct nccl **out, struct error *err)
{
    struct nccl *n;
    return library_open_for(count, &n, err) &&
           opened(n, n->ncclCommInitAll(n->communicators, count, ordinals), count, out, err);
}

bool nccl_join(const struct exchange_team *team, int count, struct nccl **out, struct error *err)
{
    struct nccl_id id;
    struct nccl *n;
    memcpy(id.bytes, team->id, sizeof id.bytes);
    return library_open_for(count, &n, err) &&
           opened(n, n->ncclCommInitRank(&n->communicators[team->own], count, id, team->own), count,
                  out, err);
}

bool nccl_meet(unsigned char id[EXCHANGE_ID_BYTES], struct error *err)
{
    struct nccl_id made;
    struct nccl *n;
    if (!library_open_for(0, &n, err))
        return false;
    bool done = check(n, n->ncclGetUniqueId(&made), "it prepares to connect processes", err);
    memcpy(id, made.bytes, sizeof made.bytes);
    nccl_close(n);
    return done;
}

const char *nccl_version_words(const struct nccl *n)
{
    return n->version;
}

static int enqueue_sum(struct nccl *n, const struct exchange_sum *s, void *const *streams)
{
    int status = NCCL_DONE;
    for (int i = 0; i < n->count && status == NCCL_DONE; i++) {
        if (!n->communicators[i])
            continue;
        status = n->ncclAllReduce(device_pointer(s->from[i]), device_pointer(s->to[i]), s->count,
                                  type_of(s->type), NCCL_SUM, n->communicators[i], streams[i]);
    }
    return status;
}

static int enqueue_spread(struct nccl *n, const struct exchange_spread *s, void *const *streams)
{
    int status = NCCL_DONE;
    for (int i = 0; i < n->count && status == NCCL_DONE; i++) {
        if (!n->communicators[i])
            continue;
        status = n->ncclBroadcast(device_pointer(i == s->from ? s->from_address : s->to[i]),
                                  device_pointer(s->to[i]), s->size_bytes, NCCL_BYTES, s->from,
                                  n->communicators[i], streams[i]);
    }
    return status;
}

static int enqueue_copy(struct nccl *n, const struct exchange_copy *c, void *const *streams)
{
    int status = NCCL_DONE;
    if (n->communicators[c->from])
        status = n->ncclSend(device_pointer(c->from_address), c->size_bytes, NCCL_BYTES, c->to,
                             n->communicators[c->from], streams[c->from]);
    if (status == NCCL_DONE && n->communicators[c->to])
        status = n->ncclRecv(device_pointer(c->to_address), c->size_bytes, NCCL_BYTES, c->from,
                             n->communicators[c->to], streams[c->to]);
    return status;
}

static int enqueue_gather(struct nccl *n, const struct exchange_gather *g, void *const *streams)
{
    int status = NCCL_DONE;
    for (int i = 0; i < n->count && status == NCCL_DONE; i++) {
        if (!n->communicators[i])
            continue;
        status = n->ncclAllGather(device_pointer(g->from[i]), device_pointer(g->to[i]),
                                  g->block_bytes, NCCL_BYTES, n->communicators[i], streams[i]);
    }
    return status;
}

static int enqueue_scatter(struct nccl *n, const struct exchange_scatter *s, void *const *streams)
{
    int status = NCCL_DONE;
    for (int i = 0; i < n->count && status == NCCL_DONE; i++) {
        if (!n->communicators[i])
            continue;
        status = n->ncclReduceScatter(device_pointer(s->from[i]), device_pointer(s->to[i]),
                                      s->block_count, type_of(s->type), NCCL_SUM,
                                      n->communicators[i], streams[i]);
    }
    return status;
}

bool nccl_enqueue(struct nccl *n, const struct exchange *e, void *const *streams, struct error *err)
{
    int status = n->ncclGroupStart();
    for (int i = 0; i < e->sum_count && status == NCCL_DONE; i++)
        status = enqueue_sum(n, &e->sums[i], streams);
    for (int i = 0; i < e->spread_count && status == NCCL_DONE; i++)
        status = enqueue_spread(n, &e->spreads[i], streams);
    for (int i = 0; i < e->copy_count && status == NCCL_DONE; i++)
        status = enqueue_copy(n, &e->copies[i], streams);
    if (e->gather && status == NCCL_DONE)
        status = enqueue_gather(n, e->gather, streams);
    if (e->scatter && status == NCCL_DONE)
        status = enqueue_scatter(n, e->scatter, streams);
    int ended = n->ncclGroupEnd();
    return check(n, status == NCCL_DONE ? ended : status, "data is exchanged", err);
}

void nccl_close(struct nccl *n)
{
    for (int i = 0; n && i < n->count; i++)
        if (n->communicators[i])
            (void)n->ncclCommDestroy(n->communicators[i]);
    if (n)
        free(n->communicators);
    free(n);
}
