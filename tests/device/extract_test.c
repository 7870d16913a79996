// The device side of sources with host code: what stays, what is blanked, and lines that do not move.
// SPDX-License-Identifier: Apache-2.0
#include "device/compile/extract.h"
#include "device/support.h"

static struct arena arena;

static const char *extract_with(const char *text, const char *wanted, const char **left_out)
{
    const char *files[] = {"/k.cu"}, *texts[] = {text}, *names[] = {"0-k.cu"};
    size_t sizes[] = {strlen(text)};
    struct source source = {.path = "/k.cu",
                            .directory = "/",
                            .files = files,
                            .texts = texts,
                            .sizes_bytes = sizes,
                            .file_count = 1};
    struct device_side side;
    extract_device_side(&arena, &source, names, &wanted, wanted != NULL, wanted != NULL, &side);
    if (left_out)
        *left_out = side.left_out;
    static const char head[] = "#line 1 \"/k.cu\"\n";
    assert_true(str_starts_with(side.texts[0], head));
    return side.texts[0] + sizeof head - 1;
}

static const char *extract(const char *text)
{
    return extract_with(text, NULL, NULL);
}

// Blanks at the ends of lines, and lines of blanks, are of no matter.
static const char *squeeze(const char *text)
{
    struct text out = {0};
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n"), used = length;
        while (used > 0 && at[used - 1] == ' ')
            used--;
        text_addn(&out, at, used);
        text_add(&out, "|");
        at += length + (at[length] == '\n');
    }
    const char *squeezed = arena_strdup(&arena, text_str(&out));
    text_release(&out);
    return squeezed;
}

static void check(const char *text, const char *wanted)
{
    assert_string_equal(squeeze(extract(text)), wanted);
}

static int release(void **state)
{
    arena_release(&arena);
    return 0;
}

static void functions_without_a_mark_are_left_out(void **state)
{
    check("int main()\n{\n    k<<<1, 2>>>(\"}\");\n}\n__global__ void k(float *p) { p[0] = 1; }\n",
          "||||__global__ void k(float *p) { p[0] = 1; }|");
}

static void lines_stay_the_users(void **state)
{
    static const char text[] =
        "#include <vector>\nvoid f()\n{\n}\n\n__device__ int x;\nvoid g() {}\n";
    const char *out = extract(text);
    int lines = 0, wanted = 0;
    for (const char *c = out; *c; c++)
        lines += *c == '\n';
    for (const char *c = text; *c; c++)
        wanted += *c == '\n';
    assert_int_equal(lines, wanted);
    assert_non_null(strstr(out, "\n__device__ int x;"));
}

static void a_mark_may_be_behind_a_macro(void **state)
{
    check("#define HD __host__ __device__\n#define FN HD inline\nFN int f() { return 1; }\nint g() "
          "{ return 2; }\n",
          "#define HD __host__ __device__|#define FN HD inline|FN int f() { return 1; }||");
}

static void one_branch_of_a_macro_marks(void **state)
{
    check("#ifdef __CUDACC__\n#define HD __device__\n#else\n#define HD\n#endif\nHD int f() { "
          "return 1; }\n",
          "#ifdef __CUDACC__|#define HD __device__|#else|#define HD|#endif|HD int f() { return 1; "
          "}|");
}

static void types_and_constants_stay_where_they_are_named(void **state)
{
    check("struct A { int x; };\nstruct B { std::vector<int> v; };\nconst int N = 4;\nint n = 4;\n"
          "typedef float real;\nusing names = std::vector<std::string>;\nenum { LEFT, RIGHT };\n"
          "__global__ void k(A a, real *p) { p[N] = a.x + LEFT; }\n",
          "struct A { int x; };||constexpr int N = 4;||typedef float real;||enum { LEFT, RIGHT };|"
          "__global__ void k(A a, real *p) { p[N] = a.x + LEFT; }|");
}

static void what_a_type_names_stays_too(void **state)
{
    check("#define WIDTH DEPTH\nstruct Inner { int y; };\nconst int DEPTH = 2;\nstruct Outer { "
          "Inner i[WIDTH]; };\n"
          "__device__ Outer o;\n",
          "#define WIDTH DEPTH|struct Inner { int y; };|constexpr int DEPTH = 2;|"
          "struct Outer { Inner i[WIDTH]; };|__device__ Outer o;|");
}

