// How many machine instructions ptxas makes of each line of PTX: it assembles a copy in which every statement is a line of
// source of its own (.loc), and the line table of its output says what came of which. Machine code is counted, by line; it
// is neither run nor translated. What lies behind a kernel's end for values that are rare (slow paths of divisions and
// roots, lanes brought together that diverged) is left out, and so are the calls of it.
// SPDX-License-Identifier: Apache-2.0
#include "base/elf.h"
#include "device/compile/ptxas_blocks.h"
#include "device/cuda/cubin.h"
#include "device/internal.h"
#include "ptx/ptx.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTRUCTION_BYTES = 16,
    OPCODE_MASK = 0xfff,
    GUARD_SHIFT = 12,
    GUARD_MASK = 15,
    ALWAYS = 7, // the guard PT
    OP_NOP = 0x918,
    OP_BRANCH = 0x947,
    OP_EXIT = 0x94d,
    OP_CALL = 0x943,
    OP_CALL_NEAR = 0x944,
    OP_RETURN = 0x950,
    OP_MEET = 0x348, // lanes that diverged, brought together
    OP_MEET_BRANCH = 0x948,
    CALLED = 3, // machine instructions of a call: its argument, its address, itself
    CUBIN_BYTES_MAX = 256 << 20,
};
static const double ask_timeout_s = 60;

/* ---- PTX with a line for each statement -------------------------------------------------------------- */

static const char *after_blanks(const char *line)
{
    return line + strspn(line, " \t");
}

static bool is_directive(const char *text, const char *name)
{
    return str_starts_with(text, name) && (text[strlen(name)] == ' ' || text[strlen(name)] == '\t');
}

// Which lines hold an instruction: by number, from 1 on.
static bool *statement_lines(struct arena *a, const struct ptx_module *m, int count)
{
    bool *is = ARENA_ARRAY(a, bool, count + 2);
    for (int f = 0; f < m->function_count; f++)
        for (int i = 0; i < m->functions[f].instruction_count; i++) {
            int line = m->functions[f].instructions[i].line;
            if (line > 0 && line <= count)
                is[line] = true;
        }
    return is;
}

static int lines_in(const char *text)
{
    int lines = 1;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    return lines;
}

// Its own .loc and .file would be other lines. NULL: it is not read here.
static const char *marked_text(struct arena *a, const char *ptx, size_t size_bytes,
                               struct ptx_module **module)
{
    struct ptx_module *m = NULL;
    struct error ignored = {0};
    struct text t = {0};
    int number = 1;
    bool named = false;
    if (!ptx_parse(a, "kernel.ptx", ptx, size_bytes, &m, &ignored))
        return NULL;
    *module = m;
    const bool *is = statement_lines(a, m, lines_in(ptx));
    for (const char *line = ptx; *line; number++) {
        size_t length = strcspn(line, "\n");
        const char *first = after_blanks(line);
        bool dropped = is_directive(first, ".loc") || is_directive(first, ".file");
        if (!named && str_starts_with(first, ".address_size")) {
            text_addn(&t, line, length);
            text_add(&t, "\n.file 1 \"kernel.ptx\"");
            named = dropped = true;
        }
        if (is[number])
            text_printf(&t, ".loc 1 %d 0\n", number);
        if (!dropped)
            text_addn(&t, line, length);
        text_add(&t, "\n");
        line += length + (line[length] == '\n');
    }
    const char *text = named ? arena_strdup(a, text_str(&t)) : NULL;
    text_release(&t);
    return text;
}

/* ---- counting -------------------------------------------------------------------------------------------- */

enum { LOOPS_MAX = 255 }; // of a kernel; what lies in further ones counts as in the loop around

struct loop {
    uint64_t first, last; // instructions
};
struct counting {
    struct loop loops[LOOPS_MAX];
    int loop_count;
    int *moved;               // as of_line: of those, what came of other lines
    int *of_line;             // by number of the line, then by loop: LOOPS_MAX + 1 of them each
    int line_count, function; // of the PTX
};

static int place_of(const struct counting *c, int line, int loop)
{
    return line * (c->loop_count + 1) + loop;
}

