// The decoder against LLVM's: every instruction that clang makes of shipped experiments for gfx90a has the same text.
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
    int same, other;
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
    size_t end = (size_t)(comment - line), start = 0;
    while (end > 0 && isspace((unsigned char)line[end - 1]))
        end--;
    while (start < end && isspace((unsigned char)line[start]))
        start++;
    struct amd_instruction in;
    const char *why = "";
    struct text got = {0};
    if (amd_decode((const uint8_t *)words, 4 * count, &in, &why))
        amd_print(&in, &got);
    else
        text_printf(&got, "(%s)", why);
    bool same = got.length == end - start && memcmp(text_str(&got), line + start, got.length) == 0;
    t->same += same;
    t->other += !same;
    if (!same && t->other <= 40)
        print_message("LLVM:  %.*s\nridge: %s\n", (int)(end - start), line + start, text_str(&got));
    text_release(&got);
}

static void compare_object(struct arena *a, const char *program, const char *object,
                           struct tally *t)
{
    const char *const argv[] = {program, "-d", "--mcpu=gfx90a", object, NULL};
    const char *out = NULL;
    assert_true(amd_run_program(a, argv, &out));
    for (const char *line = out; *line;
         line += strcspn(line, "\n") + (line[strcspn(line, "\n")] != '\0'))
        if (*line == '\t')
            compare_line(line, strcspn(line, "\n"), t);
}

static void every_instruction_of_shipped_experiments_reads_as_llvm_reads_it(void **state)
{
    struct arena a = {0};
    struct work_folder folder;
    struct error err = {0};
    struct tally tally = {0};
    (void)state;
    const char *program = program_find(&a, "llvm-objdump");
    program = program ? program : program_find(&a, "llvm-objdump-14");
    if (!program || !program_find(&a, "clang")) {
        print_message("skip: no clang and llvm-objdump to compare with\n");
        arena_release(&a);
        skip();
    }
    assert_true(work_folder_open(&folder, &err));
    const char *object = path_join(&a, folder.path, "kernels.o");
    for (size_t i = 0; i < COUNT_OF(sources); i++) {
        assert_true(amd_compile(&a, sources[i], folder.path, object));
        compare_object(&a, program, object, &tally);
    }
    work_folder_close(&folder);
    arena_release(&a);
    print_message("%d instructions read as LLVM reads them, %d otherwise\n", tally.same,
                  tally.other);
    assert_int_equal(tally.other, 0);
    assert_true(tally.same > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_of_shipped_experiments_reads_as_llvm_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
