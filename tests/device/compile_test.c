// CUDA C to PTX: what users see when it does not compile, and a cache that is never wrong.
// SPDX-License-Identifier: Apache-2.0
#include "device/support.h"

static const char good[] =
    "extern \"C\" __global__ void k(float *a) { a[threadIdx.x] += SCALE; }\n";
static const char *const defines[] = {"SCALE=2.0f"};

static struct code_object compile(struct arena *a, const struct compile_request *r)
{
    struct code_object out;
    struct error err = {0};
    if (!code_compile(a, r, &out, &err))
        fail_msg("%s", err.message);
    return out;
}

static struct error refuse(struct arena *a, const struct compile_request *r)
{
    struct code_object out;
    struct error err = {0};
    assert_false(code_compile(a, r, &out, &err));
    return err;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* ---- errors ----------------------------------------------------------------------------------- */

static void check_error_shows_file_and_line(const char *compiler, const char *place)
{
    struct arena a = {0};
    need_compiler(&a, compiler);
    const char *folder = make_folder(&a);
    const char *path =
        write_source(&a, folder, "bad.cu",
                     "// one\n// two\n__global__ void k(int *a)\n{\n    a[0] = wrong_name;\n"
                     "    a[1] = also_wrong;\n}\n");
    struct compile_request r = request_for(path, compiler);
    struct error err = refuse(&a, &r);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_has(err.message, "bad.cu does not compile with ");
    assert_has(err.message, arena_printf(&a, "%s%s", path_name(path), place));
    assert_has(err.message, "wrong_name");
    assert_has(err.message, "also_wrong"); // all of them
    assert_null(strchr(err.message, '\033'));
    arena_release(&a);
}

static void nvrtc_error_shows_the_users_file_and_line(void **state)
{
    check_error_shows_file_and_line("nvrtc", "(5): error");
}

static void clang_error_shows_the_users_file_and_line(void **state)
{
    check_error_shows_file_and_line("clang", ":5:12: error");
}

static void check_error_in_an_included_file(const char *compiler, const char *place)
{
    struct arena a = {0};
    need_compiler(&a, compiler);
    const char *folder = make_folder(&a);
    write_source(&a, folder, "part.h", "\n__device__ int f() { return no_such; }\n");
    struct compile_request r =
        request_for(write_source(&a, folder, "main.cu",
                                 "#include \"part.h\"\n__global__ void k(int *a) { *a = f(); }\n"),
                    compiler);
    assert_has(refuse(&a, &r).message, place);
    arena_release(&a);
}

static void nvrtc_error_in_an_included_file_names_it(void **state)
{
    check_error_in_an_included_file("nvrtc", "part.h(2)");
}

static void clang_error_in_an_included_file_names_it(void **state)
{
    check_error_in_an_included_file("clang", "part.h:2:");
}

static void error_of_many_lines_ends_at_a_line_and_says_where_the_rest_is(void **state)
{
    struct arena a = {0};
    need_compiler(&a, "clang");
    struct text t = {0};
    for (int i = 0; i < 19; i++)
        text_printf(&t,
                    "__device__ int f%d() { return "
                    "an_identifier_with_a_very_long_name_that_nobody_declared_%d "
                    "+ another_identifier_with_a_very_long_name; }\n",
                    i, i);
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "many.cu", t.data), "clang");
    struct error err = refuse(&a, &r);
    assert_has(err.message, " more lines; all of it: ");
    const char *path = strstr(err.message, "all of it: ") + strlen("all of it: ");
    assert_true(file_exists(path));
    text_release(&t);
    arena_release(&a);
}

static void source_that_is_missing_is_said(void **state)
{
    struct arena a = {0};
    struct compile_request r = request_for("/nowhere/k.cu", "auto");
    struct error err = refuse(&a, &r);
    assert_int_equal(err.kind, ERROR_INPUT);
    assert_has(err.message, "/nowhere/k.cu");
    arena_release(&a);
}

static void unknown_compiler_is_refused(void **state)
{
    struct arena a = {0};
    struct compile_request r = request_for(write_source(&a, make_folder(&a), "k.cu", good), "gcc");
    struct error err = refuse(&a, &r);
    assert_string_equal(err.message,
                        "unknown compiler 'gcc': it is one of auto, nvrtc, clang, nvcc");
    arena_release(&a);
}

static void no_compiler_at_all_says_how_to_get_one(void **state)
{
    struct arena a = {0};
    struct error nvrtc = {0}, err = {0};
    struct tool tool;
    if (nvrtc_find(&a, &tool, &nvrtc)) {
        print_message("NVRTC is here and cannot be hidden\n");
        arena_release(&a);
        skip();
    }
    char *path = arena_strdup(&a, getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    struct compile_request r = request_for(write_source(&a, make_folder(&a), "k.cu", good), "auto");
    err = refuse(&a, &r);
    setenv("PATH", path, 1);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_has(err.message, "no compiler for CUDA C was found; install clang");
    arena_release(&a);
}

// A program in the place of clang, which does what the script says when it compiles.
static const char *fake_clang(struct arena *a, const char *script)
{
    const char *text = arena_printf(
        a, "#!/bin/sh\n[ \"$1\" = --version ] && echo 'clang version 14.0.6' && exit\n%s\n",
        script);
    const char *path = write_source(a, make_folder(a), "clang-fake", text);
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

static void compiler_that_hangs_is_one_clear_error(void **state)
{
    struct arena a = {0};
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "k.cu", good), fake_clang(&a, "sleep 60"));
    r.timeout_s = 0.3;
    struct error err = refuse(&a, &r);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_has(err.message, "clang 14.0.6 did not finish compiling ");
    assert_has(err.message, "k.cu within 0.3 s");
    arena_release(&a);
}

