// The documentation of a run in Markdown: per iteration hypothesis, implementation (the diff of the
// kernels), results and analysis.
// SPDX-License-Identifier: Apache-2.0
#include "report/walk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- words of others ----------------------------------------------------------------------------- */

void add_markdown(struct text *out, const char *s)
{
    for (s = show_text(s); *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (strchr("\\`*[]<>|#", *s))
            text_add(out, "\\");
        text_addn(out, c < ' ' || c == 0x7f ? " " : s, 1);
    }
}

// Lines as they are, between fences longer than any run of backticks in them.
// Markdown with text in it: every %s is escaped.
static void PRINTF_LIKE(2, 3) markdown_printf(struct text *out, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    text_vprintf_escaped(out, add_markdown, fmt, args);
    va_end(args);
}

static void add_block(struct text *out, const char *language, const char *s)
{
    size_t fence = 3, run = 0, length = strlen(s);
    for (const char *c = s; *c; c++) {
        run = *c == '`' ? run + 1 : 0;
        fence = run >= fence ? run + 1 : fence;
    }
    add_repeat(out, "`", fence);
    text_printf(out, "%s\n%s%s", language, s, length > 0 && s[length - 1] == '\n' ? "" : "\n");
    add_repeat(out, "`", fence);
    text_add(out, "\n\n");
}

/* ---- the kernels' text ------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Past a comment or literal at p, else p itself.
static const char *skip_quiet(const char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p != '"' && *p != '\'')
        return p;
    const char *q = p + 1;
    while (*q && *q != *p && *q != '\n')
        q += q[0] == '\\' && q[1] ? 2 : 1;
    return *q ? q + 1 : q;
}

// Past the brace that closes the one at p; NULL if none does.
static const char *close_brace(const char *p)
{
    int depth = 0;
    while (*p) {
        const char *next = skip_quiet(p);
        if (next != p) {
            p = next;
            continue;
        }
        depth += (*p == '{') - (*p == '}');
        p++;
        if (depth == 0)
            return p;
    }
    return NULL;
}

// The definition of `name` (its line's start to the closing brace), or in PTX of "_Z5naivePf" for
// "naive"; false if there is none.
static bool add_function(struct text *out, const char *source, const char *name)
{
    size_t length = strlen(name);
    char mangled[32];
    size_t head = (size_t)snprintf(mangled, sizeof mangled, "_Z%zu", length);
    const char *start = source; // after the last top-level ; or }
    const char *p = source;
    while (*p) {
        const char *next = skip_quiet(p);
        if (next != p) {
            p = next;
            continue;
        }
        if (*p == ';' || *p == '}' || *p == '#') {
            p += *p == '#' ? strcspn(p, "\n") : 1;
            start = p;
            continue;
        }
        bool word = p == source || !is_word(p[-1]);
        bool found =
            word && ((strncmp(p, name, length) == 0 && !is_word(p[length])) ||
                     (strncmp(p, mangled, head) == 0 && strncmp(p + head, name, length) == 0));
        const char *brace = found ? p + strcspn(p, "{;") : NULL;
        const char *end = brace && *brace == '{' ? close_brace(brace) : NULL;
        if (end) {
            start += strspn(start, " \t\r\n");
            text_addn(out, start, (size_t)(end - start));
            text_add(out, "\n\n");
            return true;
        }
        p++;
    }
    return false;
}

enum { INCLUDE_DEPTH_MAX = 8, INCLUDED_FILES_MAX = 64 };

struct kernel_search { // through a source and what it includes
    struct arena arena;
    const struct run *run;
    const char *name;
    int files;
};

// Of the file, or of the first of those it includes by a name in quotes that has the function.
static bool add_function_of(struct kernel_search *k, struct text *out, const char *path, int depth)
{
    const char *source = NULL;
    size_t size = 0;
    struct error ignored = {0};
    if (depth > INCLUDE_DEPTH_MAX || ++k->files > INCLUDED_FILES_MAX ||
        !run_source_read(&k->arena, k->run, path, &source, &size, &ignored))
        return false;
    bool found = add_function(out, source, k->name);
    static const char directive[] = "#include \"";
    for (const char *at = source; !found && (at = strstr(at, directive));) {
        at += sizeof directive - 1;
        const char *included = arena_strndup(&k->arena, at, strcspn(at, "\"\n"));
        found = add_function_of(k, out, path_join(&k->arena, path_dir(&k->arena, path), included),
                                depth + 1);
    }
    return found;
}

static const struct variant_spec *find_variant(const struct experiment *e, const char *name)
{
    for (int i = 0; name && i < e->variant_count; i++) {
        if (same_text(e->variants[i].name, name))
            return &e->variants[i];
    }
    return NULL;
}

static bool launched_before(const struct variant_spec *v, int index)
{
    for (int i = 0; i < index; i++) {
        if (same_text(v->launches[i].kernel, v->launches[index].kernel))
            return true;
    }
    return false;
}

// Of an experiment with several sources, what this run compiled.
static const char *source_of(struct arena *a, const struct run *r, const struct experiment *e,
                             const struct variant_spec *v)
{
    for (int i = 0; i < r->result_count; i++)
        if (r->results[i].source && same_text(r->results[i].variant, v->name))
            return path_join(a, e->directory, r->results[i].source);
    return v->source ? v->source : e->source;
}

// What Markdown's readers colour it as.
static const char *language_of(const char *path)
{
    return str_ends_with(path, ".ptx") ? "ptx" : str_ends_with(path, ".cl") ? "opencl" : "cuda";
}

static bool is_machine_code(const char *path)
{
    return str_ends_with(path, ".cubin") || str_ends_with(path, ".hsaco");
}

static bool add_kernels(const struct run *r, const struct experiment *e,
                        const struct variant_spec *v, struct text *out, struct error *err)
{
    struct kernel_search k = {.run = r};
    const char *path = source_of(&k.arena, r, e, v), *source;
    if (!path)
        return fail(err, v->at, "variant '%s' has no source", v->name);
    size_t size = 0;
    bool machine_code = is_machine_code(path);
    bool done = machine_code || run_source_read(&k.arena, r, path, &source, &size, err);
    for (int i = 0; done && i < v->define_count; i++)
        text_printf(out, "#define %s %s\n", v->defines[i].name, show_text(v->defines[i].value));
    for (int i = 0; done && i < v->launch_count; i++) {
        const struct launch_spec *l = &v->launches[i];
        k.name = l->kernel;
        k.files = 0;
        if (!l->kernel || launched_before(v, i))
            continue;
        if (machine_code)
            text_printf(out, "// %s: machine code, %s\n", l->kernel, path_name(path));
        else if (!add_function_of(&k, out, path, 0))
            text_printf(out, "// %s is not written out in the source\n", l->kernel);
    }
    arena_release(&k.arena);
    return done;
}

/* ---- the diff ---------------------------------------------------------------------------------- */

