// ridge new --list FILE: the kernels of a source. ridge new --from FILE[:KERNEL]: an experiment around one of them.
// Names and types come from the source, and where it is PTX, from the code. What cannot be known is
// guessed by the usual habits of such kernels and said; which buffers are written is watched on the simulated GPU.
// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"
#include "device/code.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_BYTES = 8 };

static struct compile_request request_for(const struct options *o, const char *path)
{
    return (struct compile_request){
        .source_path = path, .compiler = option_text(o, OPTION_COMPILER, "auto"), .arch = "sm_90"};
}

static bool is_ptx(const char *path)
{
    return str_ends_with(path, ".ptx");
}

// Of PTX: the code's kernels, whose parameters have no names.
static bool kernels_of_ptx(struct arena *a, const struct compile_request *r,
                           struct declared_kernel **out, int *count, struct error *err)
{
    struct code_object code;
    if (!code_compile(a, r, &code, err))
        return false;
    if (!code.kernels_listed)
        return fail(err, NOWHERE, "the kernels of '%s' cannot be read", r->source_path);
    *out = ARENA_ARRAY(a, struct declared_kernel, code.kernel_count + 1);
    *count = code.kernel_count;
    for (int i = 0; i < code.kernel_count; i++) {
        const struct code_kernel *k = &code.kernels[i];
        int n = k->parameter_count > 0 ? k->parameter_count : 0;
        struct declared_kernel *d = &(*out)[i];
        *d =
            (struct declared_kernel){.name = k->name, .file = r->source_path, .parameter_count = n};
        d->parameters = ARENA_ARRAY(a, struct declared_parameter, n + 1);
        for (int p = 0; p < n; p++) {
            bool address =
                k->parameters[p].size_bytes == ADDRESS_BYTES && k->parameters[p].type[0] != 'f';
            d->parameters[p] = (struct declared_parameter){.name = arena_printf(a, "p%d", p),
                                                           .type = k->parameters[p].type,
                                                           .pointer = address};
        }
    }
    return true;
}

static bool find_kernels(struct arena *a, const struct compile_request *r,
                         struct declared_kernel **out, int *count, struct error *err)
{
    if (!(is_ptx(r->source_path) ? kernels_of_ptx(a, r, out, count, err)
                                 : code_declared_kernels(a, r, out, count, err)))
        return false;
    return *count > 0 ||
           fail(err, NOWHERE, "'%s' has no kernel: no function marked __global__ with a body",
                r->source_path);
}

static void add_signature(const struct declared_kernel *k, struct text *out)
{
    text_add(out, k->name);
    if (k->template_parameters)
        text_printf(out, "<%s>", k->template_parameters);
    text_add(out, "(");
    for (int i = 0; i < k->parameter_count; i++) {
        const struct declared_parameter *p = &k->parameters[i];
        text_printf(out, "%s%s%s%s%s%s", i > 0 ? ", " : "",
                    p->constant && p->pointer ? "const " : "", p->type, *p->name ? " " : "",
                    p->pointer ? "*" : "", p->name);
    }
    text_add(out, ")");
}

bool new_list(const struct options *o, struct error *err)
{
    struct arena a = {0};
    struct text out = {0};
    struct declared_kernel *kernels = NULL;
    int count = 0;
    struct compile_request r = request_for(o, option_text(o, OPTION_LIST, ""));
    bool done = find_kernels(&a, &r, &kernels, &count, err);
    json_t *list = json_array();
    for (int i = 0; done && i < count; i++) {
        struct text signature = {0};
        add_signature(&kernels[i], &signature);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i}", "kernel", kernels[i].name,
                                              "signature", text_str(&signature), "file",
                                              kernels[i].file, "line", kernels[i].line));
        text_add(&out, text_str(&signature));
        if (kernels[i].line > 0)
            text_printf(&out, "  (%s:%d)", path_name(kernels[i].file), kernels[i].line);
        text_add(&out, "\n");
        text_release(&signature);
    }
    if (done && option_given(o, OPTION_JSON))
        done = cli_print_json(json_pack("{s:O}", "kernels", list), err);
    else if (done)
        done = cli_print(&out, err);
    json_decref(list);
    text_release(&out);
    arena_release(&a);
    return done;
}

/* ---- an experiment around a kernel ----------------------------------------------------------------------- */

struct attempt {
    int alone, several; // a size's value
    int more;           // elements for each that the sizes count
};

