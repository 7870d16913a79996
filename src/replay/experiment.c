// The folder of a saved launch: experiment.yaml, the code, an .npy file per allocation.
// SPDX-License-Identifier: Apache-2.0
#include "capture/stream.h"
#include "ptx/ptx.h"
#include "replay/internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ADDRESS_BYTES = 8, NAME_MAX_CHARS = 64 };

struct writing {
    struct saved *saved;
    const struct saved_launch *launch;
    const char *folder;
    struct found_code code;
    const struct ptx_function *kernel; // NULL: without PTX
    const char **names;                // of the allocations' buffers
    const char **types;
    bool *set;                 // of the launch's variables: the experiment sets it
    struct content *variables; // what those hold; with `anonymise`
    bool anonymise;
    struct replayed *out;
};

static void note(struct writing *w, const char *words)
{
    struct replayed *r = w->out;
    VEC_PUSH(r->notes, r->note_count, r->note_capacity, words);
}

void replayed_release(struct replayed *r)
{
    free(r->notes);
}

// What is left of a mangled name: its last plain word of the nested name, or the name itself.
const char *replay_name(struct arena *a, const char *kernel)
{
    const char *at = kernel, *word = kernel;
    size_t length = strlen(kernel);
    if (str_starts_with(at, "_Z")) {
        at += strspn(at + 2, "NKLS") + 2;
        while (isdigit((unsigned char)*at)) {
            char *end;
            size_t n = strtoul(at, &end, 10);
            if (n > strlen(end))
                break;
            word = end;
            length = n;
            at = end + n;
        }
    }
    char *out = arena_strndup(a, word, length < NAME_MAX_CHARS ? length : NAME_MAX_CHARS);
    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '_';
    return *out ? out : "kernel";
}

/* ---- parameters --------------------------------------------------------------------------------------- */

// The allocation that holds the address, or -1.
static int allocation_of(const struct writing *w, uint64_t address)
{
    for (size_t i = 0; i < w->launch->allocations.count; i++) {
        const struct saved_allocation *x = &w->launch->allocations.items[i];
        if (address >= x->address && address - x->address < x->size_bytes)
            return (int)i;
    }
    return -1;
}

// `count` bytes at an offset of all parameters; false: the launch was given none there.
static bool bytes_at(const struct writing *w, uint64_t offset, size_t count, void *out)
{
    for (size_t i = 0; i < w->launch->parameter_count; i++) {
        const struct saved_parameter *p = &w->launch->parameters[i];
        if (offset >= p->offset && offset - p->offset <= p->size_bytes &&
            count <= p->size_bytes - (offset - p->offset)) {
            memcpy(out, p->bytes + (offset - p->offset), count);
            return true;
        }
    }
    return false;
}

struct place { // of a parameter, or of a field
    uint64_t offset, size_bytes, align_bytes;
    char kind; // 'f' a float, 'i' a whole number or an address, 'b' bytes
};

static bool find_places(const struct writing *w, struct place **out, size_t *count)
{
    const struct ptx_function *k = w->kernel;
    *count = k ? (size_t)k->param_count : w->launch->parameter_count;
    *out = ARENA_ARRAY(w->saved->arena, struct place, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        struct place *p = &(*out)[i];
        if (!k) {
            const struct saved_parameter *x = &w->launch->parameters[i];
            bool number =
                x->size_bytes <= ADDRESS_BYTES && (x->size_bytes & (x->size_bytes - 1)) == 0;
            *p = (struct place){x->offset, x->size_bytes, ADDRESS_BYTES, number ? 'i' : 'b'};
            continue;
        }
        const struct ptx_variable *v = &k->params[i];
        enum ptx_type_kind kind = ptx_type_kind(v->type);
        *p = (struct place){v->param_offset_bytes, v->size_bytes, (uint64_t)v->align_bytes,
                            v->dimension_count > 0   ? 'b'
                            : kind == PTX_KIND_FLOAT ? 'f'
                                                     : 'i'};
    }
    return true;
}

