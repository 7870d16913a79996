// Video instructions against a chip: video_h200.txt holds, for each form, a hash of what an H200 gave for the
// operands made here. To measure again, with nvcc and a GPU of compute capability 9.0:
//   build/tests/sim/video_test write DIR       DIR/kernels.txt, DIR/inputs.bin
//   nvcc -o DIR/run tests/sim/alu_h200.cu -lcuda && DIR/run DIR
//   build/tests/sim/video_test read DIR        the new text; forms that differ start with ~
// SPDX-License-Identifier: Apache-2.0
#include "sim/exec_support.h"

enum { COUNT = 2048, SOURCES = 4, THREADS = 128, FORMS_MAX = 2000, NAME_SIZE = 120 };

static uint64_t inputs[SOURCES][COUNT]; // the low words of the first three are a, b, c
static char forms[FORMS_MAX][NAME_SIZE];
static size_t form_count;
static uint64_t drawn;

static uint32_t draw(uint32_t n)
{
    uint32_t words[4];
    philox(7, 99, drawn++, words);
    return words[0] % n;
}

// Whole words, small ones, and words of bytes and halves at the ends of their ranges.
static void inputs_fill(void)
{
    static const uint32_t bytes[] = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
    for (uint64_t s = 0; s < SOURCES; s++)
        for (uint64_t i = 0; i < COUNT; i++) {
            uint32_t r[4], word = 0;
            philox(201, s, i, r);
            for (int b = 0; b < 4; b++)
                word |= bytes[(r[1] >> 8 * b & 0xff) % COUNT_OF(bytes)] << 8 * b;
            inputs[s][i] = i % 4 == 0   ? r[0]
                           : i % 4 == 1 ? r[0] % 72
                           : i % 4 == 2 ? word
                                        : r[2] | word;
        }
}

/* ---- forms -------------------------------------------------------------------------------------- */

static const char *const types[] = {"u32", "s32"};
static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};

