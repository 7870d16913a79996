// DWARF's line tables, written out by hand: versions 4 and 5, several in a section, and what is cut off.
// SPDX-License-Identifier: Apache-2.0
#include "base/dwarf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h> // last: its fail() hides base's

struct bytes {
    uint8_t data[1024];
    size_t count;
};
#define PUT(b, ...) put((b), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define FOUR_ZEROS 0, 0, 0, 0
#define DIGEST 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
enum { LENGTH_BYTES = 4, VERSION_BYTES = 2 };

static void put(struct bytes *b, const uint8_t *from, size_t count)
{
    assert_true(b->count + count <= sizeof b->data);
    memcpy(b->data + b->count, from, count);
    b->count += count;
}

// How many bytes follow the length at `at`.
static void put_length(struct bytes *b, size_t at)
{
    uint32_t length = (uint32_t)(b->count - at - LENGTH_BYTES);
    memcpy(b->data + at, &length, LENGTH_BYTES);
}

// Instructions of 4 bytes, lines from -5 on, 14 of them; how many operands each step has.
static void put_facts(struct bytes *b)
{
    PUT(b, 4, 1, 1, 0xfb, 14, 13);
    PUT(b, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1);
}

// Rows: 0x100 line 10, 0x104 line 11, 0x120 line 5 of the other file; the end at 0x128.
static void put_program(struct bytes *b, uint8_t other_file)
{
    PUT(b, 0, 9, 2, 0, 1, 0, 0, FOUR_ZEROS); // DW_LNE_set_address 0x100
    PUT(b, 3, 9, 1);                         // advance_line 9, copy
    PUT(b, 13 + 14 * 1 + 6);                 // an instruction and a line on
    PUT(b, 4, other_file, 3, 0x7a);          // set_file, advance_line -6
    PUT(b, 2, 7, 5, 3, 1);                   // advance_pc 7, set_column, copy
    PUT(b, 2, 2, 0, 1, 1);                   // advance_pc 2, DW_LNE_end_sequence
}

static void put_version_4(struct bytes *b)
{
    size_t start = b->count;
    PUT(b, FOUR_ZEROS, 4, 0, FOUR_ZEROS);
    size_t head = b->count - LENGTH_BYTES;
    put_facts(b);
    PUT(b, 's', 'r', 'c', 0, 0);               // folder 1
    PUT(b, 'a', '.', 'c', 'u', 0, 1, 0, 0);    // file 1 in it
    PUT(b, '/', 'b', '.', 'h', 0, 1, 0, 0, 0); // file 2 by its whole path
    put_length(b, head);
    put_program(b, 2);
    put_length(b, start);
}

static void put_version_5(struct bytes *b)
{
    size_t start = b->count;
    PUT(b, FOUR_ZEROS, 5, 0, 8, 0, FOUR_ZEROS);
    size_t head = b->count - LENGTH_BYTES;
    put_facts(b);
    PUT(b, 1, 1, 0x1f, 2, FOUR_ZEROS, 10, 0, 0, 0); // two folders, in .debug_line_str
    PUT(b, 3, 1, 0x08, 2, 0x0b, 5, 0x1e, 2); // two files: a path, a folder's number, a digest
    PUT(b, 'k', '.', 'c', 'u', 0, 1, DIGEST);
    PUT(b, '/', 'b', '.', 'h', 0, 0, DIGEST);
    put_length(b, head);
    PUT(b, 4, 0); // set_file 0
    put_program(b, 1);
    put_length(b, start);
}

static struct arena arena;

static struct dwarf_places read_lines(const uint8_t *data, size_t count)
{
    static const char names[] = "/home/dir\0src";
    const struct dwarf_sections s = {.line = {data, count},
                                     .line_str = {(const uint8_t *)names, sizeof names}};
    struct dwarf_places p;
    dwarf_lines_read(&arena, &s, &p);
    return p;
}

static void assert_place(const struct dwarf_places *p, uint64_t at, const char *file, int line)
{
    const struct dwarf_place *found = dwarf_place_at(p, at);
    assert_non_null(found);
    assert_string_equal(found->file, file);
    assert_int_equal(found->line, line);
}

static void assert_rows(const struct dwarf_places *p, const char *file)
{
    assert_int_equal(p->count, 4);
    assert_null(dwarf_place_at(p, 0xff));
    assert_place(p, 0x100, file, 10);
    assert_place(p, 0x103, file, 10);
    assert_place(p, 0x104, file, 11);
    assert_place(p, 0x11f, file, 11);
    assert_place(p, 0x120, "/b.h", 5);
    assert_place(p, 0x127, "/b.h", 5);
    assert_null(dwarf_place_at(p, 0x128));
}

static void a_table_of_version_4_is_read(void **state)
{
    struct bytes b = {.count = 0};
    (void)state;
    put_version_4(&b);
    struct dwarf_places p = read_lines(b.data, b.count);
    assert_rows(&p, "src/a.cu");
}

static void a_table_of_version_5_is_read(void **state)
{
    struct bytes b = {.count = 0};
    (void)state;
    put_version_5(&b);
    struct dwarf_places p = read_lines(b.data, b.count);
    assert_rows(&p, "/home/dir/src/k.cu");
}

static void a_table_of_another_version_is_passed_over(void **state)
{
    struct bytes b = {.count = 0};
    (void)state;
    put_version_4(&b);
    b.data[LENGTH_BYTES] = 6;
    put_version_5(&b);
    struct dwarf_places p = read_lines(b.data, b.count);
    assert_rows(&p, "/home/dir/src/k.cu");
}

static void what_is_cut_off_gives_what_came_before(void **state)
{
    struct bytes b = {.count = 0};
    (void)state;
    put_version_4(&b);
    size_t whole = b.count;
    put_version_5(&b);
    for (size_t count = 0; count < b.count; count++) {
        struct dwarf_places p = read_lines(b.data, count);
        assert_int_equal(p.count, count < whole ? 0 : 4);
    }
    assert_int_equal(read_lines(b.data, 0).count, 0);
}

static void a_name_beyond_its_section_ends_the_table(void **state)
{
    struct bytes b = {.count = 0};
    (void)state;
    put_version_5(&b);
    size_t folder = LENGTH_BYTES + VERSION_BYTES + 2 + LENGTH_BYTES + 6 + 12 + 4;
    b.data[folder] = 200; // of .debug_line_str's fourteen bytes
    assert_int_equal(read_lines(b.data, b.count).count, 0);
}

static int release(void **state)
{
    (void)state;
    arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_version_4_is_read),
        cmocka_unit_test(a_table_of_version_5_is_read),
        cmocka_unit_test(a_table_of_another_version_is_passed_over),
        cmocka_unit_test(what_is_cut_off_gives_what_came_before),
        cmocka_unit_test(a_name_beyond_its_section_ends_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
