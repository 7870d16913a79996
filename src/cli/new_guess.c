// Sizes, grid, block and arguments of a kernel: as the source's host code launches it; where it does not, by names.
// SPDX-License-Identifier: Apache-2.0
#include "cli/new_guess.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MOST = 1 << 20 };
static const uint64_t room_bytes_first = 4 << 20;

bool guess_is_whole(enum element_type t)
{
    return t >= ELEMENT_I8;
}

/* ---- names ------------------------------------------------------------------------------------------------ */

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// The word's next place in the expression, or NULL; behind a dot it is another's.
static const char *word_in(const char *expression, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = expression; at && (at = strstr(at, word)); at += length)
        if ((at == expression || (!is_part(at[-1]) && at[-1] != '.')) && !is_part(at[length]))
            return at;
    return NULL;
}

bool guess_uses(const char *expression, const char *name)
{
    return expression && word_in(expression, name) != NULL;
}

static const char *renamed(struct arena *a, const char *expression, const char *from,
                           const char *to)
{
    struct text out = {0};
    const char *at;
    while (expression && (at = word_in(expression, from))) {
        text_addn(&out, expression, (size_t)(at - expression));
        text_add(&out, to);
        expression = at + strlen(from);
    }
    if (!expression)
        return NULL;
    text_add(&out, expression);
    const char *result = arena_strdup(a, text_str(&out));
    text_release(&out);
    return result;
}

// What a size of that name usually is; `alone`: the kernel has no other.
static int64_t usual_value(const char *name, bool alone)
{
    static const struct {
        const char *word;
        bool part; // a part of the name will do
        int value;
    } usual[] = {
        {"grid", true, 8},     {"blocks", true, 8},   {"numblock", true, 8}, {"num_block", true, 8},
        {"block", true, 256},  {"thread", true, 256}, {"warp", true, 8},     {"seed", true, 42},
        {"iter", true, 4},     {"repeat", true, 4},   {"loops", true, 4},    {"steps", true, 4},
        {"times", true, 4},    {"stride", true, 1},   {"offset", true, 0},   {"start", true, 0},
        {"begin", true, 0},    {"first", true, 0},    {"rank", true, 0},     {"idx", true, 0},
        {"shift", true, 4},    {"log", true, 4},      {"level", true, 4},    {"depth", true, 4},
        {"batch", true, 4},    {"head", true, 4},     {"seq", true, 64},     {"channel", true, 128},
        {"vocab", true, 1024}, {"tile", true, 16},    {"vec", true, 4},      {"chunk", true, 64},
        {"128", true, 4},      {"b", false, 4},       {"t", false, 64},      {"c", false, 128},
        {"nh", false, 4},      {"hs", false, 32},     {"v", false, 1024},    {"id", false, 0},
    };
    char lower[64];
    str_lower(name, lower, sizeof lower);
    for (size_t i = 0; i < COUNT_OF(usual) && !alone; i++)
        if (usual[i].part ? strstr(lower, usual[i].word) != NULL
                          : strcmp(lower, usual[i].word) == 0)
            return usual[i].value;
    return alone ? 65536 : 256;
}

/* ---- parameters ------------------------------------------------------------------------------------------- */

// "float" for the T of `template <typename T>` where the kernel is named k<float>.
static const char *template_argument(const struct guess *g, const char *name)
{
    const char *list = g->kernel->template_parameters, *given = strchr(g->wanted, '<');
    size_t length = strlen(name);
    while (list && given && *list) {
        size_t parameter = strcspn(list, ",");
        given++;
        given += strspn(given, " ");
        size_t argument = strcspn(given, ",>");
        const char *end = memchr(list, '=', parameter);
        size_t word = end ? (size_t)(end - list) : parameter;
        while (word > 0 && list[word - 1] == ' ')
            word--;
        if (word > length && strncmp(list + word - length, name, length) == 0 &&
            !is_part(list[word - length - 1]))
            return arena_strndup(g->arena, given, argument);
        list += parameter + (list[parameter] == ',');
        given += argument;
        if (*given != ',')
            break;
    }
    return NULL;
}