struct guess {
    struct arena *arena;
    const struct declared_kernel *kernel;
    const char *folder, *name; // of the experiment: its last part
    const char *source;        // as the file names it
    const char *wanted;        // the kernel as the file names it: with template arguments
    const char **sizes;        // parameters of the experiment
    int size_count;
    const char *path;
    bool last;     // the text is the one that is kept
    bool *changed; // of each buffer, after the watch; NULL before
    struct attempt attempt;
    struct text notes;
};

// Sizes are tried from the ones that are usual for one or for several of them: smaller sizes in larger buffers until a
// launch stays inside.
static const struct attempt attempts[] = {{65536, 256, 1}, {65536, 256, 4},  {16384, 256, 32},
                                          {4096, 64, 64},  {1024, 32, 1024}, {256, 16, 4096},
                                          {64, 4, 16384},  {8, 1, 65536}};

// C's types as the experiment writes them. More than one element: float4.
static const struct {
    const char *c, *ours;
    int elements;
} types[] = {
    {"float", "f32", 1},
    {"double", "f64", 1},
    {"int", "i32", 1},
    {"unsigned", "u32", 1},
    {"unsigned int", "u32", 1},
    {"uint", "u32", 1},
    {"uint32_t", "u32", 1},
    {"int32_t", "i32", 1},
    {"char", "i8", 1},
    {"signed char", "i8", 1},
    {"int8_t", "i8", 1},
    {"unsigned char", "u8", 1},
    {"uint8_t", "u8", 1},
    {"uchar", "u8", 1},
    {"bool", "u8", 1},
    {"short", "i16", 1},
    {"int16_t", "i16", 1},
    {"unsigned short", "u16", 1},
    {"uint16_t", "u16", 1},
    {"long", "i64", 1},
    {"long long", "i64", 1},
    {"int64_t", "i64", 1},
    {"size_t", "u64", 1},
    {"unsigned long", "u64", 1},
    {"unsigned long long", "u64", 1},
    {"uint64_t", "u64", 1},
    {"half", "f16", 1},
    {"__half", "f16", 1},
    {"half2", "f16", 2},
    {"__half2", "f16", 2},
    {"__nv_bfloat16", "bf16", 1},
    {"nv_bfloat16", "bf16", 1},
    {"__nv_bfloat162", "bf16", 2},
    {"float2", "f32", 2},
    {"float3", "f32", 3},
    {"float4", "f32", 4},
    {"double2", "f64", 2},
    {"int2", "i32", 2},
    {"int4", "i32", 4},
    {"uint4", "u32", 4},
    {"uint2", "u32", 2},
    {"uchar4", "u8", 4},
    {"f32", "f32", 1},
    {"f64", "f64", 1},
    {"u32", "u32", 1},
    {"u64", "u64", 1},
    {"s32", "i32", 1},
    {"s64", "i64", 1},
    {"b32", "i32", 1},
    {"b64", "i64", 1},
    {"u16", "u16", 1},
    {"u8", "u8", 1},
};

static const char *type_of(const char *c, int *elements)
{
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strcmp(types[i].c, c) == 0) {
            *elements = types[i].elements;
            return types[i].ours;
        }
    return NULL;
}

// "float" for the T of `template <typename T>` where the kernel is named k<float>.
static const char *template_argument(const struct guess *g, const char *name)
{
    const char *list = g->kernel->template_parameters, *given = strchr(g->wanted, '<');
    size_t length = strlen(name);
    while (list && given && *list) {
        size_t parameter = strcspn(list, ","), argument = strcspn(given + 1, ",>");
        given++;
        given += strspn(given, " ");
        argument = strcspn(given, ",>");
        if (parameter > length && strncmp(list + parameter - length, name, length) == 0 &&
            !isalnum((unsigned char)list[parameter - length - 1]))
            return arena_strndup(g->arena, given, argument);
        list += parameter + (list[parameter] == ',');
        given += argument;
        if (*given != ',')
            break;
    }
    return NULL;
}

// "float" of `#define fp float`, `typedef float fp;` and `using fp = float;` in the text.
static const char *alias_in(struct arena *a, const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        line += strspn(line, " \t");
        const char *after = at + length + strspn(at + length, " \t=");
        bool word = at > text && isspace((unsigned char)at[-1]) &&
                    !isalnum((unsigned char)at[length]) && at[length] != '_';
        if (word && (str_starts_with(line, "#define ") || str_starts_with(line, "using ")))
            return arena_strndup(a, after, strcspn(after, ";\r\n/ "));
        if (word && str_starts_with(line, "typedef ") && *after == ';') {
            size_t end = (size_t)(at - line);
            while (end > 0 && isspace((unsigned char)line[end - 1]))
                end--;
            size_t begin = sizeof "typedef " - 1;
            return end > begin ? arena_strndup(a, line + begin, end - begin) : NULL;
        }
    }
    return NULL;
}