static void compiler_that_crashes_is_one_clear_error(void **state)
{
    struct arena a = {0};
    struct compile_request r = request_for(
        write_source(&a, make_folder(&a), "k.cu", good),
        fake_clang(&a, "echo 'fatal error: error in backend: Cannot select' >&2; kill -SEGV $$"));
    struct error err = refuse(&a, &r);
    assert_int_equal(err.kind, ERROR_SYSTEM);
    assert_has(err.message, "clang 14.0.6 crashed while compiling ");
    assert_has(err.message, "Cannot select");
    arena_release(&a);
}

// As ccache does: one program under the names of several compilers.
static void one_program_that_is_several_compilers_is_asked_by_each_name(void **state)
{
    struct arena a = {0};
    const char *folder = make_folder(&a);
    const char *program = write_source(&a, folder, "wrapper",
                                       "#!/bin/sh\n"
                                       "case $0 in *-19) v=19.1.7 ;; *) v=14.0.6 ;; esac\n"
                                       "echo \"clang version $v\"\n");
    assert_int_equal(chmod(program, 0755), 0);
    const char *plain = path_join(&a, folder, "clang"), *newer = path_join(&a, folder, "clang-19");
    assert_int_equal(symlink("wrapper", plain), 0);
    assert_int_equal(symlink("wrapper", newer), 0);
    char *path = arena_strdup(&a, getenv("PATH"));
    setenv("PATH", arena_printf(&a, "%s:%s", folder, path), 1);
    struct tool tool;
    struct error err = {0};
    bool found = clang_find_since(&a, "clang", 17, &tool, &err);
    setenv("PATH", path, 1);
    assert_true(found);
    assert_string_equal(tool.version, "clang 19.1.7");
    assert_string_equal(tool.path, newer);
    arena_release(&a);
}

/* ---- what comes out ------------------------------------------------------------------------------ */

static void check_lines(const char *compiler)
{
    struct arena a = {0};
    need_compiler(&a, compiler);
    const char *path = write_source(&a, make_folder(&a), "k.cu", good);
    struct compile_request r = request_for(path, compiler);
    r.defines = defines;
    r.define_count = 1;
    struct code_object code = compile(&a, &r);
    assert_has(code.bytes, ".entry k(");
    assert_has(code.bytes, ".loc\t1 1 ");
    assert_has(code.bytes, arena_printf(&a, ".file\t1 \"%s\"", path));
    arena_release(&a);
}

static void nvrtc_gives_ptx_with_the_users_lines(void **state)
{
    check_lines("nvrtc");
}

static void clang_gives_ptx_with_the_users_lines(void **state)
{
    check_lines("clang");
}

static void nvrtc_reports_registers_and_shared_memory(void **state)
{
    struct arena a = {0};
    need_compiler(&a, "nvrtc");
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "k.cu",
                                 "extern \"C\" __global__ void k(float *a) { __shared__ float "
                                 "s[64]; s[threadIdx.x] = a[0];\n"
                                 " __syncthreads(); a[threadIdx.x] = s[threadIdx.x ^ 1]; }\n"),
                    "nvrtc");
    struct code_object code = compile(&a, &r);
    assert_int_equal(code.kernel_count, 1);
    assert_string_equal(code.kernels[0].name, "k");
    assert_in_range(code.kernels[0].registers, 4, 32);
    assert_int_equal(code.kernels[0].shared_bytes, 256);
    assert_string_equal(code.log, ""); // ptxas's report is not for people
    arena_release(&a);
}

// What NVRTC has made anyway saves the driver its compiling; who has only the PTX of an earlier compilation gets it too.
static void nvrtc_gives_machine_code_where_it_is_asked_for(void **state)
{
    struct arena a = {0};
    need_compiler(&a, "nvrtc");
    const char *folder = make_folder(&a);
    setenv("RIDGE_CACHE", path_join(&a, folder, "cache"), 1);
    struct compile_request r = request_for(write_source(&a, folder, "k.cu", good), "nvrtc");
    r.defines = defines;
    r.define_count = 1;
    assert_null(compile(&a, &r).machine);
    r.machine = true;
    struct code_object made = compile(&a, &r), kept = compile(&a, &r);
    assert_int_equal(made.format, CODE_PTX);
    assert_non_null(made.machine);
    assert_memory_equal(made.machine, "\177ELF", 4);
    assert_true(kept.from_cache);
    assert_int_equal(kept.machine_bytes, made.machine_bytes);
    assert_memory_equal(kept.machine, made.machine, made.machine_bytes);
    static const char *const limited[] = {"-maxrregcount", "24"}; // the PTX is limited afterwards
    r.flags = limited;
    r.flag_count = COUNT_OF(limited);
    assert_null(compile(&a, &r).machine);
    unsetenv("RIDGE_CACHE");
    arena_release(&a);
}