static bool add_address(struct writing *w, uint64_t address, const char *at, struct text *out)
{
    int index = allocation_of(w, address);
    if (index < 0)
        return false;
    uint64_t inside = address - w->launch->allocations.items[index].address;
    if (inside == 0 && !*at)
        text_add(out, w->names[index]);
    else if (inside == 0)
        text_printf(out, "{value: %s%s}", w->names[index], at);
    else
        text_printf(out, "{value: %s, offset: %" PRIu64 "%s}", w->names[index], inside, at);
    return true;
}

static int64_t whole_of(const uint8_t *bytes, uint64_t size)
{
    int64_t value = 0;
    memcpy(&value, bytes, size); // little endian
    int shift = (int)(64 - 8 * size);
    return size < 8 ? (int64_t)((uint64_t)value << shift) >> shift : value;
}

static void add_whole(const uint8_t *bytes, uint64_t size, const char *at, struct text *out)
{
    int64_t value = whole_of(bytes, size);
    text_printf(out, "{value: %" PRId64 ", type: i%d%s}", value, (int)(8 * size), at);
}

static bool add_float(struct writing *w, size_t index, const uint8_t *bytes, uint64_t size,
                      struct text *out, struct error *err)
{
    float single = 0;
    double value = 0;
    if (size == sizeof single) {
        memcpy(&single, bytes, sizeof single);
        value = (double)single;
    } else {
        memcpy(&value, bytes, sizeof value);
    }
    if (!isfinite(value))
        return fail(err, NOWHERE,
                    "parameter %zu of %s is no finite number: an experiment cannot state it",
                    index + 1, w->launch->name);
    text_printf(out, "{value: %.17g, type: f%d}", value, (int)(8 * size));
    return true;
}

// Bytes of a struct: addresses where they are, else words.
static void add_struct(struct writing *w, const struct place *p, const uint8_t *bytes,
                       struct text *out)
{
    uint64_t at = 0;
    text_add(out, "{struct: [");
    while (at < p->size_bytes) {
        uint64_t size = p->align_bytes < ADDRESS_BYTES ? p->align_bytes : ADDRESS_BYTES;
        while (size > p->size_bytes - at || at % size != 0)
            size /= 2;
        const char *place = arena_printf(w->saved->arena, ", at: %" PRIu64, at);
        uint64_t address = 0;
        memcpy(&address, bytes + at, size);
        text_add(out, at > 0 ? ", " : "");
        if (size != ADDRESS_BYTES || !add_address(w, address, place, out))
            add_whole(bytes + at, size, place, out);
        at += size;
    }
    text_printf(out, "], size: %" PRIu64 ", align: %" PRIu64 "}", p->size_bytes, p->align_bytes);
}

static bool add_argument(struct writing *w, const struct place *p, size_t index, struct text *out,
                         struct error *err)
{
    uint8_t *bytes = arena_alloc(w->saved->arena, p->size_bytes + 1);
    uint64_t address = 0;
    if (!bytes_at(w, p->offset, p->size_bytes, bytes))
        return fail(err, NOWHERE, "parameter %zu of %s was not recorded", index + 1,
                    w->launch->name);
    if (p->kind == 'b')
        add_struct(w, p, bytes, out);
    else if (p->kind == 'f' && p->size_bytes >= sizeof(float))
        return add_float(w, index, bytes, p->size_bytes, out, err);
    else if (p->size_bytes != ADDRESS_BYTES)
        add_whole(bytes, p->size_bytes, "", out);
    else if (memcpy(&address, bytes, sizeof address), !add_address(w, address, "", out))
        add_whole(bytes, p->size_bytes, "", out);
    return true;
}

