// The ALU against a chip: alu_h200.txt holds, for each instruction, a hash of what an H200 gave for
// the operands made here. To measure again, with nvcc and a GPU of compute capability 9.0:
//   build/tests/sim/alu_h200_test write DIR    DIR/kernels.txt, DIR/inputs.bin
//   nvcc -o DIR/run tests/sim/alu_h200.cu -lcuda && DIR/run DIR
//   build/tests/sim/alu_h200_test read DIR     the new text; instructions that differ start with ~
// SPDX-License-Identifier: Apache-2.0
#include "alu_support.h"

enum { COUNT = 2048, MNEMONICS_MAX = 4000, SAMPLES = 48 };

/* ---- operands --------------------------------------------------------------------------------- */

static u64 inputs[4][COUNT];

static const u64 F64_SPECIALS[] = {
    0x7ff8000000000001, 0xfff8000000000022, 0x7ff0000000000333, 0xfff0000000004444,
    0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000000, 0xfff0000000000000,
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff8000000000000,
    0x7fe0000000000000, 0x0010000000000000, 0x7fffffffffffffff,
};

// A float whose products with its like lie around the smallest normal one.
static u64 small_float(u64 r, int exponent_bits, int mantissa_bits, bool addend)
{
    const u64 mask = ((u64)1 << mantissa_bits) - 1, few = r >> 8 & 15;
    const u64 half = (u64)1 << (exponent_bits - 2);
    const u64 mantissa = (r & 1) != 0 ? few : (r & 2) != 0 ? mask - few : r >> 16 & mask;
    u64 exponent = half - 1 + (r >> 4 & 3) % 3;
    if (addend)
        exponent = (r & 4) != 0 ? 0 : 1;
    const u64 v = addend && (r & 8) != 0 ? few & 3 : exponent << mantissa_bits | mantissa;
    return v | (r >> 63) << (exponent_bits + mantissa_bits);
}

static u64 input_at(u64 source, u64 i)
{
    u32 words[4];
    philox(200, source, i, words);
    const u64 r = (u64)words[0] << 32 | words[1], choice = (u64)words[2] << 32 | words[3];
    if (i < COUNT / 2)
        return source > 0 && i % 4 == 0 ? r % 72 : operand_of_words(r, choice);
    if (i < COUNT / 2 + COUNT / 8)
        return F64_SPECIALS[r % COUNT_OF(F64_SPECIALS)];
    const u64 f32_bits_ = small_float(r, 8, 23, source == 2);
    if (i < COUNT - COUNT / 4)
        return i % 4 == 0 ? small_float(r, 11, 52, source == 2) : f32_bits_ << 32 | f32_bits_;
    return small_float(r, 5, 10, source == 2) | small_float(choice, 5, 10, source == 2) << 16;
}

static void inputs_fill(void)
{
    for (u64 s = 0; s < 4; s++)
        for (u64 i = 0; i < COUNT; i++)
            inputs[s][i] = input_at(s, i);
}

/* ---- one instruction --------------------------------------------------------------------------- */

struct tried {
    struct mnemonic m;
    char text[200];
    struct alu_op op;
};

static bool try_find(struct tried *t, const char *text, enum sim_isa isa)
{
    const char *why;
    if (!mnemonic_parse(&t->m, text))
        return false;
    (void)snprintf(t->text, sizeof(t->text), "%s", text);
    t->m.in.operand_count = 5;
    t->m.in.operands[4] = (struct ptx_operand){.kind = PTX_OPERAND_IMMEDIATE, .bits = 0x96};
    return sim_alu_find(&t->m.in, isa, &t->op, &why);
}

static bool begins(const struct tried *t, const char *start)
{
    return str_starts_with(t->text, start);
}

// Bits of the PTX register of source k, or of the result (-1); predicates 1, two of them 2.
static int register_bits(const struct tried *t, int k)
{
    const struct ptx_instruction *in = &t->m.in;
    const int width = k < 0 ? t->op.result_bits : t->op.source_bits[k];
    if (width != 32 || begins(t, "cvt.pack") || (begins(t, "mul.wide") && k < 0))
        return width;
    if ((begins(t, "mad.wide") && (k < 0 || k == 2)) || (begins(t, "sh") && k == 1))
        return 32;
    if (k < 0 && (begins(t, "popc") || begins(t, "clz") || begins(t, "bfind")))
        return 32;
    const bool first = k < 0 || (begins(t, "slct") && k < 2);
    const int bits = ptx_type_bits(in->types[first ? 0 : in->type_count - 1]);
    return bits <= 16 ? 16 : 32;
}