// Offsets and sizes are those of the parameter block: a launch needs nothing else.
static void code_lists_its_kernels_with_their_parameters(void **state)
{
    static const struct code_parameter wanted[] = {
        {0, 8, 8, "u64"}, {8, 4, 4, "f32"}, {16, 8, 8, "u64"}, {24, 12, 4, "b8"}};
    struct arena a = {0};
    need_compiler(&a, "clang");
    struct compile_request r = request_for(
        write_source(&a, make_folder(&a), "k.cu",
                     "struct three { float x, y, z; };\n"
                     "extern \"C\" __global__ void k(float *o, float s, long n, three v)\n"
                     "{ o[n] = s + v.y; }\n"
                     "__global__ void second() {}\n__device__ int helper() { return 1; }\n"),
        "clang");
    setenv("RIDGE_PTXAS", "none", 1);
    struct code_object code = compile(&a, &r);
    unsetenv("RIDGE_PTXAS");
    assert_int_equal(code.format, CODE_PTX);
    assert_true(code.kernels_listed);
    assert_int_equal(code.kernel_count, 2);
    const struct code_kernel *k = &code.kernels[0];
    assert_string_equal(k->name, "k");
    assert_int_equal(k->registers, CODE_UNKNOWN); // clang makes no machine code
    assert_int_equal(k->parameter_count, COUNT_OF(wanted));
    for (int i = 0; i < k->parameter_count; i++) {
        assert_int_equal(k->parameters[i].offset, wanted[i].offset);
        assert_int_equal(k->parameters[i].size_bytes, wanted[i].size_bytes);
        assert_int_equal(k->parameters[i].align_bytes, wanted[i].align_bytes);
        assert_string_equal(k->parameters[i].type, wanted[i].type);
    }
    assert_int_equal(code.kernels[1].parameter_count, 0);
    arena_release(&a);
}

static void code_that_is_not_read_here_has_no_list_of_kernels(void **state)
{
    struct arena a = {0};
    const char *folder = make_folder(&a);
    struct compile_request newer = request_for(
        write_source(&a, folder, "k.ptx", ".version 99.0\n.target sm_200\n.future stuff;\n"),
        "auto");
    struct code_object code = compile(&a, &newer);
    assert_false(code.kernels_listed);
    assert_int_equal(code.kernel_count, 0);
    assert_string_equal(code.arch, "sm_200");

    struct compile_request machine =
        request_for(write_source(&a, folder, "k.cubin", "\177ELF..."), "auto");
    code = compile(&a, &machine);
    assert_int_equal(code.format, CODE_CUBIN);
    assert_string_equal(code_format_name(code.format), "cubin");
    assert_false(code.kernels_listed);

    struct device_info info;
    struct device *device = NULL;
    struct device_module *module = NULL;
    struct error err = {0};
    if (!device_find(&a, "sim:h200", &info, &err) || !device_open(&info, &device, &err))
        fail_msg("%s", err.message);
    assert_false(device->ops->code->load(device, &code, &module, &err));
    assert_has(err.message, "the simulated GPU runs PTX, and this is a cubin");
    device_close(device);
    arena_release(&a);
}

static void header_functions_are_charged_to_the_callers_line(void **state)
{
    struct arena a = {0};
    need_compiler(&a, "clang");
    struct compile_request r = request_for(
        write_source(
            &a, make_folder(&a), "k.cu",
            "__global__ void k(int *a)\n{\n    atomicAdd(a + threadIdx.x, __popc(a[1]));\n}\n"),
        "clang");
    struct code_object code = compile(&a, &r);
    assert_null(strstr(code.bytes, "cuda_min.h"));
    assert_has(code.bytes, "atom");
    arena_release(&a);
}

// clang 14 takes it that a barrier does not change a variable whose address nothing takes.
static void clang_reads_shared_memory_again_after_a_barrier(void **state)
{
    struct arena a = {0};
    need_compiler(&a, "clang");
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "k.cu",
                                 "__global__ void k(int *a)\n{\n    __shared__ int pivot;\n"
                                 "    if (threadIdx.x == 0) pivot = a[5];\n    __syncthreads();\n"
                                 "    a[threadIdx.x] = pivot;\n}\n"),
                    "clang");
    const char *barrier = strstr(compile(&a, &r).bytes, "bar.sync");
    assert_non_null(barrier);
    assert_has(barrier, "ld.shared");
    arena_release(&a);
}

static void check_sample(const char *compiler)
{
    struct arena a = {0};
    need_compiler(&a, compiler);
    struct compile_request r = request_for("tests/device/sample.cu", compiler);
    struct code_object code = compile(&a, &r);
    struct ptx_module *module = NULL;
    struct error err = {0};
    if (!ptx_parse(&a, "sample", code.bytes, code.size_bytes, &module, &err))
        fail_msg("%s", err.message);
    static const char *const kernels[] = {"vectors",
                                          "tiled",
                                          "reduce",
                                          "warp",
                                          "atomics",
                                          "math",
                                          "talk",
                                          "grid",
                                          "_Z9templatedIfLi4EEvPT_",
                                          "_Z9templatedIiLi3EEvPT_"};
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        if (!ptx_function_find(module, kernels[i]))
            fail_msg("%s lost kernel %s", code.compiler, kernels[i]);
    arena_release(&a);
}

