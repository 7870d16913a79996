// The HIP backend without a GPU: kernels listed in code objects, architectures found in properties, and what is taken
// of AMD's runtime against its public headers and library where they are installed (libamdhip64-dev).
// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include "device/hip/hip.h"

#include <elf.h>

/* ---- code objects ---------------------------------------------------------------------------------- */

static const char names[] = "\0plain\0plain.kd\0_Z5twicePf.kd\0.kd\0plain.kd";
enum { NAMES_BYTES = sizeof names, SYMBOLS = 6 };

struct object { // a code object as AMD's linker makes it, what is read of it
    Elf64_Ehdr header;
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[SYMBOLS];
    char names[NAMES_BYTES];
};

static struct object object_of(void)
{
    struct object o = {
        .header = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                   .e_machine = 224,
                   .e_shoff = offsetof(struct object, sections),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 3},
        .sections = {{0},
                     {.sh_type = SHT_SYMTAB,
                      .sh_offset = offsetof(struct object, symbols),
                      .sh_size = sizeof o.symbols,
                      .sh_link = 2},
                     {.sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(struct object, names),
                      .sh_size = NAMES_BYTES}},
        .symbols = {{0},
                    {.st_name = 1},
                    {.st_name = 7},
                    {.st_name = 16},
                    {.st_name = 30},
                    {.st_name = 34}},
    };
    memcpy(o.names, names, NAMES_BYTES);
    return o;
}

static bool list(struct arena *a, const struct object *o, size_t size_bytes,
                 struct code_object *code)
{
    *code = (struct code_object){
        .format = CODE_HSACO, .bytes = (const char *)o, .size_bytes = size_bytes, .source = "k.cu"};
    code_list_kernels(a, code);
    return code->kernels_listed;
}

static void kernels_are_the_descriptors_each_once(void **state)
{
    struct arena a = {0};
    struct object o = object_of();
    struct code_object code;
    (void)state;
    assert_true(list(&a, &o, sizeof o, &code));
    assert_int_equal(code.kernel_count, 2);
    assert_string_equal(code.kernels[0].name, "plain");
    assert_string_equal(code.kernels[1].name, "_Z5twicePf");
    assert_int_equal(code.kernels[0].parameter_count, CODE_UNKNOWN);
    arena_release(&a);
}

static void damaged_code_objects_list_nothing_or_less(void **state)
{
    struct arena a = {0};
    struct object o = object_of();
    struct code_object code;
    (void)state;
    for (size_t size = 0; size < sizeof o; size++) // cut anywhere
        if (list(&a, &o, size, &code))
            assert_true(code.kernel_count <= 2);
    o.sections[1].sh_link = 7;
    assert_true(list(&a, &o, sizeof o, &code));
    assert_int_equal(code.kernel_count, 0);
    o = object_of();
    o.symbols[2].st_name = 1U << 30;
    o.sections[2].sh_size = UINT64_MAX;
    (void)list(&a, &o, sizeof o, &code);
    assert_int_equal(code.kernel_count, 0);
    o = object_of();
    o.header.e_machine = EM_X86_64;
    assert_false(list(&a, &o, sizeof o, &code));
    arena_release(&a);
}

/* ---- architectures ----------------------------------------------------------------------------------- */

static void arch_at(size_t offset, const char *text, const char *wanted)
{
    char properties[2048] = "AMD gfx000 in its name";
    char arch[16];
    memcpy(properties + offset, text, strlen(text));
    hip_arch_of(properties, sizeof properties, arch);
    assert_string_equal(arch, wanted);
}

static void architecture_is_found_wherever_it_lies(void **state)
{
    (void)state;
    arch_at(396, "gfx90a:sramecc+:xnack-", "gfx90a"); // ROCm 5
    arch_at(1160, "gfx942:sramecc+:xnack-", "gfx942");
    arch_at(700, "gfx1100", "gfx1100");
    arch_at(700, "gfx", "");
    arch_at(700, "gfx12345678901234567890", "gfx123456789012");
    arch_at(2040, "gfx90a", ""); // not whole
}