// All lanes; predicates 0 or 1, of two the second as bit 1.
static void simulate(const struct tried *t, u64 *out)
{
    for (u64 base = 0; base < COUNT; base += LANES) {
        struct operands o;
        struct result r;
        memset(&o, 0, sizeof(o));
        for (u64 l = 0; l < LANES; l++)
            for (int s = 0; s < 4; s++) {
                const u64 v = inputs[s][base + l];
                const bool half = s < t->op.source_count && register_bits(t, s) == 16;
                o.wide[s][l] = v;
                o.narrow[s][l] = half ? (u16)v : (u32)v;
                o.mask[s] |= (u32)(v & 1) << l;
            }
        if (t->op.result_bits == 2) {
            u32 masks[2];
            t->op.fn(masks, o.narrow[0], o.narrow[1], NULL, NULL, t->op.imm);
            for (u64 l = 0; l < LANES; l++)
                r.lane[l] = (masks[0] >> l & 1) | (masks[1] >> l & 1) << 1;
        } else {
            alu_run(&t->op, &o, 0, &r);
        }
        memcpy(out + base, r.lane, sizeof(r.lane));
    }
}

/* ---- the test ---------------------------------------------------------------------------------- */

static void an_h200_gave_the_same_bits(void **state)
{
    static u64 out[COUNT];
    char *text = NULL;
    size_t size = 0, checked = 0;
    struct error err;
    if (!file_read("tests/sim/alu_h200.txt", 1 << 20, &text, &size, &err))
        fail_msg("%s", err.message);
    inputs_fill();
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char name[96], want[20], got[20];
        if (line[0] == '#' || line[0] == '~' || sscanf(line, "%95s %19s", name, want) != 2)
            continue;
        for (int isa = 0; isa <= (int)sim_isa_best(); isa++) {
            struct tried t;
            if (!try_find(&t, name, (enum sim_isa)isa))
                fail_msg("%s is not found", name);
            simulate(&t, out);
            (void)snprintf(got, sizeof(got), "%016llx",
                           (unsigned long long)hash64(out, sizeof(out), 0));
            if (strcmp(got, want) != 0)
                fail_msg("%s (isa %d) differs from an H200", name, isa);
        }
        checked++;
    }
    free(text);
    assert_true(checked > 1000);
}

/* ---- measuring again --------------------------------------------------------------------------- */

static char *names[MNEMONICS_MAX];
static size_t name_count;

static void name_add(const char *text)
{
    struct tried t;
    for (size_t i = 0; i < name_count; i++)
        if (strcmp(names[i], text) == 0)
            return;
    if (!try_find(&t, text, SIM_ISA_BASELINE) || t.op.reads_carry || t.op.writes_carry)
        return;
    const bool combines = strstr(text, ".and.") || strstr(text, ".or.") || strstr(text, ".xor.");
    if (begins(&t, "setp") && combines) // combining is the interpreter's
        return;
    assert_true(name_count < MNEMONICS_MAX);
    names[name_count++] = xstrdup(text);
}

// The index-th mnemonic of a form; returns how many there are.
static u64 form_expand(const char *form, u64 index, char out[200])
{
    u64 total = 1;
    out[0] = '\0';
    for (const char *from = form, *end; *from != '\0'; from = *end == '.' ? end + 1 : end) {
        end = from + strcspn(from, ".");
        const bool optional = *from == '?';
        u64 count = optional ? 2 : 1;
        for (const char *p = from; p < end; p++)
            count += *p == '|';
        u64 choice = index % count;
        index /= count;
        total *= count;
        if (optional && choice-- == 0)
            continue;
        const char *word = from + optional;
        for (; choice > 0; choice--)
            word = strchr(word, '|') + 1;
        const size_t length = strcspn(word, "|."), at = strlen(out);
        assert_true(at + length + 2 < 200);
        (void)snprintf(out + at, 200 - at, "%s%.*s", at > 0 ? "." : "", (int)length, word);
    }
    return total;
}

static void names_of_rows(const struct alu_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        char text[200];
        const u64 total = form_expand(rows->row[i].form, 0, text);
        for (u64 n = 0; n < total && n < SAMPLES; n++) {
            (void)form_expand(rows->row[i].form, total <= SAMPLES ? n : random64() % total, text);
            name_add(text);
        }
    }
}

static void source_write(FILE *f, const struct tried *t, int k, char reg[16])
{
    const int bits = register_bits(t, k);
    fprintf(f, "ld.global.u64 %%x%d, [%%in+%d];\n", k, k * COUNT * 8);
    (void)snprintf(reg, 16, "%%x%d", k);
    if (bits == 64)
        return;
    fprintf(f, "cvt.u32.u64 %%y%d, %%x%d;\n", k, k);
    reg[1] = bits == 32 ? 'y' : bits == 16 ? 'z' : 'p';
    if (bits == 16)
        fprintf(f, "cvt.u16.u32 %%z%d, %%y%d;\n", k, k);
    if (bits == 1)
        fprintf(f, "and.b32 %%y%d, %%y%d, 1;\nsetp.ne.u32 %%p%d, %%y%d, 0;\n", k, k, k, k);
}