static const char *alias_of(const struct guess *g, const char *name)
{
    enum { TEXT_BYTES_MAX = 4 << 20 };
    const char *const files[] = {g->kernel->file, g->path};
    const char *found = NULL;
    for (size_t i = 0; i < COUNT_OF(files) && !found; i++) {
        char *text = NULL;
        size_t size = 0;
        struct error ignored = {0};
        if (files[i] && file_read(files[i], TEXT_BYTES_MAX, &text, &size, &ignored))
            found = alias_in(g->arena, text, name);
        free(text);
    }
    return found;
}

// NULL: not known.
static const char *known_type(const struct guess *g, const char *c, int *elements)
{
    const char *ours = type_of(c, elements), *other = NULL;
    if (!ours && (other = template_argument(g, c)))
        ours = type_of(other, elements);
    if (!ours && (other = alias_of(g, c)))
        ours = type_of(other, elements);
    return ours;
}

static bool is_whole(const char *type)
{
    return type && (type[0] == 'i' || type[0] == 'u');
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

// A size is a whole number by value; the first two span the grid.
static void find_sizes(struct guess *g)
{
    const struct declared_kernel *k = g->kernel;
    g->sizes = ARENA_ARRAY(g->arena, const char *, k->parameter_count + 1);
    for (int i = 0; i < k->parameter_count; i++) {
        int elements = 1;
        const struct declared_parameter *p = &k->parameters[i];
        if (!p->pointer && !is_repeated(k, i) && is_whole(known_type(g, p->type, &elements)))
            g->sizes[g->size_count++] = p->name;
    }
    if (g->size_count == 0)
        g->sizes[g->size_count++] = "N";
}

static bool has_buffers(const struct declared_kernel *k)
{
    for (int i = 0; i < k->parameter_count; i++)
        if (k->parameters[i].pointer)
            return true;
    return false;
}

static void add_buffers(struct guess *g, struct text *out)
{
    const struct declared_kernel *k = g->kernel;
    const char *count =
        g->size_count > 1 ? arena_printf(g->arena, "%s*%s", g->sizes[0], g->sizes[1]) : g->sizes[0];
    int buffer = 0;
    if (has_buffers(k))
        text_add(out, "buffers:\n");
    for (int i = 0; i < k->parameter_count; i++) {
        const struct declared_parameter *p = &k->parameters[i];
        int elements = 1;
        if (!p->pointer || is_repeated(k, i))
            continue;
        const char *type = known_type(g, p->type, &elements);
        text_printf(out, "  %s: {type: %s, count: ", p->name, type ? type : "f32");
        elements *= g->attempt.more;
        text_printf(out, elements > 1 ? "%d*%s" : "%.0d%s", elements > 1 ? elements : 0, count);
        text_printf(out, ", fill: \"%s\"", is_whole(type) ? "integers(0,99)" : "uniform(-1,1)");
        bool written = g->changed && g->changed[buffer];
        text_add(out, !g->changed && !p->constant ? ", scratch: true"
                      : written                   ? ", scratch: true"
                                                  : "");
        text_add(out, "}");
        text_add(out, written ? " # written by the kernel" : "");
        text_add(out, "\n");
        if (!type && g->last)
            text_printf(&g->notes, "  %s: the type '%s' is taken for f32\n", p->name, p->type);
        buffer++;
    }
}

static void add_args(struct guess *g, struct text *out)
{
    const struct declared_kernel *k = g->kernel;
    const char *between = "";
    text_add(out, "    args: [");
    for (int i = 0; i < k->parameter_count; i++) {
        const struct declared_parameter *p = &k->parameters[i];
        int elements = 1;
        const char *type = known_type(g, p->type, &elements);
        if (is_repeated(k, i))
            continue;
        text_add(out, between);
        between = ", ";
        if (!p->pointer && !type && g->last)
            text_printf(&g->notes,
                        "  %s: the type '%s' is not known; a struct by value is written {struct: "
                        "[x, i32 4]}\n",
                        p->name, p->type);
        if (p->pointer)
            text_add(out, p->name);
        else if (is_whole(type))
            text_printf(out, strcmp(type, "i32") == 0 ? "%s" : "{value: %s, type: %s}", p->name,
                        type);
        else
            text_printf(out, "{value: 1.5, type: %s}", type ? type : "f32");
    }
    text_add(out, "]\n");
}

static void write_experiment(struct guess *g, struct text *out)
{
    const struct declared_kernel *k = g->kernel;
    bool plane = k->two_dimensional && g->size_count > 1;
    text_printf(out, "experiment: %s\ntitle: %s\nsource: %s\n\nparams:\n", g->name, g->wanted,
                g->source);
    for (int i = 0; i < g->size_count; i++)
        text_printf(out, "  %s: %d\n", g->sizes[i],
                    g->size_count > 1 ? g->attempt.several : g->attempt.alone);
    text_add(out, "\n");
    add_buffers(g, out);
    text_printf(out, "\nvariants:\n  - name: first\n    kernel: \"%s\"\n", g->wanted);
    if (plane)
        text_printf(out,
                    "    grid: [\"ceil_div(%s,16)\", \"ceil_div(%s,16)\"]\n    block: [16, 16]\n",
                    g->sizes[0], g->sizes[1]);
    else if (g->size_count > 1)
        text_printf(out, "    grid: [\"ceil_div(%s*%s,256)\"]\n    block: [256]\n", g->sizes[0],
                    g->sizes[1]);
    else
        text_printf(out, "    grid: [\"ceil_div(%s,256)\"]\n    block: [256]\n", g->sizes[0]);
    if (k->dynamic_shared)
        text_add(out, "    shared_bytes: 4096\n");
    add_args(g, out);
}

/* ---- which kernel ------------------------------------------------------------------------------------------ */

// Without scope and template arguments.
static const char *bare_name(struct arena *a, const char *name)
{
    size_t end = strcspn(name, "<");
    const char *from = name;
    for (size_t i = 0; i + 1 < end; i++)
        if (name[i] == ':' && name[i + 1] == ':')
            from = name + i + 2;
    return arena_strndup(a, from, end - (size_t)(from - name));
}

static const struct declared_kernel *choose_kernel(struct arena *a, const char *path,
                                                   const struct declared_kernel *kernels, int count,
                                                   const char *wanted, struct error *err)
{
    const struct declared_kernel *found = NULL;
    int hits = 0;
    for (int i = 0; i < count; i++)
        if (!wanted || strcmp(kernels[i].name, wanted) == 0 ||
            strcmp(bare_name(a, kernels[i].name), bare_name(a, wanted)) == 0) {
            found = &kernels[i];
            hits++;
        }
    struct text names = {0};
    for (int i = 0; i < count; i++)
        text_printf(&names, "%s%s", i > 0 ? ", " : "", kernels[i].name);
    if (hits == 0)
        (void)fail(err, NOWHERE, "'%s' has no kernel '%s'; it has: %s", path, wanted,
                   text_str(&names));
    else if (hits > 1)
        (void)fail(err, NOWHERE, "'%s' has several kernels%s%s; name one, --from %s:NAME: %s", path,
                   wanted ? " " : "", wanted ? wanted : "", path, text_str(&names));
    else if (found->template_parameters && (!wanted || !strchr(wanted, '<')))
        (void)fail(err, NOWHERE, "'%s' is a template; give its arguments, --from '%s:%s<...>': %s",
                   found->name, path, found->name, found->template_parameters);
    text_release(&names);
    return err->kind == ERROR_NONE ? found : NULL;
}

// "FILE:KERNEL" at the colon behind the file's ending; scopes have colons too.
static void split(struct arena *a, const char *from, const char **path, const char **kernel)
{
    const char *slash = strrchr(from, '/'), *dot = strchr(slash ? slash : from, '.');
    const char *colon = dot ? strchr(dot, ':') : NULL;
    *path = colon ? arena_strndup(a, from, (size_t)(colon - from)) : from;
    *kernel = colon ? colon + 1 : NULL;
}

/* ---- the command ------------------------------------------------------------------------------------------- */

static const char *safe_name(struct arena *a, const char *kernel)
{
    char *name = arena_strdup(a, bare_name(a, kernel));
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) || *c == '_' || *c == '-' ? *c : '_';
    return name;
}

