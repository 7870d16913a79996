// Streams of a variant's steps (`stream: in`, `after: [in, work]`), and the window of the L2 that a kernel keeps
// (`persist: {buffer: table}`).
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <string.h>

static const char main_stream[] = "main"; // of steps without `stream`

/* ---- streams --------------------------------------------------------------------------------------- */

static int stream_find(const struct variant_spec *v, const char *name)
{
    for (int i = 0; i < v->stream_count; i++)
        if (strcmp(v->streams[i], name) == 0)
            return i;
    return -1;
}

static bool load_stream_name(struct loader *l, const struct yaml_node *node, struct variant_spec *v,
                             int *out)
{
    const char *name = NULL;
    if (!yaml_string(node, "'stream'", &name, l->err))
        return false;
    if (!is_identifier(name))
        return fail(l->err, node->at, "'stream' must be a name of letters, digits and _");
    *out = stream_find(v, name);
    if (*out >= 0)
        return true;
    if (v->stream_count == STREAMS_MAX)
        return fail(l->err, node->at, "a variant takes %d streams at most", STREAMS_MAX);
    *out = v->stream_count;
    v->streams[v->stream_count++] = name;
    return true;
}

static bool load_after(struct loader *l, const struct yaml_node *node, const struct variant_spec *v,
                       uint32_t *out)
{
    size_t count = node->kind == YAML_LIST ? node->count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct yaml_node *item = node->kind == YAML_LIST ? node->items[i] : node;
        const char *name = NULL;
        if (!yaml_string(item, "'after'", &name, l->err))
            return false;
        int stream = stream_find(v, name);
        if (stream < 0)
            return fail_unknown(l->err, item->at, "stream of an earlier step", name, v->streams,
                                (size_t)v->stream_count);
        *out |= UINT32_C(1) << stream;
    }
    return true;
}

bool load_streams(struct loader *l, const struct yaml_node *node, struct variant_spec *v,
                  struct launch_spec *out)
{
    const struct yaml_node *stream = yaml_get(node, "stream"), *after = yaml_get(node, "after");
    if (!v->streams) {
        v->streams = ARENA_ARRAY(l->a, const char *, STREAMS_MAX);
        v->streams[v->stream_count++] = main_stream;
    }
    // What a step waits for is there already: its own stream is not, if this is its first step.
    if ((after && !load_after(l, after, v, &out->after)) ||
        (stream && !load_stream_name(l, stream, v, &out->stream)))
        return false;
    if (out->kind == LAUNCH_LIBRARY && out->stream > 0)
        return fail(l->err, stream->at,
                    "a library's call takes the variant's own stream: leave 'stream' out, or write "
                    "'stream: main'");
    return true;
}

bool check_streams(struct loader *l, const struct variant_spec *v)
{
    for (int i = 0; v->stream_count > 1 && i < v->launch_count; i++)
        if (v->launches[i].untimed)
            return fail(l->err, v->launches[i].at,
                        "steps on several streams are timed as a whole: 'timed: false' is for "
                        "variants without 'stream'");
    return true;
}

/* ---- the window of the L2 ---------------------------------------------------------------------------- */

bool load_persist(struct loader *l, const struct yaml_node *node, const struct persist_spec **out)
{
    struct persist_spec *p = ARENA_NEW(l->a, struct persist_spec);
    const char *name = NULL;
    p->at = node->at;
    if (!yaml_expect(node, YAML_MAP, "'persist'", l->err) ||
        !check_keys(l, node, "'persist'", KEYS_PERSIST))
        return false;
    const struct yaml_node *buffer = yaml_get(node, "buffer"), *bytes = yaml_get(node, "bytes");
    if (!buffer)
        return fail(l->err, node->at, "'persist' needs 'buffer': {buffer: table, bytes: 4*N}");
    if (!yaml_string(buffer, "'buffer'", &name, l->err))
        return false;
    p->buffer = buffer_find(l->e, name);
    if (p->buffer < 0)
        return fail_unknown_buffer(l->a, l->e, buffer->at, name, false, l->err);
    *out = p;
    return !bytes || load_expression(l, bytes, "'bytes'", &p->bytes);
}

bool persist_resolve(struct resolver *r, const struct persist_spec *s, struct resolved_launch *out)
{
    struct resolved_buffer b;
    if (!resolve_buffer(r, &r->e->buffers[s->buffer], &b))
        return false;
    int64_t bytes = (int64_t)b.size_bytes;
    if (s->bytes && !evaluate_integer(r, s->bytes, "'bytes'", &bytes))
        return false;
    if (bytes < 1 || (uint64_t)bytes > b.size_bytes)
        return fail(r->err, s->at, "'persist' keeps %lld bytes (%s): '%s' has %llu",
                    (long long)bytes, r->where, b.name, (unsigned long long)b.size_bytes);
    out->persist_buffer = s->buffer;
    out->persist_bytes = (uint64_t)bytes;
    return true;
}