static bool temporary(char *path, const char *text, struct error *err)
{
    int fd = mkstemp(path);
    if (fd < 0)
        return fail_as(err, ERROR_SYSTEM, NOWHERE, "cannot make a temporary file '%s'", path);
    (void)close(fd);
    if (file_write(path, text, strlen(text), err))
        return true;
    (void)unlink(path);
    return false;
}

static bool run_diff(const char *before, const char *after, const char *before_name,
                     const char *after_name, struct text *out, struct error *err)
{
    char a[] = "/tmp/ridge-before-XXXXXX";
    char b[] = "/tmp/ridge-after-XXXXXX";
    if (!temporary(a, before, err))
        return false;
    if (!temporary(b, after, err)) {
        (void)unlink(a);
        return false;
    }
    const char *const argv[] = {"diff",    "-U",       "1000", "--label", before_name,
                                "--label", after_name, a,      b,         NULL};
    struct process_spec spec = {.argv = argv, .timeout_s = 60};
    struct process_result result = {0};
    bool done = process_run(&spec, &result, err);
    (void)unlink(a);
    (void)unlink(b);
    if (done && result.exit_status > 1)
        done = fail_as(err, ERROR_SYSTEM, NOWHERE, "diff: %s", text_str(&result.err_text));
    if (done)
        text_add(out, text_str(&result.out));
    process_result_release(&result);
    return done;
}

static bool add_code(const struct run *run, const struct experiment *e,
                     const struct variant_spec *v, const struct variant_spec *from,
                     struct text *out, struct error *err)
{
    struct arena a = {0};
    struct text before = {0};
    struct text after = {0};
    struct text diff = {0};
    bool done =
        add_kernels(run, e, v, &after, err) && (!from || add_kernels(run, e, from, &before, err)) &&
        (!from || run_diff(text_str(&before), text_str(&after), from->name, v->name, &diff, err));
    if (done && !from)
        add_block(out, language_of(source_of(&a, run, e, v)), text_str(&after));
    else if (done && diff.length > 0)
        add_block(out, "diff", text_str(&diff));
    else if (done)
        text_add(out, "The kernels are the same; only the launch or the defines differ.\n\n");
    text_release(&before);
    text_release(&after);
    text_release(&diff);
    arena_release(&a);
    return done;
}

