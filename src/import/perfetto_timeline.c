// Perfetto's protobuf trace as rocprofv3 writes it (`--output-format pftrace`): each slice's start, end, thread, agent,
// queue and size are annotations of its beginning, so tracks and ends of slices are not needed. Of protobuf the wire format
// is read, of Perfetto's messages the few fields named below (protos/perfetto/trace of its published sources). Not tried
// with a file of a real GPU.
// SPDX-License-Identifier: Apache-2.0
#include "import/trace.h"

#include <string.h>

enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };
enum { TRACE_PACKET = 1 };
enum {
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_COMPRESSED = 50,
    PACKET_TRACK = 60
};
enum { TRACK_PROCESS = 3, PROCESS_PID = 1 };
enum { FLAG_CLEARED = 1 }; // the names that were told before are void
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3, INTERNED_KINDS = 4 };
enum { ENTRY_ID = 1, ENTRY_TEXT = 2 };
enum {
    EVENT_CATEGORY_ID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_ID = 10,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23
};
enum { TYPE_BEGIN = 1 };
enum { ANNOTATION_NAME_ID = 1, ANNOTATION_UINT = 3, ANNOTATION_INT = 4, ANNOTATION_NAME = 10 };

struct bytes {
    const unsigned char *at, *end;
};
struct field {
    uint32_t number;
    uint64_t value; // of numbers
    struct bytes bytes;
};
struct reading {
    struct trace trace;
    struct arena *arena;
    struct table names; // "sequence:generation:kind:id" -> text
    struct table generations;
    uint64_t sequence, process;
    size_t packet;
};

/* ---- the wire format ---------------------------------------------------------------------------------- */

