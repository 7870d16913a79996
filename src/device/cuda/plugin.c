// Peers that are plug-ins (include/ridge_peer.h): found, opened, asked for their workspace, run.
// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda.h"

#include "ridge_peer.h"

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE_LEAST_BYTES = 256 }; // one that asks for none gets an address all the same

struct plugin_call { // the arguments of a step on one set of buffers
    const struct ridge_peer *peer;
    struct ridge_peer_call call;
};

/* ---- opening ----------------------------------------------------------------------------------- */

// A path is relative to the experiment; a plain name lies beside the experiment, in $RIDGE_PEERS, in the user's or in
// ridge's own data folder. NULL = in none.
static const char *find_file(struct arena *a, const struct library_call *library)
{
    struct error ignored = {0};
    const char *file = library->name, *own = environment("RIDGE_PEERS");
    if (strchr(file, '/')) {
        file = path_join(a, library->directory, file);
        return file_exists(file) ? file : NULL;
    }
    const char *name = arena_printf(a, "peers/%s", file);
    const char *places[] = {
        path_join(a, library->directory, file),
        own ? path_join(a, own, file) : NULL,
        user_data_path(a, name),
        data_path(a, name, &ignored),
    };
    for (size_t i = 0; i < COUNT_OF(places); i++)
        if (places[i] && file_exists(places[i]))
            return places[i];
    return NULL;
}

static bool plugin_open(struct cuda_device *c, const struct library_call *library,
                        const void **opened, struct device_library *facts, struct error *err)
{
    struct arena *a = &c->arena;
    static const char how[] = "bench/peers/build.sh builds ridge's own with nvcc, and RIDGE_PEERS "
                              "names a folder of others";
    ridge_peer_function *function = NULL;
    struct error why = {0};
    const char *path = find_file(a, library);
    if (!path) {
        facts->absent = arena_printf(a, "there is no %s: %s", library->name, how);
        return true;
    }
    void *object = library_open((const char *const[]){path, NULL}, NULL, &why);
    if (!object) {
        facts->absent = arena_printf(a, "%s cannot be used: %s", path, why.message);
        return true;
    }
    if (!library_symbol(object, library->function, &function, sizeof function, &why))
        return fail(err, NOWHERE, "%s has no function '%s'", path, library->function);
    const struct ridge_peer *peer = function();
    if (!peer || peer->abi != RIDGE_PEER_ABI || !peer->name || !peer->workspace || !peer->run) {
        facts->absent =
            arena_printf(a, "%s is for another ridge (its ABI is %d, not %d): build it again", path,
                         peer ? peer->abi : 0, RIDGE_PEER_ABI);
        return true;
    }
    *opened = peer;
    facts->version = peer->name;
    return true;
}

/* ---- a call -------------------------------------------------------------------------------------- */

static struct ridge_peer_argument number_of(const struct resolved_argument *x)
{
    struct ridge_peer_argument out = {.type = element_name(x->type)};
    out.real = element_load(x->type, x->value);
    out.integer = (int64_t)out.real;
    if (x->type == ELEMENT_I64 || x->type == ELEMENT_U64)
        memcpy(&out.integer, x->value, sizeof out.integer);
    return out;
}

static bool plugin_prepare(struct cuda_device *c, struct arena *a, const void *opened,
                           const struct device_sequence *sequence, const struct resolved_launch *l,
                           const uint64_t *addresses, void **out, size_t *workspace_bytes,
                           struct error *err)
{
    const struct ridge_peer *peer = opened;
    struct plugin_call *p = ARENA_NEW(a, struct plugin_call);
    struct ridge_peer_argument *arguments =
        ARENA_ARRAY(a, struct ridge_peer_argument, l->arg_count + 1);
    for (int i = 0; i < l->arg_count; i++) {
        const struct resolved_argument *x = &l->args[i];
        if (x->kind == ARGUMENT_SCALAR) {
            arguments[i] = number_of(x);
            continue;
        }
        arguments[i] = (struct ridge_peer_argument){.buffer = device_pointer(addresses[x->buffer]),
                                                    .count = sequence->sizes_bytes[x->buffer] /
                                                             element_bytes(x->type),
                                                    .type = element_name(x->type)};
    }
    *p = (struct plugin_call){
        peer,
        {.stream = c->stream, .arguments = arguments, .argument_count = (size_t)l->arg_count}};
    *out = p;
    const char *why = peer->workspace(&p->call, workspace_bytes);
    if (*workspace_bytes < WORKSPACE_LEAST_BYTES)
        *workspace_bytes = WORKSPACE_LEAST_BYTES;
    return !why || fail(err, l->at, "'%s' refuses: %s", l->library->text, why);
}

static bool plugin_enqueue(struct cuda_device *c, const void *prepared,
                           const struct resolved_launch *l, struct error *err)
{
    const struct plugin_call *p = prepared;
    struct ridge_peer_call call = p->call;
    call.workspace = device_pointer(c->workspace);
    call.workspace_bytes = c->workspace_bytes;
    const char *why = p->peer->run(&call);
    return !why || fail(err, l->at, "'%s' fails: %s", l->library->text, why);
}

static bool plugin_check(struct arena *a, const struct experiment *e, const struct launch_spec *s,
                         struct error *err)
{
    (void)a;
    (void)e;
    return s->arg_count == 0 || !s->args[0].name ||
           fail(err, s->library->args_at,
                "'%s' takes its arguments in a list, as a kernel has them: args: [BUFFER, …]",
                s->library->text);
}

const struct cuda_library library_plugin = {
    .rules = {.name = ".so", .is_file_ending = true, .check = plugin_check},
    .open = plugin_open,
    .prepare = plugin_prepare,
    .enqueue = plugin_enqueue,
};