static bool type_known(const struct guess *g, const char *c, enum element_type *type, int *elements)
{
    const char *other = template_argument(g, c);
    return declared_element(g->arena, g->source, other ? other : c, type, elements);
}

// Branches of an #if may each declare it; the last one is taken.
static bool is_repeated(const struct declared_kernel *k, int parameter)
{
    for (int i = parameter + 1; i < k->parameter_count; i++)
        if (*k->parameters[parameter].name &&
            strcmp(k->parameters[i].name, k->parameters[parameter].name) == 0)
            return true;
    return false;
}

static void add_size(struct guess *g, const char *name, double said)
{
    for (int i = 0; i < g->size_count; i++)
        if (strcmp(g->sizes[i].name, name) == 0)
            return;
    g->sizes[g->size_count++] =
        (struct guess_size){.name = name, .said = said > 0 && said < 1e15 ? (int64_t)said : 0};
}

static void add_buffer(struct guess *g, int i)
{
    const struct declared_parameter *p = &g->kernel->parameters[i];
    struct guess_buffer *b = &g->buffers[g->buffer_count++];
    enum element_type type;
    int elements = 1;
    *b = (struct guess_buffer){.name = p->name, .type = ELEMENT_F32, .elements = 1};
    b->typed = type_known(g, p->type, &b->type, &b->elements);
    b->aliased = b->typed && !declared_element(g->arena, NULL, p->type, &type, &elements);
    b->zeroed = g->launch.found && i < g->launch.argument_count && g->launch.zeroed[i];
    b->room_bytes = room_bytes_first;
    g->arguments[i] = p->name;
    if (p->indirect)
        g->cannot = arena_printf(g->arena,
                                 "%s: a pointer to pointers; an experiment's buffers hold numbers, "
                                 "no addresses",
                                 p->name);
    else if (!b->typed)
        text_printf(&g->notes, "  %s: the type '%s' is taken for f32\n", p->name, p->type);
}

// What the source's launch passes for it, if that is a value.
static const char *passed(const struct guess *g, int parameter)
{
    return g->launch.found && parameter < g->launch.argument_count ? g->launch.arguments[parameter]
                                                                   : NULL;
}

static void add_struct(struct guess *g, int i)
{
    const struct declared_parameter *p = &g->kernel->parameters[i];
    bool empty = str_starts_with(p->type, "std::bool_constant") ||
                 str_starts_with(p->type, "std::integral_constant") ||
                 strcmp(p->type, "std::true_type") == 0 || strcmp(p->type, "std::false_type") == 0;
    g->arguments[i] = empty ? "{struct: [i8 0]}" : "f32 0.5";
    if (strcmp(p->type, "CUtensorMap") == 0)
        g->cannot =
            arena_printf(g->arena,
                         "%s: a tensor map; write {tensor_map: BUFFER, dims: […], box: […]} "
                         "as the host encodes it",
                         p->name);
    else if (str_starts_with(p->type, "cudaTextureObject") ||
             str_starts_with(p->type, "cudaSurfaceObject"))
        g->cannot = arena_printf(g->arena,
                                 "%s: a texture or surface; write {texture: BUFFER, size: [W, H]} "
                                 "or {surface: BUFFER, …}",
                                 p->name);
    else if (!empty)
        text_printf(&g->notes,
                    "  %s: the type '%s' is not known; a struct by value is written {struct: [x, "
                    "i32 4]}\n",
                    p->name, p->type);
}

