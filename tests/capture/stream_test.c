// The recording's file: what was written is read again, in whatever state the file is.
// SPDX-License-Identifier: Apache-2.0
#include "base/base.h"
#include "capture/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/ridge-stream-XXXXXX";
static char path[sizeof folder + 8];

static int prepare(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/s", folder);
    return 0;
}

static int clean(void **state)
{
    return rmdir(folder);
}

// A file with `count` names of 1 to 9 bytes; its bytes.
static char *written(int count, uint64_t limit_bytes, size_t *size_bytes)
{
    struct stream_writer w;
    struct error err = {0};
    char *data;
    assert_true(stream_create(&w, path, limit_bytes, &err));
    for (int i = 0; i < count; i++) {
        struct event_name name = {(uint64_t)i};
        stream_add(&w, EVENT_NAME, &name, sizeof name, "abcdefghi", 1 + (size_t)i % 9);
    }
    stream_close(&w);
    assert_true(file_read(path, 1 << 28, &data, size_bytes, &err));
    assert_int_equal(unlink(path), 0);
    return data;
}

static int count_events(const char *data, size_t size_bytes, bool *damaged, uint64_t *lost)
{
    struct stream_reader r;
    struct error err = {0};
    struct event e;
    int count = 0;
    assert_true(stream_open(&r, "f", data, size_bytes, &err));
    while (stream_next(&r, &e)) {
        assert_int_equal(e.kind, EVENT_NAME);
        assert_int_equal(e.of.name.id, count);
        assert_int_equal(e.tail_bytes, 1 + count % 9);
        assert_memory_equal(e.tail, "abcdefghi", e.tail_bytes);
        count++;
    }
    *damaged = r.damaged;
    *lost = r.lost;
    return count;
}

static void what_is_written_is_read_again(void **state)
{
    size_t size;
    uint64_t lost;
    bool damaged;
    enum { MANY = 100000 }; // over several windows
    char *data = written(MANY, UINT64_C(1) << 30, &size);
    assert_int_equal(count_events(data, size, &damaged, &lost), MANY);
    assert_false(damaged);
    assert_int_equal(lost, 0);
    free(data);
}

static void a_file_that_ends_anywhere_is_read_to_there(void **state)
{
    size_t size;
    uint64_t lost;
    bool damaged;
    char *data = written(3, 1 << 20, &size); // 24 bytes each at first
    assert_int_equal(size, sizeof(struct stream_header) + 3 * 24);
    for (size_t cut = sizeof(struct stream_header); cut <= size; cut++) {
        size_t events = (cut - sizeof(struct stream_header)) / 24;
        assert_int_equal(count_events(data, cut, &damaged, &lost), events);
        assert_int_equal(damaged, cut % 8 != 0 || (cut - sizeof(struct stream_header)) % 24 != 0);
    }
    char *longer = xcalloc(size + 4096, 1);
    memcpy(longer, data, size);
    assert_int_equal(count_events(longer, size + 4096, &damaged, &lost), 3);
    assert_false(damaged); // room that was reserved and not used
    longer[size] = 12;     // a size that is none
    assert_int_equal(count_events(longer, size + 4096, &damaged, &lost), 3);
    assert_true(damaged);
    free(longer);
    free(data);
}

static void the_limit_is_kept_and_what_is_lost_is_counted(void **state)
{
    size_t size;
    uint64_t lost;
    bool damaged;
    char *data = written(10000, 1 << 17, &size);
    int count = count_events(data, size, &damaged, &lost);
    assert_true(size <= 1 << 17);
    assert_true(count > 3000);
    assert_int_equal(count + (int)lost, 10000);
    assert_false(damaged);
    free(data);
}

static void other_files_are_refused_with_a_reason(void **state)
{
    struct stream_reader r;
    struct error err = {0};
    struct stream_header h = {STREAM_MAGIC, 9, STREAM_BYTE_ORDER, 0, {0}};
    assert_false(stream_open(&r, "f", "hello", 5, &err));
    assert_string_equal(
        err.message, "f: this is no recording of `ridge capture`, and no trace of nsys or rocprof "
                     "(docs/capture.md lists what is read)");
    assert_false(stream_open(&r, "f", (const char *)&h, sizeof h, &err));
    assert_string_equal(err.message,
                        "f: a recording of version 9: this ridge reads versions 2 to 3");
    h.byte_order = 0x04030201;
    assert_false(stream_open(&r, "f", (const char *)&h, sizeof h, &err));
    assert_non_null(strstr(err.message, "another byte order"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_file_that_ends_anywhere_is_read_to_there),
        cmocka_unit_test(the_limit_is_kept_and_what_is_lost_is_counted),
        cmocka_unit_test(other_files_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