static void clang_compiles_the_sample_and_it_parses(void **state)
{
    check_sample("clang");
}

static void nvrtc_compiles_the_sample_and_it_parses(void **state)
{
    check_sample("nvrtc");
}

static void check_functions_without_attribute(const char *compiler)
{
    struct arena a = {0};
    need_compiler(&a, compiler);
    struct compile_request r = request_for(
        write_source(
            &a, make_folder(&a), "k.cu",
            "#include <stdint.h>\n#include <cmath>\nstatic int twice(int32_t x) { return 2 * x; }\n"
            "extern \"C\" __global__ void k(int *a) { auto f = [=](int x) { return twice(x) + "
            "INT32_MAX; };\n"
            "    a[0] = f(a[1]); }\n"),
        compiler);
    assert_has(compile(&a, &r).bytes, ".entry k(");
    arena_release(&a);
}

static void clang_takes_functions_without_attribute_as_device_functions(void **state)
{
    check_functions_without_attribute("clang");
}

static void nvrtc_takes_functions_without_attribute_as_device_functions(void **state)
{
    check_functions_without_attribute("nvrtc");
}

/* ---- the cache --------------------------------------------------------------------------------- */

struct cached { // a source with a cache folder of its own
    struct arena arena;
    const char *folder, *cache, *source;
    struct compile_request request;
};

static struct cached cached_init(const char *text)
{
    struct cached c = {0};
    need_compiler(&c.arena, "clang");
    c.folder = make_folder(&c.arena);
    c.cache = path_join(&c.arena, c.folder, "cache");
    setenv("RIDGE_CACHE", c.cache, 1);
    c.source = write_source(&c.arena, c.folder, "k.cu", text);
    c.request = request_for(c.source, "clang");
    c.request.defines = defines;
    c.request.define_count = 1;
    return c;
}

static bool note_instruction(void *context, const char *function, const char *file, int line,
                             const char *text)
{
    struct text *noted = context;
    text_printf(noted, "%s %s:%d %s\n", function, path_name(file), line, text);
    return true;
}

// ptxas makes a file with a table of lines, which what is asked as nvdisasm is given.
static void machine_code_is_disassembled_from_what_ptxas_makes(void **state)
{
    struct cached c = cached_init(good);
    struct text noted = {0};
    const struct code_disassembly to = {note_instruction, &noted};
    if (!ptxas_find(&c.arena)) {
        print_message("ptxas is not here\n");
        skip();
    }
    const char *tool = write_source(&c.arena, c.folder, "nvdisasm",
                                    "#!/bin/sh\n"
                                    "[ \"$1 $2\" = '-c -gi' ] && head -c 4 \"$3\" | grep -q ELF && "
                                    "grep -q debug_line \"$3\" || exit 1\n"
                                    "printf '.text.k:\\n\\t//## File \"/h/k.cu\", line 3\\n"
                                    "        /*0000*/   EXIT ;\\n'\n");
    assert_int_equal(chmod(tool, 0700), 0);
    setenv("RIDGE_NVDISASM", tool, 1);
    struct code_object made = compile(&c.arena, &c.request);
    assert_null(code_disassemble(&c.arena, &made, "sm_90", &to));
    assert_string_equal(text_str(&noted), "k k.cu:3 EXIT\n");
    setenv("RIDGE_NVDISASM", "none", 1);
    assert_non_null(
        strstr(code_disassemble(&c.arena, &made, "sm_90", &to), "nvdisasm is not here"));
    unsetenv("RIDGE_NVDISASM");
    text_release(&noted);
    arena_release(&c.arena);
}

// The same PTX with ptxas and without, and clang's: exact registers where a toolkit is here.
static void ptxas_reports_the_registers_of_given_ptx_and_of_clangs(void **state)
{
    struct cached c = cached_init(good);
    if (!ptxas_find(&c.arena)) {
        print_message("ptxas is not here\n");
        skip();
    }
    setenv("RIDGE_PTXAS", "none", 1);
    struct code_object made = compile(&c.arena, &c.request);
    assert_int_equal(made.kernels[0].registers, CODE_UNKNOWN);
    struct compile_request given = {
        .source_path = write_source(&c.arena, c.folder, "given.ptx", made.bytes), .arch = "sm_90"};
    assert_int_equal(compile(&c.arena, &given).kernels[0].registers, CODE_UNKNOWN);
    unsetenv("RIDGE_PTXAS");
    for (int i = 0; i < 2; i++) // the second time from the cache
        assert_in_range(compile(&c.arena, &given).kernels[0].registers, 4, 64);
    c.request.arch = "sm_80"; // which every clang knows
    assert_in_range(compile(&c.arena, &c.request).kernels[0].registers, 4, 64);
    arena_release(&c.arena);
}

