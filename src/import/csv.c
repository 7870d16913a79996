// The CSV reader; numbers as locales write them; units.
// SPDX-License-Identifier: Apache-2.0
#include "import/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// "1.234,5" within quotes says that this file's decimal sign is the comma.
static bool writes_decimal_comma(const char *data, size_t size_bytes)
{
    for (size_t i = 1; i + 6 < size_bytes; i++)
        if (data[i] == '.' && isdigit((unsigned char)data[i - 1]) &&
            isdigit((unsigned char)data[i + 1]) && isdigit((unsigned char)data[i + 2]) &&
            isdigit((unsigned char)data[i + 3]) && data[i + 4] == ',' &&
            isdigit((unsigned char)data[i + 5])) {
            size_t from = i, to = i + 5;
            while (from > 0 && (isdigit((unsigned char)data[from]) || data[from] == '.'))
                from--;
            while (to < size_bytes && isdigit((unsigned char)data[to]))
                to++;
            if (data[from] == '"' && to < size_bytes && data[to] == '"')
                return true;
        }
    return false;
}

void csv_open(struct csv *c, struct arena *a, const char *file, const char *data, size_t size_bytes)
{
    *c = (struct csv){.arena = a,
                      .file = file,
                      .at = data,
                      .end = data + size_bytes,
                      .next_line = 1,
                      .separator = ',',
                      .decimal_comma = writes_decimal_comma(data, size_bytes)};
    if (size_bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
        c->at += 3;
}

void csv_close(struct csv *c)
{
    free(c->fields);
    c->fields = NULL;
}

struct location csv_place(const struct csv *c)
{
    return (struct location){.file = c->file, .line = c->line};
}

static void line_end_pass(struct csv *c)
{
    if (c->at < c->end && *c->at == '\r')
        c->at++;
    if (c->at < c->end && *c->at == '\n')
        c->at++;
    c->next_line++;
}

static bool quoted_read(struct csv *c, struct text *out, struct error *err)
{
    int line = c->next_line;
    for (c->at++; c->at < c->end; c->at++) {
        if (*c->at == '"' && c->at + 1 < c->end && c->at[1] == '"') {
            c->at++;
        } else if (*c->at == '"') {
            c->at++;
            return true;
        }
        c->next_line += *c->at == '\n';
        text_addn(out, c->at, 1);
    }
    return fail(err, (struct location){.file = c->file, .line = line},
                "a quoted field has no closing quote, so the file was cut off or is not CSV: "
                "export it again");
}

static bool ends_line(char ch)
{
    return ch == '\n' || ch == '\r';
}

static bool field_read(struct csv *c, struct error *err)
{
    struct text t = {0};
    while (c->at < c->end && *c->at == ' ')
        c->at++;
    bool done = c->at == c->end || *c->at != '"' || quoted_read(c, &t, err);
    while (c->at < c->end && *c->at != c->separator && !ends_line(*c->at))
        text_addn(&t, c->at++, 1);
    const char *field = arena_strndup(c->arena, text_str(&t), t.length);
    text_release(&t);
    VEC_PUSH(c->fields, c->count, c->capacity, field);
    return done;
}

static bool row_read(struct csv *c, struct error *err)
{
    c->count = 0;
    c->line = c->next_line;
    for (;;) {
        if (!field_read(c, err))
            return false;
        if (c->at == c->end || ends_line(*c->at))
            break;
        c->at++;
    }
    line_end_pass(c);
    return true;
}

static bool line_is_chatter(const struct csv *c)
{
    return ends_line(*c->at) || (c->end - c->at >= 2 && memcmp(c->at, "==", 2) == 0);
}

static const char *line_end(const struct csv *c)
{
    const char *at = c->at;
    while (at < c->end && !ends_line(*at))
        at++;
    return at;
}

bool csv_next(struct csv *c, bool *more, struct error *err)
{
    while (c->at < c->end && line_is_chatter(c)) {
        c->at = line_end(c);
        line_end_pass(c);
    }
    *more = c->at < c->end;
    return !*more || row_read(c, err);
}

bool csv_header(struct csv *c, const char *const *names)
{
    static const char separators[] = ",;\t";
    const char *end = c->end;
    while (c->at < end) {
        const char *from = c->at, *stop = line_end(c);
        int line = c->next_line;
        for (const char *s = separators; *s; s++) {
            struct error ignored = {0};
            c->separator = *s;
            c->at = from;
            c->end = stop;
            c->next_line = line;
            bool found = from < stop && row_read(c, &ignored);
            struct columns columns = {c->fields, c->count};
            for (const char *const *n = names; found && *n; n++)
                found = column_find(&columns, *n) >= 0;
            c->end = end;
            c->at = stop;
            c->next_line = line;
            if (found) {
                c->decimal_comma |= *s == ';';
                line_end_pass(c);
                return true;
            }
        }
        line_end_pass(c);
    }
    c->count = 0;
    return false;
}

bool csv_has_header(const struct source *s, const char *const *names)
{
    struct arena a = {0};
    struct csv c;
    csv_open(&c, &a, s->file, s->data, s->size_bytes);
    bool found = csv_header(&c, names);
    csv_close(&c);
    arena_release(&a);
    return found;
}

struct columns csv_columns(const struct csv *c)
{
    struct columns out = {ARENA_ARRAY(c->arena, const char *, c->count + 1), c->count};
    for (size_t i = 0; i < c->count; i++)
        out.names[i] = c->fields[i];
    return out;
}

int column_find(const struct columns *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->names[i], name) == 0)
            return (int)i;
    return -1;
}

