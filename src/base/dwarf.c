// DWARF's line tables: the header's lists of folders and files, then a program whose steps are rows of (address, file,
// line). DWARF Debugging Information Format, version 5 (and 4), section 6.2. One list of places comes of all tables.
// SPDX-License-Identifier: Apache-2.0
#include "base/dwarf.h"

#include <stdlib.h>
#include <string.h>

enum { LEB_BITS = 7, ADDRESS_BYTES = 8, MD5_BYTES = 16 };

enum line_step { // DW_LNS_…
    STEP_EXTENDED,
    STEP_COPY,
    STEP_ADVANCE_PC,
    STEP_ADVANCE_LINE,
    STEP_SET_FILE,
    STEP_SET_COLUMN,
    STEP_NEGATE,
    STEP_BASIC_BLOCK,
    STEP_CONST_ADD_PC,
    STEP_FIXED_ADVANCE_PC,
};
enum extended_step { EXTENDED_END = 1, EXTENDED_ADDRESS = 2 }; // DW_LNE_…
enum content { CONTENT_PATH = 1, CONTENT_FOLDER = 2 };         // DW_LNCT_…
enum form {                                                    // DW_FORM_…
    FORM_DATA2 = 0x05,
    FORM_DATA4 = 0x06,
    FORM_DATA8 = 0x07,
    FORM_TEXT = 0x08,
    FORM_BLOCK = 0x09,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f,
};

/* ---- bytes ---------------------------------------------------------------------------------------------- */

// Reading beyond the end gives zeros, and is remembered.
struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t left_of(const struct cursor *c)
{
    return (uint64_t)(c->end - c->at);
}

static uint64_t take(struct cursor *c, unsigned bytes)
{
    uint64_t value = 0;
    if (left_of(c) < bytes) {
        c->bad = true;
        c->at = c->end;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)c->at[i] << (8 * i);
    c->at += bytes;
    return value;
}

static void skip_bytes(struct cursor *c, uint64_t bytes)
{
    c->bad |= left_of(c) < bytes;
    c->at = left_of(c) < bytes ? c->end : c->at + bytes;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
    uint64_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = take(c, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += LEB_BITS;
    } while ((byte & 0x80) != 0 && !c->bad);
    if (is_signed && shift < 64 && (byte & 0x40) != 0)
        value |= UINT64_MAX << shift;
    return value;
}

static const char *text_at(const uint8_t *at, uint64_t left)
{
    return memchr(at, '\0', left) ? (const char *)at : NULL;
}

static const char *take_text(struct cursor *c)
{
    const char *text = text_at(c->at, left_of(c));
    if (!text) {
        c->bad = true;
        return "";
    }
    c->at += strlen(text) + 1;
    return text;
}

static const char *take_text_of(struct cursor *c, const struct dwarf_section *s, unsigned word)
{
    uint64_t at = take(c, word);
    const char *text = at < s->size_bytes ? text_at(s->bytes + at, s->size_bytes - at) : NULL;
    c->bad |= !text;
    return text ? text : "";
}

/* ---- a table's header ------------------------------------------------------------------------------------ */

struct entry { // of a list of folders or files
    const char *name;
    uint64_t folder;
};
struct line_table {
    struct arena *arena;
    const struct dwarf_sections *sections;
    unsigned version, word; // bytes of an offset
    unsigned step_bytes, line_range, opcode_base;
    int line_base;
    const uint8_t *operands; // how many each step has, from STEP_COPY on
    struct entry *folders, *files;
    const char **paths; // of files, once asked for
    uint64_t folder_count, file_count;
    struct dwarf_places *places;
    int capacity, sequence; // sequence: its first row
};

// DWARF 2 to 4: strings up to an empty one; files with three numbers each.
static struct entry *take_list_4(struct line_table *t, struct cursor *c, bool files,
                                 uint64_t *count)
{
    struct cursor ahead = *c;
    *count = 1; // 0 is the folder of the compilation, and no file
    while (*take_text(&ahead) && !ahead.bad) {
        for (int i = 0; i < 3 && files; i++)
            (void)take_leb(&ahead, false);
        ++*count;
    }
    struct entry *list = ARENA_ARRAY(t->arena, struct entry, *count);
    list[0] = (struct entry){.name = ""};
    for (uint64_t n = 1; n < *count; n++) {
        list[n] = (struct entry){.name = take_text(c)};
        if (files) {
            list[n].folder = take_leb(c, false);
            (void)take_leb(c, false);
            (void)take_leb(c, false);
        }
    }
    (void)take_text(c);
    return list;
}

