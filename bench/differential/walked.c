// The machine instructions that the lowering pass reckons (sim/decode/lower_code.h) beside ptxas's of the same executions, without
// inputs: each kernel's blocks are walked at random. Needs ptxas (RIDGE_PTXAS) and no GPU.
//   walked [-l] FILE.ptx   for each kernel "name reckoned made registers": what is reckoned of 100 made by ptxas, and the estimated
//                          registers; -l: before it, of each PTX instruction, "| line executed reckoned made opcode", and of each
//                          loop that jumps back once "= first-line last-line copies turns", turns 0 where they are not known
// A loop takes, each time it is entered, its known number of turns, or one drawn for the walk; a way to the kernel's end is taken
// rarely, other branches half of the times. What ptxas makes is kept in FILE.ptx.counts: a run after a change of the pass does not
// ask it again.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"
#include "ptx/ptx.h"
#include "sim/decode/lower_code.h"
#include "sim/observe/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WALKS = 8, STEPS = 6000 };

/* ---- walks -------------------------------------------------------------------------------------------- */

struct walk {
    const struct code *c;
    const struct ptx_function *f;
    int *turns, *left; // by loop: of this walk; still to come
    int *exit;         // by loop: the block whose branch counts its turns; -1
    double *executed;  // by block
    uint64_t random;
};

static double chance(struct walk *w)
{
    enum { BITS = 24 };
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(w->random >> (64 - BITS)) / (double)(1 << BITS);
}

static bool leaves(const struct walk *w, int from, int to, int loop)
{
    return in_loop(w->c, from, loop) && !in_loop(w->c, to, loop);
}

static bool ends(const struct walk *w, int block)
{
    return w->f->blocks[block].successor_count == 0;
}

// The block that leaves the loop and counts its turns: the one that goes back, or else the first.
static int exit_of(const struct walk *w, int loop)
{
    const struct natural_loop *l = &w->c->loops[loop];
    int first = -1, back = l->branch >= 0 ? w->f->block_of[l->branch] : -1;
    for (int b = 0; b < w->f->block_count; b++)
        for (int s = 0; s < w->f->blocks[b].successor_count; s++)
            if (leaves(w, b, w->f->blocks[b].successors[s], loop)) {
                if (b == back)
                    return b;
                first = first < 0 ? b : first;
            }
    return first;
}

static int choose(struct walk *w, int b)
{
    const double seldom = 0.02, to_end = 0.05, half = 0.5;
    const struct ptx_block *block = &w->f->blocks[b];
    if (block->successor_count == 1)
        return block->successors[0];
    for (int loop = w->c->loop_of[b]; loop >= 0; loop = w->c->loops[loop].around)
        for (int s = 0; s < 2; s++) {
            int to = block->successors[s], other = block->successors[1 - s];
            if (!leaves(w, b, to, loop) || leaves(w, b, other, loop))
                continue;
            if (w->exit[loop] != b)
                return chance(w) < seldom ? to : other;
            bool back = other == w->c->loops[loop].head;
            return w->left[loop] - back <= 0 ? to : other;
        }
    for (int s = 0; s < 2; s++)
        if (ends(w, block->successors[s]) && !ends(w, block->successors[1 - s]))
            return block->successors[chance(w) < to_end ? s : 1 - s];
    return block->successors[chance(w) < half];
}

static void turns_draw(struct walk *w)
{
    static const int some[] = {4, 8, 16, 32, 64, 7, 13, 33};
    enum { OUTER_MOST = 6 };
    for (int n = 0; n < w->c->loop_count; n++) {
        const struct natural_loop *l = &w->c->loops[n];
        w->turns[n] = l->turns > 1   ? l->turns
                      : l->has_inner ? 1 + (int)(chance(w) * OUTER_MOST)
                                     : some[(int)(chance(w) * COUNT_OF(some))];
        w->left[n] = 0;
    }
}

static void walk_once(struct walk *w)
{
    int b = 0, before = -1;
    memset(w->executed, 0, (size_t)w->f->block_count * sizeof *w->executed);
    turns_draw(w);
    for (int step = 0; step < STEPS && b >= 0; step++) {
        for (int n = 0; n < w->c->loop_count; n++)
            if (w->c->loops[n].head == b)
                w->left[n] = before < 0 || !in_loop(w->c, before, n) ? w->turns[n] : w->left[n] - 1;
        w->executed[b]++;
        if (ends(w, b))
            return;
        before = b;
        b = choose(w, b);
    }
}