static void kernel_write(FILE *f, const struct tried *t)
{
    fprintf(f,
            "@@%s\n.version 8.3\n.target sm_90\n.address_size 64\n"
            ".visible .entry k(.param .u64 pi, .param .u64 po)\n{\n"
            ".reg .b64 %%in, %%out, %%at, %%r64, %%x<4>;\n.reg .b32 %%r32, %%t, %%u, %%y<4>;\n"
            ".reg .b16 %%r16, %%z<4>;\n.reg .pred %%r1, %%q, %%p<4>;\n"
            "ld.param.u64 %%in, [pi];\nld.param.u64 %%out, [po];\n"
            "mov.u32 %%t, %%tid.x;\nmov.u32 %%u, %%ctaid.x;\nmad.lo.u32 %%t, %%u, 128, %%t;\n"
            "mul.wide.u32 %%at, %%t, 8;\nadd.s64 %%in, %%in, %%at;\nadd.s64 %%out, %%out, %%at;\n",
            t->text);
    char regs[4][16];
    for (int k = 0; k < t->op.source_count; k++)
        source_write(f, t, k, regs[k]);
    const int bits = register_bits(t, -1);
    fprintf(f, "%s %s", t->text,
            bits == 64   ? "%r64"
            : bits == 32 ? "%r32"
            : bits == 16 ? "%r16"
            : bits == 2  ? "%r1|%q"
                         : "%r1");
    for (int k = 0; k < t->op.source_count; k++)
        fprintf(f, ", %s", regs[k]);
    fprintf(f, "%s;\n", begins(t, "lop3") ? ", 0x96" : "");
    if (bits == 16)
        fprintf(f, "cvt.u32.u16 %%r32, %%r16;\n");
    if (bits <= 2)
        fprintf(f, "selp.b32 %%r32, 1, 0, %%r1;\n");
    if (bits == 2)
        fprintf(f, "selp.b32 %%u, 2, 0, %%q;\nor.b32 %%r32, %%r32, %%u;\n");
    if (bits != 64)
        fprintf(f, "cvt.u64.u32 %%r64, %%r32;\n");
    fprintf(f, "st.global.u64 [%%out], %%r64;\nret;\n}\n");
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    struct arena a = {0};
    FILE *f = fopen(path_join(&a, folder, name), mode);
    arena_release(&a);
    if (f == NULL)
        perror(folder);
    return f;
}

static int measure_write(const char *folder)
{
    names_of_rows(&sim_alu_table_baseline);
#define ALU_TABLE(name) names_of_rows(&sim_alu_##name);
#include "sim/alu/alu_tables.def"
#undef ALU_TABLE
    FILE *kernels = open_in(folder, "kernels.txt", "w");
    FILE *data = open_in(folder, "inputs.bin", "wb");
    if (kernels == NULL || data == NULL)
        return 1;
    for (size_t i = 0; i < name_count; i++) {
        struct tried t;
        if (try_find(&t, names[i], SIM_ISA_BASELINE))
            kernel_write(kernels, &t);
        free(names[i]);
    }
    const bool whole = fwrite(inputs, sizeof(inputs), 1, data) == 1;
    return fclose(kernels) != 0 || fclose(data) != 0 || !whole;
}

// Results: a line with the mnemonic, then COUNT values of 8 bytes.
static int measure_read(const char *folder)
{
    static u64 want[COUNT], got[COUNT];
    char name[200];
    FILE *f = open_in(folder, "results.bin", "rb");
    if (f == NULL)
        return 1;
    printf("# What an H200 gave: mnemonic, hash of %d results (alu_h200_test.c).\n", COUNT);
    printf("# ~ differs: lanes, and the largest distance of two results as integers.\n");
    while (fgets(name, sizeof(name), f) != NULL && fread(want, sizeof(want), 1, f) == 1) {
        struct tried t;
        name[strcspn(name, "\n")] = '\0';
        if (!try_find(&t, name, SIM_ISA_BASELINE))
            continue;
        simulate(&t, got);
        int lanes = 0;
        u64 most = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const u64 distance = got[i] > want[i] ? got[i] - want[i] : want[i] - got[i];
            lanes += distance != 0;
            most = distance > most ? distance : most;
            if (distance != 0 && lanes <= 3)
                fprintf(stderr, "%s: %llx %llx %llx: %llx, chip %llx\n", name,
                        (unsigned long long)inputs[0][i], (unsigned long long)inputs[1][i],
                        (unsigned long long)inputs[2][i], (unsigned long long)got[i],
                        (unsigned long long)want[i]);
        }
        if (lanes != 0)
            printf("~ %s %d %llu\n", name, lanes, (unsigned long long)most);
        else
            printf("%s %016llx\n", name, (unsigned long long)hash64(want, sizeof(want), 0));
    }
    return fclose(f) != 0;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        inputs_fill();
        return strcmp(argv[1], "write") == 0 ? measure_write(argv[2]) : measure_read(argv[2]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_gave_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