// "p0, p3, …": an allocation is called as the first parameter that points into it.
static void name_allocations(struct writing *w, const struct place *places, size_t count)
{
    size_t n = w->launch->allocations.count;
    w->names = ARENA_ARRAY(w->saved->arena, const char *, n + 1);
    w->types = ARENA_ARRAY(w->saved->arena, const char *, n + 1);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t at = 0; at + ADDRESS_BYTES <= places[i].size_bytes; at += ADDRESS_BYTES) {
            uint64_t address = 0;
            if (!bytes_at(w, places[i].offset + at, sizeof address, &address))
                continue;
            int index = allocation_of(w, address);
            if (index < 0)
                continue;
            if (!w->names[index])
                w->names[index] = at == 0 ? arena_printf(w->saved->arena, "p%zu", i)
                                          : arena_printf(w->saved->arena, "p%zu_%" PRIu64, i, at);
            const char *type = w->kernel ? replay_pointed_type(w->kernel, (int)i, at) : NULL;
            bool other = w->types[index] && type && strcmp(w->types[index], type) != 0;
            w->types[index] = other ? "u8" : type ? type : w->types[index];
        }
    }
    for (size_t i = 0; i < n; i++) {
        int bytes = w->types[i] ? atoi(w->types[i] + 1) / 8 : 1;
        if (!w->names[i])
            w->names[i] = arena_printf(w->saved->arena, "a%zu", i);
        if (!w->types[i] || w->launch->allocations.items[i].size_bytes % (uint64_t)bytes != 0)
            w->types[i] = "u8";
    }
}

/* ---- data ------------------------------------------------------------------------------------------------ */

// Writes NumPy's header into the room that the recorder left, and moves the file.
static bool move_array(const char *from, const char *to, const char *type, uint64_t count,
                       struct error *err)
{
    char header[SAVED_HEADER_BYTES + 1];
    int bytes = atoi(type + 1) / 8;
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); // version 1, 118 bytes follow
    int n = snprintf(header + 10, sizeof header - 10,
                     "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (%" PRIu64 ",), }",
                     bytes == 1 ? '|' : '<', *type, bytes, count);
    header[10 + n] = ' ';
    header[SAVED_HEADER_BYTES - 1] = '\n';
    int fd = open(from, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && pwrite(fd, header, SAVED_HEADER_BYTES, 0) == SAVED_HEADER_BYTES;
    int why = errno;
    if (fd >= 0 && close(fd) != 0)
        done = false;
    if (done && rename(from, to) == 0)
        return true;
    return fail_errno(err, done ? errno : why, "%s cannot be moved to %s", from, to);
}

static bool write_arrays(struct writing *w, struct error *err)
{
    for (size_t i = 0; i < w->launch->allocations.count; i++) {
        struct saved_allocation *x = &w->launch->allocations.items[i];
        if (w->anonymise && x->after)
            (void)!unlink(x->after);
        const char *after = w->anonymise ? NULL : x->after;
        uint64_t count = x->size_bytes / (uint64_t)(atoi(w->types[i] + 1) / 8);
        const char *stem = path_join(w->saved->arena, w->folder, w->names[i]);
        if (!move_array(x->before, arena_printf(w->saved->arena, "%s.npy", stem), w->types[i],
                        count, err) ||
            (after && !move_array(after, arena_printf(w->saved->arena, "%s.after.npy", stem),
                                  w->types[i], count, err)))
            return false;
        w->out->size_bytes += x->size_bytes;
        w->out->buffers++;
        w->out->outputs += x->after != NULL;
    }
    return true;
}

/* ---- other contents -------------------------------------------------------------------------------------- */

static struct content merged(struct content a, struct content b)
{
    bool whole = (a.kind == CONTENT_INTEGERS || a.kind == CONTENT_INDICES) &&
                 (b.kind == CONTENT_INTEGERS || b.kind == CONTENT_INDICES);
    if (a.kind == CONTENT_NONE || b.kind == CONTENT_NONE)
        return a.kind == CONTENT_NONE ? b : a;
    if (a.type != b.type || (a.kind != b.kind && !whole))
        return (struct content){.kind = CONTENT_UNKNOWN};
    return a.kind == CONTENT_INDICES ? a : b;
}

struct regions {
    struct region *items;
    size_t count, capacity;
};

static void add_region(struct regions *r, uint64_t offset, struct content content)
{
    size_t at = r->count;
    struct region added = {offset, content};
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].offset == offset) {
            r->items[i].content = merged(r->items[i].content, content);
            return;
        }
    VEC_PUSH(r->items, r->count, r->capacity, added);
    for (; at > 0 && r->items[at - 1].offset > offset; at--)
        r->items[at] = r->items[at - 1];
    r->items[at] = added;
}