// A small launch; what cannot be watched leaves every buffer as one that may be written.
static void watch(const struct options *o, struct guess *g, const char *file,
                  const struct text *yaml, struct error *err)
{
    struct experiment *e = NULL;
    struct loop_request request = {.compiler = option_text(o, OPTION_COMPILER, "auto")};
    struct arena *a = g->arena;
    if (experiment_parse(a, file, yaml->data, yaml->length, &e, err)) {
        bool *changed = ARENA_ARRAY(a, bool, e->buffer_count + 1);
        if (loop_watch(a, &request, e, changed, err))
            g->changed = changed;
    }
}

// A folder of its own path, or one beside the source's.
static const char *source_from(struct arena *a, const char *folder, const char *path)
{
    char *real = *path != '/' && strchr(folder, '/') ? realpath(path, NULL) : NULL;
    const char *source = real           ? arena_strdup(a, real)
                         : *path == '/' ? path
                                        : arena_printf(a, "../%s", path);
    free(real);
    return source;
}

// As the simulator says it of an address.
static bool went_outside(const char *message)
{
    static const char *const words[] = {" past the end of ", " before the start of ",
                                        "no buffer",         "no allocation",
                                        "outside",           "out of bounds"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strstr(message, words[i]))
            return true;
    return false;
}

