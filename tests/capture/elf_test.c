// The variables of an ELF file: objects with a size that lie in a section; nothing outside of the data is read.
// SPDX-License-Identifier: Apache-2.0
#include "capture/elf.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct {
    Elf64_Ehdr head;
    Elf64_Shdr sections[3];
    Elf64_Sym symbols[6];
    char names[32];
} file;

static void make(void)
{
    memset(&file, 0, sizeof file);
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_shoff = offsetof(__typeof__(file), sections);
    file.head.e_shentsize = sizeof *file.sections;
    file.head.e_shnum = 3;
    file.sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                    .sh_offset = offsetof(__typeof__(file), symbols),
                                    .sh_size = sizeof file.symbols,
                                    .sh_link = 2};
    file.sections[2] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
                                    .sh_offset = offsetof(__typeof__(file), names),
                                    .sh_size = sizeof file.names};
    memcpy(file.names, "\0taps\0kernel\0far\0none\0last", 27);
    const unsigned char object = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    file.symbols[1] = (Elf64_Sym){.st_name = 1, .st_info = object, .st_shndx = 4, .st_size = 16};
    file.symbols[2] = (Elf64_Sym){.st_name = 6,
                                  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                  .st_shndx = 4,
                                  .st_size = 128};
    file.symbols[3] = (Elf64_Sym){.st_name = 13, .st_info = object, .st_size = 4}; // another file's
    file.symbols[4] = (Elf64_Sym){.st_name = 17, .st_info = object, .st_shndx = 4};
    file.symbols[5] = (Elf64_Sym){.st_name = 22, .st_info = object, .st_shndx = 4, .st_size = 8};
}

static void variables_are_listed_and_nothing_else(void **state)
{
    size_t at = 0;
    const char *name = NULL;
    (void)state;
    make();
    assert_true(elf_next_variable((const char *)&file, sizeof file, &at, &name));
    assert_string_equal(name, "taps");
    assert_true(elf_next_variable((const char *)&file, sizeof file, &at, &name));
    assert_string_equal(name, "last");
    assert_false(elf_next_variable((const char *)&file, sizeof file, &at, &name));
}

static void check_none(void)
{
    size_t at = 0;
    const char *name = NULL;
    assert_false(elf_next_variable((const char *)&file, sizeof file, &at, &name));
}

static void what_lies_outside_is_not_read(void **state)
{
    (void)state;
    make();
    file.sections[1].sh_offset = sizeof file;
    check_none();
    make();
    file.sections[1].sh_size = UINT64_MAX;
    check_none();
    make();
    file.sections[1].sh_link = 3;
    check_none();
    make();
    file.head.e_shoff = UINT64_MAX - sizeof *file.sections;
    check_none();
    make();
    file.symbols[1].st_name = sizeof file.names;
    file.symbols[5].st_name = UINT32_MAX;
    check_none();
    make();
    memset(file.names, 'x', sizeof file.names); // no end
    check_none();
    make();
    file.head.e_ident[EI_CLASS] = ELFCLASS32;
    check_none();
    size_t at = 0;
    const char *name = NULL;
    assert_false(elf_next_variable("\177ELF", 4, &at, &name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_listed_and_nothing_else),
        cmocka_unit_test(what_lies_outside_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