static void host_members_go_and_the_layout_stays(void **state)
{
    check(
        "struct P {\n    P() : x(0), y{1} { std::cout << 1; }\n    ~P();\n    __device__ int f() { "
        "return x; }\n"
        "    virtual void g();\n    int x = 2, y;\n    float (*callback)(int);\n    void print() "
        "const;\n"
        "public:\n    constexpr int size() const { return 3; }\n};\n__device__ P p;\n",
        "struct P {|||    __device__ int f() { return x; }|    virtual void g();|    int x = 2, y;|"
        "    float (*callback)(int);||public:|    __host__ __device__ constexpr int size() const { "
        "return 3; }|};|"
        "__device__ P p;|");
}

static void constexpr_functions_are_the_devices_too(void **state)
{
    check("template <int N> constexpr int twice() { return 2 * N; }\nconstexpr int unused() { "
          "return 1; }\n"
          "__device__ int f() { return twice<2>(); }\n",
          "template <int N> __host__ __device__ constexpr int twice() { return 2 * N; }||"
          "__device__ int f() { return twice<2>(); }|");
}

static void namespaces_are_entered(void **state)
{
    check("namespace a { namespace {\nvoid host() {}\n__global__ void k() {}\n} }\nextern \"C\" {\n"
          "void run(int n) { a::k<<<n, n>>>(); }\n__global__ void c() {}\n}\nnamespace cg = "
          "cooperative_groups;\n"
          "__device__ void f(cg::thread_block b);\nusing namespace std;\nusing namespace cv;\n",
          "namespace a { namespace {||__global__ void k() {}|} }|extern \"C\" {||__global__ void "
          "c() {}|}|"
          "namespace cg = cooperative_groups;|__device__ void f(cg::thread_block b);|using "
          "namespace std;||");
}

static void templates_and_instances(void **state)
{
    check(
        "template <typename T, int N = (1 > 0)> __global__ void k(T *p) {}\n"
        "template __global__ void k<float, 2>(float *);\ntemplate void launch<float>(float *);\n"
        "template <class T> void launch(T *p) { k<T><<<1, 1>>>(p); }\n"
        "template <class T> struct Op;\ntemplate <> struct Op<float> { static const int n = 1; };\n"
        "template <> __device__ int f<Op<float>>() { return 1; }\n",
        "template <typename T, int N = (1 > 0)> __global__ void k(T *p) {}|"
        "template __global__ void k<float, 2>(float *);|||template <class T> struct Op;|"
        "template <> struct Op<float> { static const int n = 1; };|"
        "template <> __device__ int f<Op<float>>() { return 1; }|");
}

static void directives_in_what_goes_stay(void **state)
{
    check("void f()\n{\n#ifdef A\n    if (x) {\n#else\n    {\n#endif\n    }\n#pragma omp "
          "parallel\n#define N 3\n}\n"
          "__device__ int x = N;\n",
          "||#ifdef A||#else||#endif|||#define N 3||__device__ int x = N;|");
}

static void what_is_never_compiled_is_not_read(void **state)
{
    check(
        "#if 0\nit's no C++ {{{\n#ifdef X\n#endif\n#else\nvoid f() {}\n#endif\n__device__ int x;\n",
        "#if 0|it's no C++ {{{|#ifdef X|#endif|#else||#endif|__device__ int x;|");
}

static void strings_and_comments_hide_braces(void **state)
{
    check("void f() { g(\"}\", '}', R\"x(}\")x\", 1'000); /* } */ // }\n}\n__device__ int x;\n",
          "||__device__ int x;|");
}

static void a_macro_that_makes_kernels_stays(void **state)
{
    check("#define KERNEL(T) __global__ void k_##T(T *p) { *p = 1; }\n#define RUN(T) void "
          "run_##T() {}\n"
          "KERNEL(int)\nRUN(int)\nKERNEL(float)\nvoid f() {}\n",
          "#define KERNEL(T) __global__ void k_##T(T *p) { *p = 1; }|#define RUN(T) void run_##T() "
          "{}|"
          "KERNEL(int)||KERNEL(float)||");
}