static const char counted[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k(.param .u64 out)\n"
                              "{\n"
                              ".local .align 4 .b8 own[16];\n" // which begins as .loc does
                              ".reg .b64 %d<3>; .reg .b32 %r<3>;\n"
                              "ld.param.u64 %d1, [out];\n"
                              "mov.u32 %r1, %tid.x;\n"
                              "st.local.u32 [own], %r1;\n"
                              "st.global.u32 [%d1], %r1;\n"
                              "ret;\n}\n";

static int instructions_at(const struct code_kernel *k, int line)
{
    int sum = 0;
    for (int i = 0; i < k->line_count; i++)
        sum += k->lines[i].line == line ? k->lines[i].instructions : 0;
    return sum;
}

// For a simulated GPU alone: a real one counts by itself.
static void ptxas_says_what_it_makes_of_each_line(void **state)
{
    struct arena a = {0};
    struct device_info simulated = {.id = "sim:h200", .backend = "sim", .simulated = true},
                       real = {.id = "cuda:0", .backend = "cuda"};
    char cache[] = "/tmp/ridge-test-XXXXXX";
    if (!ptxas_find(&a)) {
        print_message("ptxas is not here\n");
        skip();
    }
    assert_non_null(mkdtemp(cache));
    setenv("RIDGE_CACHE", cache, 1);
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "k.ptx", counted), "auto");
    r.arch = "sm_90";
    r.device = &real;
    assert_int_equal(compile(&a, &r).kernels[0].line_count, 0);
    r.device = &simulated;
    for (int i = 0; i < 2; i++) { // the second time from the cache
        struct code_object code = compile(&a, &r);
        assert_in_range(instructions_at(&code.kernels[0], 11), 1, 4); // the store, what it needs
        assert_in_range(instructions_at(&code.kernels[0], 12), 1, 2);
        assert_int_equal(instructions_at(&code.kernels[0], 5), 0);
    }
    setenv("RIDGE_PTXAS", "none", 1);
    assert_int_equal(compile(&a, &r).kernels[0].line_count, 0);
    unsetenv("RIDGE_PTXAS");
    unsetenv("RIDGE_CACHE");
    arena_release(&a);
}

// The reciprocal, six instructions, and the branch around the rare way: the call there and the move before it are not executed
// (an H200's counts of bench/truth/tuning/kinds, newton_roots).
static void ptxas_rare_ways_of_divisions_do_not_count(void **state)
{
    static const char divided[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                                  ".visible .entry k(.param .u64 out)\n"
                                  "{\n"
                                  ".reg .b64 %d<3>; .reg .f32 %f<4>;\n"
                                  "ld.param.u64 %d1, [out];\n"
                                  "ld.global.f32 %f1, [%d1];\n"
                                  "ld.global.f32 %f2, [%d1+4];\n"
                                  "div.rn.f32 %f3, %f1, %f2;\n"
                                  "st.global.f32 [%d1], %f3;\n"
                                  "ret;\n}\n";
    struct arena a = {0};
    struct device_info simulated = {.id = "sim:h200", .backend = "sim", .simulated = true};
    char cache[] = "/tmp/ridge-test-XXXXXX";
    (void)state;
    if (!ptxas_find(&a)) {
        print_message("ptxas is not here\n");
        skip();
    }
    assert_non_null(mkdtemp(cache));
    setenv("RIDGE_CACHE", cache, 1);
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "k.ptx", divided), "auto");
    r.arch = "sm_90";
    r.device = &simulated;
    struct code_object code = compile(&a, &r);
    assert_int_equal(instructions_at(&code.kernels[0], 10), 8);
    unsetenv("RIDGE_CACHE");
    arena_release(&a);
}

static void ptx_sources_pass_through(void **state)
{
    struct arena a = {0};
    static const char ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n";
    struct compile_request r = request_for(write_source(&a, make_folder(&a), "k.ptx", ptx), "auto");
    struct code_object code = compile(&a, &r);
    assert_string_equal(code.bytes, ptx);
    assert_string_equal(code.arch, "sm_80");
    assert_string_equal(code.compiler, "none (PTX given)");
    assert_int_equal(strlen(code.key), 32);
    arena_release(&a);
}

static const char *write_bytes(struct arena *a, const char *folder, const char *name,
                               const char *bytes, size_t size_bytes)
{
    const char *path = path_join(a, folder, name);
    struct error err = {0};
    if (!file_write(path, bytes, size_bytes, &err))
        fail_msg("%s", err.message);
    return path;
}

// Most of a cubin's bytes are zeros.
static void machine_code_is_bytes(void **state)
{
    static const char bytes[] = "\177ELF\2\1\1\0\0\0\0#include \"no.h\"\0<<<\0the end",
                      other[] = "\177ELF\2\1\1\0\0\0\0#include \"no.h\"\0<<<\0THE END";
    static const char *const endings[] = {"cubin", "hsaco"};
    struct arena a = {0};
    const char *folder = make_folder(&a);
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        const char *name = arena_printf(&a, "k.%s", endings[i]);
        struct compile_request r =
            request_for(write_bytes(&a, folder, name, bytes, sizeof bytes), "auto");
        struct code_object code = compile(&a, &r), changed;
        assert_string_equal(code_format_name(code.format), endings[i]);
        assert_int_equal(code.size_bytes, sizeof bytes);
        assert_memory_equal(code.bytes, bytes, sizeof bytes);
        assert_string_equal(code.compiler, "none (machine code given)");
        write_bytes(&a, folder, name, other, sizeof other);
        changed = compile(&a, &r);
        assert_string_not_equal(changed.key, code.key); // bytes after a NUL count too
        struct declared_kernel *kernels;
        int count = -1;
        struct error err = {0};
        const struct source *source;
        assert_true(declared_read(&a, &r, &source, &err));
        declared_kernels_list(&a, source, &kernels, &count);
        assert_int_equal(count, 0);
    }
    struct compile_request text =
        request_for(write_bytes(&a, folder, "k.ptx", bytes, sizeof bytes), "auto");
    assert_has(refuse(&a, &text).message, "k.ptx: this is not a text file: it has NUL bytes");
    arena_release(&a);
}