/* ---- AMD's headers and library ----------------------------------------------------------------------- */

#if __has_include(<hip/hip_runtime_api.h>)
#define __HIP_PLATFORM_AMD__ 1 // NOLINT(bugprone-reserved-identifier): the header's
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wundef"
#include <hip/hip_runtime_api.h>
#pragma GCC diagnostic pop
_Static_assert((int)HIP_CLOCK_KHZ == (int)hipDeviceAttributeClockRate, "attribute");
_Static_assert((int)HIP_L2_BYTES == (int)hipDeviceAttributeL2CacheSize, "attribute");
_Static_assert((int)HIP_MAX_THREADS_PER_BLOCK == (int)hipDeviceAttributeMaxThreadsPerBlock,
               "attribute");
_Static_assert((int)HIP_MULTIPROCESSORS == (int)hipDeviceAttributeMultiprocessorCount, "attribute");
_Static_assert((int)HIP_SHARED_BYTES_PER_BLOCK == (int)hipDeviceAttributeMaxSharedMemoryPerBlock,
               "attribute");
_Static_assert((int)HIP_WARP_SIZE == (int)hipDeviceAttributeWarpSize, "attribute");
_Static_assert((int)CUDA_OUT_OF_MEMORY == (int)hipErrorOutOfMemory, "status");
_Static_assert((int)CUDA_NOT_READY == (int)hipErrorNotReady, "status");
_Static_assert((int)FUNCTION_REGISTERS == (int)HIP_FUNC_ATTRIBUTE_NUM_REGS, "function attribute");
_Static_assert(sizeof(hipDeviceProp_t) < 8192, "room for the properties");
_Static_assert(sizeof(hipDeviceptr_t) == sizeof(uint64_t), "an address");
_Static_assert(sizeof(hipError_t) == sizeof(int), "a status");

// Of functions: are they of that type? The library is not linked.
#define IS(function, ...) _Generic(&(function), hipError_t(*)(__VA_ARGS__) : true, default : false)

// Called as driver.def declares them: the same number of parameters, of the same sizes.
static void headers_have_the_signatures_that_are_called(void **state)
{
    (void)state;
    assert_true(IS(hipModuleLaunchKernel, hipFunction_t, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, unsigned, hipStream_t, void **, void **));
    assert_true(IS(hipEventElapsedTime, float *, hipEvent_t, hipEvent_t));
    assert_true(
        IS(hipModuleLoadDataEx, hipModule_t *, const void *, unsigned, hipJitOption *, void **));
    assert_true(IS(hipMemsetD8Async, hipDeviceptr_t, unsigned char, size_t, hipStream_t));
}
#else
static void headers_have_the_signatures_that_are_called(void **state)
{
    (void)state;
    print_message("hip/hip_runtime_api.h is not here (libamdhip64-dev): nothing is compared\n");
    skip();
}
#endif

static void runtime_has_every_function_that_is_asked_for(void **state)
{
    static const char *const needed[] = {
#define HIP(of_cuda, name) #name,
#define HIP_OPTIONAL(of_cuda, name)
#include "device/hip/hip.def"
#undef HIP_OPTIONAL
#undef HIP
    };
    static const char *const libraries[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                            "libamdhip64.so.5", NULL};
    struct error err = {0};
    void *library = hip_library(libraries, &err);
    int (*function)(void) = NULL;
    (void)state;
    if (!library) {
        print_message("%s\n", err.message);
        skip();
    }
    for (size_t i = 0; i < COUNT_OF(needed); i++)
        if (!library_symbol(library, needed[i], &function, sizeof function, &err))
            fail_msg("%s: %s", needed[i], err.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_the_descriptors_each_once),
        cmocka_unit_test(damaged_code_objects_list_nothing_or_less),
        cmocka_unit_test(architecture_is_found_wherever_it_lies),
        cmocka_unit_test(headers_have_the_signatures_that_are_called),
        cmocka_unit_test(runtime_has_every_function_that_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
