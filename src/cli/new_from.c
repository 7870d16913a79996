// ridge new --list FILE: the kernels of a source. ridge new --from FILE[:KERNEL]: an experiment around one of them.
// Names and types come from the source, and where it is PTX, from the code; the rest is guessed (new_guess.h).
// SPDX-License-Identifier: Apache-2.0
#include "cli/new_guess.h"

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

// source: NULL of PTX.
static bool find_kernels(struct arena *a, const struct compile_request *r,
                         const struct source **source, struct declared_kernel **out, int *count,
                         struct error *err)
{
    if (is_ptx(r->source_path)) {
        *source = NULL;
        if (!kernels_of_ptx(a, r, out, count, err))
            return false;
    } else {
        if (!declared_read(a, r, source, err))
            return false;
        declared_kernels_list(a, *source, out, count);
    }
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
    const struct source *source = NULL;
    struct compile_request r = request_for(o, option_text(o, OPTION_LIST, ""));
    bool done = find_kernels(&a, &r, &source, &kernels, &count, err);
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
            hits += !found || strcmp(found->name, kernels[i].name) != 0; // overloads: the last
            found = &kernels[i];
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

static bool tell(const struct options *o, const struct guess *g, const char *path,
                 struct error *err)
{
    struct text out = {0}, guesses = {0};
    guess_tell(g, &guesses);
    text_printf(&out, "made %s around %s\nguessed, to be checked in it:\n%s", path, g->wanted,
                text_str(&guesses));
    text_printf(&out, g->watched ? "now: ridge run %s\n" : "mend it, then: ridge run %s\n",
                g->folder);
    bool done =
        option_given(o, OPTION_JSON)
            ? cli_print_json(json_pack("{s:[s], s:s, s:b, s:s}", "created", path, "kernel",
                                       g->wanted, "ran", g->watched, "guesses", text_str(&guesses)),
                             err)
            : cli_print(&out, err);
    text_release(&guesses);
    text_release(&out);
    return done;
}

// The kernel as the file names it: a template with arguments.
static void read_launch(struct guess *g, const char *wanted)
{
    struct arena *a = g->arena;
    const struct declared_kernel *k = g->kernel;
    if (g->source)
        declared_launch_find(a, g->source, k, &g->launch);
    g->wanted = k->name;
    if (wanted && strchr(wanted, '<')) {
        g->wanted = wanted;
        g->launch.template_guesses = NULL;
    } else if (k->template_parameters) {
        g->wanted = arena_printf(a, "%s<%s>", k->name, g->launch.template_arguments);
    }
}

bool new_from(const struct options *o, struct error *err)
{
    struct arena a = {0};
    struct text yaml = {0};
    struct guess g = {.arena = &a};
    struct declared_kernel *kernels = NULL;
    const char *wanted = NULL;
    int count = 0;
    split(&a, option_text(o, OPTION_FROM, ""), &g.path, &wanted);
    struct compile_request r = request_for(o, g.path);
    bool done = find_kernels(&a, &r, &g.source, &kernels, &count, err) &&
                (g.kernel = choose_kernel(&a, g.path, kernels, count, wanted, err)) != NULL;
    if (done) {
        read_launch(&g, wanted);
        g.folder = o->argument_count > 0 ? o->arguments[0] : safe_name(&a, g.kernel->name);
        g.name = safe_name(&a, path_name(g.folder));
        g.source_named = source_from(&a, g.folder, g.path);
        guess_launch(&g);
    }
    const char *file = done ? path_join(&a, g.folder, "experiment.yaml") : NULL;
    if (done && file_exists(g.folder))
        done = fail(err, NOWHERE, "'%s' exists already: choose another name", g.folder);
    done = done && dir_make(g.folder, err);
    if (done) {
        guess_watch(o, &g, file);
        guess_write(&g, &yaml);
        done = file_write(file, yaml.data, yaml.length, err) && tell(o, &g, file, err);
    }
    text_release(&yaml);
    text_release(&g.notes);
    arena_release(&a);
    return done;
}
