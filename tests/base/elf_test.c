// An ELF file's sections by their names, its symbols and variables; nothing outside of the data is read.
// SPDX-License-Identifier: Apache-2.0
#include "base/elf.h"

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
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
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
    uint64_t at = 0;
    struct elf f;
    (void)state;
    make();
    assert_true(elf_open(&file, sizeof file, &f));
    assert_string_equal(elf_next_variable(&f, &at), "taps");
    assert_string_equal(elf_next_variable(&f, &at), "last");
    assert_null(elf_next_variable(&f, &at));
}

static void check_none(void)
{
    uint64_t at = 0;
    struct elf f;
    assert_true(!elf_open(&file, sizeof file, &f) || !elf_next_variable(&f, &at));
}

static void sections_and_symbols_are_found_by_name_and_number(void **state)
{
    struct elf f;
    Elf64_Sym s;
    (void)state;
    make();
    file.head.e_shstrndx = 2;
    file.sections[2].sh_name = 1;
    assert_true(elf_open(&file, sizeof file, &f));
    assert_true(elf_is_whole(&f));
    assert_int_equal(elf_find(&f, "taps"), 2);
    assert_int_equal(elf_find(&f, "tap"), 0);
    assert_int_equal(elf_symbol_count(&f, 1), 6);
    assert_int_equal(elf_symbol_count(&f, 2), 0);
    assert_true(elf_symbol(&f, 1, 2, &s));
    assert_string_equal(elf_symbol_name(&f, 1, &s), "kernel");
    assert_false(elf_symbol(&f, 1, 6, &s));
    assert_int_equal(elf_section(&f, 3).sh_type, SHT_NULL);
}

static void a_cut_file_is_not_whole_and_its_sections_are_not_there(void **state)
{
    struct elf f;
    (void)state;
    make();
    file.sections[1].sh_size = sizeof file;
    assert_true(elf_open(&file, sizeof file, &f));
    assert_false(elf_is_whole(&f));
    assert_int_equal(elf_section(&f, 1).sh_type, SHT_NULL);
    assert_int_equal(elf_section(&f, 2).sh_type, SHT_STRTAB);
    make();
    file.sections[1].sh_type = SHT_NOBITS; // takes no room in the file
    file.sections[1].sh_size = UINT64_MAX;
    assert_true(elf_open(&file, sizeof file, &f) && elf_is_whole(&f));
    file.head.e_shoff = sizeof file;
    assert_true(elf_open(&file, sizeof file, &f));
    assert_false(elf_is_whole(&f));
    assert_int_equal(elf_section(&f, 2).sh_type, SHT_NULL);
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
    struct elf f;
    assert_false(elf_open("\177ELF", 4, &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_listed_and_nothing_else),
        cmocka_unit_test(sections_and_symbols_are_found_by_name_and_number),
        cmocka_unit_test(a_cut_file_is_not_whole_and_its_sections_are_not_there),
        cmocka_unit_test(what_lies_outside_is_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
