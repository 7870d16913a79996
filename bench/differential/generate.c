// Modules of random small kernels: generate SEED FIRST COUNT FOLDER writes FOLDER/m<number>.ptx for COUNT
// modules from number FIRST on, the same text for a seed on any host. What the kernels are made of
// stands in instructions.def. For reductions: fewer STATEMENTS give the same kernel's beginning.
// SPDX-License-Identifier: Apache-2.0
#include "differential.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH_MAX = 2, TEXT_MAX = 512, STATEMENTS = 28 };

static const struct {
    const char *text;
    uint32_t weight;
    bool together;
} instructions[] = {
#define ANYWHERE false
#define TOGETHER true
#define INSTRUCTION(weight, where, text) {text, weight, where},
#include "instructions.def"
#undef INSTRUCTION
};
enum { INSTRUCTIONS = sizeof(instructions) / sizeof(instructions[0]) };

// Registers of a kernel: the pool a letter names, and the words they are stored to.
static const struct {
    char letter, count;
    const char *name, *type;
} pools[] = {{'r', 8, "r", ".b32"}, {'d', 4, "d", ".b64"}, {'h', 4, "h", ".b16"},
             {'f', 6, "f", ".f32"}, {'g', 4, "g", ".f64"}, {'x', 2, "x", ".b32"},
             {'y', 3, "y", ".b16"}, {'z', 2, "z", ".b32"}, {'w', 3, "w", ".b16"},
             {'p', 4, "p", ".pred"}};
enum { POOLS = sizeof(pools) / sizeof(pools[0]) };

struct kernel {
    FILE *out;
    struct random random;
    int labels;
};

static uint32_t below(struct kernel *k, uint32_t n)
{
    return random_below(&k->random, n);
}

static void pick_register(struct kernel *k, char letter, char *to)
{
    for (int i = 0; i < POOLS; i++)
        if (pools[i].letter == letter)
            (void)sprintf(to, "%%%s%u", pools[i].name, below(k, (uint32_t)pools[i].count));
}

static void pick_immediate(struct kernel *k, char kind, char *to)
{
    uint32_t value = (uint32_t)random_next(&k->random);
    static const uint32_t corners[] = {0, 1, 0xffffffffu, 0x80000000u, 0x7fffffff, 0xff, 32};
    switch (kind) {
    case '5':
        value %= 32;
        break;
    case '6':
        value %= 64;
        break;
    case '8':
        value %= 256;
        break;
    default:
        if (value % 4 == 0)
            value = corners[value / 4 % (sizeof(corners) / sizeof(corners[0]))];
    }
    (void)sprintf(to, "0x%x", value);
}

// One of the alternatives that begin after '<'; returns what follows '>'.
static const char *choose(struct kernel *k, const char *p, char *to)
{
    uint32_t count = 1;
    for (const char *q = p; *q != '>'; q++)
        count += *q == ',';
    uint32_t wanted = below(k, count);
    for (; *p != '>'; p++) {
        if (*p == ',')
            wanted--;
        else if (wanted == 0)
            *to++ = *p;
    }
    *to = '\0';
    return p + 1;
}

static void expand(struct kernel *k, const char *p, char *to)
{
    char chosen[TEXT_MAX], picked[32], first[32] = "";
    // Alternatives first: they may hold registers.
    char *end = chosen;
    while (*p != '\0') {
        if (*p == '<') {
            p = choose(k, p + 1, end);
            end += strlen(end);
        } else {
            *end++ = *p++;
        }
    }
    *end = '\0';
    for (p = chosen; *p != '\0';) {
        picked[0] = '\0';
        if (*p == '$') {
            pick_register(k, p[1], picked);
            if (first[0] == '\0')
                (void)strcpy(first, picked);
        } else if (*p == '#') {
            pick_immediate(k, p[1], picked);
        } else if (*p == '\\') {
            (void)strcpy(picked, first);
        } else {
            *to++ = *p++;
            continue;
        }
        (void)strcpy(to, picked);
        to += strlen(to);
        p += 2;
    }
    *to = '\0';
}