int column_any(const struct columns *c, const char *const *names)
{
    int found = -1;
    for (; *names && found < 0; names++)
        found = column_find(c, *names);
    return found;
}

const char *csv_field(const struct csv *c, int column)
{
    return column >= 0 && (size_t)column < c->count ? c->fields[column] : "";
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

enum { NUMBER_BYTES_MAX = 64 };
// No counter of a chip comes near, and sums and products of a few such figures stay finite.
static const double number_max = 1e30;

// The value's decimal sign: the last of the two where both are; a lone one that stands before three
// digits, or more than once, groups thousands (a lone dot does so only in files with the comma).
static char decimal_sign(const char *s, bool decimal_comma)
{
    const char *dot = strrchr(s, '.'), *comma = strrchr(s, ',');
    if (dot && comma)
        return dot > comma ? '.' : ',';
    if (dot)
        return strchr(s, '.') != dot || decimal_comma ? 0 : '.';
    if (comma && !decimal_comma &&
        (strchr(s, ',') != comma || strspn(comma + 1, "0123456789") == 3))
        return 0;
    return comma ? ',' : '.';
}

enum number_kind number_read(const char *s, bool decimal_comma, double *out)
{
    static const char *const absent[] = {"n/a", "nan",  "-nan", "inf",     "-inf",
                                         "-",   "<na>", "null", "(!) n/a", "no data"};
    char digits[NUMBER_BYTES_MAX];
    size_t n = 0;
    s += strspn(s, " ");
    if (!*s)
        return NUMBER_ABSENT;
    for (size_t i = 0; i < COUNT_OF(absent); i++)
        if (strcasecmp(s, absent[i]) == 0)
            return NUMBER_ABSENT;
    char decimal = decimal_sign(s, decimal_comma);
    for (; *s; s++) {
        if (*s == decimal && n + 1 < sizeof digits)
            digits[n++] = '.';
        else if (*s == '.' || *s == ',' || *s == ' ' || *s == '\'')
            continue;
        else if (str_starts_with(s, "\xc2\xa0")) // no-break space
            s += 1;
        else if (str_starts_with(s, "\xe2\x80\xaf") || str_starts_with(s, "\xe2\x80\x99"))
            s += 2; // narrow no-break space, apostrophe
        else if (n + 1 < sizeof digits)
            digits[n++] = *s;
        else
            return NUMBER_BAD;
    }
    digits[n] = 0;
    return str_to_double(digits, out) && fabs(*out) <= number_max ? NUMBER_OK : NUMBER_BAD;
}

// One word of a unit: "msecond", "Gbyte", "inst". ns for times, single ones for the rest.
static double word_factor(const char *word, size_t length)
{
    static const struct {
        const char *word;
        double factor;
    } exact[] = {{"s", 1e9},    {"sec", 1e9},       {"second", 1e9}, {"ms", 1e6},
                 {"msec", 1e6}, {"us", 1e3},        {"usec", 1e3},   {"ns", 1},
                 {"nsec", 1},   {"\xce\xbcs", 1e3}, {"KiB", 1024},   {"MiB", 1048576},
                 {"KB", 1e3},   {"MB", 1e6},        {"GB", 1e9},     {"B", 1}};
    static const char *const bases[] = {"second",  "byte", "hz",     "inst",  "sector",   "cycle",
                                        "request", "warp", "thread", "block", "register", "B"};
    static const struct {
        char prefix;
        double factor;
    } prefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'K', 1e3},
                    {'k', 1e3},  {'M', 1e6},  {'G', 1e9},  {'T', 1e12}};
    for (size_t i = 0; i < COUNT_OF(exact); i++)
        if (strlen(exact[i].word) == length && memcmp(exact[i].word, word, length) == 0)
            return exact[i].factor;
    for (size_t p = 0; length > 1 && p < COUNT_OF(prefixes); p++)
        for (size_t b = 0; word[0] == prefixes[p].prefix && b < COUNT_OF(bases); b++)
            if (length == strlen(bases[b]) + 1 && memcmp(word + 1, bases[b], length - 1) == 0)
                return b == 0 ? round(prefixes[p].factor * 1e9) : prefixes[p].factor;
    return 1;
}

double unit_factor(const char *unit)
{
    size_t over = strcspn(unit, "/");
    double factor = word_factor(unit, over);
    if (unit[over] == '/') // a rate: per single second, instruction …
        factor /= word_factor(unit + over + 1, strlen(unit + over + 1));
    return factor;
}

// The digits of "1,024" or "1.024", where commas that part the extents are followed by a blank.
static const char *extent_read(const char *s, bool commas_group, double *out)
{
    *out = 0;
    for (;;) {
        for (; *s >= '0' && *s <= '9'; s++)
            *out = 10 * *out + (*s - '0');
        bool groups =
            (*s == '.' || (*s == ',' && commas_group)) && strspn(s + 1, "0123456789") == 3;
        if (!groups)
            return s;
        s++;
    }
}

double volume_read(const char *s)
{
    double product = 1;
    bool any = false, commas_group = strstr(s, ", ") != NULL;
    while (*(s += strcspn(s, "0123456789"))) {
        double value;
        s = extent_read(s, commas_group, &value);
        product *= value;
        any = true;
    }
    return any && product <= number_max ? product : 0;
}