/* ---- counts ------------------------------------------------------------------------------------------- */

// By instruction, in parts of 100 that ptxas's code executes.
struct comparison {
    double *executed, *reckoned, *made;
    double all_reckoned, all_made;
};

static void walk_compare(const struct launch *l, const struct walk *w, struct arena *a,
                         struct comparison *to)
{
    const struct program *p = l->program;
    double *issued = ARENA_ARRAY(a, double, w->f->instruction_count + 1), reckoned = 0, made = 0;
    memset(l->cores->segments, 0, p->segment_count * sizeof *l->cores->segments);
    for (int i = 0; i < w->f->instruction_count; i++)
        if (w->f->block_of[i] >= 0 && p->sites[i].segment >= 0)
            l->cores->segments[p->sites[i].segment].executed =
                (uint64_t)w->executed[w->f->block_of[i]];
    code_issued(w->c, w->executed, NULL, issued);
    const double *slots = machine_slots(l, a);
    for (int i = 0; i < w->f->instruction_count; i++) {
        reckoned += issued[i];
        made += w->f->block_of[i] >= 0 ? slots[i] * w->executed[w->f->block_of[i]] : 0;
    }
    if (made <= 0)
        return;
    double part = 100.0 / WALKS / made;
    to->all_reckoned += part * reckoned;
    to->all_made += part * made;
    for (int i = 0; i < w->f->instruction_count; i++) {
        double executed = w->f->block_of[i] >= 0 ? w->executed[w->f->block_of[i]] : 0;
        to->executed[i] += part * executed;
        to->reckoned[i] += part * issued[i];
        to->made[i] += part * slots[i] * executed;
    }
}

static void lines_print(const struct ptx_function *f, const struct comparison *c)
{
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        double often = fmax(c->executed[i], 1e-9);
        printf("| %d %.1f %.2f %.2f %s", in->line, c->executed[i], c->reckoned[i] / often,
               c->made[i] / often, ptx_opcode_name(in->opcode));
        for (int k = 0; k < in->word_count; k++)
            printf(".%s", in->words[k]);
        printf("\n");
    }
}

static void loops_print(const struct code *c)
{
    for (int n = 0; n < c->loop_count; n++) {
        const struct natural_loop *l = &c->loops[n];
        if (l->branch >= 0)
            printf("= %d %d %d %d\n", c->f->instructions[c->f->blocks[l->head].first].line,
                   c->f->instructions[l->branch].line, l->copies, l->turns);
    }
}

static void kernel_compare(struct sim_module *m, const struct gpu *gpu,
                           const struct ptx_function *f, const struct code_kernel *k, bool lines)
{
    struct program *p = program_new(m, f, sim_isa_best());
    struct arena a = {0};
    const struct code *c = p->functions[0].code;
    struct sim_line_code *codes = ARENA_ARRAY(&a, struct sim_line_code, k->line_count + 1);
    for (int i = 0; i < k->line_count; i++)
        codes[i] = (struct sim_line_code){k->lines[i].line, k->lines[i].loop,
                                          k->lines[i].instructions, k->lines[i].moved};
    struct walk w = {.c = c,
                     .f = f,
                     .turns = ARENA_ARRAY(&a, int, c->loop_count + 1),
                     .left = ARENA_ARRAY(&a, int, c->loop_count + 1),
                     .exit = ARENA_ARRAY(&a, int, c->loop_count + 1),
                     .executed = ARENA_ARRAY(&a, double, f->block_count + 1),
                     .random = 88172645463325252u};
    for (int n = 0; n < c->loop_count; n++)
        w.exit[n] = exit_of(&w, n);
    struct core core = {.segments = ARENA_ARRAY(&a, struct segment_count, p->segment_count + 1),
                        .divergent = ARENA_ARRAY(&a, uint64_t, p->site_count + 1)};
    struct sim_launch options = {.line_codes = codes, .line_code_count = k->line_count};
    struct launch l = {
        .options = &options, .program = p, .gpu = gpu, .cores = &core, .core_count = 1};
    struct comparison sums = {.executed = ARENA_ARRAY(&a, double, f->instruction_count + 1),
                              .reckoned = ARENA_ARRAY(&a, double, f->instruction_count + 1),
                              .made = ARENA_ARRAY(&a, double, f->instruction_count + 1)};
    for (int n = 0; n < WALKS; n++) {
        walk_once(&w);
        walk_compare(&l, &w, &a, &sums);
    }
    if (lines) {
        lines_print(f, &sums);
        loops_print(c);
    }
    printf("%s %.2f %.2f %d\n", f->name, sums.all_reckoned, sums.all_made, program_registers(p));
    arena_release(&a);
    program_free(p);
}