static void host_headers_are_left_out(void **state)
{
    check(
        "#include <iostream>\n#include <cublas_v2.h>\n#include <type_traits>\n#include \"mine.h\"\n"
        "#if defined(__NVCC__) && 1\n#endif\n",
        "|#include <ridge-library.h>|#include <type_traits>|#include \"mine.h\"|"
        "#if defined(__CUDACC__) && 1|#endif|");
}

static void a_binding_to_pytorch_is_left_out(void **state)
{
    check("#include <torch/extension.h>\n__global__ void k() {}\n"
          "#define BIND(T) void run_##T(torch::Tensor x) { k<<<1, 1>>>(); }\nBIND(f32)\n"
          "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"f32\", &run_f32, \"f32\"); }\n",
          "#include <ridge-library.h>|__global__ void k() {}|"
          "#define BIND(T) void run_##T(torch::Tensor x) { k<<<1, 1>>>(); }|||");
}

static void only_what_is_needed(void **state)
{
    const char *out =
        extract_with("struct H { curandState s; };\n__device__ int f() { return 1; }\n"
                     "__global__ void hard(H h) {}\n__global__ void easy(int *p) { *p = f(); }\n",
                     "easy", NULL);
    assert_string_equal(squeeze(out), "|__device__ int f() { return 1; }||"
                                      "__global__ void easy(int *p) { *p = f(); }|");
}

static void what_was_left_out_is_reported(void **state)
{
    const char *left_out = NULL;
    (void)extract_with("static int a(int x) { return x; }\n\nint main() {}\n", NULL, &left_out);
    assert_string_equal(left_out, "a (k.cu:1), main (k.cu:3)");
}

static void an_own_header_is_included_by_its_name_here(void **state)
{
    const char *files[] = {"/d/k.cu", "/d/inc/h.cuh"},
               *texts[] = {"#include \"inc/../inc/h.cuh\"\nint main() { return N; }\n",
                           "#pragma once\n#include \"../k.cu\"\nvoid h() {}\n__device__ int x;\n"},
               *names[] = {"X/0-k.cu", "X/1-h.cuh"};
    size_t sizes[] = {strlen(texts[0]), strlen(texts[1])};
    struct source source = {.path = files[0],
                            .directory = "/d",
                            .files = files,
                            .texts = texts,
                            .sizes_bytes = sizes,
                            .file_count = 2};
    struct device_side side;
    extract_device_side(&arena, &source, names, NULL, 0, false, &side);
    assert_string_equal(squeeze(side.texts[0]), "#line 1 \"/d/k.cu\"|#include \"X/1-h.cuh\"||");
    assert_string_equal(squeeze(side.texts[1]), "#line 1 \"/d/inc/h.cuh\"|#pragma once|"
                                                "#include \"X/0-k.cu\"||__device__ int x;|");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(functions_without_a_mark_are_left_out, release),
        cmocka_unit_test_teardown(lines_stay_the_users, release),
        cmocka_unit_test_teardown(a_mark_may_be_behind_a_macro, release),
        cmocka_unit_test_teardown(one_branch_of_a_macro_marks, release),
        cmocka_unit_test_teardown(types_and_constants_stay_where_they_are_named, release),
        cmocka_unit_test_teardown(what_a_type_names_stays_too, release),
        cmocka_unit_test_teardown(host_members_go_and_the_layout_stays, release),
        cmocka_unit_test_teardown(constexpr_functions_are_the_devices_too, release),
        cmocka_unit_test_teardown(namespaces_are_entered, release),
        cmocka_unit_test_teardown(templates_and_instances, release),
        cmocka_unit_test_teardown(directives_in_what_goes_stay, release),
        cmocka_unit_test_teardown(what_is_never_compiled_is_not_read, release),
        cmocka_unit_test_teardown(strings_and_comments_hide_braces, release),
        cmocka_unit_test_teardown(a_macro_that_makes_kernels_stays, release),
        cmocka_unit_test_teardown(host_headers_are_left_out, release),
        cmocka_unit_test_teardown(a_binding_to_pytorch_is_left_out, release),
        cmocka_unit_test_teardown(only_what_is_needed, release),
        cmocka_unit_test_teardown(what_was_left_out_is_reported, release),
        cmocka_unit_test_teardown(an_own_header_is_included_by_its_name_here, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
