// Any bytes as a journal: listed, its newest run, hypotheses and predictions read, a run recorded; or refused with
// a message. fuzz/corpus/journal was made with pages of 512 bytes, to be small.
// SPDX-License-Identifier: Apache-2.0
#include "journal/journal.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void said(bool done, struct error *err)
{
    require(done || (err->kind != ERROR_NONE && err->message[0]));
    error_clear(err);
}

static void read_all(struct journal *j, struct arena *a)
{
    struct error err = {0};
    struct journal_filter filter = {.limit = 10};
    struct journal_entry *entries = NULL;
    struct hypothesis *hypotheses = NULL;
    struct hypothesis_record record = {0};
    struct run run = {0};
    int count = 0;
    said(journal_list(j, a, &filter, &entries, &count, &err), &err);
    said(journal_get_run(j, a, 0, NULL, &run, &err), &err);
    json_decref(run.header.environment);
    said(journal_hypotheses(j, a, "scale", &hypotheses, &count, &err), &err);
    said(journal_hypothesis_record(j, a, &filter, &record, &err), &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hypothesis hypothesis = {.variant = "v", .text = "faster"};
    static const char *const left[] = {"", "-wal", "-shm", "-journal"};
    const char *folder = getenv("TMPDIR");
    char path[4096], beside[4112];
    struct arena a = {0};
    struct error err = {0};
    struct journal *j = NULL;
    snprintf(path, sizeof path, "%s/ridge-fuzz-%ld.sqlite", folder ? folder : "/tmp",
             (long)getpid());
    require(file_write(path, data, size, &err));
    if (journal_open(path, true, &j, &err)) {
        read_all(j, &a);
        journal_close(j);
    } else {
        said(false, &err);
    }
    if (journal_open(path, false, &j, &err)) {
        said(journal_add_hypothesis(j, "scale", &hypothesis, &err), &err);
        journal_close(j);
    } else {
        said(false, &err);
    }
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        snprintf(beside, sizeof beside, "%s%s", path, left[i]);
        unlink(beside);
    }
    arena_release(&a);
    return 0;
}