static void add_value(struct guess *g, int i)
{
    const struct declared_parameter *p = &g->kernel->parameters[i];
    enum element_type type = ELEMENT_F32;
    int elements = 1;
    const char *value = passed(g, i);
    if (!type_known(g, p->type, &type, &elements)) {
        add_struct(g, i);
        return;
    }
    if (!value && guess_is_whole(type)) {
        add_size(g, p->name, 0);
        value = p->name;
    } else if (!value) {
        value = strstr(p->name, "eps") ? "1e-5" : "0.5";
    }
    if (elements > 1) {
        struct text fields = {0};
        for (int n = 0; n < elements; n++)
            text_printf(&fields, "%s%s %s", n > 0 ? ", " : "", element_name(type), value);
        g->arguments[i] = arena_printf(g->arena, "{struct: [%s], align: %zu}", text_str(&fields),
                                       elements == 3 ? element_bytes(type)
                                                     : element_bytes(type) * (size_t)elements);
        text_release(&fields);
    } else if (type == ELEMENT_I32) {
        g->arguments[i] = value;
    } else {
        g->arguments[i] =
            arena_printf(g->arena, "{value: \"%s\", type: %s}", value, element_name(type));
    }
}

/* ---- grid and block ------------------------------------------------------------------------------------------ */

static const struct {
    const char *block[2];
} shapes[] = {{{"256", NULL}},  {{"128", NULL}}, {{"32", NULL}}, {{"64", NULL}}, {{"512", NULL}},
              {{"1024", NULL}}, {{"16", "16"}},  {{"32", "32"}}, {{"32", "8"}},  {{"8", "8"}}};
enum { SHAPE_PLANE = 6 };

static void set_shape(struct guess *g, int shape)
{
    const char *x = shapes[shape].block[0], *y = shapes[shape].block[1];
    const char *first = g->sizes[0].name, *second = g->sizes[g->size_count > 1].name;
    g->shape = shape;
    g->block[0] = x;
    g->block[1] = y;
    g->block[2] = g->grid[1] = g->grid[2] = NULL;
    if (y) {
        g->grid[0] = arena_printf(g->arena, "ceil_div(%s,%s)", first, x);
        g->grid[1] = arena_printf(g->arena, "ceil_div(%s,%s)", second, y);
    } else if (g->size_count > 1) {
        g->grid[0] = arena_printf(g->arena, "ceil_div(%s*%s,%s)", first, second, x);
    } else {
        g->grid[0] = arena_printf(g->arena, "ceil_div(%s,%s)", first, x);
    }
}

bool guess_next_shape(struct guess *g)
{
    bool plane = g->kernel->two_dimensional;
    int next = g->shape + 1;
    if (g->launch.found && g->launch.block[0])
        return false;
    if (g->kernel->max_threads > 0 && g->shape == 0)
        next = 1;
    if (next == (int)COUNT_OF(shapes) && plane)
        next = 0;
    if (plane ? next == SHAPE_PLANE : next == (int)COUNT_OF(shapes))
        return false;
    set_shape(g, next);
    return true;
}

// Without the parentheses around all of it.
static const char *bare(struct arena *a, const char *expression)
{
    int open = 0;
    size_t length = expression ? strlen(expression) : 0;
    if (length < 2 || expression[0] != '(')
        return expression;
    for (size_t i = 0; i < length; i++) {
        open += (expression[i] == '(') - (expression[i] == ')');
        if (open == 0 && i + 1 < length)
            return expression;
    }
    return arena_strndup(a, expression + 1, length - 2);
}

static void take_dimensions(struct guess *g)
{
    const struct declared_launch *l = &g->launch;
    bool grid = l->found && l->grid[0], block = l->found && l->block[0];
    if (!grid || !block)
        set_shape(g, g->kernel->two_dimensional && g->size_count > 1 ? SHAPE_PLANE : 0);
    if (!block && g->kernel->max_threads > 0 && !g->block[1]) {
        g->block[0] = arena_printf(g->arena, "%d", g->kernel->max_threads);
        g->grid[0] = renamed(g->arena, g->grid[0], "256", g->block[0]);
    }
    for (int i = 0; i < 3 && grid; i++)
        g->grid[i] = bare(g->arena, l->grid[i]);
    for (int i = 0; i < 3 && block; i++)
        g->block[i] = bare(g->arena, l->block[i]);
    g->shared_bytes = l->found ? bare(g->arena, l->shared_bytes) : NULL;
    if (g->shared_bytes && strcmp(g->shared_bytes, "0") == 0)
        g->shared_bytes = NULL;
    if (!g->shared_bytes && g->kernel->dynamic_shared) {
        g->shared_bytes = "4096";
        g->shared_guessed = true;
    }
}