// Where arguments point into the allocation, and what lies there.
static void find_regions(struct writing *w, const struct place *places, size_t count, int index,
                         struct regions *out)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = 0; at + ADDRESS_BYTES <= places[i].size_bytes; at += ADDRESS_BYTES) {
            uint64_t address = 0;
            struct content unknown = {.kind = CONTENT_UNKNOWN};
            if (bytes_at(w, places[i].offset + at, sizeof address, &address) &&
                allocation_of(w, address) == index)
                add_region(out, address - w->launch->allocations.items[index].address,
                           w->kernel ? replay_content(w->kernel, (int)i, at) : unknown);
        }
}

static const char *done_to(struct content content, uint64_t size_bytes)
{
    static const char *const done[] = {
        [CONTENT_NONE] = "zeros: the kernel does not use it",
        [CONTENT_UNKNOWN] = "zeros: of what type it is, is not plain to see",
        [CONTENT_FLOATS] = "random floats of the same distribution",
        [CONTENT_INTEGERS] = "whole numbers in another order",
        [CONTENT_INDICES] = "whole numbers as they were: they reach addresses or branches",
    };
    bool one = content.kind == CONTENT_INTEGERS && size_bytes <= element_bytes(content.type);
    return one ? "a whole number, as it was" : done[content.kind];
}

static void note_regions(struct writing *w, size_t allocation, const struct regions *r)
{
    uint64_t size_bytes = w->launch->allocations.items[allocation].size_bytes;
    for (size_t i = 0; i < r->count; i++) {
        char place[48] = "";
        uint64_t from = r->items[i].offset;
        uint64_t end = i + 1 < r->count ? r->items[i + 1].offset : size_bytes;
        if (from > 0)
            snprintf(place, sizeof place, " from byte %" PRIu64 " on", from);
        note(w, arena_printf(w->saved->arena, "%s%s: %s", w->names[allocation], place,
                             done_to(r->items[i].content, end - from)));
    }
}

static bool anonymise_variables(struct writing *w, struct error *err)
{
    for (size_t i = 0; i < w->launch->variables.count; i++) {
        const struct saved_variable *v = &w->launch->variables.items[i];
        struct region whole = {0, w->variables[i]};
        if (!w->set[i])
            continue;
        if (!replay_anonymise(v->before, &whole, 1, err))
            return false;
        note(w, arena_printf(w->saved->arena, "variable %s: %s", v->name,
                             done_to(whole.content, v->size_bytes)));
    }
    return true;
}

static bool anonymise(struct writing *w, const struct place *places, size_t count,
                      struct error *err)
{
    bool done = true;
    for (size_t i = 0; done && i < w->launch->allocations.count; i++) {
        struct regions r = {0};
        find_regions(w, places, count, (int)i, &r);
        done = replay_anonymise(w->launch->allocations.items[i].before, r.items, r.count, err);
        note_regions(w, i, &r);
        free(r.items);
    }
    done = done && anonymise_variables(w, err);
    if (done)
        note(w, "parameters that are no addresses, names and code are as they were");
    return done;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static void add_three(struct text *out, const char *key, const uint64_t *x)
{
    text_printf(out, "    %s: [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]\n", key, x[0], x[1], x[2]);
}

static void add_buffers(struct writing *w, struct text *out)
{
    text_add(out, "buffers:\n");
    for (size_t i = 0; i < w->launch->allocations.count; i++) {
        const struct saved_allocation *x = &w->launch->allocations.items[i];
        text_printf(out, "  %s: {type: %s, count: %" PRIu64 ", fill: npy(%s.npy)%s}\n", w->names[i],
                    w->types[i], x->size_bytes / (uint64_t)(atoi(w->types[i] + 1) / 8), w->names[i],
                    x->after ? ", output: true" : "");
    }
}

static bool changes_any(const struct writing *w)
{
    for (size_t i = 0; i < w->launch->allocations.count; i++)
        if (w->launch->allocations.items[i].after)
            return true;
    return false;
}

static void add_reference(struct writing *w, struct text *out)
{
    bool any = false;
    if (w->anonymise && changes_any(w)) {
        text_add(out, "reference: {variant: captured}\n");
        return;
    }
    for (size_t i = 0; i < w->launch->allocations.count; i++) {
        if (!w->launch->allocations.items[i].after)
            continue;
        text_printf(out, "%s%s: %s.after.npy", any ? ", " : "reference: {expected: {", w->names[i],
                    w->names[i]);
        any = true;
    }
    if (any)
        text_add(out, "}}\n");
    else
        note(w, "the launch changed no byte: nothing is compared. If its output was there already, "
                "take an earlier launch (--launch)");
}

static const char *variable_file(struct writing *w, size_t index)
{
    return arena_printf(w->saved->arena, "variable%zu.bin", index);
}

static void add_sets(struct writing *w, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < w->launch->variables.count; i++) {
        const struct saved_variable *v = &w->launch->variables.items[i];
        if (!w->set[i])
            continue;
        text_printf(out, "%s\"%s\": file(%s)", any ? ", " : "    set: {", v->name,
                    variable_file(w, i));
        any = true;
        if (v->changed)
            note(w, arena_printf(w->saved->arena,
                                 "the launch changed the variable %s, which is not compared",
                                 v->name));
    }
    if (any)
        text_add(out, "}\n");
}

