// Kernels' names in C++: of a mangled one (Itanium ABI) the part before the parameters, as it is written
// in the source: "blas::axpy<4, float>". Types that need a table of what was said before (S_, T_) are
// left as "?": such a kernel is named without its arguments, or mangled.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct mangled {
    const char *at;
    struct text *out;
    bool ok;
    int depth;
};
enum { DEPTH_MAX = 32 };

static const char *builtin_type(char c)
{
    static const char *const names[] = {
        ['v' - 'a'] = "void",           ['b' - 'a'] = "bool",
        ['c' - 'a'] = "char",           ['a' - 'a'] = "signed char",
        ['h' - 'a'] = "unsigned char",  ['s' - 'a'] = "short",
        ['t' - 'a'] = "unsigned short", ['i' - 'a'] = "int",
        ['j' - 'a'] = "unsigned int",   ['l' - 'a'] = "long",
        ['m' - 'a'] = "unsigned long",  ['x' - 'a'] = "long long",
        ['f' - 'a'] = "float",          ['y' - 'a'] = "unsigned long long",
        ['d' - 'a'] = "double",
    };
    size_t i = (size_t)(c - 'a');
    return c >= 'a' && i < COUNT_OF(names) ? names[i] : NULL;
}

static void read_name(struct mangled *m);
static void read_argument(struct mangled *m);

static void read_arguments(struct mangled *m)
{
    bool any = false;
    text_add(m->out, "<");
    for (m->at++; m->ok && *m->at && *m->at != 'E'; any = true) {
        text_add(m->out, any ? ", " : "");
        read_argument(m);
    }
    m->ok = m->ok && *m->at++ == 'E';
    text_add(m->out, ">");
}

// <length><name>, maybe with arguments. Scopes without a name are left out.
static bool read_part(struct mangled *m)
{
    char *end = NULL;
    m->at += *m->at == 'L' && isdigit((unsigned char)m->at[1]); // of internal linkage
    unsigned long length = isdigit((unsigned char)*m->at) ? strtoul(m->at, &end, 10) : 0;
    m->ok = length > 0 && length <= strlen(end);
    if (!m->ok)
        return false;
    bool shown = !str_starts_with(end, "_GLOBAL__N") && !str_starts_with(end, "_INTERNAL_");
    if (shown)
        text_addn(m->out, end, length);
    m->at = end + length;
    if (*m->at == 'I')
        read_arguments(m);
    return shown;
}

static void read_name(struct mangled *m)
{
    if (*m->at != 'N') {
        (void)read_part(m);
        return;
    }
    m->at += 1 + strspn(m->at + 1, "KVr");
    for (bool colons = false; m->ok && *m->at && *m->at != 'E';) {
        text_add(m->out, colons ? "::" : "");
        colons = read_part(m);
    }
    m->ok = m->ok && *m->at++ == 'E';
}

static void read_type(struct mangled *m)
{
    static const struct {
        char code;
        const char *before, *after;
    } made[] = {{'P', "", "*"}, {'R', "", "&"}, {'O', "", "&&"}, {'K', "", " const"}};
    const char *builtin = builtin_type(*m->at);
    if (++m->depth > DEPTH_MAX)
        m->ok = false;
    for (size_t i = 0; m->ok && i < COUNT_OF(made); i++)
        if (*m->at == made[i].code) {
            m->at++;
            read_type(m);
            text_add(m->out, made[i].after);
            m->depth--;
            return;
        }
    if (m->ok && builtin) {
        text_add(m->out, builtin);
        m->at++;
    } else if (m->ok && (*m->at == 'N' || isdigit((unsigned char)*m->at))) {
        read_name(m);
    } else {
        m->ok = false;
    }
    m->depth--;
}