static void arch_is_the_best_not_above_the_devices(void **state)
{
    struct arena a = {0};
    need_compiler(&a, "clang");
    struct compile_request r =
        request_for(write_source(&a, make_folder(&a), "k.cu", good), "clang");
    r.defines = defines;
    r.define_count = 1;
    r.arch = "sm_83";
    assert_string_equal(compile(&a, &r).arch, "sm_80");
    r.arch = "sm_35";
    assert_has(refuse(&a, &r).message, "cannot compile for sm_35: the oldest it knows is sm_60");
    r.arch = "gfx90a";
    assert_has(refuse(&a, &r).message, "'gfx90a' is no architecture of an NVIDIA GPU");
    arena_release(&a);
}

static void ptxas_report_is_read_and_taken_out(void **state)
{
    struct arena a = {0};
    struct code_object code = {0};
    const char *rest = ptxas_log_take(
        &a,
        "k.cu(1): warning #177-D: unused\nptxas info    : 24 bytes gmem\n"
        "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
        "ptxas info    : Function properties for _Z1kPf\n"
        "ptxas         .     8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 23 registers, used 1 barriers, 256 bytes smem, 400 bytes cmem[0]\n"
        "ptxas info    : Function properties for helper\n"
        "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n",
        &code);
    assert_string_equal(rest, "k.cu(1): warning #177-D: unused\n");
    assert_int_equal(code.kernel_count, 1);
    assert_string_equal(code.kernels[0].name, "_Z1kPf");
    assert_int_equal(code.kernels[0].registers, 23);
    assert_int_equal(code.kernels[0].shared_bytes, 256);
    assert_int_equal(code.kernels[0].spill_bytes, 12);
    arena_release(&a);
}

static void cache_gives_the_same_code_back(void **state)
{
    struct cached c = cached_init(good);
    struct code_object first = compile(&c.arena, &c.request),
                       second = compile(&c.arena, &c.request);
    assert_false(first.from_cache);
    assert_true(second.from_cache);
    assert_string_equal(first.bytes, second.bytes);
    assert_string_equal(first.key, second.key);
    assert_string_equal(first.compiler, second.compiler);
    assert_string_equal(first.arch, second.arch);
    arena_release(&c.arena);
}

static void cache_misses_when_a_define_changes(void **state)
{
    static const char *const other[] = {"SCALE=3.0f"};
    struct cached c = cached_init(good);
    struct code_object first = compile(&c.arena, &c.request);
    c.request.defines = other;
    struct code_object second = compile(&c.arena, &c.request);
    assert_false(second.from_cache);
    assert_string_not_equal(first.key, second.key);
    arena_release(&c.arena);
}

static void cache_misses_when_an_included_file_changes(void **state)
{
    struct cached c =
        cached_init("#  include \"a.h\"\n__global__ void k(int *a) { *a = VALUE; }\n");
    write_source(&c.arena, c.folder, "a.h", "#include <b.h>\n");
    write_source(&c.arena, c.folder, "b.h", "#define VALUE 17\n");
    struct code_object first = compile(&c.arena, &c.request);
    write_source(&c.arena, c.folder, "b.h", "#define VALUE 18\n");
    struct code_object second = compile(&c.arena, &c.request);
    assert_false(second.from_cache);
    assert_string_not_equal(first.key, second.key);
    assert_has(second.bytes, "18");
    arena_release(&c.arena);
}

// The ways to include a file that a look at lines that begin with #include does not see.
static const struct {
    const char *what, *text;
} inclusions[] = {
    {"by a macro", "#define NAME \"b.h\"\n#include NAME\n"},
    {"by a macro of the command line", "#include HEADER\n"},
    {"after a comment", "/* here */ #include \"b.h\"\n"},
    {"with a comment inside", "# /* two\nlines */ include /**/ \"b.h\"\n"},
    {"by #import", "#import \"b.h\"\n"},
    {"over two lines", "#inc\\\nlude \\\n\"b.h\"\n"},
    {"by a digraph", "%:include \"b.h\"\n"},
    {"after a string that looks like a comment", "#define S \"/*\"\n#include \"b.h\"\n"},
    {"after a raw string", "constexpr const char *s = R\"x(/* \")x\";\n#include \"b.h\"\n"},
};