/* ---- all of it ---------------------------------------------------------------------------------------------- */

static void each_expression(struct guess *g, const char *from, const char *to)
{
    for (int i = 0; i < 3; i++) {
        g->grid[i] = renamed(g->arena, g->grid[i], from, to);
        g->block[i] = renamed(g->arena, g->block[i], from, to);
    }
    g->shared_bytes = renamed(g->arena, g->shared_bytes, from, to);
    for (int i = 0; i < g->kernel->parameter_count; i++)
        if (!g->kernel->parameters[i].pointer)
            g->arguments[i] = renamed(g->arena, g->arguments[i], from, to);
}

// A size that has a buffer's name, in the kernel's words, gets another one.
static void part_names(struct guess *g)
{
    for (int i = 0; i < g->size_count; i++)
        for (int b = 0; b < g->buffer_count; b++)
            if (strcmp(g->sizes[i].name, g->buffers[b].name) == 0) {
                const char *other = arena_printf(g->arena, "%s_size", g->sizes[i].name);
                each_expression(g, g->sizes[i].name, other);
                g->sizes[i].name = other;
            }
}

static bool is_used(const struct guess *g, const char *name)
{
    bool used = guess_uses(g->shared_bytes, name);
    for (int i = 0; i < 3; i++)
        used = used || guess_uses(g->grid[i], name) || guess_uses(g->block[i], name);
    for (int i = 0; i < g->kernel->parameter_count; i++)
        used = used || (!g->kernel->parameters[i].pointer && guess_uses(g->arguments[i], name));
    return used;
}

void guess_drop_sizes(struct guess *g)
{
    int kept = 0;
    for (int i = 0; i < g->size_count; i++)
        if (is_used(g, g->sizes[i].name))
            g->sizes[kept++] = g->sizes[i];
    g->size_count = kept;
}

static void settle_sizes(struct guess *g)
{
    guess_drop_sizes(g);
    for (int i = 0; i < g->size_count; i++) {
        struct guess_size *s = &g->sizes[i];
        s->value = s->said > 0 ? s->said : usual_value(s->name, g->size_count == 1);
        while (s->value > SIZE_MOST)
            s->value = (s->value + 1) / 2;
        for (int d = 0; d < 3; d++)
            s->in_block = s->in_block || guess_uses(g->block[d], s->name);
    }
}

void guess_launch(struct guess *g)
{
    const struct declared_kernel *k = g->kernel;
    int most = k->parameter_count + g->launch.size_count + 1;
    g->sizes = ARENA_ARRAY(g->arena, struct guess_size, most);
    g->buffers = ARENA_ARRAY(g->arena, struct guess_buffer, k->parameter_count + 1);
    g->arguments = ARENA_ARRAY(g->arena, const char *, k->parameter_count + 1);
    for (int i = 0; i < k->parameter_count; i++) {
        if (is_repeated(k, i))
            continue;
        if (k->parameters[i].pointer)
            add_buffer(g, i);
        else
            add_value(g, i);
    }
    for (int i = 0; i < g->launch.size_count; i++)
        add_size(g, g->launch.sizes[i].name,
                 g->launch.sizes[i].known ? g->launch.sizes[i].value : 0);
    if (g->size_count == 0)
        add_size(g, "N", 0); // for a shape that is guessed
    take_dimensions(g);
    part_names(g);
    settle_sizes(g);
}