static void statement(struct kernel *k, bool together)
{
    uint32_t sum = 0, i = 0;
    for (int j = 0; j < INSTRUCTIONS; j++)
        sum += instructions[j].together && !together ? 0 : instructions[j].weight;
    uint32_t at = below(k, sum);
    for (;; i++) {
        uint32_t weight = instructions[i].together && !together ? 0 : instructions[i].weight;
        if (at < weight)
            break;
        at -= weight;
    }
    char text[TEXT_MAX];
    expand(k, instructions[i].text, text);
    bool single = strchr(text, ';') == NULL;
    if (single && !instructions[i].together && below(k, 8) == 0)
        fprintf(k->out, "    @%s%%p%u", below(k, 2) ? "!" : "", below(k, 4));
    fprintf(k->out, "    %s%s\n", text, text[strlen(text) - 1] == '}' && text[0] == '{' ? "" : ";");
}

static void statements(struct kernel *k, int count, int depth);

static void branches(struct kernel *k, int depth)
{
    int label = k->labels++;
    fprintf(k->out, "    @%s%%p%u bra E%d;\n", below(k, 2) ? "!" : "", below(k, 4), label);
    statements(k, 1 + (int)below(k, 5), depth + 1);
    fprintf(k->out, "    bra D%d;\nE%d:\n", label, label);
    if (below(k, 2))
        statements(k, 1 + (int)below(k, 5), depth + 1);
    fprintf(k->out, "D%d:\n", label);
}

static void loop(struct kernel *k, int depth)
{
    int label = k->labels++;
    fprintf(k->out, "    and.b32 %%k%d, %%r%u, 3;\nL%d:\n", depth, below(k, 8), label);
    statements(k, 1 + (int)below(k, 5), depth + 1);
    fprintf(
        k->out,
        "    add.s32 %%k%d, %%k%d, -1;\n    setp.ge.s32 %%c%d, %%k%d, 0;\n    @%%c%d bra L%d;\n",
        depth, depth, depth + 1, depth, depth + 1, label);
}

static void statements(struct kernel *k, int count, int depth)
{
    for (int i = 0; i < count; i++) {
        uint32_t what = below(k, 100);
        if (depth < DEPTH_MAX && what < 7)
            branches(k, depth);
        else if (depth < DEPTH_MAX && what < 11)
            loop(k, depth);
        else
            statement(k, depth == 0);
    }
}