// In a code span nothing is an escape: a backtick would end it, a line end the paragraph.
static void add_code_span(struct text *out, const char *s)
{
    text_add(out, "`");
    for (; *s; s++)
        text_addn(out, *s == '`' || (unsigned char)*s < ' ' ? "?" : s, 1);
    text_add(out, "`");
}

// Files that have gone are said, and are no error of the report.
static void add_implementation(const struct run *run, const struct experiment *e,
                               const struct result *r, struct text *out)
{
    struct error err = {0};
    text_add(out, "**Implementation**\n\n");
    if (r->library) {
        text_add(out, "Calls ");
        add_code_span(out, r->library);
        if (r->library_version)
            markdown_printf(out, " of %s", r->library_version);
        text_add(out, ".\n\n");
        return;
    }
    const struct variant_spec *v = e ? find_variant(e, r->variant) : NULL;
    const struct variant_spec *from = e ? find_variant(e, r->from) : NULL;
    bool gone = !v || (r->from && !from);
    if (from && !variant_has(from, LAUNCH_KERNEL)) // a library's: no code to compare with
        from = NULL;
    if (gone)
        text_add(out, "No diff: the experiment's files are not there any more.\n\n");
    else if (!add_code(run, e, v, from, out, &err))
        markdown_printf(out, "No diff: %s\n\n", err.message);
}

/* ---- the results -------------------------------------------------------------------------------- */

typedef const char *show_function(double value, char out[CELL_SIZE]);

static const char *show_whole(double value, char out[CELL_SIZE])
{
    return show_fixed(value, 0, out);
}

static const char *show_tenths(double value, char out[CELL_SIZE])
{
    return show_fixed(value, 1, out);
}

struct metric {
    const char *name;
    double value;
    enum provenance provenance;
    show_function *show;
};
enum { METRIC_COUNT_MAX = 15 };

static struct metric derived_metric(const char *name, const struct result *r, enum derived_id id)
{
    struct figure f = counters_derived(&r->counters, id);
    return (struct metric){name, figure_number(f), f.provenance, show_tenths};
}

static struct metric counter_metric(const char *name, const struct result *r, enum counter_id id,
                                    show_function *show)
{
    return (struct metric){name, counter_number(r, id), r->counters.figure[id].provenance, show};
}

// Further rows where one of the two results has them.
struct rows {
    bool copies, errors;
};

// How many.
static int read_metrics(const struct result *r, struct rows rows,
                        struct metric out[METRIC_COUNT_MAX])
{
    enum provenance occupancy = PROVENANCE_ABSENT;
    double occupied = result_occupancy(r, &occupancy);
    enum provenance time = r->time.provenance;
    const struct figure *f = r->counters.figure;
    int n = 0;
    out[n++] = (struct metric){"time", result_time_ns(r), time, show_time};
    out[n++] = (struct metric){"GB/s", result_gbps(r), time, show_whole};
    out[n++] = (struct metric){"% of floor", result_floor_pct(r), time, show_tenths};
    out[n++] = derived_metric("sectors/request, loads", r, DERIVED_LOAD_SECTORS_PER_REQUEST);
    out[n++] = derived_metric("sectors/request, stores", r, DERIVED_STORE_SECTORS_PER_REQUEST);
    out[n++] = derived_metric("shared conflicts %", r, DERIVED_SHARED_CONFLICT_PCT);
    out[n++] = (struct metric){"lanes active %", counter_number(r, COUNTER_LANES_ACTIVE_PCT),
                               f[COUNTER_LANES_ACTIVE_PCT].provenance, show_tenths};
    out[n++] = (struct metric){"occupancy %", occupied, occupancy, show_tenths};
    out[n++] = (struct metric){"DRAM bytes", result_dram_bytes(r),
                               f[COUNTER_DRAM_READ_BYTES].provenance, show_bytes};
    if (rows.errors) {
        const struct result_errors *e = &r->errors;
        enum provenance p =
            time == PROVENANCE_MEASURED ? PROVENANCE_MEASURED : PROVENANCE_SIMULATED;
#define ERROR_FIGURE(name, label, column, meaning) \
    out[n++] = (struct metric){label, e->known ? e->name : (double)NAN, p, show_error};
#include "record/errors.def"
#undef ERROR_FIGURE
    }
    if (rows.copies) {
        out[n++] = counter_metric("copies to the device", r, COUNTER_H2D_NS, show_time);
        out[n++] = counter_metric("copies back", r, COUNTER_D2H_NS, show_time);
        out[n++] =
            counter_metric("% of the time, copies", r, COUNTER_TRANSFER_SHARE_PCT, show_tenths);
    }
    return n;
}

