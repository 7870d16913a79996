// A note of a code object is MessagePack: a map with "amdhsa.kernels", a list of maps. Read as a stream: each value is
// looked at or stepped over. Any bytes may be given.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/metadata.h"

#include <elf.h>
#include <string.h>

enum { NOTE_METADATA = 32, DEPTH_MAX = 16 };

struct reader {
    const uint8_t *at, *end;
    bool broken;
};

enum item_kind { ITEM_OTHER, ITEM_NUMBER, ITEM_TEXT, ITEM_LIST, ITEM_MAP };
struct item {
    enum item_kind kind;
    uint64_t number; // or how many items, pairs or bytes
    const char *text;
};

static uint64_t take(struct reader *r, unsigned bytes)
{
    uint64_t v = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->broken = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        v = v << 8 | *r->at++;
    return v;
}

static struct item take_bytes(struct reader *r, enum item_kind kind, uint64_t length)
{
    struct item v = {.kind = kind, .number = length, .text = (const char *)r->at};
    if ((uint64_t)(r->end - r->at) < length) {
        r->broken = true;
        return (struct item){0};
    }
    r->at += length;
    return v;
}

// The head of a value; of lists and maps the items follow.
static struct item next(struct reader *r)
{
    uint8_t tag = (uint8_t)take(r, 1);
    if (tag < 0x80)
        return (struct item){.kind = ITEM_NUMBER, .number = tag};
    if (tag < 0x90)
        return (struct item){.kind = ITEM_MAP, .number = tag & 15};
    if (tag < 0xa0)
        return (struct item){.kind = ITEM_LIST, .number = tag & 15};
    if (tag < 0xc0)
        return take_bytes(r, ITEM_TEXT, tag & 31);
    switch (tag) {
    case 0xc4:
    case 0xc5:
    case 0xc6:
        return take_bytes(r, ITEM_OTHER, take(r, 1u << (tag - 0xc4)));
    case 0xca:
    case 0xcb:
        (void)take(r, 4u << (tag - 0xca));
        return (struct item){0};
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
        return (struct item){.kind = ITEM_NUMBER, .number = take(r, 1u << (tag - 0xcc))};
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        (void)take(r, 1u << (tag - 0xd0));
        return (struct item){0};
    case 0xd9:
    case 0xda:
    case 0xdb:
        return take_bytes(r, ITEM_TEXT, take(r, 1u << (tag - 0xd9)));
    case 0xdc:
    case 0xdd:
        return (struct item){.kind = ITEM_LIST, .number = take(r, 2u << (tag - 0xdc))};
    case 0xde:
    case 0xdf:
        return (struct item){.kind = ITEM_MAP, .number = take(r, 2u << (tag - 0xde))};
    default: // nil, false, true, small negative numbers; extensions are not written here
        r->broken |= tag >= 0xc7 && tag <= 0xc9;
        return (struct item){0};
    }
}

static void skip_items(struct reader *r, const struct item *v, int depth)
{
    uint64_t items = v->kind == ITEM_LIST ? v->number : v->kind == ITEM_MAP ? 2 * v->number : 0;
    r->broken |= depth > DEPTH_MAX;
    for (uint64_t i = 0; i < items && !r->broken; i++) {
        struct item child = next(r);
        skip_items(r, &child, depth + 1);
    }
}

static bool is_text(const struct item *v, const char *text)
{
    return v->kind == ITEM_TEXT && v->number == strlen(text) &&
           strncmp(v->text, text, v->number) == 0;
}

static void read_parameter(struct arena *a, struct reader *r, uint64_t pairs,
                           struct amd_parameter *out)
{
    for (uint64_t i = 0; i < pairs && !r->broken; i++) {
        struct item key = next(r), v = next(r);
        if (is_text(&key, ".offset"))
            out->offset = (uint32_t)v.number;
        else if (is_text(&key, ".size"))
            out->size_bytes = (uint32_t)v.number;
        else if (is_text(&key, ".value_kind") && v.kind == ITEM_TEXT)
            out->kind = arena_strndup(a, v.text, v.number);
        skip_items(r, &v, 0);
    }
}

