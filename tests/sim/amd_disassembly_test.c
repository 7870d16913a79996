// The decoder against LLVM's: every instruction that clang makes of shipped experiments for gfx90a (LLVM 14) and gfx942 (LLVM
// 19) has the same text, and so has machine code made of every row of the tables, in every encoding that takes it.
// SPDX-License-Identifier: Apache-2.0
#include "amd_support.h"

#include <ctype.h>

static const char *const sources[] = {
    "experiments/vector/vector.cu",       "experiments/transpose/transpose.cu",
    "experiments/portable/portable.cu",   "experiments/histogram/histogram.cu",
    "experiments/chains/chains.cu",       "experiments/division/division.cu",
    "experiments/lookup/lookup.cu",       "experiments/stencil2d/stencil.cu",
    "experiments/spmv/spmv.cu",           "experiments/transfer/transfer.cu",
    "experiments/occupancy/occupancy.cu", "experiments/math/math.cu",
    "tests/sim/amd_kernels.cu",
};

struct tally {
    enum amd_arch arch;
    int same, other;
    unsigned stride_bytes; // only instructions that start at a multiple of it
    bool rows[AMD_COUNT];  // read as LLVM reads them at least once
};

// "\ts_load_dword s9, s[4:5], 0x4  // 000000000000: C0020242 00000004"; what follows the words, in <>, is no part.
static void compare_line(const char *line, size_t length, struct tally *t)
{
    const char *comment = memmem(line, length, "// ", 3), *colon;
    if (!comment || !(colon = memchr(comment, ':', length - (size_t)(comment - line))))
        return;
    uint32_t words[4] = {0};
    size_t count = 0;
    char *at;
    for (const char *s = colon + 1; count < COUNT_OF(words); s = at) {
        words[count] = (uint32_t)strtoul(s, &at, 16);
        if (at == s || at > line + length)
            break;
        count++;
    }
    bool begins = strtoul(comment + 3, NULL, 16) % t->stride_bytes == 0;
    // No instruction to LLVM, or one that it takes for invalid ("/*Invalid register …*/").
    if (!begins || memmem(line, (size_t)(comment - line), ".long", 5) ||
        memmem(line, (size_t)(comment - line), "/*", 2))
        return;
    size_t end = (size_t)(comment - line), start = 0;
    while (end > 0 && isspace((unsigned char)line[end - 1]))
        end--;
    while (start < end && isspace((unsigned char)line[start]))
        start++;
    struct amd_instruction in;
    const char *why = "";
    struct text got = {0};
    if (amd_decode(t->arch, (const uint8_t *)words, 4 * count, &in, &why))
        amd_print(&in, &got);
    else
        text_printf(&got, "(%s)", why);
    bool same = got.length == end - start && memcmp(text_str(&got), line + start, got.length) == 0;
    t->same += same;
    t->other += !same;
    t->rows[in.id] |= same;
    if (!same && t->other <= 40)
        print_message("LLVM:  %.*s\nridge: %s\n", (int)(end - start), line + start, text_str(&got));
    text_release(&got);
}

static void compare_object(struct arena *a, const char *program, const char *object,
                           struct tally *t)
{
    const char *const argv[] = {
        program, "-d", arena_printf(a, "--mcpu=%s", amd_arch_names[t->arch]), object, NULL};
    const char *out = NULL;
    assert_true(amd_run_program(a, argv, &out));
    for (const char *line = out; *line;
         line += strcspn(line, "\n") + (line[strcspn(line, "\n")] != '\0'))
        if (*line == '\t')
            compare_line(line, strcspn(line, "\n"), t);
}

// NULL: there is nothing to compare with. Texts change with LLVM's versions: ridge's are 14's for gfx90a, 19's for gfx942.
static const char *find_disassembler(struct arena *a, enum amd_arch arch)
{
    static const char *const names[ARCH_COUNT] = {"llvm-objdump-14", "llvm-objdump-19",
                                                  "llvm-objdump-19"},
                             *const versions[ARCH_COUNT] = {"version 14.", "version 19.",
                                                            "version 19."};
    const char *program = program_find(a, names[arch]);
    program = program ? program : program_find(a, "llvm-objdump");
    const char *const argv[] = {program, "--version", NULL}, *version = NULL;
    if (program && amd_clang_for(a, arch) && amd_run_program(a, argv, &version) &&
        strstr(version, versions[arch]))
        return program;
    print_message("skip: no clang for %s and %s to compare with\n", amd_arch_names[arch],
                  names[arch]);
    arena_release(a);
    return NULL;
}

