// Which instructions the decoder knows: every row of coverage.def becomes a kernel of one statement.
// RIDGE_COVERAGE_LIST=1 prints all rows that don't hold instead of stopping at the first; with a file as
// argument: which of its statements, one per line, are refused.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#undef fail
#include "sim/exec_support.h"

#define KERNEL_HEAD                                                                             \
    ".version 8.6\n.target sm_90a\n.address_size 64\n.const .u32 c = 5;\n.global .u32 g[64];\n" \
    ".visible .entry k()\n{\n.reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<13>;\n"          \
    ".reg .f32 %f<9>;\n.reg .f64 %d<9>;\n.reg .b64 %l<9>;\n.reg .b128 %q<9>;\n"                 \
    ".shared .align 16 .b8 s[1024];\n.local .align 16 .b8 v[64];\n"

struct row {
    const char *statement, *refusal; // NULL: it runs
};
static const struct row COVERAGE[] = {
#define RUNS(statement) {statement, NULL},
#define REFUSED(statement, why) {statement, why},
#include "sim/coverage.def"
};

// Outlives what it was part of.
static const char *keep(const char *sentence)
{
    static struct text kept;
    text_clear(&kept);
    text_add(&kept, sentence);
    return text_str(&kept);
}

// Why the decoder refuses the statement, NULL if it does not.
static const char *refusal_of(const char *statement, struct bench *b)
{
    static char text[4096];
    (void)snprintf(text, sizeof(text), "%s%s\nret;\n}\n", KERNEL_HEAD, statement);
    memset(b, 0, sizeof(*b));
    const char *result = NULL;
    if (!gpu_load(&b->arena, "h200", &b->gpu, &b->err) || !sim_open(b->gpu, &b->sim, &b->err) ||
        !ptx_parse(&b->arena, "coverage.ptx", text, strlen(text), &b->ptx, &b->err) ||
        !sim_module_load(b->sim, b->ptx, &b->module, &b->err)) {
        result = keep(b->err.message);
    } else {
        struct program *p = program_new(b->module, ptx_function_find(b->ptx, "k"), b->sim->isa);
        for (int i = 0; i < p->site_count && result == NULL; i++)
            if (p->sites[i].why != NULL) {
                result = keep(p->sites[i].why);
            }
        program_free(p);
    }
    bench_close(b);
    return result;
}

static void every_instruction_runs_or_is_refused_with_a_reason(void **state)
{
    struct bench b;
    int wrong = 0;
    bool list = getenv("RIDGE_COVERAGE_LIST") != NULL;
    for (size_t i = 0; i < COUNT_OF(COVERAGE); i++) {
        const struct row *r = &COVERAGE[i];
        const char *why = refusal_of(r->statement, &b);
        bool holds = r->refusal == NULL ? why == NULL : why != NULL && strcmp(why, r->refusal) == 0;
        if (holds)
            continue;
        wrong++;
        if (!list)
            fail_msg("%s: %s", r->statement, why != NULL ? why : "runs");
        print_message("%s\n    %s\n", r->statement, why != NULL ? why : "runs");
    }
    assert_int_equal(wrong, 0);
}

// One statement per line: those that are refused.
static int tell_file(const char *path)
{
    char line[1024];
    struct bench b;
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 1;
    while (fgets(line, sizeof(line), f) != NULL) {
        const char *why = refusal_of(line, &b);
        if (why != NULL)
            (void)printf("%s    %s\n", line, why);
    }
    return fclose(f) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return tell_file(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_runs_or_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
