// Reading an experiment file: the top level, parameters, buffers and work.
// SPDX-License-Identifier: Apache-2.0
#include "experiment/internal.h"

#include <limits.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *name;
    size_t size_bytes;
} elements[ELEMENT_TYPE_COUNT] = {{"f16", 2}, {"bf16", 2}, {"e4m3", 1}, {"f32", 4}, {"f64", 8},
                                  {"i8", 1},  {"u8", 1},   {"i16", 2},  {"u16", 2}, {"i32", 4},
                                  {"u32", 4}, {"i64", 8},  {"u64", 8}};

size_t element_bytes(enum element_type t)
{
    return elements[t].size_bytes;
}
const char *element_name(enum element_type t)
{
    return elements[t].name;
}

bool check_keys(struct loader *l, const struct yaml_node *node, const char *what,
                enum key_place place)
{
    static const struct {
        enum key_place place;
        const char *key;
    } rows[] = {
#define KEY(place, key) {KEYS_##place, key},
#include "experiment/schema.def"
#undef KEY
    };
    const char *names[COUNT_OF(rows)];
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (rows[i].place == place) {
            names[count++] = rows[i].key;
        }
    }
    return yaml_check_keys(node, what, names, count, l->err);
}

bool load_type(struct loader *l, const struct yaml_node *node, enum element_type *out)
{
    const char *s = NULL;
    if (!yaml_string(node, "'type'", &s, l->err)) {
        return false;
    }
    const char *names[ELEMENT_TYPE_COUNT];
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) {
        names[i] = elements[i].name;
        if (strcmp(s, names[i]) == 0) {
            *out = (enum element_type)i;
            return true;
        }
    }
    return fail_unknown(l->err, node->at, "type", s, names, COUNT_OF(names));
}

bool load_expression(struct loader *l, const struct yaml_node *node, const char *what,
                     struct expression **out)
{
    const char *s = NULL;
    return yaml_string(node, what, &s, l->err) && expression_parse(l->a, s, node->at, out, l->err);
}

bool load_file_name(struct loader *l, const struct yaml_node *node, const char *what,
                    const char **out)
{
    const char *s = NULL;
    if (!yaml_string(node, what, &s, l->err)) {
        return false;
    }
    *out = path_join(l->a, l->e->directory, s);
    if (!file_exists(*out)) {
        return fail(l->err, node->at, "%s: the file '%s' does not exist", what, *out);
    }
    struct stat st;
    if (stat(*out, &st) == 0 && S_ISDIR(st.st_mode)) {
        return fail(l->err, node->at, "%s must name a file; '%s' is a folder", what, *out);
    }
    return true;
}

bool load_sources(struct loader *l, const struct yaml_node *node, const char **first,
                  const char *const **all)
{
    if (node->kind != YAML_LIST) {
        return load_file_name(l, node, "'source'", first);
    }
    const char **list = ARENA_ARRAY(l->a, const char *, node->count + 1);
    if (node->count == 0) {
        return fail(l->err, node->at, "'source' must not be empty");
    }
    for (size_t i = 0; i < node->count; i++) {
        if (!load_file_name(l, node->items[i], "'source'", &list[i])) {
            return false;
        }
    }
    *first = list[0];
    *all = list;
    return true;
}