static uint64_t take_number(struct cursor *c, uint64_t form)
{
    switch (form) {
    case FORM_DATA1:
        return take(c, 1);
    case FORM_DATA2:
        return take(c, 2);
    case FORM_DATA4:
        return take(c, 4);
    case FORM_DATA8:
        return take(c, 8);
    case FORM_DATA16:
        skip_bytes(c, MD5_BYTES);
        return 0;
    case FORM_UDATA:
        return take_leb(c, false);
    case FORM_BLOCK:
        skip_bytes(c, take_leb(c, false));
        return 0;
    default:
        c->bad = true;
        return 0;
    }
}

static void take_content(const struct line_table *t, struct cursor *c, uint64_t content,
                         uint64_t form, struct entry *out)
{
    const char *text = form == FORM_TEXT        ? take_text(c)
                       : form == FORM_LINE_STRP ? take_text_of(c, &t->sections->line_str, t->word)
                       : form == FORM_STRP      ? take_text_of(c, &t->sections->str, t->word)
                                                : NULL;
    uint64_t number = text ? 0 : take_number(c, form);
    if (content == CONTENT_PATH && text)
        out->name = text;
    else if (content == CONTENT_FOLDER)
        out->folder = number;
}

// DWARF 5: the list says itself what its entries are made of.
static struct entry *take_list_5(struct line_table *t, struct cursor *c, uint64_t *count)
{
    enum { CONTENTS_MAX = 16 };
    uint64_t content[CONTENTS_MAX], form[CONTENTS_MAX], contents = take(c, 1);
    c->bad |= contents > CONTENTS_MAX;
    for (uint64_t i = 0; i < contents && !c->bad; i++) {
        content[i] = take_leb(c, false);
        form[i] = take_leb(c, false);
    }
    *count = take_leb(c, false);
    c->bad |= *count > left_of(c) || contents == 0; // an entry has a byte at least
    if (c->bad)
        *count = 0;
    struct entry *list = ARENA_ARRAY(t->arena, struct entry, *count + 1);
    for (uint64_t n = 0; n < *count; n++) {
        list[n] = (struct entry){.name = ""};
        for (uint64_t i = 0; i < contents && !c->bad; i++)
            take_content(t, c, content[i], form[i], &list[n]);
    }
    return list;
}

// The program follows; false: it is none that is understood.
static bool take_header(struct line_table *t, struct cursor *c)
{
    t->version = (unsigned)take(c, 2);
    if (t->version < 2 || t->version > 5)
        return false;
    if (t->version == 5 && (take(c, 1) != ADDRESS_BYTES || take(c, 1) != 0))
        return false;
    uint64_t length = take(c, t->word);
    if (length > left_of(c))
        return false;
    struct cursor head = {c->at, c->at + length, false};
    c->at += length;
    t->step_bytes = (unsigned)take(&head, 1);
    if (t->version >= 4)
        (void)take(&head, 1); // operations per instruction: one
    (void)take(&head, 1);     // rows are statements
    t->line_base = (int8_t)take(&head, 1);
    t->line_range = (unsigned)take(&head, 1);
    t->opcode_base = (unsigned)take(&head, 1);
    t->operands = head.at;
    skip_bytes(&head, t->opcode_base > 0 ? t->opcode_base - 1 : 0);
    if (head.bad || t->line_range == 0 || t->opcode_base == 0)
        return false;
    if (t->version == 5) {
        t->folders = take_list_5(t, &head, &t->folder_count);
        t->files = take_list_5(t, &head, &t->file_count);
    } else {
        t->folders = take_list_4(t, &head, false, &t->folder_count);
        t->files = take_list_4(t, &head, true, &t->file_count);
    }
    t->paths = ARENA_ARRAY(t->arena, const char *, t->file_count + 1);
    for (uint64_t i = 0; i < t->file_count; i++)
        t->paths[i] = NULL;
    return !head.bad;
}

/* ---- its program ------------------------------------------------------------------------------------------ */

static const char *folder_of(const struct line_table *t, uint64_t index)
{
    return index < t->folder_count ? t->folders[index].name : "";
}

static const char *joined(struct line_table *t, const char *folder, const char *name)
{
    return name[0] == '/' || !*folder ? name : !*name ? folder : path_join(t->arena, folder, name);
}

// NULL: there is no such file.
static const char *path_of(struct line_table *t, uint64_t file)
{
    if (file >= t->file_count || !*t->files[file].name)
        return NULL;
    const struct entry *f = &t->files[file];
    if (!t->paths[file]) { // of the folders, 0 is that of the compilation
        const char *folder = folder_of(t, f->folder);
        folder = f->folder == 0 ? folder : joined(t, folder_of(t, 0), folder);
        t->paths[file] = joined(t, folder, f->name);
    }
    return t->paths[file];
}

struct state {
    uint64_t address, file, line;
};