static void add_change(double before, double after, struct text *out)
{
    double change = 100.0 * (after / before - 1.0);
    if (isfinite(change))
        markdown_printf(out, "%+.1f %%", change);
    else
        text_add(out, "-");
}

static const char *figure_source(const struct metric *m)
{
    return isfinite(m->value) ? provenance_name(m->provenance) : "-";
}

static void add_results(const struct result *r, const struct result *from, struct text *out)
{
    char a[CELL_SIZE];
    char b[CELL_SIZE];
    struct metric after[METRIC_COUNT_MAX];
    struct metric before[METRIC_COUNT_MAX];
    struct rows rows = {counters_has(&r->counters, COUNTER_H2D_NS),
                        result_errors_any(&r->errors) ||
                            (from && result_errors_any(&from->errors))};
    int count = read_metrics(r, rows, after);
    (void)read_metrics(from ? from : r, rows, before);
    markdown_printf(out, "**Results** (verified: %s)\n\n", verified_word(r));
    if (r->error)
        add_block(out, "", r->error);
    text_add(out, from ? "| metric | before: " : "| metric | before");
    if (from)
        add_markdown(out, from->variant);
    text_add(out, " | provenance | after (");
    add_markdown(out, r->variant);
    text_add(out, ") | provenance | change |\n");
    text_add(out, "|---|---:|---|---:|---|---:|\n");
    for (int i = 0; i < count; i++) {
        markdown_printf(out, "| %s | %s | %s ", after[i].name,
                        from ? before[i].show(before[i].value, a) : "-",
                        from ? figure_source(&before[i]) : "-");
        markdown_printf(out, "| %s | %s | ", after[i].show(after[i].value, b),
                        figure_source(&after[i]));
        add_change(from ? before[i].value : (double)NAN, after[i].value, out);
        text_add(out, " |\n");
    }
    text_add(out, "\n");
}

/* ---- the words ---------------------------------------------------------------------------------- */

static void add_hypothesis(const struct result *r, const struct result *from, struct text *out)
{
    const struct finding *top = from ? top_finding(from) : NULL;
    const char *found = top ? top->title : from ? NULL : "not known yet: the first version";
    text_add(out, "**Hypothesis**\n\n");
    text_add(out, "- Bottleneck: ");
    add_markdown(out, r->bottleneck ? r->bottleneck : found);
    text_add(out, "\n- Optimization: ");
    add_markdown(out, r->hypothesis ? r->hypothesis : r->title);
    text_add(out, "\n- Expected:");
    for (int i = 0; i < r->expectation_count; i++)
        markdown_printf(out, "%s %s %s", i > 0 ? "," : "", show_text(r->expectations[i].what),
                        show_text(r->expectations[i].expected));
    text_add(out, r->expectation_count > 0 ? "\n\n" : " -\n\n");
}

// What it acted on of the steps that it comes from: the promise, and what came.
static void add_taken(const struct run *run, const struct result *r, const struct result *from,
                      struct text *out)
{
    char promised[CELL_SIZE], came[CELL_SIZE];
    for (int i = 0; from->diagnosed && i < from->diagnosis.finding_count; i++) {
        const struct finding *f = &from->diagnosis.findings[i];
        struct taken taken = finding_taken(run, from, f);
        if (f->folded || taken.by != r || !isfinite(finding_gain_pct(from, f)) ||
            (taken.steps > 1 && f != top_finding(from)))
            continue;
        text_add(out, "- Took the advice on ");
        add_markdown(out, from->variant);
        text_add(out, " (");
        add_markdown(out, f->title);
        markdown_printf(out, "): %s %% promised, %s %% came%s\n",
                        show_fixed(finding_gain_pct(from, f), 0, promised),
                        show_fixed(taken_gain_pct(from, r), 0, came),
                        taken.steps > 1 ? ", with the steps between" : "");
    }
}

static void add_all_taken(const struct run *run, const struct result *r, struct text *out)
{
    const struct result *from = find_result(run, r->from, r->case_label);
    for (int i = 0; from && i < TAKEN_STEPS_MAX; i++) {
        add_taken(run, r, from, out);
        from = find_result(run, from->from, r->case_label);
    }
}