int buffer_find(const struct experiment *e, const char *name)
{
    for (int i = 0; i < e->buffer_count; i++) {
        if (strcmp(e->buffers[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool load_value(struct loader *l, const struct yaml_node *node, const char *what,
                       struct value *v)
{
    const char *s = NULL;
    if (!yaml_string(node, what, &s, l->err)) {
        return false;
    }
    v->is_integer = str_to_i64(s, &v->i);
    if (v->is_integer) {
        v->d = (double)v->i;
        return true;
    }
    return yaml_double(node, what, &v->d, l->err);
}

static bool load_params(struct loader *l, const struct yaml_node *node)
{
    if (node == NULL) {
        return true;
    }
    if (!yaml_expect(node, YAML_MAP, "'params'", l->err)) {
        return false;
    }
    l->e->params = ARENA_ARRAY(l->a, struct parameter_spec, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        struct parameter_spec *p = &l->e->params[l->e->param_count++];
        const struct yaml_node *n = node->items[i];
        p->name = node->keys[i]->scalar;
        p->at = node->keys[i]->at;
        if (!is_identifier(p->name)) {
            return fail(l->err, p->at, "'%s' is no name for a parameter (letters, digits and _)",
                        p->name);
        }
        const char *what = arena_printf(l->a, "parameter '%s'", p->name);
        bool list = n->kind == YAML_LIST;
        size_t count = list ? n->count : 1;
        if (count == 0) {
            return fail(l->err, n->at, "%s has no values", what);
        }
        p->values = ARENA_ARRAY(l->a, struct value, count);
        for (size_t k = 0; k < count; k++) {
            if (!load_value(l, list ? n->items[k] : n, what, &p->values[p->value_count++])) {
                return false;
            }
        }
    }
    return true;
}

static const struct {
    const char *name;
    enum fill_kind kind;
    int args;
} fills[] = {
#define FILL(id, name, args) {name, FILL_##id, args},
#include "experiment/schema.def"
#undef FILL
};

// The arguments between the parentheses, split at the comma outside inner parentheses.
static bool fill_arguments(struct loader *l, const struct yaml_node *node, const char *inner,
                           int wanted, struct buffer_spec *b)
{
    const char *s = inner;
    for (int i = 0; i < wanted; i++) {
        size_t n = 0;
        for (int depth = 0; s[n] != '\0' && (depth > 0 || s[n] != ','); n++) {
            depth += (s[n] == '(') - (s[n] == ')');
        }
        bool last = i + 1 == wanted;
        if (n == 0 || (s[n] == ',') == last) {
            return fail(l->err, node->at, "'%s' takes %d argument%s", node->scalar, wanted,
                        plural(wanted));
        }
        struct location at = node->at;
        at.column += (int)strcspn(node->scalar, "(") + 1 + (int)(s - inner);
        if (!expression_parse(l->a, arena_strndup(l->a, s, n), at, &b->fill_args[i], l->err)) {
            return false;
        }
        s += n + 1;
    }
    return true;
}

// A file of data beside the experiment; one that depends on the case is looked for in the case.
bool load_data_path(struct loader *l, const struct yaml_node *node, const char *what,
                    const char *name, const char **out)
{
    *out = path_join(l->a, l->e->directory, name);
    return strchr(name, '{') != NULL || file_exists(*out) ||
           fail(l->err, node->at, "%s: the file '%s' does not exist", what, *out);
}

// csr_columns(ROWS,n): ROWS is an earlier buffer.
static bool fill_columns(struct loader *l, const struct yaml_node *node, const char *inner,
                         struct buffer_spec *b)
{
    size_t n = strcspn(inner, ",");
    const char *name = arena_strndup(l->a, inner, n);
    if (inner[n] == '\0') {
        return fail(l->err, node->at,
                    "'csr_columns' takes 2 arguments: the buffer of the rows' beginnings, and the "
                    "number of columns");
    }
    b->fill_buffer = buffer_find(l->e, name);
    if (b->fill_buffer < 0) {
        return fail_unknown_buffer(l->a, l->e, node->at, name, false, l->err);
    }
    if (l->e->buffers[b->fill_buffer].fill == FILL_NONE) {
        return fail(l->err, node->at, "the buffer '%s' has no fill, which is where rows begin",
                    name);
    }
    return expression_parse(l->a, inner + n + 1, node->at, &b->fill_args[1], l->err);
}

static bool load_compare(struct loader *l, const struct yaml_node *node, struct buffer_spec *b)
{
    static const char *const names[] = {"elements", "set", "sorted"};
    const char *s = NULL;
    if (!yaml_string(node, "'compare'", &s, l->err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(s, names[i]) == 0) {
            b->compare = (enum compare_kind)i;
            return b->compare == COMPARE_ELEMENTS || !b->written_some ||
                   fail(l->err, node->at, "an output that is written in part has no order");
        }
    }
    return fail(l->err, node->at, "'compare' must be elements, set or sorted, not '%s'", s);
}

bool load_fill(struct loader *l, const struct yaml_node *node, struct buffer_spec *b)
{
    const char *s = NULL;
    if (!yaml_string(node, "'fill'", &s, l->err)) {
        return false;
    }
    b->fill_text = s;
    const char *names[COUNT_OF(fills)];
    size_t n = strcspn(s, "(");
    const char *word = arena_strndup(l->a, s, n);
    size_t f = 0;
    for (size_t i = 0; i < COUNT_OF(fills); i++) {
        names[i] = fills[i].name;
    }
    while (f < COUNT_OF(fills) && strcmp(word, names[f]) != 0) {
        f++;
    }
    if (f == COUNT_OF(fills)) {
        const char *near = str_nearest(word, names, COUNT_OF(fills));
        return near != NULL
                   ? fail(l->err, node->at, "unknown fill '%s' (did you mean '%s'?)", word, near)
                   : fail(l->err, node->at,
                          "unknown fill '%s'; the fills are uniform(a,b) normal(m,s) "
                          "integers(lo,hi) constant(v) iota zipf(s,n) starts(n,p) file(path) "
                          "npy(path) permutation sorted(a,b) letters(ACGT) csr_columns(rows,n)",
                          word);
    }
    b->fill = fills[f].kind;
    if (fills[f].args == 0) {
        return s[n] == '\0' ? true : fail(l->err, node->at, "'%s' takes no arguments", word);
    }
    if (s[n] != '(' || !str_ends_with(s, ")")) {
        return fail(l->err, node->at, "'%s' takes %d argument%s in parentheses", word,
                    fills[f].args, plural(fills[f].args));
    }
    const char *inner = arena_strndup(l->a, s + n + 1, strlen(s) - n - 2);
    switch (b->fill) {
    case FILL_FILE:
    case FILL_NPY:
        return load_data_path(l, node, "'fill'", inner, &b->fill_path);
    case FILL_LETTERS:
        b->fill_path = inner;
        return inner[0] != '\0' ||
               fail(l->err, node->at, "'letters' takes the letters: letters(ACGT)");
    case FILL_CSR_COLUMNS:
        return fill_columns(l, node, inner, b);
    default:
        return fill_arguments(l, node, inner, fills[f].args, b);
    }
}

static bool load_tolerance(struct loader *l, const struct yaml_node *node, struct buffer_spec *b)
{
    static const char *const keys[] = {"rel", "abs", "ulp"};
    if (!yaml_expect(node, YAML_MAP, "'tolerance'", l->err) ||
        !check_keys(l, node, "'tolerance'", KEYS_TOLERANCE)) {
        return false;
    }
    double *to[] = {&b->tolerance_rel, &b->tolerance_abs, &b->tolerance_ulp};
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        const struct yaml_node *n = yaml_get(node, keys[i]);
        const char *what = arena_printf(l->a, "'%s'", keys[i]);
        if (n != NULL && !yaml_double(n, what, to[i], l->err)) {
            return false;
        }
        if (!(*to[i] >= 0)) {
            return fail(l->err, n->at, "the tolerance '%s' must not be negative", keys[i]);
        }
    }
    return true;
}

static bool load_written(struct loader *l, const struct yaml_node *node, struct buffer_spec *b)
{
    const char *s = NULL;
    if (!yaml_string(node, "'written'", &s, l->err)) {
        return false;
    }
    b->written_some = strcmp(s, "some") == 0;
    return b->written_some || strcmp(s, "all") == 0 ||
           fail(l->err, node->at, "'written' must be all or some, not '%s'", s);
}

static bool load_buffer(struct loader *l, const struct yaml_node *node, struct buffer_spec *b)
{
    const char *what = arena_printf(l->a, "buffer '%s'", b->name);
    if (!yaml_expect(node, YAML_MAP, what, l->err) || !check_keys(l, node, what, KEYS_BUFFER)) {
        return false;
    }
    if (yaml_get(node, "type") == NULL || yaml_get(node, "count") == NULL) {
        return fail(l->err, b->at, "%s needs 'type' and 'count'", what);
    }
    const struct yaml_node *output = yaml_get(node, "output");
    const struct yaml_node *fill = yaml_get(node, "fill");
    const struct yaml_node *tolerance = yaml_get(node, "tolerance");
    const struct yaml_node *written = yaml_get(node, "written");
    const struct yaml_node *scratch = yaml_get(node, "scratch");
    const struct yaml_node *compare = yaml_get(node, "compare");
    if (!load_type(l, yaml_get(node, "type"), &b->type) ||
        !load_expression(l, yaml_get(node, "count"), "'count'", &b->count) ||
        (output != NULL && !yaml_bool(output, "'output'", &b->output, l->err)) ||
        (fill != NULL && !load_fill(l, fill, b)) ||
        (tolerance != NULL && !load_tolerance(l, tolerance, b)) ||
        (written != NULL && !load_written(l, written, b)) ||
        (compare != NULL && !load_compare(l, compare, b)) ||
        (scratch != NULL && !yaml_bool(scratch, "'scratch'", &b->scratch, l->err))) {
        return false;
    }
    if (tolerance != NULL && !b->output) {
        return fail(l->err, tolerance->at, "%s has a 'tolerance' but is no output", what);
    }
    if (written != NULL && !b->output) {
        return fail(l->err, written->at, "%s has 'written' but is no output", what);
    }
    if (compare != NULL && !b->output) {
        return fail(l->err, compare->at, "%s has 'compare' but is no output", what);
    }
    if (b->scratch && b->output) {
        return fail(l->err, scratch->at,
                    "%s is an output, which is compared, and 'scratch', which is not: one of them",
                    what);
    }
    if (b->output && l->e->reference.kind == REFERENCE_NONE) {
        return fail(l->err, b->at,
                    "%s is an output, but the experiment has no 'reference' to compare it with "
                    "(reference: FILE.c:FUNCTION); 'verify: self' compares a variant's runs with "
                    "each other",
                    what);
    }
    return true;
}

static bool load_buffers(struct loader *l, const struct yaml_node *node)
{
    if (node == NULL) {
        return true;
    }
    if (!yaml_expect(node, YAML_MAP, "'buffers'", l->err)) {
        return false;
    }
    l->e->buffers = ARENA_ARRAY(l->a, struct buffer_spec, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        struct buffer_spec *b = &l->e->buffers[i];
        b->name = node->keys[i]->scalar;
        b->at = node->keys[i]->at;
        if (!is_identifier(b->name)) {
            return fail(l->err, b->at, "'%s' is no name for a buffer (letters, digits and _)",
                        b->name);
        }
        for (int k = 0; k < l->e->param_count; k++) {
            if (strcmp(l->e->params[k].name, b->name) == 0) {
                return fail(l->err, b->at, "'%s' is the name of a parameter already", b->name);
            }
        }
        if (!load_buffer(l, node->items[i], b)) {
            return false;
        }
        l->e->buffer_count++;
    }
    return true;
}

static bool load_work(struct loader *l, const struct yaml_node *node)
{
    if (node == NULL) {
        return true;
    }
    if (!yaml_expect(node, YAML_MAP, "'work'", l->err) ||
        !check_keys(l, node, "'work'", KEYS_WORK)) {
        return false;
    }
    l->e->work = ARENA_ARRAY(l->a, struct work_spec, node->count + 1);
    for (size_t i = 0; i < node->count; i++) {
        struct work_spec *w = &l->e->work[l->e->work_count++];
        w->name = node->keys[i]->scalar;
        if (!load_expression(l, node->items[i], w->name, &w->value)) {
            return false;
        }
    }
    return true;
}

bool load_flags(struct loader *l, const struct yaml_node *node, const struct flag_spec *before,
                struct flag_spec *out)
{
    size_t room = before != NULL ? (size_t)before->count : 0;
    if (before != NULL) {
        *out = *before;
    }
    if (node == NULL) {
        return true;
    }
    const char *line = NULL;
    if (node->kind != YAML_LIST && !yaml_string(node, "'flags'", &line, l->err)) {
        return false;
    }
    room += line != NULL ? strlen(line) : node->count;
    out->items = ARENA_ARRAY(l->a, const char *, room + 1);
    for (int i = 0; i < out->count; i++) {
        out->items[i] = before->items[i];
    }
    out->at = node->at;
    for (size_t i = 0; line == NULL && i < node->count; i++) {
        if (!yaml_string(node->items[i], "a flag", &out->items[out->count++], l->err)) {
            return false;
        }
    }
    while (line != NULL && *(line += strspn(line, " \t\n")) != '\0') {
        size_t length = strcspn(line, " \t\n");
        out->items[out->count++] = arena_strndup(l->a, line, length);
        line += length;
    }
    return true;
}

static bool load_gate(struct loader *l, const struct yaml_node *node)
{
    static const char *const keys[] = {"percent", "ns", "counters_percent"};
    static const double default_percent = 3;
    struct gate_tolerance *t = &l->e->gate;
    double *to[] = {&t->percent, &t->ns, &t->counters_percent};
    t->percent = default_percent;
    if (node == NULL) {
        return true;
    }
    if (!yaml_expect(node, YAML_MAP, "'gate'", l->err) ||
        !check_keys(l, node, "'gate'", KEYS_GATE)) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        const struct yaml_node *n = yaml_get(node, keys[i]);
        if (n != NULL && !yaml_double(n, keys[i], to[i], l->err)) {
            return false;
        }
        if (n != NULL && !(*to[i] >= 0 && *to[i] < 1e9)) {
            return fail(l->err, n->at, "'%s' of 'gate' must not be negative", keys[i]);
        }
    }
    return true;
}

// A name that a command line can say: `ridge explain EXPERIMENT:VARIANT`.
bool load_name(struct loader *l, const struct yaml_node *node, const char *what, const char **out)
{
    if (!yaml_string(node, what, out, l->err)) {
        return false;
    }
    if ((*out)[0] == '\0') {
        return fail(l->err, node->at, "%s must not be empty", what);
    }
    return strpbrk(*out, ":/\n") == NULL ||
           fail(l->err, node->at, "%s must not hold ':', '/' or a line break", what);
}

static bool load_top(struct loader *l, const struct yaml_node *root)
{
    struct experiment *e = l->e;
    if (!yaml_expect(root, YAML_MAP, "the experiment", l->err)) {
        return false;
    }
    for (size_t i = 0; i < root->count; i++) {
        if (strcmp(root->keys[i]->scalar, "tune") == 0) {
            return fail(l->err, root->keys[i]->at,
                        "'tune' belongs to a variant: write it beside its 'kernel'");
        }
    }
    const struct yaml_node *name = yaml_get(root, "experiment");
    const struct yaml_node *title = yaml_get(root, "title");
    const struct yaml_node *source = yaml_get(root, "source");
    const struct yaml_node *variants = yaml_get(root, "variants");
    return check_keys(l, root, "the experiment", KEYS_TOP) &&
           (name != NULL || fail(l->err, root->at, "'experiment: NAME' is missing")) &&
           (variants != NULL || fail(l->err, root->at, "'variants' is missing")) &&
           load_name(l, name, "'experiment'", &e->name) &&
           (title == NULL || yaml_string(title, "'title'", &e->title, l->err)) &&
           (source == NULL || load_sources(l, source, &e->source, &e->sources)) &&
           load_flags(l, yaml_get(root, "flags"), NULL, &e->flags) &&
           load_reference(l, yaml_get(root, "reference")) &&
           load_verify(l, yaml_get(root, "verify")) &&
           load_patterns(l, yaml_get(root, "patterns")) &&
           load_params(l, yaml_get(root, "params")) && load_buffers(l, yaml_get(root, "buffers")) &&
           load_work(l, yaml_get(root, "work")) && load_gate(l, yaml_get(root, "gate")) &&
           load_split(l, yaml_get(root, "split")) && load_variants(l, variants) &&
           load_reference_args(l, yaml_get(root, "reference"));
}

static bool find_file(struct arena *a, const char *path, const char **out, struct error *err)
{
    struct stat st;
    if (stat(path, &st) == 0) {
        *out = S_ISDIR(st.st_mode) ? path_join(a, path, "experiment.yaml") : arena_strdup(a, path);
        if (!S_ISDIR(st.st_mode) || stat(*out, &st) == 0)
            return true;
        if (errno == EACCES)
            return fail(
                err, NOWHERE,
                "cannot look into the folder '%s': Permission denied; check the permissions "
                "of the folder (it needs r and x)",
                path);
        return fail(err, NOWHERE,
                    "the folder '%s' holds no experiment.yaml; `ridge new NAME` makes one to start "
                    "from",
                    path);
    }
    if (strchr(path, '/') == NULL) {
        struct error ignored = {0};
        *out = data_path(a, arena_printf(a, "experiments/%s/experiment.yaml", path), &ignored);
        if (*out != NULL && file_exists(*out)) {
            return true;
        }
    }
    return fail(
        err, NOWHERE,
        "there is no experiment '%s': no such file or folder, and ridge ships none of that name",
        path);
}

bool experiment_parse(struct arena *a, const char *file, const char *text, size_t size_bytes,
                      struct experiment **out, struct error *err)
{
    struct experiment *e = ARENA_NEW(a, struct experiment);
    struct loader l = {.a = a, .e = e, .err = err};
    struct yaml_node *root = NULL;
    e->path = arena_strdup(a, file);
    char *real = realpath(file, NULL);
    e->directory = path_dir(a, real != NULL ? real : file);
    free(real);
    e->text = arena_strndup(a, text, size_bytes);
    if (!yaml_parse(a, e->path, text, size_bytes, &root, err) || !load_top(&l, root)) {
        return false;
    }
    if (e->title == NULL) {
        e->title = e->name;
    }
    *out = e;
    return true;
}

bool experiment_load(struct arena *a, const char *path, struct experiment **out, struct error *err)
{
    enum { FILE_BYTES_MAX = 4 << 20 };
    const char *file = NULL;
    char *text = NULL;
    size_t size = 0;
    if (!find_file(a, path, &file, err) || !file_read(file, FILE_BYTES_MAX, &text, &size, err)) {
        return false;
    }
    bool done = experiment_parse(a, file, text, size, out, err);
    free(text);
    return done;
}
