// Code of saved kernels: fat binaries, packed and not, where PTX is looked for, and what pointers point to.
// SPDX-License-Identifier: Apache-2.0
#include "replay/internal.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena arena;
static char folder[] = "/tmp/ridge-replay-XXXXXX";

#define PTX(arch, name)                                                                   \
    "\n.version 7.0\n.target sm_" arch "\n.address_size 64\n.visible .entry " name        \
    "(.param .u64 p, .param .align 8 .b8 s[24])\n{\n.reg .b64 %rd<9>; .reg .f32 %f<3>;\n" \
    ".reg .b32 %r<3>;\nld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [s+8];\n"              \
    "cvta.to.global.u64 %rd3, %rd1;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 4;\n"  \
    "add.s64 %rd5, %rd3, %rd4;\nld.global.v2.f32 {%f1, %f2}, [%rd5];\n"                   \
    "cvta.to.global.u64 %rd6, %rd2;\nst.global.u32 [%rd6], %r1;\nret;\n}\n"

static int clean(void **state)
{
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    struct process_result r;
    struct error err = {0};
    if (!process_run(&(struct process_spec){.argv = argv}, &r, &err))
        return -1;
    process_result_release(&r);
    arena_release(&arena);
    return 0;
}

static int prepare(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static void add(struct text *t, uint64_t value, size_t bytes)
{
    text_addn(t, (const char *)&value, bytes);
}

// A section as nvcc writes it; `plain` is 0 where it is not packed.
static void add_section(struct text *t, int kind, uint32_t architecture, uint64_t flags,
                        const char *data, size_t bytes, size_t plain)
{
    size_t padding = (8 - bytes % 8) % 8;
    add(t, (uint64_t)kind, 2);
    add(t, 0x101, 2);
    add(t, 64, 4);
    add(t, bytes + padding, 8);
    add(t, plain ? bytes : 0, 4);
    add(t, 0, 4);
    add(t, 7 << 16, 4);
    add(t, architecture, 4);
    add(t, 0, 8);
    add(t, 0x11 | flags, 8);
    add(t, 0, 8);
    add(t, plain, 8);
    text_addn(t, data, bytes);
    text_addn(t, "\0\0\0\0\0\0\0", padding);
}

static struct code_image fatbin(const struct text *sections)
{
    struct text t = {0};
    add(&t, 0xba55ed50, 4);
    add(&t, 1, 2);
    add(&t, 16, 2);
    add(&t, sections->length, 8);
    text_addn(&t, sections->data, sections->length);
    char *kept = arena_alloc(&arena, t.length);
    memcpy(kept, t.data, t.length);
    struct code_image image = {kept, t.length};
    text_release(&t);
    return image;
}

static const char *cache = "/nowhere";

static struct found_code find(struct code_image image, const char *file, const char *kernel)
{
    struct saved s = {.arena = &arena};
    struct found_code found;
    if (image.data)
        VEC_PUSH(s.images.items, s.images.count, s.images.capacity, image);
    if (file)
        VEC_PUSH(s.files.items, s.files.count, s.files.capacity, file);
    VEC_PUSH(s.caches.items, s.caches.count, s.caches.capacity, cache);
    code_find(&s, kernel, &found);
    saved_release(&s);
    return found;
}

static void the_newest_ptx_of_the_kernel_is_taken(void **state)
{
    struct text t = {0};
    static const char older[] = PTX("80", "k"), newer[] = PTX("90", "k"),
                      other[] = PTX("100", "k2");
    add_section(&t, FATBIN_ELF, 90, 0, "\177ELFk", 6, 0);
    add_section(&t, FATBIN_PTX, 80, 0, older, sizeof older - 1, 0);
    add_section(&t, FATBIN_PTX, 90, 0, newer, sizeof newer - 1, 0);
    add_section(&t, FATBIN_PTX, 100, 0, other, sizeof other - 1, 0);
    struct found_code found = find(fatbin(&t), NULL, "k");
    assert_string_equal(found.ptx, newer);
    assert_int_equal(found.ptx_bytes, sizeof newer - 1);
    found = find(fatbin(&t), NULL, "k3");
    assert_null(found.ptx);
    assert_string_equal(found.why, "the program has no PTX of it");
    text_release(&t);
}

static void a_file_s_fat_binary_is_found_wherever_it_lies(void **state)
{
    struct text t = {0}, file = {0};
    struct error err = {0};
    static const char ptx[] = PTX("80", "k");
    add_section(&t, FATBIN_PTX, 80, 0, ptx, sizeof ptx - 1, 0);
    struct code_image image = fatbin(&t);
    text_addn(&file, "\177ELF and so on..........", 24);
    text_addn(&file, image.data, image.size_bytes);
    const char *path = path_join(&arena, folder, "program");
    assert_true(file_write(path, file.data, file.length, &err));
    assert_string_equal(find((struct code_image){0}, path, "k").ptx, ptx);
    text_release(&t);
    text_release(&file);
}

static void packed_sections_are_unpacked(void **state)
{
    static const char *const zstd[] = {"libzstd.so.1", NULL}, *const lz4[] = {"liblz4.so.1", NULL};
    static const char ptx[] = PTX("80", "k");
    char packed[2 * sizeof ptx];
    size_t (*by_zstd)(void *, size_t, const void *, size_t, int);
    int (*by_lz4)(const char *, char *, int, int);
    struct error err = {0};
    void *a = library_open(zstd, NULL, &err), *b = library_open(lz4, NULL, &err);
    if (!a || !b || !library_symbol(a, "ZSTD_compress", &by_zstd, sizeof by_zstd, &err) ||
        !library_symbol(b, "LZ4_compress_default", &by_lz4, sizeof by_lz4, &err)) {
        print_message("skip - %s\n", err.message);
        skip();
    }
    for (int i = 0; i < 2; i++) {
        struct text t = {0};
        size_t n = i == 0 ? by_zstd(packed, sizeof packed, ptx, sizeof ptx, 3)
                          : (size_t)by_lz4(ptx, packed, sizeof ptx, sizeof packed);
        add_section(&t, FATBIN_PTX, 80, i == 0 ? 0x8000 : 0x2000, packed, n, sizeof ptx);
        struct found_code found = find(fatbin(&t), NULL, "k");
        assert_string_equal(found.ptx, ptx);
        assert_int_equal(found.ptx_bytes,
                         sizeof ptx - 1); // without the NUL that compilers pack too
        packed[0] = (char)~packed[0];
        text_clear(&t);
        add_section(&t, FATBIN_PTX, 80, i == 0 ? 0x8000 : 0x2000, packed, n / 2, sizeof ptx);
        assert_non_null(strstr(find(fatbin(&t), NULL, "k").why, "cannot be unpacked"));
        text_release(&t);
    }
}

static bool nvcc(const char *packing, const char *source, const char *out)
{
    const char *const argv[] = {"nvcc", "-fatbin", "-arch=compute_80", packing, "-o", out,
                                source, NULL};
    struct process_result r;
    struct error err = {0};
    bool done = program_find(&arena, "nvcc") &&
                process_run(&(struct process_spec){.argv = argv, .timeout_s = 300}, &r, &err);
    if (done) {
        done = r.exit_status == 0;
        process_result_release(&r);
    }
    return done;
}

static void what_nvcc_writes_is_read(void **state)
{
    static const char source[] = "extern \"C\" __global__ void k(float *x) { *x = 1; }\n";
    static const char *const packings[] = {"--compress-mode=none", "--compress-mode=size",
                                           "--compress-mode=speed"};
    struct error err = {0};
    const char *path = path_join(&arena, folder, "k.cu");
    const char *out = path_join(&arena, folder, "k.fatbin");
    assert_true(file_write(path, source, sizeof source - 1, &err));
    if (!nvcc(packings[0], path, out)) {
        print_message("skip - no nvcc of CUDA 12.8 or later\n");
        skip();
    }
    for (size_t i = 0; i < COUNT_OF(packings); i++) {
        assert_true(nvcc(packings[i], path, out));
        const char *ptx = find((struct code_image){0}, out, "k").ptx;
        assert_non_null(ptx);
        assert_non_null(strstr(ptx, ".entry k("));
    }
}

static const char machine[] = "\177ELF\0k\0rest";

// HASH/k.cubin of the bytes, and k.ptx
static void fill_cache(const char *below, const char *bytes, size_t size, const char *ptx)
{
    struct error err = {0};
    const char *hash = path_join(&arena, folder, below);
    assert_true(dir_make(hash, &err) &&
                file_write(path_join(&arena, hash, "k.cubin"), bytes, size, &err) &&
                file_write(path_join(&arena, hash, "k.ptx"), ptx, strlen(ptx), &err));
}

static void triton_s_cache_has_the_ptx_of_machine_code(void **state)
{
    static const char ptx[] = PTX("90", "k"), other[] = PTX("90", "k") "// other";
    struct code_image image = {machine, sizeof machine};
    cache = path_join(&arena, folder, "triton");
    assert_string_equal(find(image, NULL, "k").why, "the program has no PTX of it");
    fill_cache("triton/ABD", "\177ELF\0k\0Rest", sizeof machine, other);
    fill_cache("triton/ABC", machine, sizeof machine, ptx);
    struct found_code found = find(image, NULL, "k");
    assert_string_equal(found.ptx, ptx);
    assert_ptr_equal(found.machine, machine);
}

// PyTorch's compiler has a cache per device, and may load the file itself.
static void so_has_that_of_pytorch_s_compiler(void **state)
{
    static const char ptx[] = PTX("90", "k");
    char padded[sizeof machine + 8] = {0};
    memcpy(padded, machine, sizeof machine);
    struct code_image image = {padded, sizeof padded};
    cache = path_join(&arena, folder, "inductor");
    fill_cache("inductor/0/ABC", machine, sizeof machine, ptx);
    assert_string_equal(find(image, NULL, "k").ptx, ptx);
    cache = "/nowhere";
    const char *loaded = path_join(&arena, folder, "inductor/0/ABC/k.cubin");
    assert_string_equal(find(image, loaded, "k").ptx, ptx);
    padded[sizeof padded - 1] = 1; // other code that begins with the same bytes
    assert_null(find(image, loaded, "k").ptx);
}

static void other_machine_code_of_the_name_is_counted(void **state)
{
    struct saved s = {.arena = &arena};
    struct found_code found;
    const struct code_image images[] = {
        {"\177ELF\0k\0old", 11}, {machine, sizeof machine}, {machine, sizeof machine}};
    for (size_t i = 0; i < COUNT_OF(images); i++)
        VEC_PUSH(s.images.items, s.images.count, s.images.capacity, images[i]);
    code_find(&s, "k", &found);
    assert_int_equal(found.other_machines, 1);
    assert_ptr_equal(found.machine, machine);
    saved_release(&s);
}

static void a_pointer_s_type_is_that_of_its_accesses(void **state)
{
    static const char ptx[] = PTX("80", "k");
    struct ptx_module *m;
    struct error err = {0};
    assert_true(ptx_parse(&arena, "k", ptx, sizeof ptx - 1, &m, &err));
    const struct ptx_function *k = ptx_function_find(m, "k");
    assert_string_equal(replay_pointed_type(k, 0, 0), "f32");
    assert_string_equal(replay_pointed_type(k, 1, 8), "u32"); // a field
    assert_null(replay_pointed_type(k, 1, 0));
}

// out[i] = table[index[i]] * (mask[i] ? scale[0] : 1), count[0] of them; all but `out` moved as bits
static const char gather[] =
    "\n.version 7.0\n.target sm_80\n.address_size 64\n.visible .entry g(.param .u64 out,"
    " .param .u64 table, .param .u64 index, .param .u64 mask, .param .u64 half,"
    " .param .u64 count, .param .u64 unused)\n{\n"
    ".reg .pred %p<3>; .reg .b16 %h<3>; .reg .b32 %r<12>; .reg .f32 %f<6>; .reg .b64 %rd<20>;\n"
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [table]; ld.param.u64 %rd3, [index];\n"
    "ld.param.u64 %rd4, [mask]; ld.param.u64 %rd5, [half]; ld.param.u64 %rd6, [count];\n"
    "mov.u32 %r1, %tid.x; ld.global.u32 %r2, [%rd6]; setp.ge.u32 %p1, %r1, %r2;\n"
    "@%p1 bra DONE;\n"
    "mul.wide.u32 %rd7, %r1, 4; add.s64 %rd8, %rd3, %rd7; ld.global.b32 %r3, [%rd8];\n"
    "mul.wide.s32 %rd9, %r3, 4; add.s64 %rd10, %rd2, %rd9; ld.global.b32 %r4, [%rd10];\n"
    "mov.b32 %f1, %r4; add.s64 %rd11, %rd4, %rd7; ld.global.b32 %r5, [%rd11];\n"
    "setp.ne.s32 %p2, %r5, 0; selp.f32 %f2, 0f3f800000, 0f40000000, %p2;\n"
    "ld.global.v2.b16 {%h1, %h2}, [%rd5]; cvt.f32.bf16 %f3, %h1;\n"
    "mul.f32 %f4, %f1, %f2; add.f32 %f5, %f4, %f3; mov.b32 %r6, %f5;\n"
    "add.s64 %rd12, %rd1, %rd7; st.global.b32 [%rd12], %r6;\nDONE: ret;\n}\n";

static void memory_holds_what_the_kernel_does_with_it(void **state)
{
    struct ptx_module *m;
    struct error err = {0};
    if (!ptx_parse(&arena, "g", gather, sizeof gather - 1, &m, &err))
        fail_msg("%s", err.message);
    static const struct content wanted[] = {
        {CONTENT_FLOATS, ELEMENT_F32},  {CONTENT_FLOATS, ELEMENT_F32},
        {CONTENT_INDICES, ELEMENT_U32}, {CONTENT_INTEGERS, ELEMENT_U32},
        {CONTENT_FLOATS, ELEMENT_BF16}, {CONTENT_INDICES, ELEMENT_U32},
        {.kind = CONTENT_NONE}};
    for (int i = 0; i < (int)COUNT_OF(wanted); i++) {
        struct content c = replay_content(ptx_function_find(m, "g"), i, 0);
        if (c.kind != wanted[i].kind || c.type != wanted[i].type)
            fail_msg("parameter %d: %d of %s", i, (int)c.kind, element_name(c.type));
    }
}

// By its name within an address, and as an address of its own.
static void variables_hold_what_the_kernel_does_with_them(void **state)
{
    static const char ptx[] =
        "\n.version 7.0\n.target sm_80\n.address_size 64\n.const .align 4 .b8 factors[8];\n"
        ".global .align 4 .u32 place;\n.global .align 4 .u32 sum;\n.global .align 4 .u32 other;\n"
        ".visible .entry v(.param .u64 out)\n{\n"
        ".reg .b32 %r<5>; .reg .f32 %f<3>; .reg .b64 %rd<8>;\n"
        "ld.param.u64 %rd1, [out]; mov.u64 %rd2, factors; mov.u32 %r1, %tid.x;\n"
        "mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3; ld.const.f32 %f1, [%rd4];\n"
        "ld.global.u32 %r2, [place]; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd6, %rd1, %rd5;\n"
        "st.global.f32 [%rd6], %f1; atom.global.add.u32 %r3, [sum], 1;\nret;\n}\n";
    static const struct {
        const char *name;
        struct content holds;
    } wanted[] = {{"factors", {CONTENT_FLOATS, ELEMENT_F32}},
                  {"place", {CONTENT_INDICES, ELEMENT_U32}},
                  {"sum", {CONTENT_INTEGERS, ELEMENT_U32}},
                  {"other", {.kind = CONTENT_NONE}}};
    struct ptx_module *m;
    struct error err = {0};
    if (!ptx_parse(&arena, "v", ptx, sizeof ptx - 1, &m, &err))
        fail_msg("%s", err.message);
    assert_int_equal(m->variable_count, COUNT_OF(wanted));
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        struct content c = replay_variable_content(ptx_function_find(m, "v"), &m->variables[i]);
        assert_string_equal(m->variables[i].name, wanted[i].name);
        if (c.kind != wanted[i].holds.kind || c.type != wanted[i].holds.type)
            fail_msg("%s: %d of %s", wanted[i].name, (int)c.kind, element_name(c.type));
    }
}