static const char *part(void)
{
    static const char *const parts[] = {"", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
    return parts[draw(COUNT_OF(parts))];
}

#define FORM(...)                                                    \
    do {                                                             \
        assert_true(form_count < FORMS_MAX);                         \
        (void)snprintf(forms[form_count++], NAME_SIZE, __VA_ARGS__); \
    } while (0)

// One lane: alone, with a second operation, and into a part of the result.
static void word_forms(const char *head)
{
    static const char *const seconds[] = {".add", ".min", ".max"};
    FORM("%s d, a%s, b%s", head, part(), part());
    FORM("%s%s d, a%s, b%s, c", head, seconds[draw(3)], part(), part());
    const char *to = part();
    FORM("%s d%s, a%s, b%s, c", head, *to ? to : ".h1", part(), part());
}

static const char *lane_digits(char out[8], unsigned lanes)
{
    if (draw(3) == 0)
        return "";
    unsigned n = 0;
    n += (unsigned)snprintf(out, 8, ".%c", lanes == 4 ? 'b' : 'h');
    for (unsigned i = 0; i < lanes; i++)
        out[n++] = (char)('0' + (int)draw(2 * lanes));
    out[n] = '\0';
    return out;
}

static const char *lane_mask(char out[8], unsigned lanes)
{
    uint32_t mask = 1 + draw((1u << lanes) - 1);
    unsigned n = (unsigned)snprintf(out, 8, ".%c", lanes == 4 ? 'b' : 'h');
    for (unsigned i = lanes; i-- > 0;)
        if ((mask >> i & 1) != 0)
            out[n++] = (char)('0' + (int)i);
    out[n] = '\0';
    return out;
}

static void lane_forms(const char *head, unsigned lanes, bool may_saturate)
{
    static const char *const ends[] = {"", ".add", ".sat"};
    for (size_t i = 0; i < (may_saturate ? COUNT_OF(ends) : COUNT_OF(ends) - 1); i++) {
        char a[8], b[8], mask[8];
        FORM("%s%s d, a%s, b%s, c", head, ends[i], lane_digits(a, lanes), lane_digits(b, lanes));
        FORM("%s%s d%s, a%s, b%s, c", head, ends[i], lane_mask(mask, lanes), lane_digits(a, lanes),
             lane_digits(b, lanes));
    }
}

static void forms_of_types(const char *d, const char *a, const char *b)
{
    static const char *const words[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax"};
    static const char *const lanes[] = {"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"};
    char head[64];
    for (size_t i = 0; i < COUNT_OF(words); i++)
        for (int sat = 0; sat < 2; sat++) {
            (void)snprintf(head, sizeof head, "%s.%s.%s.%s%s", words[i], d, a, b,
                           sat ? ".sat" : "");
            word_forms(head);
        }
    for (int left = 0; left < 2; left++)
        for (int sat = 0; sat < 2; sat++) {
            (void)snprintf(head, sizeof head, "%s.%s.%s.u32%s.%s", left ? "vshl" : "vshr", d, a,
                           sat ? ".sat" : "", *b == 'u' ? "clamp" : "wrap");
            word_forms(head);
        }
    for (size_t i = 0; i < COUNT_OF(lanes); i++)
        for (unsigned n = 2; n <= 4; n += 2) {
            (void)snprintf(head, sizeof head, "%s%u.%s.%s.%s", lanes[i], n, d, a, b);
            lane_forms(head, n, true);
        }
}

static void forms_of_vset(const char *a, const char *b)
{
    char head[64];
    for (size_t i = 0; i < COUNT_OF(compares); i++) {
        (void)snprintf(head, sizeof head, "vset.%s.%s.%s", a, b, compares[i]);
        word_forms(head);
        for (unsigned n = 2; n <= 4; n += 2) {
            (void)snprintf(head, sizeof head, "vset%u.%s.%s.%s", n, a, b, compares[i]);
            lane_forms(head, n, false);
        }
    }
}

static void forms_of_vmad(const char *d, const char *a, const char *b)
{
    static const char *const shifts[] = {"", ".shr7", ".shr15"};
    for (size_t i = 0; i < COUNT_OF(shifts); i++)
        for (int sat = 0; sat < 2; sat++) {
            char head[64];
            (void)snprintf(head, sizeof head, "%s.%s.%s", d, a, b);
            const char *end = sat ? ".sat" : "";
            FORM("vmad.%s%s%s d, a%s, b%s, c", head, end, shifts[i], part(), part());
            FORM("vmad.%s.po%s%s d, a%s, b%s, c", head, end, shifts[i], part(), part());
            FORM("vmad.%s%s%s d, -a, b%s, c", head, end, shifts[i], part());
            FORM("vmad.%s%s%s d, a%s, -b%s, c", head, end, shifts[i], part(), part());
            FORM("vmad.%s%s%s d, a, b, -c", head, end, shifts[i]);
            FORM("vmad.%s%s%s d, -a%s, -b, c", head, end, shifts[i], part());
        }
}

static void forms_make(void)
{
    for (int d = 0; d < 2; d++)
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                forms_of_types(types[d], types[a], types[b]);
                forms_of_vmad(types[d], types[a], types[b]);
                if (d == 0)
                    forms_of_vset(types[a], types[b]);
            }
}

// "vadd.u32.u32.u32 d.h0, a, b.b1, c" with registers for the letters; d holds 0 before.
static void kernel_write(struct text *t, const char *form)
{
    text_add(t, ".version 8.3\n.target sm_90\n.address_size 64\n"
                ".visible .entry k(.param .u64 pi, .param .u64 po)\n{\n"
                ".reg .b64 %in, %out, %at, %r64;\n.reg .b32 %t, %u, %d, %a, %b, %c;\n"
                "ld.param.u64 %in, [pi];\nld.param.u64 %out, [po];\n"
                "mov.u32 %t, %tid.x;\nmov.u32 %u, %ctaid.x;\nmad.lo.u32 %t, %u, 128, %t;\n"
                "mul.wide.u32 %at, %t, 8;\nadd.s64 %in, %in, %at;\nadd.s64 %out, %out, %at;\n"
                "mov.u32 %d, 0;\n");
    for (int k = 0; k < 3; k++)
        text_printf(t, "ld.global.u32 %%%c, [%%in+%d];\n", "abc"[k], k * COUNT * 8);
    size_t head = strcspn(form, " ");
    text_printf(t, "%.*s", (int)head, form);
    for (const char *s = form + head; *s; s++) {
        bool letter = (s[-1] == ' ' || s[-1] == '-') && *s != '-' && *s != ' ';
        text_printf(t, letter ? "%%%c" : "%c", *s);
    }
    text_add(t, ";\ncvt.u64.u32 %r64, %d;\nst.global.u64 [%out], %r64;\nret;\n}\n");
}

static void simulate(const char *form, uint64_t out[COUNT])
{
    struct text t = {0};
    struct bench b;
    kernel_write(&t, form);
    bench_text(&b, text_str(&t));
    uint64_t in = bench_buffer(&b, "in", inputs, sizeof inputs);
    uint64_t to = bench_buffer(&b, "out", NULL, COUNT * sizeof *out);
    bench_run(&b, "k", GRID1(COUNT / THREADS, THREADS), ARGS(&in, &to));
    bench_fetch(&b, to, out, COUNT * sizeof *out);
    bench_close(&b);
    text_release(&t);
}

/* ---- the test ----------------------------------------------------------------------------------- */

static void an_h200_gave_the_same_words(void **state)
{
    (void)state;
    static uint64_t out[COUNT];
    char *text = NULL, *save = NULL, got[20];
    size_t size = 0, checked = 0, equal = 0;
    struct error err;
    if (!file_read("tests/sim/video_h200.txt", 1 << 20, &text, &size, &err))
        fail_msg("%s", err.message);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (*line == '#')
            continue;
        checked++;
        if (*line == '~')
            continue;
        simulate(line + 17, out);
        (void)snprintf(got, sizeof got, "%016llx", (unsigned long long)hash64(out, sizeof out, 0));
        if (strncmp(got, line, 16) != 0)
            fail_msg("%s differs from an H200", line + 17);
        equal++;
    }
    free(text);
    assert_int_equal(checked, form_count);
    assert_true(equal >= 1250);
}