// The recorder's file without its head.
static bool write_variable(struct writing *w, size_t index, struct error *err)
{
    const struct saved_variable *v = &w->launch->variables.items[index];
    char *data = NULL;
    size_t bytes = 0, wanted = v->size_bytes + SAVED_HEADER_BYTES;
    if (!file_read(v->before, wanted, &data, &bytes, err))
        return false;
    bool done =
        bytes == wanted
            ? file_write(path_join(w->saved->arena, w->folder, variable_file(w, index)),
                         data + SAVED_HEADER_BYTES, v->size_bytes, err)
            : fail_as(err, ERROR_SYSTEM, NOWHERE, "what %s held was not written whole", v->name);
    free(data);
    w->out->size_bytes += v->size_bytes;
    return done;
}

static bool write_variables(struct writing *w, struct error *err)
{
    for (size_t i = 0; i < w->launch->variables.count; i++)
        if (w->set[i] && !write_variable(w, i, err))
            return false;
    return true;
}

static bool add_variant(struct writing *w, const struct place *places, size_t count,
                        struct text *out, struct error *err)
{
    const struct saved_launch *l = w->launch;
    text_printf(out, "variants:\n  - name: captured\n    kernel: \"%s\"\n", l->name);
    add_three(out, "grid", l->grid);
    add_three(out, "block", l->block);
    if (l->shared_bytes > 0)
        text_printf(out, "    shared_bytes: %" PRIu64 "\n", l->shared_bytes);
    if (l->cluster[0] > 0)
        add_three(out, "cluster", l->cluster);
    if (l->cooperative)
        text_add(out, "    cooperative: true\n");
    add_sets(w, out);
    text_add(out, "    args:\n");
    for (size_t i = 0; i < count; i++) {
        text_add(out, "      - ");
        if (!add_argument(w, &places[i], i, out, err))
            return false;
        text_add(out, "\n");
    }
    return true;
}

static void add_head(struct writing *w, const char *name, const char *source, struct text *out)
{
    struct text command = {0};
    if (!w->anonymise) {
        text_add(&command, ", in: ");
        text_add_shown(&command, w->saved->command, strlen(w->saved->command));
    }
    text_printf(out,
                "# Saved by `ridge capture%s` from launch %" PRIu64 " of this kernel%s%s%.400s\n"
                "# Its outputs are compared bit by bit; `tolerance` of a buffer allows less.\n"
                "experiment: %s\ntitle: \"%s, launch %" PRIu64 ", as a program made it\"\n"
                "source: %s\n",
                w->anonymise ? " --anonymise" : "", w->launch->ordinal,
                *w->saved->device ? " on " : "", w->saved->device, text_str(&command), name, name,
                w->launch->ordinal, source);
    text_release(&command);
}

static int variable_find(const struct writing *w, const char *name)
{
    for (size_t i = 0; i < w->launch->variables.count; i++)
        if (strcmp(w->launch->variables.items[i].name, name) == 0)
            return (int)i;
    return -1;
}

