// Replays a corpus through a fuzz target without libFuzzer: every file of the folders and every
// file named on the command line goes once to LLVMFuzzerTestOneInput, in the order of names.
// Linked with each fuzz/<name>_fuzz.c by `make check`. The name is printed before an input is
// tried, so that the last line of the output of a crash names its input.
// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak)); // optional in a target

static size_t replayed;

// The bytes stand in a block of exactly their size, so that a sanitizer sees a read past the end.
static bool replay_file(const char *path)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        if (file)
            fclose(file);
        return false;
    }
    size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size > 0 ? size : 1);
    bool done = data && fread(data, 1, size, file) == size;
    fclose(file);
    if (done) {
        printf("# %s\n", path);
        LLVMFuzzerTestOneInput(data, size);
        replayed++;
    } else {
        fprintf(stderr, "%s: cannot read it\n", path);
    }
    free(data);
    return done;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool replay_folder(const char *path)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, visible, alphasort);
    bool done = count >= 0;
    for (int i = 0; i < count; i++) {
        char name[4096];
        int length = snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        done = length > 0 && (size_t)length < sizeof name && replay_file(name) && done;
        free(entries[i]);
    }
    free(entries);
    return done;
}

int main(int argc, char **argv)
{
    bool done = true;
    struct stat about;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        if (stat(argv[i], &about) != 0)
            continue; // a target without a corpus is no error; it shows below
        done = (S_ISDIR(about.st_mode) ? replay_folder(argv[i]) : replay_file(argv[i])) && done;
    }
    if (!done)
        printf("not ok - some inputs could not be read\n");
    else if (replayed == 0)
        printf("skip - corpus: no inputs in %s\n", argc > 1 ? argv[1] : "(no folder given)");
    else
        printf("ok - %zu inputs replayed\n", replayed);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
