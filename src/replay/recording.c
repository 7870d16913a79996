// The saved launches of a recording.
// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"
#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

void saved_release(struct saved *s)
{
    for (size_t i = 0; i < s->launches.count; i++) {
        free(s->launches.items[i].allocations.items);
        free(s->launches.items[i].variables.items);
    }
    free(s->launches.items);
    free(s->images.items);
    free(s->files.items);
    free(s->caches.items);
    free(s->troubles.items);
    *s = (struct saved){.arena = s->arena};
}

struct reading {
    struct saved *saved;
    const char *folder;
    struct {
        struct event *items;
        size_t count, capacity;
    } names;
};

static const char *words(const struct reading *r, const struct event *e)
{
    return arena_strndup(r->saved->arena, e->tail, e->tail_bytes);
}

static const char *name_of(const struct reading *r, uint64_t id)
{
    for (size_t i = 0; i < r->names.count; i++)
        if (r->names.items[i].of.name.id == id)
            return words(r, &r->names.items[i]);
    return "";
}

// Places of all parameters, then their bytes. false: they do not lie within the event.
static bool take_parameters(const struct reading *r, const struct event *e, struct saved_launch *l)
{
    uint64_t count = e->of.launch.parameters;
    uint32_t place[2];
    if (count > e->tail_bytes / sizeof place)
        return false;
    const char *bytes = e->tail + count * sizeof place, *end = e->tail + e->tail_bytes;
    l->parameters = ARENA_ARRAY(r->saved->arena, struct saved_parameter, count + 1);
    for (uint64_t i = 0; i < count; bytes += place[1], i++) {
        memcpy(place, e->tail + i * sizeof place, sizeof place);
        if (place[1] > (size_t)(end - bytes))
            return false;
        l->parameters[l->parameter_count++] = (struct saved_parameter){place[0], place[1], bytes};
    }
    return true;
}

static void take_launch(const struct reading *r, const struct event *e)
{
    const struct event_launch *x = &e->of.launch;
    struct saved *s = r->saved;
    struct saved_launch l = {
        .name = name_of(r, x->name),
        .ordinal = x->ordinal,
        .correlation = x->correlation,
        .grid = {x->grid_x, x->grid_y, x->grid_z},
        .block = {x->block_x, x->block_y, x->block_z},
        .cluster = {x->cluster_x, x->cluster_y, x->cluster_z},
        .shared_bytes = x->shared_bytes,
        .cooperative = x->cooperative != 0,
    };
    if (x->ordinal > 0 && take_parameters(r, e, &l))
        VEC_PUSH(s->launches.items, s->launches.count, s->launches.capacity, l);
}

// The launch that a file of that name is of, which is the last one. The names of files come from the recording: nothing
// outside of its folder is meant. NULL: it is of none.
static struct saved_launch *launch_of(const struct reading *r, const char *stem,
                                      uint64_t correlation)
{
    struct saved *s = r->saved;
    struct saved_launch *last =
        s->launches.count > 0 ? &s->launches.items[s->launches.count - 1] : NULL;
    return last && !strchr(stem, '/') && last->correlation == correlation ? last : NULL;
}

static void take_variable(const struct reading *r, const struct event *e)
{
    struct saved *s = r->saved;
    const char *stem = words(r, e);
    const struct event_variable *x = &e->of.variable;
    struct saved_launch *l = launch_of(r, stem, x->correlation);
    size_t before_bytes = strlen(stem) + 1;
    if (!l || before_bytes >= e->tail_bytes)
        return;
    struct saved_variable v = {
        .name = arena_strndup(s->arena, e->tail + before_bytes, e->tail_bytes - before_bytes),
        .size_bytes = x->bytes,
        .before = arena_printf(s->arena, "%s.before", path_join(s->arena, r->folder, stem)),
        .changed = x->changed != 0};
    VEC_PUSH(l->variables.items, l->variables.count, l->variables.capacity, v);
}

static void take_allocation(const struct reading *r, const struct event *e)
{
    struct saved *s = r->saved;
    const char *stem = words(r, e);
    const struct event_saved *x = &e->of.saved;
    struct saved_launch *l = launch_of(r, stem, x->correlation);
    if (!l)
        return;
    const char *path = path_join(s->arena, r->folder, stem);
    struct saved_allocation a = {
        .address = x->address,
        .size_bytes = x->bytes,
        .before = arena_printf(s->arena, "%s.before", path),
        .after = x->changed ? arena_printf(s->arena, "%s.after", path) : NULL,
    };
    VEC_PUSH(l->allocations.items, l->allocations.count, l->allocations.capacity, a);
}

static const char *command_of(const struct reading *r, const struct event *e)
{
    char *line = arena_strndup(r->saved->arena, e->tail, e->tail_bytes);
    for (size_t i = 0; i + 1 < e->tail_bytes; i++)
        if (e->tail[i] == '\0' || e->tail[i] == '\n')
            line[i] = ' ';
    return line;
}

static void take(struct reading *r, const struct event *e)
{
    struct saved *s = r->saved;
    struct code_image image = {e->tail, e->tail_bytes};
    switch (e->kind) {
    case EVENT_PROCESS:
        s->command = command_of(r, e);
        break;
    case EVENT_NAME:
        VEC_PUSH(r->names.items, r->names.count, r->names.capacity, *e);
        break;
    case EVENT_DEVICE:
        s->device = words(r, e);
        break;
    case EVENT_MODULE:
    case EVENT_IMAGE:
        VEC_PUSH(s->images.items, s->images.count, s->images.capacity, image);
        break;
    case EVENT_LAUNCH:
        take_launch(r, e);
        break;
    case EVENT_SAVED:
        take_allocation(r, e);
        break;
    case EVENT_VARIABLE:
        take_variable(r, e);
        break;
    case EVENT_LIBRARY:
        VEC_PUSH(s->files.items, s->files.count, s->files.capacity, words(r, e));
        break;
    case EVENT_CACHE:
        VEC_PUSH(s->caches.items, s->caches.count, s->caches.capacity, words(r, e));
        break;
    case EVENT_TROUBLE:
        VEC_PUSH(s->troubles.items, s->troubles.count, s->troubles.capacity, words(r, e));
        break;
    case EVENT_KERNEL:
    case EVENT_COPY:
    case EVENT_GRAPH:
    case EVENT_FILL:
    case EVENT_UNLOAD:
    case EVENT_GRAPH_LAUNCH:
    case EVENT_RANGE:
    case EVENT_DROPPED:
    case EVENT_END:
    case EVENT_COUNTS:
    case EVENT_TIMED:
    case EVENT_GRAPH_KERNEL:
    case EVENT_APART:
        break; // of the timeline
    }
}

bool saved_read(struct saved *s, const char *file, const char *data, size_t size_bytes,
                struct error *err)
{
    struct stream_reader stream;
    struct event e;
    struct reading r = {.saved = s, .folder = path_dir(s->arena, file)};
    if (!stream_open(&stream, file, data, size_bytes, err))
        return false;
    s->command = s->device = "";
    while (stream_next(&stream, &e))
        take(&r, &e);
    free(r.names.items);
    return true;
}