static void add_analysis(const struct run *run, const struct result *r, struct text *out)
{
    char a[CELL_SIZE];
    const struct finding *top = top_finding(r);
    text_add(out, "**Analysis**\n\n");
    if (r->status != RESULT_OK) {
        text_add(out, r->status == RESULT_SKIPPED
                          ? "- Not run on this device: nothing to compare.\n\n"
                          : "- Not right, so not timed: see the error.\n\n");
        return;
    }
    for (int i = 0; i < r->expectation_count; i++) {
        const struct expectation_result *e = &r->expectations[i];
        markdown_printf(out, "- %s: expected %s, actual %s: %s\n", show_text(e->what),
                        show_text(e->expected), show_text(e->actual),
                        expectation_verdict_name(e->verdict));
    }
    add_all_taken(run, r, out);
    if (r->speedup.valid) {
        text_add(out, "- Against ");
        add_markdown(out, r->speedup.versus);
        markdown_printf(out, ": %sx, %s\n", show_fixed(r->speedup.comparison.ratio, 2, a),
                        verdict_name(r->speedup.comparison.verdict));
    }
    if (r->diagnosed)
        markdown_printf(out, "- Limiter: %s%s%s\n", show_text(r->diagnosis.limiter),
                        r->diagnosis.limiter_why ? ": " : "",
                        r->diagnosis.limiter_why ? r->diagnosis.limiter_why : "");
    if (has_energy(r)) {
        struct arena arena = {0};
        markdown_printf(out, "- Energy: %s\n", energy_words(&arena, r));
        arena_release(&arena);
    }
    if (!r->library) {
        double gain = top ? finding_gain_pct(r, top) : (double)NAN;
        char pct[CELL_SIZE], time[CELL_SIZE];
        markdown_printf(out, "- New bottleneck: %s",
                        top ? show_text(top->title) : "no finding promises a gain");
        if (isfinite(gain))
            markdown_printf(out, "; its fix promises %s %%, %s", show_fixed(gain, 0, pct),
                            show_time(top->expected_time_ns, time));
        text_add(out, "\n");
    }
    text_add(out, "\n");
}

static void case_begin(const struct report_case *c, const struct report_out *o)
{
    if (c->label && c->label[0])
        markdown_printf(o->text, "## %s\n\n", c->label); // names and numbers, checked at reading
    for (int i = 0; i < ANSWER_COUNT; i++) {
        markdown_printf(o->text, "- **%s**: ", answer_name(c, (enum answer)i));
        add_markdown(o->text, c->answers[i]);
        text_add(o->text, "\n");
    }
    text_add(o->text, "\n");
}

static void iteration_each(const struct report_case *c, int index, const struct report_out *o)
{
    const struct result *it = c->results[index];
    const struct result *from = find_result(c->run, it->from, c->label);
    markdown_printf(o->text, "### Iteration %d: ", index);
    add_markdown(o->text, it->variant);
    text_add(o->text, "\n\n");
    if (it->library)
        text_add(o->text, "A peer, for comparison.\n\n");
    else
        add_hypothesis(it, from, o->text);
    add_implementation(c->run, o->experiment, it, o->text);
    add_results(it, from, o->text);
    add_analysis(c->run, it, o->text);
}

static void markdown_begin(const struct run *r, const struct report_out *o)
{
    const struct run_header *h = &r->header;
    char sampling[CELL_SIZE];
    text_add(o->text, "# ");
    add_markdown(o->text, h->title ? h->title : h->experiment);
    text_add(o->text, "\n\n");
    markdown_printf(o->text, "Device: %s (%s). Date: %s. Caches: %s%s. ridge %s",
                    show_text(h->device_name), show_text(h->device_id), show_text(h->started),
                    show_text(h->cache_state), show_sampling(h, sampling),
                    show_text(h->ridge_version));
    markdown_printf(o->text, "%s%s.\n\n", h->git ? ". Commit: " : "", h->git ? h->git : "");
}

static void markdown_end(const struct run *r, const struct report_out *o)
{
    struct text line = {0};
    add_run_fidelity(&line, r);
    if (line.length > 0)
        markdown_printf(o->text, "**Fidelity**: %s\n\n", text_str(&line));
    text_release(&line);
    markdown_printf(o->text, "**Stop rule**: %s\n", r->stop_reason ? r->stop_reason : "go on");
}

static const struct report_part parts[] = {{.begin = case_begin, .each = iteration_each}};
static const struct report_writer markdown = {
    .begin = markdown_begin, .parts = parts, .part_count = COUNT_OF(parts), .end = markdown_end};

bool report_markdown(const struct run *r, const struct experiment *experiment, struct text *out,
                     struct error *err)
{
    const struct report_out o = {.text = out, .experiment = experiment};
    error_clear(err);
    report_walk(r, &markdown, &o);
    return true;
}