static uint64_t word_at(const uint8_t *code, uint64_t at)
{
    uint64_t word;
    memcpy(&word, code + at, sizeof word);
    return word;
}

static int64_t jump_distance(const uint8_t *code, uint64_t at)
{
    enum { LOW_SHIFT = 16, LOW_BITS = 8, HIGH_SHIFT = 34, HIGH_BITS = 48, UNIT = 4 };
    uint64_t word = word_at(code, at), next = word_at(code, at + sizeof word);
    // The distance from the next instruction: 48 bits from bit 34 on, and eight more below them at bit 16.
    uint64_t high = (word >> HIGH_SHIFT | next << (64 - HIGH_SHIFT)) << (64 - HIGH_BITS);
    int64_t distance = (int64_t)high >> (64 - HIGH_BITS);
    return (distance * (1 << LOW_BITS) + (int64_t)(word >> LOW_SHIFT & 0xff)) * UNIT;
}

static bool is_jump_back(const uint8_t *code, uint64_t at, uint64_t *to)
{
    if ((word_at(code, at) & OPCODE_MASK) != OP_BRANCH)
        return false;
    int64_t distance = jump_distance(code, at);
    *to = at + INSTRUCTION_BYTES + (uint64_t)distance;
    return distance < -INSTRUCTION_BYTES && *to < at; // not to itself
}

// A jump back makes a loop of all between; several to one place make one.
static void loops_find(const uint8_t *code, uint64_t end, struct counting *c)
{
    for (uint64_t at = 0, to; at < end; at += INSTRUCTION_BYTES) {
        int i = 0;
        if (!is_jump_back(code, at, &to))
            continue;
        while (i < c->loop_count && c->loops[i].first != to)
            i++;
        if (i < LOOPS_MAX)
            c->loops[i] = (struct loop){to, at};
        if (i == c->loop_count && i < LOOPS_MAX)
            c->loop_count++;
    }
}

static int loop_around(const struct counting *c, uint64_t at)
{
    int best = 0;
    for (int i = 0; i < c->loop_count; i++) {
        const struct loop *l = &c->loops[i];
        if (at >= l->first && at <= l->last &&
            (best == 0 || l->last - l->first < c->loops[best - 1].last - c->loops[best - 1].first))
            best = i + 1;
    }
    return best;
}

static bool is_out_of_line(unsigned opcode)
{
    return opcode == OP_RETURN || opcode == OP_MEET || opcode == OP_MEET_BRANCH;
}

// Where the instructions end that ordinary values reach, beyond the last unconditional EXIT.
static uint64_t end_of(const uint8_t *code, uint64_t size_bytes)
{
    uint64_t end = size_bytes;
    bool rare = false;
    for (uint64_t at = 0; at < size_bytes; at += INSTRUCTION_BYTES) {
        uint64_t word = word_at(code, at);
        if ((word & OPCODE_MASK) == OP_EXIT && (word >> GUARD_SHIFT & GUARD_MASK) == ALWAYS) {
            end = at + INSTRUCTION_BYTES;
            rare = false;
        } else {
            rare = rare || is_out_of_line((unsigned)(word & OPCODE_MASK));
        }
    }
    if (rare)
        return end;
    // The jump to itself that stands behind everything, and what fills the last line up.
    while (size_bytes > end &&
           (word_at(code, size_bytes - INSTRUCTION_BYTES) & OPCODE_MASK) == OP_NOP)
        size_bytes -= INSTRUCTION_BYTES;
    bool jump = size_bytes > end &&
                (word_at(code, size_bytes - INSTRUCTION_BYTES) & OPCODE_MASK) == OP_BRANCH;
    return jump ? size_bytes - INSTRUCTION_BYTES : size_bytes;
}

static int loops_around(const struct counting *c, uint64_t at)
{
    int depth = 0;
    for (int i = 0; i < c->loop_count; i++)
        depth += at >= c->loops[i].first && at <= c->loops[i].last;
    return depth;
}