/* ---- measuring again ---------------------------------------------------------------------------- */

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
    FILE *kernels = open_in(folder, "kernels.txt", "w");
    FILE *data = open_in(folder, "inputs.bin", "wb");
    if (kernels == NULL || data == NULL)
        return 1;
    for (size_t i = 0; i < form_count; i++) {
        struct text t = {0};
        kernel_write(&t, forms[i]);
        fprintf(kernels, "@@%s\n%s", forms[i], text_str(&t));
        text_release(&t);
    }
    bool whole = fwrite(inputs, sizeof inputs, 1, data) == 1;
    return fclose(kernels) != 0 || fclose(data) != 0 || !whole;
}

// Results: a line with the form, then COUNT values of 8 bytes.
static int measure_read(const char *folder)
{
    static uint64_t want[COUNT], got[COUNT];
    char name[NAME_SIZE];
    FILE *f = open_in(folder, "results.bin", "rb");
    if (f == NULL)
        return 1;
    printf("# What an H200 gave: hash of %d results, form (video_test.c).\n", COUNT);
    printf("# ~ differs: form, lanes. There machine code by ptxas departs from the manual, which "
           "the\n");
    printf("# simulated GPU follows (docs/differential.md).\n");
    while (fgets(name, sizeof name, f) != NULL && fread(want, sizeof want, 1, f) == 1) {
        name[strcspn(name, "\n")] = '\0';
        simulate(name, got);
        int lanes = 0;
        for (size_t i = 0; i < COUNT; i++) {
            lanes += got[i] != want[i];
            if (got[i] != want[i] && lanes <= 2)
                fprintf(stderr, "%s: %08llx %08llx %08llx: %08llx, chip %08llx\n", name,
                        (unsigned long long)inputs[0][i], (unsigned long long)inputs[1][i],
                        (unsigned long long)inputs[2][i], (unsigned long long)got[i],
                        (unsigned long long)want[i]);
        }
        if (lanes != 0)
            printf("~ %s %d\n", name, lanes);
        else
            printf("%016llx %s\n", (unsigned long long)hash64(want, sizeof want, 0), name);
    }
    return fclose(f) != 0;
}

int main(int argc, char **argv)
{
    inputs_fill();
    forms_make();
    if (argc == 3)
        return strcmp(argv[1], "write") == 0 ? measure_write(argv[2]) : measure_read(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_gave_the_same_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