/* ---- other contents -------------------------------------------------------------------------------- */

enum { HEADER = 128, COUNT = 4096 };

// Four regions of COUNT words each, behind one that no argument points to.
static uint32_t *anonymised(const uint32_t *words, const struct region *regions, size_t count)
{
    struct error err = {0};
    const char *path = path_join(&arena, folder, "p0.before");
    char *data = arena_alloc(&arena, HEADER + 5 * COUNT * sizeof *words), *now = NULL;
    size_t size = 0;
    memcpy(data + HEADER, words, 5 * COUNT * sizeof *words);
    assert_true(file_write(path, data, HEADER + 5 * COUNT * sizeof *words, &err) &&
                replay_anonymise(path, regions, count, &err) &&
                file_read(path, 1 << 20, &now, &size, &err));
    assert_int_equal(size, HEADER + 5 * COUNT * sizeof *words);
    uint32_t *out = ARENA_ARRAY(&arena, uint32_t, 5 * COUNT);
    memcpy(out, now + HEADER, 5 * COUNT * sizeof *words);
    free(now);
    return out;
}

static int words_rise(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void other_contents_have_the_same_distribution(void **state)
{
    static uint32_t words[5 * COUNT];
    static const struct region regions[] = {{4 * COUNT, {CONTENT_FLOATS, ELEMENT_F32}},
                                            {8 * COUNT, {CONTENT_INTEGERS, ELEMENT_U32}},
                                            {12 * COUNT, {CONTENT_INDICES, ELEMENT_U32}},
                                            {16 * COUNT, {.kind = CONTENT_UNKNOWN}}};
    float *floats = (float *)(words + COUNT);
    for (uint32_t i = 0; i < 5 * COUNT; i++)
        words[i] = i;
    for (int i = 0; i < COUNT; i++) // every fourth 0, some NaN, the others from 3 to 5
        floats[i] = i % 4 == 0 ? 0 : i % 64 == 1 ? (float)NAN : 3 + 2 * (float)(i % 1000) / 1000;
    uint32_t *now = anonymised(words, regions, COUNT_OF(regions));
    int nans = 0, zeros = 0, equal = 0;
    double sum = 0;
    for (int i = 0; i < COUNT; i++) {
        float x;
        memcpy(&x, &now[COUNT + i], sizeof x);
        nans += isnan(x) != 0;
        zeros += x == 0;
        equal += x == floats[i] && x != 0;
        if (!isnan(x) && x != 0) {
            assert_true(x >= 3 && x <= 5);
            sum += (double)x;
        }
    }
    assert_int_equal(nans, COUNT / 64);
    assert_int_equal(zeros, COUNT / 4);
    assert_true(equal < COUNT / 100);
    assert_true(fabs(sum / (COUNT - nans - zeros) - 4) < 0.1);
    assert_memory_not_equal(now + 2 * COUNT, words + 2 * COUNT, 4 * COUNT);
    qsort(now + 2 * COUNT, COUNT, 4, words_rise);
    assert_memory_equal(now + 2 * COUNT, words + 2 * COUNT, 4 * COUNT); // permuted
    assert_memory_equal(now + 3 * COUNT, words + 3 * COUNT, 4 * COUNT); // kept
    for (int i = 0; i < COUNT; i++)
        assert_true(now[i] == 0 && now[4 * COUNT + i] == 0);
}

static void a_mangled_name_has_a_word(void **state)
{
    assert_string_equal(replay_name(&arena, "_Z5twicePKfPfi"), "twice");
    assert_string_equal(replay_name(&arena, "_ZN4blas4copyIfLi4EEEvPT_"), "copy");
    assert_string_equal(replay_name(&arena, "triton_poi_fused_0"), "triton_poi_fused_0");
    assert_string_equal(replay_name(&arena, "_Z999x"), "_Z999x");
    assert_string_equal(replay_name(&arena, "../up"), "___up");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_ptx_of_the_kernel_is_taken),
        cmocka_unit_test(a_file_s_fat_binary_is_found_wherever_it_lies),
        cmocka_unit_test(packed_sections_are_unpacked),
        cmocka_unit_test(what_nvcc_writes_is_read),
        cmocka_unit_test(triton_s_cache_has_the_ptx_of_machine_code),
        cmocka_unit_test(so_has_that_of_pytorch_s_compiler),
        cmocka_unit_test(other_machine_code_of_the_name_is_counted),
        cmocka_unit_test(a_pointer_s_type_is_that_of_its_accesses),
        cmocka_unit_test(memory_holds_what_the_kernel_does_with_it),
        cmocka_unit_test(variables_hold_what_the_kernel_does_with_them),
        cmocka_unit_test(other_contents_have_the_same_distribution),
        cmocka_unit_test(a_mangled_name_has_a_word),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