static bool is_memory(unsigned opcode)
{
    enum { KIND_MASK = 0x1ff }; // without the form of the operands
    static const uint16_t kinds[] = {
        0x180, 0x181, 0x183, 0x184, 0x185, 0x186, 0x187,
        0x188, 0x18c, 0x18e, 0x1a8, 0x1ae, 0x11d}; // LD ... STS, ATOMS, RED, ATOMG, LDGSTS, BAR
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if ((opcode & KIND_MASK) == kinds[i])
            return true;
    return false;
}

// BRA.DIV, before what lanes exchange: where they have diverged it leads to a slow path behind the kernel's end. Its lanes stay here.
static bool is_divergence_test(const uint8_t *code, uint64_t at)
{
    enum { DIV_SHIFT = 27 }; // of the second word
    return (word_at(code, at + sizeof(uint64_t)) >> DIV_SHIFT & 1) != 0 &&
           (word_at(code, at) >> GUARD_SHIFT & GUARD_MASK) == ALWAYS && jump_distance(code, at) > 0;
}

static struct machine_instruction instruction_at(const struct counting *c, const uint8_t *code,
                                                 uint64_t at)
{
    uint64_t word = word_at(code, at);
    unsigned opcode = (unsigned)(word & OPCODE_MASK);
    struct machine_instruction m = {.guarded = (word >> GUARD_SHIFT & GUARD_MASK) != ALWAYS,
                                    .memory = is_memory(opcode),
                                    .target = -1,
                                    .loop = loop_around(c, at),
                                    .depth = loops_around(c, at)};
    if (opcode == OP_EXIT)
        m.kind = MACHINE_EXIT;
    if (opcode == OP_BRANCH && !is_divergence_test(code, at)) {
        int64_t to = ((int64_t)at + jump_distance(code, at)) / INSTRUCTION_BYTES + 1;
        m.kind = MACHINE_BRANCH;
        m.target = to >= 0 && to < INT_MAX ? (int)to : -1;
    }
    return m;
}

// Divisions and roots have a branch around what ordinary values do not need: a subroutine's arguments, its call, what is done
// with its result. That is all of the branch's own line of PTX.
static void rare_find(const struct machine_instruction *made, const int *line, int count,
                      const uint8_t *code, bool *rare)
{
    enum { MOST = 16 };
    for (int i = 0; i < count; i++) {
        int to = made[i].kind == MACHINE_BRANCH && made[i].guarded ? made[i].target : -1;
        bool calls = false;
        if (to <= i + 1 || to > count || to - i > MOST)
            continue;
        for (int k = i + 1; k < to; k++) {
            unsigned opcode =
                (unsigned)(word_at(code, (uint64_t)k * INSTRUCTION_BYTES) & OPCODE_MASK);
            calls |= (opcode == OP_CALL || opcode == OP_CALL_NEAR) && line[k] == line[i];
        }
        for (int k = i + 1; k < to && calls; k++)
            rare[k] = true;
    }
}

static void count_function(struct arena *a, const struct cubin_lines *lines,
                           const struct ptx_line *ptx, const char *name, const uint8_t *code,
                           uint64_t size_bytes, struct counting *c)
{
    uint64_t end = end_of(code, size_bytes);
    int line = 0, count = (int)(end / INSTRUCTION_BYTES), entry = -1;
    loops_find(code, end, c);
    c->of_line = ARENA_ARRAY(a, int, (c->line_count + 1) * (c->loop_count + 1));
    c->moved = ARENA_ARRAY(a, int, (c->line_count + 1) * (c->loop_count + 1));
    struct machine_instruction *made = ARENA_ARRAY(a, struct machine_instruction, count + 1);
    for (int i = 0; i < count; i++) {
        uint64_t at = (uint64_t)i * INSTRUCTION_BYTES;
        const struct dwarf_place *place = cubin_place_at(lines, name, at);
        if (place && place->file && place->line > 0 && place->line < c->line_count)
            line = place->line;
        made[i] = instruction_at(c, code, at);
        made[i].line = line;
    }
    for (int i = c->line_count - 1; i > 0; i--)
        if (ptx[i].function == c->function)
            entry = ptx[i].block;
    int *own = ARENA_ARRAY(a, int, count + 1);
    for (int i = 0; i < count; i++)
        own[i] = made[i].line;
    bool *rare = ARENA_ARRAY(a, bool, count + 1);
    rare_find(made, own, count, code, rare);
    machine_lines_settle(made, count, ptx, c->line_count, entry);
    for (int i = 0; i < count; i++) {
        if (rare[i])
            continue;
        unsigned opcode = (unsigned)(word_at(code, (uint64_t)i * INSTRUCTION_BYTES) & OPCODE_MASK);
        int more = opcode == OP_CALL || opcode == OP_CALL_NEAR ? -CALLED : opcode != OP_NOP;
        int place = place_of(c, made[i].line, made[i].loop);
        c->of_line[place] += more;
        c->moved[place] += made[i].line != own[i] ? more : 0;
    }
}