// L <type> <value> E, J <arguments> E, or a type.
static void read_argument(struct mangled *m)
{
    if (++m->depth > DEPTH_MAX) {
        m->ok = false;
    } else if (*m->at == 'J') {
        bool any = false;
        for (m->at++; m->ok && *m->at && *m->at != 'E'; any = true) {
            text_add(m->out, any ? ", " : "");
            read_argument(m);
        }
        m->ok = m->ok && *m->at++ == 'E';
    } else if (*m->at != 'L') {
        read_type(m);
    } else if (str_starts_with(m->at, "Lb0E") || str_starts_with(m->at, "Lb1E")) {
        text_add(m->out, m->at[2] == '1' ? "true" : "false");
        m->at += strlen("Lb0E");
    } else {
        struct text type = {0};
        struct mangled inner = {.at = m->at + 1, .out = &type, .ok = true, .depth = m->depth};
        bool plain = builtin_type(inner.at[0]) != NULL;
        read_type(&inner);
        size_t digits = strspn(inner.at, "n0123456789");
        m->ok = inner.ok && digits > 0 && inner.at[digits] == 'E';
        if (m->ok && !plain)
            text_printf(m->out, "(%s)", text_str(&type));
        if (m->ok)
            text_printf(m->out, "%s%.*s", *inner.at == 'n' ? "-" : "",
                        (int)digits - (*inner.at == 'n'), inner.at + (*inner.at == 'n'));
        m->at = m->ok ? inner.at + digits + 1 : m->at;
        text_release(&type);
    }
    m->depth--;
}

// Of "_Z5naivePfPKfi" "naive": a single name before anything that is not read here.
static const char *first_name(struct arena *a, const char *name)
{
    char *end = NULL;
    name += strlen("_Z");
    name += *name == 'L';
    unsigned long length = isdigit((unsigned char)*name) ? strtoul(name, &end, 10) : 0;
    return length > 0 && length <= strlen(end) ? arena_strndup(a, end, length) : NULL;
}

const char *kernel_plain_name(struct arena *a, const char *name)
{
    if (!str_starts_with(name, "_Z"))
        return name;
    struct text out = {0};
    struct mangled m = {.at = name + strlen("_Z"), .out = &out, .ok = true};
    read_name(&m);
    const char *first = m.ok ? arena_strdup(a, text_str(&out)) : first_name(a, name);
    text_release(&out);
    return first ? first : name;
}

/* ---- what the user wrote ------------------------------------------------------------------------- */

// Without blanks; where its arguments begin; where its last part does.
struct written {
    const char *text, *arguments, *last;
};

static struct written compact(struct arena *a, const char *name)
{
    char *text = arena_strdup(a, name), *to = text;
    for (const char *c = name; *c; c++)
        if (!isspace((unsigned char)*c))
            *to++ = *c;
    *to = '\0';
    size_t scope = strcspn(text, "<");
    struct written w = {text, text + scope, text};
    for (size_t i = 0; i + 1 < scope; i++)
        if (text[i] == ':' && text[i + 1] == ':')
            w.last = text + i + 2;
    return w;
}

enum kernel_match kernel_matches(struct arena *a, const char *name, const char *wanted)
{
    if (strcmp(name, wanted) == 0)
        return MATCH_CODE;
    struct written have = compact(a, kernel_plain_name(a, name)), want = compact(a, wanted);
    bool scoped = want.last != want.text, given = *want.arguments != '\0';
    const char *from = scoped ? have.text : have.last;
    if (strcmp(have.text, want.text) == 0)
        return MATCH_WHOLE;
    if (given && strcmp(from, want.text) == 0)
        return MATCH_LAST;
    size_t length = strlen(want.text);
    if (given) { // all but its last bracket, and more
        length--;
        bool more = strncmp(from, want.text, length) == 0 && from[length] == ',';
        return more && want.text[length] == '>' ? MATCH_FIRST : MATCH_NONE;
    }
    length = (size_t)(have.arguments - from);
    return strlen(want.text) == length && strncmp(from, want.text, length) == 0 ? MATCH_PART
                                                                                : MATCH_NONE;
}