// Of the PTX's variables those that were saved are set. Addresses are others where it is replayed.
static void choose_variables(struct writing *w, const struct ptx_module *module)
{
    for (int i = 0; i < module->variable_count; i++) {
        const struct ptx_variable *v = &module->variables[i];
        int saved = variable_find(w, v->name);
        bool lasts = v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST;
        if (!lasts || (v->initial && saved < 0))
            continue;
        if (saved >= 0 && v->relocation_count == 0) {
            w->set[saved] = true;
            w->variables[saved] = replay_variable_content(w->kernel, v);
            continue;
        }
        note(w, arena_printf(w->saved->arena, "what the program put into the variable %s is not %s",
                             v->name, saved < 0 ? "saved" : "set: it holds addresses"));
    }
}

// The kernel in its PTX; a PTX that this ridge cannot parse is kept for the GPU, and that is said.
static void find_kernel(struct writing *w)
{
    struct ptx_module *module;
    struct error err = {0};
    code_find(w->saved, w->launch->name, &w->code);
    if (w->code.other_machines > 0)
        note(w, arena_printf(w->saved->arena,
                             "%d other module%s had a kernel of this name (autotuning?): the code "
                             "that was loaded last is saved",
                             w->code.other_machines, plural(w->code.other_machines)));
    if (!w->code.ptx) {
        note(w, arena_printf(w->saved->arena, "%s: it replays on a GPU of its kind only",
                             w->code.why));
        if (w->launch->variables.count > 0)
            note(w, "variables of its module are not set: without PTX it is not known which hold "
                    "addresses");
        return;
    }
    if (ptx_parse(w->saved->arena, w->launch->name, w->code.ptx, w->code.ptx_bytes, &module, &err))
        w->kernel = ptx_function_find(module, w->launch->name);
    else
        note(w, arena_printf(w->saved->arena, "its PTX is not understood: %s", err.message));
    if (w->kernel)
        choose_variables(w, module);
}

static bool write_folder(struct writing *w, const char *name, struct error *err)
{
    struct text yaml = {0};
    struct place *places;
    size_t count;
    const char *source = w->code.ptx ? "kernel.ptx" : "kernel.cubin";
    bool done = find_places(w, &places, &count);
    name_allocations(w, places, count);
    add_head(w, name, source, &yaml);
    add_reference(w, &yaml);
    if (w->launch->allocations.count > 0)
        add_buffers(w, &yaml);
    done = done && add_variant(w, places, count, &yaml, err) && dir_make(w->folder, err) &&
           file_write(path_join(w->saved->arena, w->folder, source),
                      w->code.ptx ? w->code.ptx : w->code.machine,
                      w->code.ptx ? w->code.ptx_bytes : w->code.machine_bytes, err) &&
           (!w->anonymise || anonymise(w, places, count, err)) && write_arrays(w, err) &&
           write_variables(w, err) &&
           file_write(path_join(w->saved->arena, w->folder, "experiment.yaml"), text_str(&yaml),
                      yaml.length, err);
    text_release(&yaml);
    return done;
}

bool replay_write(struct saved *s, const struct saved_launch *l, const char *folder,
                  const char *name, bool anonymise, struct replayed *out, struct error *err)
{
    struct writing w = {
        .saved = s, .launch = l, .folder = folder, .anonymise = anonymise, .out = out};
    *out = (struct replayed){.folder = folder, .name = name};
    if (file_exists(path_join(s->arena, folder, "experiment.yaml")))
        return fail(err, NOWHERE, "'%s' has an experiment already: choose another folder", folder);
    w.set = ARENA_ARRAY(s->arena, bool, l->variables.count + 1);
    w.variables = ARENA_ARRAY(s->arena, struct content, l->variables.count + 1);
    find_kernel(&w);
    out->ptx = w.code.ptx != NULL;
    if (!w.code.ptx && !w.code.machine)
        return fail(err, NOWHERE, "%s is not saved: neither its PTX nor its machine code was found",
                    l->name);
    return write_folder(&w, name, err);
}