static void check_inclusion(const char *compiler, const char *what, const char *text)
{
    static const char *const with[] = {"HEADER=\"b.h\""};
    struct cached c = cached_init("");
    need_compiler(&c.arena, compiler);
    c.request.compiler = compiler;
    c.request.defines = with;
    c.source =
        write_source(&c.arena, c.folder, "k.cu",
                     arena_printf(&c.arena, "%s__global__ void k(int *a) { *a = VALUE; }\n", text));
    write_source(&c.arena, c.folder, "b.h", "#define VALUE 1717\n");
    struct code_object first = compile(&c.arena, &c.request);
    assert_has(first.bytes, "1717");
    write_source(&c.arena, c.folder, "b.h", "#define VALUE 1818\n");
    struct code_object second = compile(&c.arena, &c.request);
    if (second.from_cache || !strstr(second.bytes, "1818"))
        fail_msg("%s: the code of the old header is used for a file included %s", compiler, what);
    arena_release(&c.arena);
}

static void clang_cache_misses_however_the_changed_file_is_included(void **state)
{
    for (size_t i = 0; i < COUNT_OF(inclusions); i++)
        check_inclusion("clang", inclusions[i].what, inclusions[i].text);
}

static void nvrtc_cache_misses_however_the_changed_file_is_included(void **state)
{
    for (size_t i = 0; i < COUNT_OF(inclusions); i++)
        if (!strstr(inclusions[i].text, "#import")) // which NVRTC refuses
            check_inclusion("nvrtc", inclusions[i].what, inclusions[i].text);
}

static void cache_misses_when_a_file_that_is_asked_for_appears(void **state)
{
    struct cached c = cached_init("#if __has_include(\"b.h\")\n#define VALUE 1818\n#else\n"
                                  "#define VALUE 1717\n#endif\n"
                                  "__global__ void k(int *a) { *a = VALUE; }\n");
    assert_has(compile(&c.arena, &c.request).bytes, "1717");
    write_source(&c.arena, c.folder, "b.h", "");
    assert_has(compile(&c.arena, &c.request).bytes, "1818");
    arena_release(&c.arena);
}

static void cache_misses_when_a_file_appears_before_the_one_included(void **state)
{
    struct cached c =
        cached_init("#include \"sub/a.h\"\n__global__ void k(int *a) { *a = VALUE; }\n");
    struct error err = {0};
    const char *sub = path_join(&c.arena, c.folder, "sub");
    assert_true(dir_make(sub, &err));
    write_source(&c.arena, sub, "a.h", "#include \"b.h\"\n");
    write_source(&c.arena, c.folder, "b.h", "#define VALUE 1717\n");
    assert_has(compile(&c.arena, &c.request).bytes, "1717");
    write_source(&c.arena, sub, "b.h", "#define VALUE 1818\n");
    assert_has(compile(&c.arena, &c.request).bytes, "1818");
    arena_release(&c.arena);
}

static void key_does_not_depend_on_the_folder(void **state)
{
    struct cached c = cached_init(good);
    struct code_object first = compile(&c.arena, &c.request);
    c.request.source_path = write_source(&c.arena, make_folder(&c.arena), "other.cu", good);
    struct code_object second = compile(&c.arena, &c.request);
    assert_false(second.from_cache); // its PTX names another file
    assert_string_equal(first.key, second.key);
    arena_release(&c.arena);
}

// The path of the only cached PTX.
static const char *cache_file(struct cached *c)
{
    const char *const argv[] = {"sh", "-c", "ls ptx/*.ptx | head -1", NULL};
    struct process_spec spec = {.argv = argv, .directory = c->cache};
    struct process_result r;
    struct error err = {0};
    assert_true(process_run(&spec, &r, &err));
    const char *name = arena_strndup(&c->arena, text_str(&r.out), strcspn(text_str(&r.out), "\n"));
    process_result_release(&r);
    return path_join(&c->arena, c->cache, name);
}

static void truncated_cache_file_is_compiled_anew(void **state)
{
    struct cached c = cached_init(good);
    struct code_object first = compile(&c.arena, &c.request);
    const char *path = cache_file(&c);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    for (off_t size = 0; size < st.st_size; size += st.st_size / 7) {
        assert_int_equal(truncate(path, size), 0);
        struct code_object again = compile(&c.arena, &c.request);
        assert_false(again.from_cache);
        assert_string_equal(again.bytes, first.bytes);
    }
    assert_true(compile(&c.arena, &c.request).from_cache); // and was written anew
    arena_release(&c.arena);
}

static void cached_file_with_a_changed_byte_is_compiled_anew(void **state)
{
    struct cached c = cached_init(good);
    struct code_object first = compile(&c.arena, &c.request);
    FILE *f = fopen(cache_file(&c), "r+");
    assert_non_null(f);
    fseek(f, -20, SEEK_END);
    fputc('#', f);
    fclose(f);
    struct code_object again = compile(&c.arena, &c.request);
    assert_false(again.from_cache);
    assert_string_equal(again.bytes, first.bytes);
    arena_release(&c.arena);
}