static void begin(FILE *out, uint64_t number)
{
    fprintf(out,
            ".visible .entry k%llu(.param .u64 in, .param .u64 out)\n{\n"
            "    .shared .align 8 .b32 sm[96];\n    .local .align 8 .b32 mine[8];\n",
            (unsigned long long)number);
    for (int i = 0; i < POOLS; i++)
        fprintf(out, "    .reg %s %%%s<%d>;\n", pools[i].type, pools[i].name, pools[i].count);
    fprintf(
        out,
        "    .reg .b32 %%t<4>, %%k<3>, %%gid;\n    .reg .b64 %%u<4>, %%own, %%slot, %%other, "
        "%%sums, %%to;\n    .reg .b16 %%v<2>;\n    .reg .pred %%c<4>;\n    .reg .f32 %%e<2>;\n"
        "    .reg .f64 %%q<1>;\n"
        "    mov.u32 %%t0, %%ctaid.x;\n    mov.u32 %%t1, %%ntid.x;\n    mov.u32 %%t2, %%tid.x;\n"
        "    mad.lo.u32 %%gid, %%t0, %%t1, %%t2;\n"
        "    mov.u64 %%slot, sm;\n    mul.wide.u32 %%u0, %%t2, 4;\n"
        "    add.u64 %%u1, %%slot, %%u0;\n    add.u32 %%t3, %%t2, 7;\n"
        "    rem.u32 %%t3, %%t3, %%t1;\n    mul.wide.u32 %%u0, %%t3, 4;\n"
        "    add.u64 %%other, %%slot, %%u0;\n    mov.u64 %%slot, %%u1;\n"
        "    mov.u64 %%own, mine;\n"
        "    ld.param.u64 %%to, [out];\n    cvta.to.global.u64 %%to, %%to;\n"
        "    add.u64 %%sums, %%to, %d;\n    mul.wide.u32 %%u0, %%gid, %d;\n"
        "    add.u64 %%to, %%to, %%u0;\n"
        "    ld.param.u64 %%u1, [in];\n    cvta.to.global.u64 %%u1, %%u1;\n"
        "    mul.wide.u32 %%u0, %%gid, %d;\n    add.u64 %%u1, %%u1, %%u0;\n"
        "    ld.global.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%u1];\n"
        "    ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%u1+16];\n"
        "    ld.global.v2.u64 {%%d0, %%d1}, [%%u1+32];\n"
        "    ld.global.v2.u64 {%%d2, %%d3}, [%%u1+48];\n",
        THREADS_MAX * OUT_WORDS * 4, OUT_WORDS * 4, IN_WORDS * 4);
    for (int i = 0; i < 8; i++)
        fprintf(out, "    st.local.b32 [%%own+%d], %%r%d;\n", 4 * i, 7 - i);
    for (int i = 0; i < 6; i++)
        fprintf(out, "    mov.b32 %%f%d, %%r%d;\n", i, i);
    for (int i = 0; i < 4; i++)
        fprintf(out, "    mov.b64 %%g%d, %%d%d;\n    cvt.u16.u32 %%h%d, %%r%d;\n", i, i, i, i + 2);
    for (int i = 0; i < 2; i++)
        fprintf(out, "    mov.b32 %%x%d, %%r%d;\n    mov.b32 %%z%d, %%r%d;\n", i, i + 3, i, i + 5);
    for (int i = 0; i < 3; i++)
        fprintf(out, "    cvt.u16.u32 %%y%d, %%r%d;\n    cvt.u16.u64 %%w%d, %%d%d;\n", i, 7 - i, i,
                i);
    for (int i = 0; i < 4; i++)
        fprintf(out, "    and.b32 %%t0, %%r%d, %d;\n    setp.ne.u32 %%p%d, %%t0, 0;\n", i + 1,
                1 << i, i);
    fprintf(out, "    bar.sync 0;\n");
}

static void canonical_halves(FILE *out, char letter, const char *type, int i, int word)
{
    fprintf(out,
            "    mov.b32 {%%v0, %%v1}, %%%c%d;\n"
            "    setp.nan.%s %%c0, %%v0, %%v0;\n    selp.b16 %%v0, 0x7fff, %%v0, %%c0;\n"
            "    setp.nan.%s %%c0, %%v1, %%v1;\n    selp.b16 %%v1, 0x7fff, %%v1, %%c0;\n"
            "    mov.b32 %%t0, {%%v0, %%v1};\n    st.global.b32 [%%to+%d], %%t0;\n",
            letter, i, type, type, word * 4);
}

static void canonical_half(FILE *out, char letter, const char *type, int i, int word)
{
    fprintf(out,
            "    setp.nan.%s %%c0, %%%c%d, %%%c%d;\n    selp.b16 %%v0, 0x7fff, %%%c%d, %%c0;\n"
            "    cvt.u32.u16 %%t0, %%v0;\n    st.global.b32 [%%to+%d], %%t0;\n",
            type, letter, i, letter, i, letter, i, word * 4);
}

