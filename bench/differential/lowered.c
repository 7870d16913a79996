// What the lowering pass makes of PTX, for comparison with ptxas (lowered.py): lowered FILE.ptx prints, for each kernel,
// "kernel line depth block pipe slots opcode" per PTX instruction: its line, how many loops it lies in, its basic
// block, its pipe (model/pipes.def), how many machine instructions it becomes, its opcode.
// SPDX-License-Identifier: Apache-2.0
#include "sim/run/exec.h"

#include <stdio.h>
#include <stdlib.h>

static const char *pipe_name(enum timing_pipe pipe)
{
    static const char *const names[] = {
#define PIPE(id, unit, server, other, lanes, latency, reader, compiler, pace, fixed, touches, \
             path, meaning)                                                                   \
#id,
#include "sim/model/pipes.def"
#undef PIPE
    };
    return names[pipe];
}

// Loops are taken from the text: a jump back to a block makes a loop of all between.
static int depth_of(const struct ptx_function *f, int block)
{
    int depth = 0;
    for (int from = block; from < f->block_count; from++)
        for (int s = 0; s < f->blocks[from].successor_count; s++) {
            int to = f->blocks[from].successors[s];
            depth += to >= 0 && to <= block;
        }
    return depth;
}

static void kernel_print(struct sim_module *m, const struct ptx_function *f)
{
    struct program *p = program_new(m, f, sim_isa_best());
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        const struct timing_site *t = &p->timing[p->functions[0].site_base + i];
        int block = f->block_of[i];
        if (block >= 0 && f->blocks[block].reachable)
            printf("%s %d %d %d %s %u %s\n", f->name, in->line, depth_of(f, block), block,
                   pipe_name(t->pipe), site_slots(t), ptx_opcode_name(in->opcode));
    }
    program_free(p);
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
    if (argc != 2) {
        fprintf(stderr, "usage: lowered FILE.ptx\n");
        return 2;
    }
    bool ok = gpu_load(&arena, "h200", &gpu, &err) && sim_open(gpu, &sim, &err) &&
              file_read(argv[1], TEXT_MAX, &text, &size, &err) &&
              ptx_parse(&arena, argv[1], text, size, &ptx, &err) &&
              sim_module_load(sim, ptx, &m, &err);
    for (int i = 0; ok && i < ptx->function_count; i++)
        if (ptx->functions[i].is_entry)
            kernel_print(m, &ptx->functions[i]);
    if (!ok)
        fprintf(stderr, "lowered: %s\n", err.message);
    if (m != NULL)
        sim_module_unload(sim, m);
    free(text);
    sim_close(sim);
    arena_release(&arena);
    return ok ? 0 : 1;
}