/* ---- what ptxas makes ----------------------------------------------------------------------------------- */

// "kernel count", then so many lines of "line loop instructions moved".
static bool counts_read(struct arena *a, const char *path, struct code_object *code)
{
    FILE *in = fopen(path, "r");
    char name[4096];
    int count;
    if (in == NULL)
        return false;
    while (fscanf(in, "%4095s %d", name, &count) == 2) {
        struct code_line *lines = ARENA_ARRAY(a, struct code_line, count + 1);
        for (int i = 0; i < count; i++)
            if (fscanf(in, "%d %d %d %d", &lines[i].line, &lines[i].loop, &lines[i].instructions,
                       &lines[i].moved) != 4)
                break;
        for (int k = 0; k < code->kernel_count; k++)
            if (strcmp(code->kernels[k].name, name) == 0) {
                code->kernels[k].lines = lines;
                code->kernels[k].line_count = count;
            }
    }
    fclose(in);
    return true;
}

static void counts_write(const char *path, const struct code_object *code)
{
    FILE *out = fopen(path, "w");
    for (int k = 0; out != NULL && k < code->kernel_count; k++) {
        const struct code_kernel *kernel = &code->kernels[k];
        fprintf(out, "%s %d\n", kernel->name, kernel->line_count);
        for (int i = 0; i < kernel->line_count; i++)
            fprintf(out, "%d %d %d %d\n", kernel->lines[i].line, kernel->lines[i].loop,
                    kernel->lines[i].instructions, kernel->lines[i].moved);
    }
    if (out != NULL)
        fclose(out);
}

static void module_compare(struct arena *a, const struct gpu *gpu, struct sim_module *m,
                           const struct ptx_module *ptx, struct code_object *code, const char *kept,
                           bool lines)
{
    code->kernels = ARENA_ARRAY(a, struct code_kernel, ptx->function_count + 1);
    for (int i = 0; i < ptx->function_count; i++)
        if (ptx->functions[i].is_entry)
            code->kernels[code->kernel_count++].name = ptx->functions[i].name;
    if (!counts_read(a, kept, code)) {
        ptxas_count(a, "sm_90", code);
        counts_write(kept, code);
    }
    for (int i = 0, k = 0; i < ptx->function_count; i++)
        if (ptx->functions[i].is_entry && code->kernels[k++].line_count > 0)
            kernel_compare(m, gpu, &ptx->functions[i], &code->kernels[k - 1], lines);
}

int main(int argc, char **argv)
{
    enum { TEXT_MAX = 64 << 20 };
    struct arena arena = {0};
    struct error err = {0};
    struct gpu *gpu = NULL;
    struct sim *sim = NULL;
    struct ptx_module *ptx = NULL;
    struct sim_module *m = NULL;
    char *text = NULL;
    size_t size = 0;
    bool lines = argc == 3 && strcmp(argv[1], "-l") == 0;
    if (argc != 2 + lines) {
        fprintf(stderr, "usage: walked [-l] FILE.ptx\n");
        return 2;
    }
    const char *path = argv[argc - 1];
    bool ok = gpu_load(&arena, "h200", &gpu, &err) && sim_open(gpu, &sim, &err) &&
              file_read(path, TEXT_MAX, &text, &size, &err) &&
              ptx_parse(&arena, path, text, size, &ptx, &err) &&
              sim_module_load(sim, ptx, &m, &err);
    if (ok) {
        struct code_object code = {
            .format = CODE_PTX, .bytes = text, .size_bytes = size, .arch = ptx->target};
        module_compare(&arena, gpu, m, ptx, &code, arena_printf(&arena, "%s.counts", path), lines);
    } else {
        fprintf(stderr, "walked: %s\n", err.message);
    }
    if (m != NULL)
        sim_module_unload(sim, m);
    free(text);
    sim_close(sim);
    arena_release(&arena);
    return ok ? 0 : 1;
}