// Every register of the pools to its word; NaNs as one NaN.
static void end(FILE *out)
{
    int word = 0;
    for (int i = 0; i < 8; i++)
        fprintf(out, "    st.global.b32 [%%to+%d], %%r%d;\n", 4 * word++, i);
    for (int i = 0; i < 4; i++, word += 2)
        fprintf(out, "    st.global.b64 [%%to+%d], %%d%d;\n", 4 * word, i);
    for (int i = 0; i < 4; i++)
        fprintf(out, "    cvt.u32.u16 %%t0, %%h%d;\n    st.global.b32 [%%to+%d], %%t0;\n", i,
                4 * word++);
    for (int i = 0; i < 6; i++)
        fprintf(
            out,
            "    setp.nan.f32 %%c0, %%f%d, %%f%d;\n    selp.f32 %%e0, 0f7fffffff, %%f%d, %%c0;\n"
            "    st.global.f32 [%%to+%d], %%e0;\n",
            i, i, i, 4 * word++);
    for (int i = 0; i < 4; i++, word += 2)
        fprintf(out,
                "    setp.nan.f64 %%c0, %%g%d, %%g%d;\n"
                "    selp.f64 %%q0, 0d7fffffffffffffff, %%g%d, %%c0;\n"
                "    st.global.f64 [%%to+%d], %%q0;\n",
                i, i, i, 4 * word);
    for (int i = 0; i < 2; i++)
        canonical_halves(out, 'x', "f16", i, word++);
    for (int i = 0; i < 3; i++)
        canonical_half(out, 'y', "f16", i, word++);
    for (int i = 0; i < 2; i++)
        canonical_halves(out, 'z', "bf16", i, word++);
    for (int i = 0; i < 3; i++)
        canonical_half(out, 'w', "bf16", i, word++);
    fprintf(out, "    mov.b32 %%t0, 0;\n");
    for (int i = 0; i < 4; i++)
        fprintf(out, "    selp.b32 %%t1, %d, 0, %%p%d;\n    or.b32 %%t0, %%t0, %%t1;\n", 1 << i, i);
    fprintf(out, "    st.global.b32 [%%to+%d], %%t0;\n    ret;\n}\n\n", 4 * word);
}

// Only the first `length` statements of each kernel; `only` = UINT64_MAX: all kernels, else this one.
static bool module_write(uint64_t seed, uint64_t module, const char *folder, int length,
                         uint64_t only)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/m%llu.ptx", folder, (unsigned long long)module);
    FILE *out = fopen(path, "w");
    if (out == NULL)
        return false;
    fprintf(out,
            "// bench/differential/generate %llu, module %llu\n.version 8.0\n.target sm_90\n"
            ".address_size 64\n\n"
            ".const .align 8 .u32 table[8] = {3, 0x80000000, 17, 0xffffffff, 0x3f800000, 99, 0, "
            "12345};\n\n"
            ".func (.param .b32 result) helper(.param .b32 left, .param .b32 right)\n{\n"
            "    .reg .b32 %%a<4>;\n    .reg .pred %%big;\n"
            "    ld.param.b32 %%a0, [left];\n    ld.param.b32 %%a1, [right];\n"
            "    setp.gt.s32 %%big, %%a0, %%a1;\n    @%%big bra OTHER;\n"
            "    xor.b32 %%a2, %%a0, %%a1;\n    bra DONE;\nOTHER:\n"
            "    mad.lo.s32 %%a2, %%a0, 7, %%a1;\nDONE:\n"
            "    st.param.b32 [result], %%a2;\n    ret;\n}\n\n",
            (unsigned long long)seed, (unsigned long long)module);
    for (uint64_t i = 0; i < KERNELS_PER_MODULE; i++) {
        uint64_t number = module * KERNELS_PER_MODULE + i;
        if (only != UINT64_MAX && only != number)
            continue;
        struct kernel k = {.out = out, .random = {seed ^ (number + 1) * 0xd1342543de82ef95u}};
        begin(out, number);
        statements(&k, length, 0);
        end(out);
    }
    return fclose(out) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: generate SEED FIRST COUNT FOLDER [STATEMENTS [KERNEL]]\n");
        return 2;
    }
    uint64_t seed = strtoull(argv[1], NULL, 0), first = strtoull(argv[2], NULL, 0);
    int length = argc > 5 ? atoi(argv[5]) : STATEMENTS;
    uint64_t only = argc > 6 ? strtoull(argv[6], NULL, 0) : UINT64_MAX;
    for (uint64_t i = 0, count = strtoull(argv[3], NULL, 0); i < count; i++)
        if (!module_write(seed, first + i, argv[4], length, only)) {
            fprintf(stderr, "generate: %s: cannot write module %llu\n", argv[4],
                    (unsigned long long)(first + i));
            return 1;
        }
    return 0;
}