static void compare_experiments(enum amd_arch arch)
{
    struct arena a = {0};
    struct work_folder folder;
    struct error err = {0};
    struct tally tally = {.arch = arch, .stride_bytes = 4};
    const char *program = find_disassembler(&a, arch);
    if (!program)
        skip();
    assert_true(work_folder_open(&folder, &err));
    const char *object = path_join(&a, folder.path, "kernels.o");
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        assert_true(amd_compile_for(&a, arch, sources[i], folder.path, object));
        compare_object(&a, program, object, &tally);
    }
    work_folder_close(&folder);
    arena_release(&a);
    print_message("%d instructions read as LLVM reads them, %d otherwise\n", tally.same,
                  tally.other);
    assert_int_equal(tally.other, 0);
    assert_true(tally.same > 1000);
}

static void every_instruction_of_shipped_experiments_reads_as_llvm_reads_it(void **state)
{
    (void)state;
    compare_experiments(ARCH_GFX90A);
}

static void every_instruction_of_shipped_experiments_for_gfx942_reads_as_llvm_reads_it(void **state)
{
    (void)state;
    compare_experiments(ARCH_GFX942);
}

static void
every_instruction_of_shipped_experiments_for_gfx1100_reads_as_llvm_reads_it(void **state)
{
    (void)state;
    compare_experiments(ARCH_GFX1100);
}

/* ---- machine code of every row ---------------------------------------------------------------------------- */

#define S_NOP 0xbf800000u // s_nop 0

static bool has_row(enum amd_arch arch, const struct amd_row *r)
{
    return r->archs == 0 || (r->archs >> arch & 1);
}

static uint32_t seed = 1;

static uint32_t below(uint32_t count)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % count;
}

static uint32_t scalar_register(void)
{
    return 16 * below(5); // pairs and more begin at even numbers
}

static uint32_t vector_register(void)
{
    return 4 * below(60);
}

static uint32_t scalar_source(void)
{
    static const uint32_t others[] = {OPERAND_VCC, OPERAND_EXEC, OPERAND_ZERO, 130, 195};
    return below(3) != 0 ? scalar_register() : others[below(COUNT_OF(others))];
}

static uint32_t any_source(void)
{
    return below(3) != 0 ? OPERAND_VGPR + vector_register() : scalar_source();
}

static bool has_float_sources(const struct amd_row *r)
{
    const enum amd_type types[] = {r->a, r->b, r->c};
    for (int i = 0; i < 3; i++)
        if (types[i] != TYPE_NONE && types[i] != TYPE_F16 && types[i] != TYPE_F32 &&
            types[i] != TYPE_F64)
            return false;
    return r->a != TYPE_NONE;
}

static void scalar_words(const struct amd_row *r, uint32_t w[2])
{
    uint32_t to = scalar_register() << 16, a = scalar_source(), b = scalar_source() << 8;
    uint32_t constant = below(10);
    switch (r->encoding) {
    case ENCODING_SOP2:
        w[0] = 0x80000000u | r->opcode << 23 | to | b | a;
        break;
    case ENCODING_SOP1:
        w[0] = 0xbe800000u | (r->d == TYPE_NONE ? 0 : to) | r->opcode << 8 |
               (r->a == TYPE_NONE   ? 0
                : r->d == TYPE_NONE ? scalar_register()
                                    : a);
        break;
    case ENCODING_SOPC:
        w[0] = 0xbf000000u | r->opcode << 16 | (r->b == TYPE_INDEX ? below(16) << 8 : b) | a;
        break;
    case ENCODING_SOPK:
        w[0] = 0xb0000000u | r->opcode << 23 | to | constant;
        break;
    case ENCODING_SOPP:
        w[0] = 0xbf800000u | r->opcode << 16 | (r->b == TYPE_NONE ? 0 : constant);
        break;
    default:
        w[0] = 0xc0000000u | r->opcode << 18;
        w[1] = 0;
        if (r->action == ACTION_LOAD) {
            w[0] |= 1u << 17 | scalar_register() / 2;
            w[1] = below(0x1000);
        }
        if (r->words > 0)
            w[0] |= scalar_register() << 6;
        break;
    }
}