static void cached_file_that_others_may_write_is_not_believed(void **state)
{
    struct cached c = cached_init(good);
    struct stat st;
    umask(0);
    (void)compile(&c.arena, &c.request);
    assert_int_equal(stat(path_dir(&c.arena, cache_file(&c)), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    assert_int_equal(stat(cache_file(&c), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(compile(&c.arena, &c.request).from_cache);
    assert_int_equal(chmod(cache_file(&c), 0666), 0);
    assert_false(compile(&c.arena, &c.request).from_cache);
    assert_true(compile(&c.arena, &c.request).from_cache); // and was written anew
    if (geteuid() == 0) {
        assert_int_equal(chown(cache_file(&c), 65534, 65534), 0);
        assert_false(compile(&c.arena, &c.request).from_cache);
        assert_true(compile(&c.arena, &c.request).from_cache);
        // A folder of somebody else's: what is put there is not used, nor is anything put there.
        assert_int_equal(chown(path_dir(&c.arena, cache_file(&c)), 65534, 65534), 0);
        assert_int_equal(chmod(cache_file(&c), 0666), 0);
        assert_false(compile(&c.arena, &c.request).from_cache);
        assert_false(compile(&c.arena, &c.request).from_cache);
    }
    arena_release(&c.arena);
}

static void unwritable_cache_is_only_slower(void **state)
{
    struct cached c = cached_init(good);
    setenv("RIDGE_CACHE", "/proc/no-such-cache", 1);
    assert_false(compile(&c.arena, &c.request).from_cache);
    assert_false(compile(&c.arena, &c.request).from_cache);
    setenv("RIDGE_CACHE", c.cache, 1);
    arena_release(&c.arena);
}

static void messages_lose_the_working_folder_only_where_a_name_starts(void **state)
{
    struct arena a = {0};
    char *cwd = getcwd(NULL, 0);
    const char *text =
        arena_printf(&a, "%s/a.cu:1: and \"%s/b.cu\" but /other%s/c.cu", cwd, cwd, cwd);
    const char *wanted = arena_printf(&a, "a.cu:1: and \"b.cu\" but /other%s/c.cu", cwd);
    assert_string_equal(shorten_paths(&a, text), wanted);
    free(cwd);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nvrtc_error_shows_the_users_file_and_line),
        cmocka_unit_test(clang_error_shows_the_users_file_and_line),
        cmocka_unit_test(nvrtc_error_in_an_included_file_names_it),
        cmocka_unit_test(clang_error_in_an_included_file_names_it),
        cmocka_unit_test(error_of_many_lines_ends_at_a_line_and_says_where_the_rest_is),
        cmocka_unit_test(source_that_is_missing_is_said),
        cmocka_unit_test(unknown_compiler_is_refused),
        cmocka_unit_test(no_compiler_at_all_says_how_to_get_one),
        cmocka_unit_test(compiler_that_hangs_is_one_clear_error),
        cmocka_unit_test(compiler_that_crashes_is_one_clear_error),
        cmocka_unit_test(one_program_that_is_several_compilers_is_asked_by_each_name),
        cmocka_unit_test(nvrtc_gives_ptx_with_the_users_lines),
        cmocka_unit_test(clang_gives_ptx_with_the_users_lines),
        cmocka_unit_test(nvrtc_reports_registers_and_shared_memory),
        cmocka_unit_test(nvrtc_gives_machine_code_where_it_is_asked_for),
        cmocka_unit_test(code_lists_its_kernels_with_their_parameters),
        cmocka_unit_test(code_that_is_not_read_here_has_no_list_of_kernels),
        cmocka_unit_test(header_functions_are_charged_to_the_callers_line),
        cmocka_unit_test(clang_reads_shared_memory_again_after_a_barrier),
        cmocka_unit_test(clang_compiles_the_sample_and_it_parses),
        cmocka_unit_test(nvrtc_compiles_the_sample_and_it_parses),
        cmocka_unit_test(clang_takes_functions_without_attribute_as_device_functions),
        cmocka_unit_test(nvrtc_takes_functions_without_attribute_as_device_functions),
        cmocka_unit_test(ptxas_rare_ways_of_divisions_do_not_count),
        cmocka_unit_test(ptx_sources_pass_through),
        cmocka_unit_test(machine_code_is_bytes),
        cmocka_unit_test(machine_code_is_disassembled_from_what_ptxas_makes),
        cmocka_unit_test(ptxas_reports_the_registers_of_given_ptx_and_of_clangs),
        cmocka_unit_test(ptxas_says_what_it_makes_of_each_line),
        cmocka_unit_test(arch_is_the_best_not_above_the_devices),
        cmocka_unit_test(ptxas_report_is_read_and_taken_out),
        cmocka_unit_test(cache_gives_the_same_code_back),
        cmocka_unit_test(cache_misses_when_a_define_changes),
        cmocka_unit_test(cache_misses_when_an_included_file_changes),
        cmocka_unit_test(clang_cache_misses_however_the_changed_file_is_included),
        cmocka_unit_test(nvrtc_cache_misses_however_the_changed_file_is_included),
        cmocka_unit_test(cache_misses_when_a_file_that_is_asked_for_appears),
        cmocka_unit_test(cache_misses_when_a_file_appears_before_the_one_included),
        cmocka_unit_test(key_does_not_depend_on_the_folder),
        cmocka_unit_test(truncated_cache_file_is_compiled_anew),
        cmocka_unit_test(cached_file_with_a_changed_byte_is_compiled_anew),
        cmocka_unit_test(cached_file_that_others_may_write_is_not_believed),
        cmocka_unit_test(unwritable_cache_is_only_slower),
        cmocka_unit_test(messages_lose_the_working_folder_only_where_a_name_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