static void add_row(struct line_table *t, const struct state *s, bool end)
{
    struct dwarf_places *p = t->places;
    bool known = !end && s->line > 0 && s->line <= INT32_MAX;
    const char *file = known ? path_of(t, s->file) : NULL;
    if (p->count > t->sequence && p->items[p->count - 1].at == s->address)
        p->count--; // of one address the last holds
    if (p->count == t->capacity) {
        int more = t->capacity > 0 ? 2 * t->capacity : 64;
        struct dwarf_place *grown = ARENA_ARRAY(t->arena, struct dwarf_place, more);
        if (p->count > 0)
            memcpy(grown, p->items, (size_t)p->count * sizeof *grown);
        p->items = grown;
        t->capacity = more;
    }
    p->items[p->count++] = (struct dwarf_place){s->address, file, file ? (int)s->line : 0};
    if (end)
        t->sequence = p->count;
}

static void advance(const struct line_table *t, struct state *s, uint64_t steps)
{
    s->address += steps * t->step_bytes;
}

static void run_extended(struct line_table *t, struct cursor *c, struct state *s)
{
    uint64_t length = take_leb(c, false);
    if (length == 0 || length > left_of(c)) {
        c->bad = true;
        return;
    }
    struct cursor own = {c->at, c->at + length, false};
    c->at += length;
    uint64_t opcode = take(&own, 1);
    if (opcode == EXTENDED_END) {
        add_row(t, s, true);
        *s = (struct state){0, 1, 1};
    } else if (opcode == EXTENDED_ADDRESS && left_of(&own) == ADDRESS_BYTES) {
        s->address = take(&own, ADDRESS_BYTES);
    }
}

static void run_standard(struct line_table *t, struct cursor *c, struct state *s, unsigned opcode)
{
    switch (opcode) {
    case STEP_COPY:
        add_row(t, s, false);
        return;
    case STEP_ADVANCE_PC:
        advance(t, s, take_leb(c, false));
        return;
    case STEP_ADVANCE_LINE:
        s->line += take_leb(c, true);
        return;
    case STEP_SET_FILE:
        s->file = take_leb(c, false);
        return;
    case STEP_CONST_ADD_PC:
        advance(t, s, (255 - t->opcode_base) / t->line_range);
        return;
    case STEP_FIXED_ADVANCE_PC:
        s->address += take(c, 2);
        return;
    default: // the header says what it brings along
        for (unsigned i = 0; i < t->operands[opcode - 1]; i++)
            (void)take_leb(c, false);
    }
}

static void run_program(struct line_table *t, struct cursor *c)
{
    struct state s = {0, 1, 1};
    while (left_of(c) > 0 && !c->bad) {
        unsigned opcode = (unsigned)take(c, 1);
        if (opcode >= t->opcode_base) {
            unsigned special = opcode - t->opcode_base;
            advance(t, &s, special / t->line_range);
            s.line += (uint64_t)(t->line_base + (int)(special % t->line_range));
            add_row(t, &s, false);
        } else if (opcode == STEP_EXTENDED) {
            run_extended(t, c, &s);
        } else {
            run_standard(t, c, &s, opcode);
        }
    }
}

/* ---- all tables ------------------------------------------------------------------------------------------- */

// An end gives way to what begins there.
static int place_order(const void *a, const void *b)
{
    const struct dwarf_place *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (!x->file != !y->file)
        return x->file ? 1 : -1;
    int by_file = x->file ? strcmp(x->file, y->file) : 0;
    return by_file != 0 ? by_file : (x->line > y->line) - (x->line < y->line);
}

void dwarf_lines_read(struct arena *a, const struct dwarf_sections *s, struct dwarf_places *out)
{
    *out = (struct dwarf_places){0};
    if (s->line.size_bytes == 0)
        return;
    struct cursor c = {s->line.bytes, s->line.bytes + s->line.size_bytes, false};
    struct line_table t = {.arena = a, .sections = s, .places = out};
    while (left_of(&c) > 0 && !c.bad) {
        uint64_t length = take(&c, 4);
        t.word = length == UINT32_MAX ? 8 : 4;
        if (t.word == 8)
            length = take(&c, 8);
        if (c.bad || length > left_of(&c))
            break;
        struct cursor own = {c.at, c.at + length, false};
        c.at += length;
        t.sequence = out->count;
        if (take_header(&t, &own))
            run_program(&t, &own);
    }
    if (out->count > 0)
        qsort(out->items, (size_t)out->count, sizeof *out->items, place_order);
}

const struct dwarf_place *dwarf_place_at(const struct dwarf_places *p, uint64_t at)
{
    int first = 0,
        beyond = p->count; // the last place that is not after `at` lies in [first, beyond)
    while (beyond - first > 1) {
        int middle = first + (beyond - first) / 2;
        if (p->items[middle].at <= at)
            first = middle;
        else
            beyond = middle;
    }
    bool found = p->count > 0 && p->items[first].at <= at && p->items[first].file;
    return found ? &p->items[first] : NULL;
}