// The word that follows with DPP (0xfa stands for the first source) or SDWA (0xf9).
static uint32_t dpp_word(bool floats)
{
    static const uint32_t controls[] = {0x1b,  0x101, 0x11f, 0x128, 0x130, 0x134,
                                        0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
    return vector_register() | controls[below(COUNT_OF(controls))] << 8 | below(2) << 19 |
           (floats ? below(16) << 20 : 0) | below(256) << 24;
}

static uint32_t sdwa_word(const struct amd_row *r, bool floats)
{
    uint32_t result = r->encoding == ENCODING_VOPC ? 0 : below(7) << 8 | below(3) << 11;
    uint32_t signs = floats ? below(4) << 20 | below(4) << 28 : below(2) << 19 | below(2) << 27;
    return vector_register() | result | below(7) << 16 | below(7) << 24 |
           (r->b == TYPE_NONE ? signs & 0xffffff : signs);
}

static void vop3_words(const struct amd_row *r, uint32_t w[2])
{
    unsigned opcode = r->opcode + (r->encoding == ENCODING_VOP2   ? 0x100u
                                   : r->encoding == ENCODING_VOP1 ? 0x140u
                                                                  : 0);
    bool mask = r->form == FORM_WRITES || r->form == FORM_BOTH || r->form == FORM_SCALE;
    bool scalar =
        r->form == FORM_COMPARES || r->form == FORM_COMPARES_EXEC || r->form == FORM_SCALAR;
    bool floats = has_float_sources(r);
    uint32_t c = r->form == FORM_READS || r->form == FORM_BOTH ? scalar_register() : any_source();
    bool third = r->c != TYPE_NONE && r->form != FORM_ADDS;
    w[0] = 0xd0000000u | opcode << 16 | (mask ? scalar_register() << 8 : 0) |
           (scalar ? scalar_register() : vector_register());
    w[1] =
        (r->form == FORM_SCALAR ? OPERAND_VGPR + vector_register() : any_source()) |
        (r->b != TYPE_NONE ? (r->form == FORM_SCALAR ? scalar_source() : any_source()) << 9 : 0) |
        (third || r->form == FORM_READS || r->form == FORM_BOTH ? c << 18 : 0);
    if (floats && !mask && r->form != FORM_VCC && r->form != FORM_SCALAR)
        w[1] |= below(r->b == TYPE_NONE ? 2 : third ? 8 : 4) << 29;
}

static void vector_words(const struct amd_row *r, unsigned variant, uint32_t w[2])
{
    bool floats = has_float_sources(r);
    uint32_t a = r->a == TYPE_NONE ? 0 : any_source(), b = vector_register() << 9,
             to = r->form == FORM_SCALAR ? scalar_register() << 17 : vector_register() << 17;
    bool wide =
        r->d == TYPE_F64 || r->a == TYPE_F64; // which DPP moves in rows only by row_newbcast
    if (r->form == FORM_SWAP)
        a = OPERAND_VGPR + vector_register();
    bool special =
        r->a != TYPE_NONE && r->form != FORM_SWAP && variant >= 2 && !(wide && variant == 2);
    to = r->d == TYPE_NONE && r->encoding == ENCODING_VOP1 ? 0 : to;
    if (special) {
        a = variant == 2 ? 0xfa : 0xf9;
        w[1] = variant == 2 ? dpp_word(floats) : sdwa_word(r, floats);
    }
    if (r->encoding == ENCODING_VOP3 || (variant == 1 && r->encoding != ENCODING_VOP3P)) {
        vop3_words(r, w);
    } else if (r->encoding == ENCODING_VOP3P) {
        bool packed = r->form == FORM_PAIRS || r->form == FORM_HALVES;
        w[0] =
            0xd3800000u | r->opcode << 16 | vector_register() | (packed ? below(8) << 11 : 0x4000);
        w[1] = any_source() | (r->b != TYPE_NONE ? any_source() << 9 : 0) |
               (r->c != TYPE_NONE ? any_source() << 18 : 0) | (packed ? below(4) << 27 : 3u << 27);
    } else if (r->encoding == ENCODING_VOP2) {
        w[0] = r->opcode << 25 | to | b | a;
    } else if (r->encoding == ENCODING_VOP1) {
        w[0] = 0x7e000000u | to | r->opcode << 9 | a;
    } else {
        w[0] = 0x7c000000u | r->opcode << 17 | b | a;
    }
}

// Registers begin at multiples of four; all of them are vector registers, or all but C accumulation registers.
static void matrix_words(const struct amd_row *r, uint32_t w[2])
{
    uint32_t acc = below(2), to = 32 * below(7);
    w[0] = 0xd3800000u | r->opcode << 16 | acc << 15 | to;
    w[1] = (OPERAND_VGPR + 4 * below(50)) | (OPERAND_VGPR + 4 * below(50)) << 9 |
           (below(3) ? OPERAND_VGPR + to : OPERAND_ZERO) << 18 | below(4) << 27;
    if (r->matrix.in != MATRIX_F64 && r->matrix.in != MATRIX_I8)
        w[1] |= below(2) << 29;
}

static void memory_words(const struct amd_row *r, unsigned variant, uint32_t w[2])
{
    bool two = r->action == ACTION_LOAD_TWO || r->action == ACTION_STORE_TWO;
    bool stores = r->action == ACTION_STORE || r->action == ACTION_STORE_HIGH ||
                  r->action == ACTION_STORE_TWO;
    bool atomic = r->action == ACTION_ATOMIC || r->action == ACTION_ATOMIC_RETURN,
         permutes = r->action == ACTION_PERMUTE || r->action == ACTION_PERMUTE_BACK;
    bool returns = !stores && (r->action != ACTION_ATOMIC || below(2));
    uint32_t address = vector_register(), data = vector_register() << 8,
             to = vector_register() << 24;
    if (r->encoding == ENCODING_DS) { // fields that are not used are zero
        bool second = r->action == ACTION_STORE_TWO || r->flag == FLAG_CMPSWAP;
        w[0] = 0xd8000000u | r->opcode << 17 | (two ? below(0x10000) : below(0x8000));
        if (r->action == ACTION_SWIZZLE) // LLVM has names of most other patterns
            w[0] |= 0xc000;
        w[1] = address | (stores || atomic || permutes ? data : 0) |
               (second ? vector_register() << 16 : 0) |
               (!stores && r->action != ACTION_ATOMIC ? to : 0);
    } else if (variant == 3 || r->action == ACTION_NOTHING) { // a buffer
        w[0] = 0xe0000000u | r->opcode << 18 | below(4) << 12 | below(0x1000);
        w[1] = scalar_register() << 24 | scalar_register() / 4 << 16 | data | address;
        if (r->action == ACTION_NOTHING)
            w[0] = 0xe0000000u | r->opcode << 18, w[1] = 0;
    } else {
        w[0] = 0xdc000000u | r->opcode << 18 | variant << 14 | below(0x800) |
               (atomic && returns ? 1u << 16 : 0);
        w[1] = address | (stores || atomic ? data : 0) | (returns ? to : 0) |
               (variant == 0 || below(2) ? 0x7fu : scalar_register()) << 16;
    }
}

static void words_of(const struct amd_row *r, unsigned variant, uint32_t w[2])
{
    w[0] = w[1] = S_NOP;
    if (r->encoding <= ENCODING_SMEM)
        scalar_words(r, w);
    else if (r->encoding >= ENCODING_DS)
        memory_words(r, variant, w);
    else if (r->form == FORM_MATRIX)
        matrix_words(r, w);
    else
        vector_words(r, variant, w);
}

static void compare_words(struct arena *a, const char *program, const struct text *source,
                          struct tally *tally)
{
    struct work_folder folder;
    struct error err = {0};
    assert_true(work_folder_open(&folder, &err));
    const char *assembly = path_join(a, folder.path, "rows.s"),
               *object = path_join(a, folder.path, "rows.o");
    assert_true(file_write(assembly, text_str(source), source->length, &err));
    assert_true(amd_assemble_for(a, tally->arch, assembly, object));
    compare_object(a, program, object, tally);
    work_folder_close(&folder);
}

static void compare_rows(enum amd_arch arch)
{
    enum { VARIANTS = 4, TIMES = 12 };
    struct tally tally = {.arch = arch, .stride_bytes = 12};
    struct arena a = {0};
    struct text source = {0};
    int missing = 0;
    const char *program = find_disassembler(&a, arch);
    if (!program)
        skip();
    for (unsigned i = 0; i < AMD_COUNT * VARIANTS * TIMES; i++) {
        uint32_t w[2];
        const struct amd_row *r = &amd_rows[i / (VARIANTS * TIMES)];
        if (has_row(arch, r))
            words_of(r, i % VARIANTS, w);
        else
            w[0] = w[1] = S_NOP;
        text_printf(&source, ".long 0x%08x, 0x%08x, 0xbf800000\n", w[0], w[1]);
    }
    compare_words(&a, program, &source, &tally);
    text_release(&source);
    arena_release(&a);
    for (int i = 0; i < AMD_COUNT; i++)
        if (!tally.rows[i] && has_row(arch, &amd_rows[i])) {
            print_message("%s is never read as LLVM reads it\n", amd_rows[i].name);
            missing++;
        }
    print_message("%d instructions of %d rows read as LLVM reads them, %d otherwise\n", tally.same,
                  AMD_COUNT - missing, tally.other);
    assert_int_equal(tally.other, 0);
    assert_int_equal(missing, 0);
}

/* ---- gfx11 ---------------------------------------------------------------------------------------------------- */

enum { GFX11_NULL = 124, GFX11_M0 = 125, GFX11_DPP8 = 0xe9, GFX11_DPP = 0xfa };

static uint32_t gfx11_scalar(void)
{
    uint32_t which = below(12);
    return which == 0 ? GFX11_NULL : which == 1 ? GFX11_M0 : scalar_source();
}

static uint32_t gfx11_source(void)
{
    return below(3) != 0 ? OPERAND_VGPR + vector_register() : gfx11_scalar();
}

static uint32_t gfx11_lanes(bool eight, bool floats)
{
    static const uint32_t controls[] = {0x1b, 0x101, 0x11f, 0x128, 0x140, 0x141, 0x153, 0x16a};
    if (eight)
        return vector_register() | below(0x1000000 / 256) << 8 | below(256) << 24;
    return vector_register() | controls[below(COUNT_OF(controls))] << 8 | below(4) << 18 |
           (floats ? below(16) << 20 : 0) | below(256) << 24;
}

static void gfx11_vop3(const struct amd_named *n, unsigned variant, uint32_t w[3])
{
    const struct amd_row *r = &amd_rows[n->id];
    unsigned opcode = n->opcode + (n->encoding == ENCODING_VOP2   ? 0x100u
                                   : n->encoding == ENCODING_VOP1 ? 0x180u
                                                                  : 0);
    bool mask = r->form == FORM_WRITES || r->form == FORM_BOTH || r->form == FORM_SCALE,
         reads = r->form == FORM_READS || r->form == FORM_BOTH,
         third = r->c != TYPE_NONE && r->form != FORM_ADDS, floats = has_float_sources(r);
    uint32_t to = r->form == FORM_COMPARES_EXEC                        ? 126
                  : r->form == FORM_COMPARES || r->form == FORM_SCALAR ? scalar_register()
                                                                       : vector_register();
    uint32_t a = r->form == FORM_SCALAR ? OPERAND_VGPR + vector_register() : gfx11_source(),
             b = r->form == FORM_SCALAR ? scalar_source() : gfx11_source();
    if (r->form == FORM_PERMUTES) {
        w[0] = 0xd4000000u | opcode << 16 | below(4) << 11 | to;
        w[1] = (OPERAND_VGPR + vector_register()) | scalar_source() << 9 | scalar_source() << 18;
        return;
    }
    if (variant == 2 && r->a != TYPE_NONE && r->form != FORM_SCALAR) {
        a = OPERAND_LITERAL;
        w[2] = 0x5678;
    } else if (variant == 3 && r->form != FORM_SCALAR) {
        bool eight = below(2);
        a = eight ? GFX11_DPP8 + below(2) : GFX11_DPP;
        w[2] = gfx11_lanes(eight, false);
        b = OPERAND_VGPR + vector_register();
    }
    w[0] = 0xd4000000u | opcode << 16 |
           (mask ? (below(4) ? scalar_register() : GFX11_NULL) << 8 : 0) | to;
    w[1] = (r->a != TYPE_NONE ? a : 0) | (r->b != TYPE_NONE ? b << 9 : 0) |
           (reads   ? scalar_register() << 18
            : third ? gfx11_source() << 18
                    : 0);
    if (floats && !mask && r->form != FORM_VCC)
        w[1] |= below(r->b == TYPE_NONE ? 2 : third ? 8 : 4) << 29;
}

static void gfx11_vector(const struct amd_named *n, unsigned variant, uint32_t w[3])
{
    const struct amd_row *r = &amd_rows[n->id];
    uint32_t b = r->b != TYPE_NONE ? vector_register() << 9 : 0,
             to = r->d == TYPE_NONE ? 0 : vector_register() << 17, a = gfx11_source();
    if (r->form == FORM_SCALAR)
        to = scalar_register() << 17, a = OPERAND_VGPR + vector_register();
    if (r->form == FORM_SWAP)
        a = OPERAND_VGPR + vector_register();
    if (r->a == TYPE_NONE)
        a = 0;
    if (n->encoding == ENCODING_VOP3 || variant == 1) {
        gfx11_vop3(n, n->encoding == ENCODING_VOP3 ? variant : 3 * below(2), w);
        return;
    }
    if (variant >= 2 && r->a != TYPE_NONE && r->form != FORM_SCALAR && r->form != FORM_CONSTANT) {
        a = variant == 2 ? GFX11_DPP : GFX11_DPP8 + below(2);
        w[1] = gfx11_lanes(variant == 3, has_float_sources(r));
    } else if (r->form == FORM_CONSTANT) {
        w[1] = 0x5678;
    }
    w[0] = n->encoding == ENCODING_VOP2   ? n->opcode << 25 | to | b | a
           : n->encoding == ENCODING_VOP1 ? 0x7e000000u | to | n->opcode << 9 | a
                                          : 0x7c000000u | n->opcode << 17 | b | a;
}

static void gfx11_packed(const struct amd_named *n, uint32_t w[3])
{
    const struct amd_row *r = &amd_rows[n->id];
    w[0] = 0xcc000000u | n->opcode << 16 | vector_register() | below(8) << 11;
    w[1] = gfx11_source() | gfx11_source() << 9 | (r->c != TYPE_NONE ? gfx11_source() << 18 : 0) |
           below(4) << 27;
    if (has_float_sources(r))
        w[1] |= below(4) << 29;
    if (r->form == FORM_DOT)
        w[1] |= n->id == AMD_v_dot4_i32_iu8 ? below(4) << 29 : 0;
    if (r->form == FORM_MIXED)
        w[0] |= below(8) << 8 | below(2) << 14;
    if (r->form != FORM_WMMA)
        return;
    w[0] = 0xcc004000u | n->opcode << 16 | 8 * below(30) |
           (r->matrix.out == MATRIX_I32   ? below(2) << 15
            : r->matrix.out != MATRIX_F32 ? below(2) << 13
                                          : 0);
    w[1] = (OPERAND_VGPR + 8 * below(30)) | (OPERAND_VGPR + 8 * below(30)) << 9 |
           (below(3) ? OPERAND_VGPR + 8 * below(30) : OPERAND_ZERO) << 18 | 3u << 27 |
           (r->matrix.out == MATRIX_I32 ? below(4) << 29 : 0);
}

// Any other instruction as the second; two results of unlike parity, sources of different banks.
static void gfx11_dual(const struct amd_named *n, unsigned variant, uint32_t w[3])
{
    uint32_t first = n->opcode < 16 ? n->opcode : 8, second = n->opcode < 16 ? 8 : n->opcode;
    bool constant = amd_rows[n->id].form == FORM_CONSTANT;
    w[0] = 0xc8000000u | first << 22 | second << 17 | (vector_register() + 1) << 9 |
           (variant == 1 && !constant ? scalar_register() : OPERAND_VGPR + vector_register());
    w[1] = vector_register() << 24 | (vector_register() / 2) << 17 | (vector_register() + 2) << 9 |
           (OPERAND_VGPR + vector_register() + 3);
    w[2] = constant ? 0x12345678 : S_NOP;
}

static void gfx11_scalar_words(const struct amd_named *n, uint32_t w[3])
{
    const struct amd_row *r = &amd_rows[n->id];
    uint32_t to = scalar_register() << 16;
    switch (n->encoding) {
    case ENCODING_SOP2:
        w[0] = 0x80000000u | n->opcode << 23 | to | gfx11_scalar() << 8 | gfx11_scalar();
        break;
    case ENCODING_SOP1:
        w[0] = 0xbe800000u | (r->d == TYPE_NONE ? 0 : to) | n->opcode << 8 |
               (r->a == TYPE_NONE   ? 0
                : r->d == TYPE_NONE ? scalar_register()
                                    : gfx11_scalar());
        break;
    case ENCODING_SOPC:
        w[0] = 0xbf000000u | n->opcode << 16 | gfx11_scalar() << 8 | gfx11_scalar();
        break;
    case ENCODING_SOPK:
        w[0] = 0xb0000000u | n->opcode << 23 | below(10) |
               (below(4) ? to : (uint32_t)GFX11_NULL << 16);
        break;
    case ENCODING_SOPP:
        w[0] = 0xbf800000u | n->opcode << 16 |
               (r->b == TYPE_NONE         ? 0
                : r->b == TYPE_DELAY      ? below(12) | below(6) << 4 | below(12) << 7
                : r->b == TYPE_DEPENDENCY ? below(0x10000) & (below(2) ? 0xff9f : 0xffff)
                : r->b == TYPE_WAITCNT    ? below(0x10000)
                                          : below(10));
        break;
    default:
        w[0] = 0xf4000000u | n->opcode << 18;
        w[1] = 0xf8000000u;
        if (r->words > 0) {
            w[0] |= scalar_register() / 2 | scalar_register() << 6 | below(4) << 13;
            w[1] = below(2) << 20 | below(0x10000) * below(2);
            w[1] |= (below(2) ? scalar_register() : GFX11_NULL) << 25;
        }
        break;
    }
}

static void gfx11_memory(const struct amd_named *n, unsigned variant, uint32_t w[3])
{
    const struct amd_row *r = &amd_rows[n->id];
    bool two = r->action == ACTION_LOAD_TWO || r->action == ACTION_STORE_TWO,
         stores = r->action == ACTION_STORE || r->action == ACTION_STORE_HIGH ||
                  r->action == ACTION_STORE_TWO,
         atomic = r->action == ACTION_ATOMIC || r->action == ACTION_ATOMIC_RETURN,
         permutes = r->action == ACTION_PERMUTE || r->action == ACTION_PERMUTE_BACK,
         returns = !stores && (r->action != ACTION_ATOMIC || below(2));
    uint32_t address = vector_register(), data = vector_register() << 8,
             to = vector_register() << 24;
    if (n->encoding == ENCODING_DS) {
        bool second = r->action == ACTION_STORE_TWO || r->flag == FLAG_CMPSWAP;
        w[0] = 0xd8000000u | n->opcode << 18 | (two ? below(0x10000) : below(0x8000));
        if (r->action == ACTION_SWIZZLE) // LLVM has names of most other patterns
            w[0] |= 0xc000;
        w[1] = address | (stores || atomic || permutes ? data : 0) |
               (second ? vector_register() << 16 : 0) |
               (!stores && r->action != ACTION_ATOMIC ? to : 0);
    } else if (r->action == ACTION_NOTHING) {
        w[0] = 0xe0000000u | n->opcode << 18;
        w[1] = 0;
    } else if (variant == 3) { // a buffer
        w[0] = 0xe0000000u | n->opcode << 18 | below(8) << 12 | below(0x1000);
        w[1] = gfx11_scalar() << 24 | below(4) << 22 | scalar_register() / 4 << 16 | data | address;
    } else {
        bool scratch = variant == 1;
        uint32_t base = variant == 0 || below(2) ? (uint32_t)GFX11_NULL : scalar_register();
        w[0] = 0xdc000000u | n->opcode << 18 | variant << 16 | below(0x800) |
               (atomic ? below(2) << 15 | (uint32_t)returns << 14 : below(8) << 13);
        w[1] = address | (stores || atomic ? data : 0) | (returns ? to : 0) | base << 16;
        if (scratch && below(2))
            w[1] |= 1u << 23;
        else if (scratch)
            w[1] &= ~0xffu;
    }
}

static void gfx11_words(const struct amd_named *n, unsigned variant, uint32_t w[3])
{
    w[0] = w[1] = w[2] = S_NOP;
    if (n->encoding <= ENCODING_SMEM)
        gfx11_scalar_words(n, w);
    else if (n->encoding >= ENCODING_DS)
        gfx11_memory(n, variant, w);
    else if (n->encoding == ENCODING_VOPD)
        gfx11_dual(n, variant, w);
    else if (n->encoding == ENCODING_VOP3P)
        gfx11_packed(n, w);
    else
        gfx11_vector(n, variant, w);
}

static void every_row_of_gfx1100_reads_as_llvm_reads_it(void **state)
{
    enum { VARIANTS = 4, TIMES = 12 };
    struct tally tally = {.arch = ARCH_GFX1100, .stride_bytes = 16};
    struct arena a = {0};
    struct text source = {0};
    int missing = 0;
    (void)state;
    const char *program = find_disassembler(&a, ARCH_GFX1100);
    if (!program)
        skip();
    for (size_t i = 0; i < amd_gfx11_count * VARIANTS * TIMES; i++) {
        uint32_t w[3];
        gfx11_words(&amd_gfx11[i / (VARIANTS * TIMES)], i % VARIANTS, w);
        text_printf(&source, ".long 0x%08x, 0x%08x, 0x%08x, 0x%08x\n", w[0], w[1], w[2], S_NOP);
    }
    compare_words(&a, program, &source, &tally);
    for (size_t i = 0; i < amd_gfx11_count; i++)
        if (!tally.rows[amd_gfx11[i].id]) {
            print_message("%s is never read as LLVM reads it\n", amd_gfx11[i].name);
            missing++;
        }
    print_message("%d instructions of %zu names read as LLVM reads them, %d otherwise\n",
                  tally.same, amd_gfx11_count, tally.other);
    text_release(&source);
    arena_release(&a);
    assert_int_equal(tally.other, 0);
    assert_int_equal(missing, 0);
}

static void every_row_reads_as_llvm_reads_it(void **state)
{
    (void)state;
    compare_rows(ARCH_GFX90A);
}

static void every_row_of_gfx942_reads_as_llvm_reads_it(void **state)
{
    (void)state;
    compare_rows(ARCH_GFX942);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_reads_as_llvm_reads_it),
        cmocka_unit_test(every_row_of_gfx942_reads_as_llvm_reads_it),
        cmocka_unit_test(every_row_of_gfx1100_reads_as_llvm_reads_it),
        cmocka_unit_test(every_instruction_of_shipped_experiments_reads_as_llvm_reads_it),
        cmocka_unit_test(
            every_instruction_of_shipped_experiments_for_gfx942_reads_as_llvm_reads_it),
        cmocka_unit_test(
            every_instruction_of_shipped_experiments_for_gfx1100_reads_as_llvm_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