static void read_parameters(struct arena *a, struct reader *r, uint64_t count, struct amd_kernel *k)
{
    if (count > (uint64_t)(r->end - r->at)) {
        r->broken = true;
        return;
    }
    k->parameters = ARENA_ARRAY(a, struct amd_parameter, count + 1);
    for (uint64_t i = 0; i < count && !r->broken; i++) {
        struct item v = next(r);
        struct amd_parameter *p = &k->parameters[k->parameter_count++];
        *p = (struct amd_parameter){.kind = ""};
        if (v.kind == ITEM_MAP)
            read_parameter(a, r, v.number, p);
        else
            skip_items(r, &v, 0);
        k->user_parameter_count += !str_starts_with(p->kind, "hidden_");
    }
}

static void read_kernel(struct arena *a, struct reader *r, uint64_t pairs, struct amd_object *out)
{
    struct amd_kernel k = {0};
    for (uint64_t i = 0; i < pairs && !r->broken; i++) {
        struct item key = next(r), v = next(r);
        if (is_text(&key, ".args") && v.kind == ITEM_LIST) {
            read_parameters(a, r, v.number, &k);
            continue;
        }
        if (is_text(&key, ".symbol") && v.kind == ITEM_TEXT && v.number > 3)
            k.name = arena_strndup(a, v.text, v.number - 3); // ".kd"
        else if (is_text(&key, ".max_flat_workgroup_size"))
            k.block_threads_max = (uint32_t)v.number;
        else if (is_text(&key, ".vgpr_spill_count"))
            k.spilled_registers = (int)(v.number & 0xffff);
        skip_items(r, &v, 0);
    }
    for (int i = 0; i < out->kernel_count && k.name && !r->broken; i++) {
        struct amd_kernel *to = &out->kernels[i];
        if (strcmp(to->name, k.name) != 0)
            continue;
        to->parameters = k.parameters;
        to->parameter_count = k.parameter_count;
        to->user_parameter_count = k.user_parameter_count;
        to->block_threads_max = k.block_threads_max;
        to->spilled_registers = k.spilled_registers;
        to->listed = true;
    }
}

static void read_metadata(struct arena *a, struct reader *r, struct amd_object *out)
{
    struct item root = next(r);
    for (uint64_t i = 0; root.kind == ITEM_MAP && i < root.number && !r->broken; i++) {
        struct item key = next(r), v = next(r);
        if (!is_text(&key, "amdhsa.kernels") || v.kind != ITEM_LIST) {
            skip_items(r, &v, 0);
            continue;
        }
        for (uint64_t n = 0; n < v.number && !r->broken; n++) {
            struct item kernel = next(r);
            if (kernel.kind == ITEM_MAP)
                read_kernel(a, r, kernel.number, out);
            else
                skip_items(r, &kernel, 0);
        }
    }
}

void metadata_read_notes(struct arena *a, const uint8_t *bytes, uint64_t size_bytes,
                         struct amd_object *out)
{
    Elf64_Nhdr head;
    while (size_bytes >= sizeof head) {
        memcpy(&head, bytes, sizeof head);
        uint64_t name = (head.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
        uint64_t content = (head.n_descsz + UINT64_C(3)) & ~UINT64_C(3);
        if (name > size_bytes - sizeof head || head.n_descsz > size_bytes - sizeof head - name)
            return;
        const uint8_t *at = bytes + sizeof head + name;
        if (head.n_type == NOTE_METADATA) {
            struct reader r = {at, at + head.n_descsz, false};
            read_metadata(a, &r, out);
        }
        uint64_t whole = sizeof head + name + content;
        if (whole >= size_bytes)
            return;
        bytes += whole;
        size_bytes -= whole;
    }
}