static void take_counts(struct arena *a, const struct counting *c, struct code_kernel *k)
{
    int used = 0;
    for (int i = 0; i < c->line_count * (c->loop_count + 1); i++)
        used += c->of_line[i] > 0;
    k->lines = ARENA_ARRAY(a, struct code_line, used + 1);
    k->line_count = 0;
    for (int i = 1; i < c->line_count; i++)
        for (int loop = 0; loop <= c->loop_count; loop++)
            if (c->of_line[place_of(c, i, loop)] > 0)
                k->lines[k->line_count++] = (struct code_line){
                    i, loop, c->of_line[place_of(c, i, loop)], c->moved[place_of(c, i, loop)]};
}

static int function_named(const struct ptx_module *m, const char *name)
{
    for (int i = 0; i < m->function_count; i++)
        if (strcmp(m->functions[i].name, name) == 0 && m->functions[i].has_body)
            return i;
    return -1;
}

static void count_kernels(struct arena *a, const char *cubin, size_t size_bytes,
                          const struct ptx_module *m, struct code_object *code)
{
    int line_count = lines_in(code->bytes);
    const struct ptx_line *ptx = ptx_lines_of(a, m, line_count + 1);
    struct cubin_lines lines;
    struct error ignored = {0};
    struct elf f;
    if (!elf_open(cubin, size_bytes, &f) ||
        !cubin_lines_read(a, cubin, size_bytes, &lines, &ignored))
        return;
    for (int i = 0; i < code->kernel_count; i++) {
        struct code_kernel *k = &code->kernels[i];
        uint32_t index = elf_find(&f, arena_printf(a, ".text.%s", k->name));
        const Elf64_Shdr s = elf_section(&f, index);
        struct counting c = {.line_count = line_count + 1, .function = function_named(m, k->name)};
        if (index == 0 || !cubin_has_function(&lines, k->name))
            continue;
        count_function(a, &lines, ptx, k->name, f.bytes + s.sh_offset,
                       s.sh_size - s.sh_size % INSTRUCTION_BYTES, &c);
        take_counts(a, &c, k);
    }
}

void ptxas_count(struct arena *a, const char *arch, struct code_object *code)
{
    struct ptxas_job job = {.ptxas = ptxas_find(a),
                            .arch = ptxas_arch(code->arch, arch),
                            .option = "--generate-line-info",
                            .timeout_s = ask_timeout_s};
    struct work_folder folder = {0};
    struct ptx_module *m = NULL;
    struct error ignored = {0};
    char *cubin = NULL;
    size_t size_bytes = 0;
    if (job.ptxas && job.arch && code->format == CODE_PTX)
        job.text = marked_text(a, code->bytes, code->size_bytes, &m);
    if (!job.text || !work_folder_open(&folder, &ignored))
        return;
    job.text_bytes = strlen(job.text);
    job.folder = folder.path;
    job.file = path_join(a, folder.path, "code");
    if (ptxas_make(a, &job, NULL) &&
        file_read(job.file, CUBIN_BYTES_MAX, &cubin, &size_bytes, &ignored))
        count_kernels(a, cubin, size_bytes, m, code);
    free(cubin);
    work_folder_close(&folder);
}