// The first attempt whose launch ends; if none does, the first attempt and why it stopped.
static void try_sizes(const struct options *o, struct guess *g, const char *file)
{
    struct error first = {0};
    struct text yaml = {0};
    for (size_t i = 0; i < COUNT_OF(attempts) && !g->changed; i++) {
        struct error err = {0};
        g->attempt = attempts[i];
        text_clear(&yaml);
        write_experiment(g, &yaml);
        watch(o, g, file, &yaml, &err);
        if (i == 0)
            first = err;
        if (err.kind != ERROR_NONE && !went_outside(err.message))
            break;
    }
    if (!g->changed) {
        g->attempt = attempts[0];
        text_printf(&g->notes,
                    "  a small launch on the simulated GPU stops, so that sizes, grid or "
                    "arguments want mending:\n    %s\n",
                    first.message);
    }
    text_release(&yaml);
}

static bool tell(const struct options *o, const struct guess *g, const char *path,
                 struct error *err)
{
    struct text out = {0};
    text_printf(&out,
                "made %s around %s\nguessed, to be checked in it:\n  sizes, counts, fills, grid "
                "and block\n%s",
                path, g->wanted, text_str(&g->notes));
    if (g->changed)
        text_add(&out, "  buffers that the launch wrote are marked; with a reference they become "
                       "'output: true'\n");
    text_printf(&out, "now: ridge run %s\n", g->folder);
    bool done = option_given(o, OPTION_JSON)
                    ? cli_print_json(json_pack("{s:[s], s:s, s:b}", "created", path, "kernel",
                                               g->wanted, "ran", g->changed != NULL),
                                     err)
                    : cli_print(&out, err);
    text_release(&out);
    return done;
}

bool new_from(const struct options *o, struct error *err)
{
    struct arena a = {0};
    struct text yaml = {0};
    struct guess g = {.arena = &a};
    struct declared_kernel *kernels = NULL;
    const char *path = NULL, *wanted = NULL;
    int count = 0;
    split(&a, option_text(o, OPTION_FROM, ""), &path, &wanted);
    struct compile_request r = request_for(o, path);
    bool done = find_kernels(&a, &r, &kernels, &count, err) &&
                (g.kernel = choose_kernel(&a, path, kernels, count, wanted, err)) != NULL;
    if (done) {
        g.wanted = wanted && strchr(wanted, '<') ? wanted : g.kernel->name;
        g.path = path;
        g.folder = o->argument_count > 0 ? o->arguments[0] : safe_name(&a, g.kernel->name);
        g.name = safe_name(&a, path_name(g.folder));
        g.source = source_from(&a, g.folder, path);
        find_sizes(&g);
    }
    const char *file = done ? path_join(&a, g.folder, "experiment.yaml") : NULL;
    if (done && file_exists(g.folder))
        done = fail(err, NOWHERE, "'%s' exists already: choose another name", g.folder);
    done = done && dir_make(g.folder, err);
    if (done) {
        try_sizes(o, &g, file);
        g.last = true;
        write_experiment(&g, &yaml);
        done = file_write(file, yaml.data, yaml.length, err) && tell(o, &g, file, err);
    }
    text_release(&yaml);
    text_release(&g.notes);
    arena_release(&a);
    return done;
}
