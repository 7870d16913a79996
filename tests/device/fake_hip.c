// AMD's runtime and hipRTC for tests where there is neither: what fake_driver.c, compiled under hip.def's names, does
// not have. The GPU is of the architecture FAKE_GFX (gfx90a). hipRTC "compiles" a source to a code object that
// lists the kernels named in it, refuses one with #error as a compiler does, and crashes with FAKE_RTC_CRASH.
// -DFAKE_HIPRTC: only that library.
// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FAKE_HIPRTC
const char *hipGetErrorName(int status)
{
    return status == 100 ? "hipErrorNoDevice" : "hipErrorOther";
}

const char *hipGetErrorString(int status)
{
    return status == 100 ? "no ROCm-capable device is detected" : "other";
}

int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int known[][2] = {{5, 1700000}, {19, 8 << 20}, {56, 1024},
                                   {63, 110},    {74, 65536},   {87, 64}};
    (void)device;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i][0] == attribute) {
            *value = known[i][1];
            return 0;
        }
    return 1;
}

// The architecture lies where ROCm 5 has it.
int hipGetDeviceProperties(char *properties, int device)
{
    const char *arch = getenv("FAKE_GFX");
    (void)device;
    snprintf(properties + 396, 256, "%s:sramecc+:xnack-", arch ? arch : "gfx90a");
    return 0;
}
#else
struct program {
    const char *source, *name;
    int failed;
    char strings[4096]; // names of symbols
    size_t strings_bytes;
    Elf64_Sym symbols[64];
    size_t symbol_count;
};

int hiprtcVersion(int *major, int *minor)
{
    *major = 9;
    *minor = 99;
    return 0;
}

int hiprtcCreateProgram(void **program, const char *source, const char *name, int count,
                        const char *const *headers, const char *const *names)
{
    struct program *p = calloc(1, sizeof *p);
    (void)count, (void)headers, (void)names;
    p->source = source;
    p->name = name;
    p->strings_bytes = p->symbol_count = 1;
    *program = p;
    return 0;
}

int hiprtcAddNameExpression(void *program, const char *expression)
{
    (void)program, (void)expression;
    return 0;
}

// A descriptor for each `__global__ void NAME(`.
int hiprtcCompileProgram(void *program, int count, const char *const *options)
{
    static const char mark[] = "__global__ void ";
    struct program *p = program;
    if (getenv("FAKE_RTC_CRASH"))
        abort();
    for (int i = 0; getenv("FAKE_RTC_LOG") && i < count; i++) {
        FILE *out = fopen(getenv("FAKE_RTC_LOG"), "a");
        fprintf(out, "%s\n", options[i]);
        fclose(out);
    }
    p->failed = strstr(p->source, "\n#error") != NULL;
    for (const char *at = p->source; !p->failed && (at = strstr(at, mark));) {
        at += sizeof mark - 1;
        size_t length = strcspn(at, "( \n");
        p->symbols[p->symbol_count++] =
            (Elf64_Sym){.st_name = (Elf64_Word)p->strings_bytes, .st_size = 64};
        p->strings_bytes +=
            1 + (size_t)snprintf(p->strings + p->strings_bytes, 256, "%.*s.kd", (int)length, at);
    }
    return p->failed ? 6 : 0;
}

int hiprtcGetProgramLogSize(void *program, size_t *size_bytes)
{
    *size_bytes = ((struct program *)program)->failed ? 512 : 1;
    return 0;
}

int hiprtcGetProgramLog(void *program, char *log)
{
    const struct program *p = program;
    const char *path = strstr(p->source, "#line 1 \"");
    path = path ? path + 9 : "?";
    snprintf(log, 512, "%.*s:3:2: error: refused", (int)strcspn(path, "\""), path);
    return 0;
}

int hiprtcGetCodeSize(void *program, size_t *size_bytes)
{
    const struct program *p = program;
    *size_bytes =
        sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) + sizeof p->symbols + sizeof p->strings;
    return 0;
}

int hiprtcGetCode(void *program, char *code)
{
    const struct program *p = program;
    Elf64_Ehdr h = {.e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                    .e_machine = 224,
                    .e_shoff = sizeof h,
                    .e_shentsize = sizeof(Elf64_Shdr),
                    .e_shnum = 3};
    Elf64_Shdr s[3] = {
        {0},
        {.sh_type = SHT_SYMTAB,
         .sh_offset = sizeof h + sizeof s,
         .sh_size = p->symbol_count * sizeof *p->symbols,
         .sh_link = 2},
        {.sh_type = SHT_STRTAB,
         .sh_offset = sizeof h + sizeof s + sizeof p->symbols,
         .sh_size = p->strings_bytes},
    };
    memcpy(code, &h, sizeof h);
    memcpy(code + sizeof h, s, sizeof s);
    memcpy(code + s[1].sh_offset, p->symbols, sizeof p->symbols);
    memcpy(code + s[2].sh_offset, p->strings, sizeof p->strings);
    return 0;
}
#endif