static bool varint(struct bytes *b, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; b->at < b->end && shift < 64; shift += 7) {
        unsigned char byte = *b->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool skip(struct bytes *b, uint64_t count)
{
    if (count > (uint64_t)(b->end - b->at))
        return false;
    b->at += count;
    return true;
}

// false: the bytes end within the field, or are none.
static bool field_next(struct bytes *b, struct field *f)
{
    uint64_t key, length;
    if (!varint(b, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return false;
    *f = (struct field){.number = (uint32_t)(key >> 3), .bytes.at = b->at};
    switch (key & 7) {
    case WIRE_VARINT:
        return varint(b, &f->value);
    case WIRE_64:
        return skip(b, 8);
    case WIRE_32:
        return skip(b, 4);
    case WIRE_BYTES:
        if (!varint(b, &length))
            return false;
        f->bytes.at = b->at;
        if (!skip(b, length))
            return false;
        f->bytes.end = b->at;
        return true;
    default: // groups are not used
        return false;
    }
}

// A field of numbers has no bytes: its text is empty.
static const char *text_of(struct arena *a, struct bytes b)
{
    size_t n = b.end ? (size_t)(b.end - b.at) : 0;
    return arena_printf(a, "%.*s", n > 1 << 20 ? 1 << 20 : (int)n, n > 0 ? (const char *)b.at : "");
}

static struct bytes message_of(const struct field *f)
{
    return f->bytes.end ? f->bytes : (struct bytes){0};
}

static bool broken(const struct reading *r, struct error *err)
{
    return fail(err, (struct location){.file = r->trace.file},
                "packet[%zu] is cut off or no packet of Perfetto's: if the program was killed "
                "while it wrote, trace it again",
                r->packet);
}

/* ---- names ---------------------------------------------------------------------------------------------- */

static const char *name_key(struct reading *r, unsigned kind, uint64_t id)
{
    const char *sequence = arena_printf(r->arena, "%llu", (unsigned long long)r->sequence);
    uintptr_t generation = (uintptr_t)table_get(&r->generations, sequence);
    return arena_printf(r->arena, "%s:%llu:%u:%llu", sequence, (unsigned long long)generation, kind,
                        (unsigned long long)id);
}

static const char *name_of(struct reading *r, unsigned kind, uint64_t id)
{
    const char *name = table_get(&r->names, name_key(r, kind, id));
    return name ? name : "";
}

static void names_void(struct reading *r)
{
    const char *sequence = arena_printf(r->arena, "%llu", (unsigned long long)r->sequence);
    uintptr_t generation = (uintptr_t)table_get(&r->generations, sequence);
    table_set(&r->generations, sequence,
              (void *)(generation + 1)); // NOLINT(performance-no-int-to-ptr)
}

static bool names_read(struct reading *r, struct bytes interned, struct error *err)
{
    struct field kind, f;
    while (interned.at < interned.end) {
        if (!field_next(&interned, &kind))
            return broken(r, err);
        struct bytes entry = message_of(&kind);
        uint64_t id = 0;
        const char *text = "";
        while (kind.number < INTERNED_KINDS && entry.at < entry.end) {
            if (!field_next(&entry, &f))
                return broken(r, err);
            if (f.number == ENTRY_ID)
                id = f.value;
            else if (f.number == ENTRY_TEXT)
                text = text_of(r->arena, f.bytes);
        }
        if (kind.number < INTERNED_KINDS)
            table_set(&r->names, name_key(r, kind.number, id), (void *)(uintptr_t)text);
    }
    return true;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

static void annotation_take(struct trace_event *e, const char *name, uint64_t value)
{
    const struct {
        const char *name;
        uint64_t *into;
    } known[] = {{"begin_ns", &e->start_ns},
                 {"end_ns", &e->end_ns},
                 {"tid", &e->thread},
                 {"agent", &e->device},
                 {"dst_agent", &e->device},
                 {"src_agent", &e->source},
                 {"queue", &e->stream},
                 {"corr_id", &e->correlation},
                 {"copy_bytes", &e->bytes},
                 {"group_segment_size", &e->shared_bytes},
                 {"grid_size", &e->items[0]}, // of all axes together
                 {"workgroup_size", &e->group[0]}};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (strcmp(known[i].name, name) == 0)
            *known[i].into = value;
}

static bool annotation_read(struct reading *r, struct bytes b, struct trace_event *e,
                            struct error *err)
{
    struct field f;
    const char *name = "";
    uint64_t value = 0;
    bool known = false;
    while (b.at < b.end) {
        if (!field_next(&b, &f))
            return broken(r, err);
        if (f.number == ANNOTATION_NAME_ID)
            name = name_of(r, INTERNED_ANNOTATION, f.value);
        else if (f.number == ANNOTATION_NAME)
            name = text_of(r->arena, f.bytes);
        else if (f.number == ANNOTATION_UINT || f.number == ANNOTATION_INT)
            value = f.value, known = true;
    }
    if (known)
        annotation_take(e, name, value);
    return true;
}

static bool event_read(struct reading *r, struct bytes b, struct error *err)
{
    struct trace_event e = {.name = "", .process = r->process, .bytes = BYTES_UNKNOWN};
    struct field f;
    uint64_t type = 0;
    const char *category = "";
    while (b.at < b.end) {
        if (!field_next(&b, &f))
            return broken(r, err);
        if (f.number == EVENT_TYPE)
            type = f.value;
        else if (f.number == EVENT_NAME_ID)
            e.name = name_of(r, INTERNED_NAME, f.value);
        else if (f.number == EVENT_NAME)
            e.name = text_of(r->arena, f.bytes);
        else if (f.number == EVENT_CATEGORY_ID)
            category = name_of(r, INTERNED_CATEGORY, f.value);
        else if (f.number == EVENT_CATEGORY)
            category = text_of(r->arena, f.bytes);
        else if (f.number == EVENT_ANNOTATION && !annotation_read(r, message_of(&f), &e, err))
            return false;
    }
    if (type != TYPE_BEGIN)
        return true;
    e.kind = trace_category(category);
    for (int i = 1; i < 3; i++)
        e.items[i] = e.group[i] = e.group[0] > 0;
    return trace_add(&r->trace, &e, "packet", r->packet, err);
}

// A trace of rocprofv3 is of one process: its track says which.
static bool track_read(struct reading *r, struct bytes b, struct error *err)
{
    struct field f, p;
    while (b.at < b.end) {
        if (!field_next(&b, &f))
            return broken(r, err);
        struct bytes process = f.number == TRACK_PROCESS ? message_of(&f) : (struct bytes){0};
        while (process.at < process.end) {
            if (!field_next(&process, &p))
                return broken(r, err);
            if (p.number == PROCESS_PID)
                r->process = p.value;
        }
    }
    return true;
}

// The names come first, wherever they stand in the packet: its event uses them.
static bool packet_read(struct reading *r, struct bytes packet, struct error *err)
{
    struct bytes b = packet, interned = {0}, event = {0};
    struct field f;
    uint64_t flags = 0;
    r->sequence = 0;
    while (b.at < b.end) {
        if (!field_next(&b, &f))
            return broken(r, err);
        if (f.number == PACKET_SEQUENCE)
            r->sequence = f.value;
        else if (f.number == PACKET_FLAGS)
            flags = f.value;
        else if (f.number == PACKET_INTERNED)
            interned = message_of(&f);
        else if (f.number == PACKET_EVENT)
            event = message_of(&f);
        else if (f.number == PACKET_TRACK && !track_read(r, message_of(&f), err))
            return false;
        else if (f.number == PACKET_COMPRESSED)
            return fail(err, (struct location){.file = r->trace.file},
                        "packet[%zu] is compressed, which is not read: write it again with "
                        "`rocprofv3 --output-format rocpd` or json",
                        r->packet);
    }
    if (flags & FLAG_CLEARED)
        names_void(r);
    return names_read(r, interned, err) && event_read(r, event, err);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

// A message Trace begins with the key of a packet, its length, and a field of the packet.
bool perfetto_detect(const struct source *s)
{
    struct bytes b = {(const unsigned char *)s->data,
                      (const unsigned char *)s->data + s->size_bytes};
    uint64_t length, key;
    enum { KEY = TRACE_PACKET << 3 | WIRE_BYTES, FIELDS_MAX = 200 };
    if (s->size_bytes < 4 || *b.at++ != KEY || !varint(&b, &length) || length < 2 ||
        !varint(&b, &key))
        return false;
    return key >> 3 > 0 && key >> 3 < FIELDS_MAX &&
           ((key & 7) <= WIRE_BYTES || (key & 7) == WIRE_32);
}

bool perfetto_read(struct timeline *timeline, const struct source *s, struct error *err)
{
    struct arena scratch = {0};
    struct reading r = {.arena = &scratch};
    struct bytes b = {(const unsigned char *)s->data,
                      (const unsigned char *)s->data + s->size_bytes};
    struct field f;
    bool done = true;
    trace_open(&r.trace, timeline, s->file);
    for (; done && b.at < b.end; r.packet++)
        done = field_next(&b, &f) ? f.number != TRACE_PACKET || packet_read(&r, message_of(&f), err)
                                  : broken(&r, err);
    done = trace_close(&r.trace, done, "rocprofv3 --sys-trace --output-format pftrace", err);
    table_release(&r.names);
    table_release(&r.generations);
    arena_release(&scratch);
    return done;
}
