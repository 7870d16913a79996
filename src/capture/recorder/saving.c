// Saving chosen launches: before and after them the allocations that their parameters point into are copied to files
// beside the recording, 128 bytes left free at their beginning. The GPU is waited for around these launches and no
// others. RIDGE_CAPTURE_KERNELS is an extended regular expression, RIDGE_CAPTURE_LAUNCH which launch of each kernel
// (from 1), RIDGE_CAPTURE_SAVED how many bytes of files there may be.
// SPDX-License-Identifier: Apache-2.0
#include "capture/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARAMETERS_MAX = 512, PARAMETER_BYTES_MAX = 32768, ADDRESS_BYTES = 8 };
enum { PIECES_MAX = 256, KERNELS_MAX = 1 << 14, CHUNK_BYTES = 1 << 20 };
// cuLaunchKernel's `extra`: pairs of a word and a value.
enum { EXTRA_POINTER = 1, EXTRA_SIZE = 2, EXTRA_PAIRS_MAX = 4 };

struct piece { // an allocation, or a variable
    uint64_t address, bytes;
    const char *variable; // its name; NULL: an allocation
    bool changed;
    char stem[64]; // of its files' names
};
static struct saving {
    const char *folder;
    regex_t chosen;
    uint64_t ordinal, left_bytes;
    atomic_int captures; // streams that are captured
    // Held by the thread whose launch is saved, from before it until it is recorded.
    pthread_mutex_t lock;
    bool files_named;
    struct saved_launch launch;
    struct piece pieces[PIECES_MAX];
    int piece_count, tried; // tried: launches
    char tail[PARAMETERS_MAX * 2 * sizeof(uint32_t) + PARAMETER_BYTES_MAX];
    char *chunk, *other; // CHUNK_BYTES each
} saving = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local bool held; // this thread's launch is being saved

/* ---- which ------------------------------------------------------------------------------------------ */

void saving_start(const char *folder)
{
    enum { DEFAULT_SHIFT = 32 };
    const char *kernels = getenv("RIDGE_CAPTURE_KERNELS"), *launch = getenv("RIDGE_CAPTURE_LAUNCH");
    const char *bytes = getenv("RIDGE_CAPTURE_SAVED");
    int64_t number;
    const struct driver_functions *d = &recorder.driver;
    if (!kernels)
        return;
    if (!d->range || !d->wait || !d->copy_out || (!d->parameter && !d->kernel_parameter)) {
        recorder_trouble("no kernel is saved: this driver has no cuFuncGetParamInfo (CUDA 12.4)");
        return;
    }
    if (regcomp(&saving.chosen, kernels, REG_EXTENDED | REG_NOSUB) != 0) {
        recorder_trouble("no kernel is saved: '%s' is no regular expression", kernels);
        return;
    }
    saving.folder = strdup(folder);
    saving.ordinal = launch && str_to_i64(launch, &number) && number > 0 ? (uint64_t)number : 1;
    saving.left_bytes = bytes && str_to_i64(bytes, &number) && number > 0
                            ? (uint64_t)number
                            : UINT64_C(1) << DEFAULT_SHIFT;
    recorder.saving = saving.folder != NULL;
}

void saving_pause(int change)
{
    atomic_fetch_add(&saving.captures, change);
}

// Is this the launch of that kernel? A kernel's name is looked at once.
static bool is_chosen(const char *symbol)
{
    static struct {
        uint64_t id, launches;
        bool chosen;
    } kernels[KERNELS_MAX];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t id = recorder_name(symbol);
    size_t at = id % KERNELS_MAX, tries = 0;
    bool now = false;
    pthread_mutex_lock(&lock);
    while (kernels[at].id != 0 && kernels[at].id != id && ++tries < KERNELS_MAX)
        at = (at + 1) % KERNELS_MAX;
    if (kernels[at].id == 0) {
        kernels[at].id = id;
        kernels[at].chosen = regexec(&saving.chosen, symbol, 0, NULL, 0) == 0;
    }
    if (kernels[at].id == id && kernels[at].chosen)
        now = ++kernels[at].launches == saving.ordinal;
    pthread_mutex_unlock(&lock);
    return now;
}

/* ---- what a call was given to load -------------------------------------------------------------------- */

size_t image_bytes(const void **image)
{
    static const uint32_t fatbin = 0xba55ed50, wrapper = 0x466243b1;
    const char *at = *image;
    uint32_t magic;
    uint64_t bytes;
    if (!at)
        return 0;
    memcpy(&magic, at, sizeof magic);
    if (magic == wrapper) { // magic, version, address
        memcpy(&at, at + 2 * sizeof magic, sizeof at);
        *image = at;
        if (!at)
            return 0;
        memcpy(&magic, at, sizeof magic);
    }
    if (magic == fatbin) { // magic, version, size of this, size of what follows
        memcpy(&bytes, at + 2 * sizeof magic, sizeof bytes);
        return bytes + 2 * sizeof magic + sizeof bytes;
    }
    bool text = magic != 0x464c457f; // ELF: CUPTI hands that over with its length
    return text ? strlen(at) : 0;
}

// Files that are mapped here: libraries have their kernels' code in them.
static void name_files(void)
{
    char line[4096 + 128];
    char last[4096] = "";
    FILE *f = fopen("/proc/self/maps", "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        char *path = strchr(line, '/');
        if (!path)
            continue;
        path[strcspn(path, "\n")] = '\0';
        if (strcmp(path, last) == 0)
            continue;
        snprintf(last, sizeof last, "%.*s", (int)sizeof last - 1, path);
        struct event_library event = {recorder_clock_ns()};
        RECORD_TEXT(LIBRARY, event, path);
    }
    (void)!fclose(f);
}

/* ---- parameters --------------------------------------------------------------------------------------- */

// A buffer that the caller packed: one piece.
static void packed(void **extra)
{
    const void *data = NULL;
    size_t bytes = 0;
    for (int i = 0; i < EXTRA_PAIRS_MAX && extra[2 * i]; i++) {
        if ((uintptr_t)extra[2 * i] == EXTRA_POINTER)
            data = extra[2 * i + 1];
        else if ((uintptr_t)extra[2 * i] == EXTRA_SIZE)
            memcpy(&bytes, extra[2 * i + 1], sizeof bytes);
    }
    if (!data || bytes == 0 || bytes > PARAMETER_BYTES_MAX)
        return;
    uint32_t place[2] = {0, (uint32_t)bytes};
    memcpy(saving.tail, place, sizeof place);
    memcpy(saving.tail + sizeof place, data, bytes);
    saving.launch.parameters = 1;
    saving.launch.tail_bytes = sizeof place + bytes;
}

static bool place_of(void *function, size_t index, size_t *offset, size_t *bytes)
{
    const struct driver_functions *d = &recorder.driver;
    return (d->parameter && d->parameter(function, index, offset, bytes) == 0) ||
           (d->kernel_parameter && d->kernel_parameter(function, index, offset, bytes) == 0);
}

static void listed(void *function, void **values)
{
    size_t offset, size, bytes = 0, count = 0;
    uint32_t places[PARAMETERS_MAX][2];
    while (count < PARAMETERS_MAX && place_of(function, count, &offset, &size)) {
        if (size > PARAMETER_BYTES_MAX - bytes)
            return;
        places[count][0] = (uint32_t)offset;
        places[count++][1] = (uint32_t)size;
        bytes += size;
    }
    char *to = saving.tail + count * sizeof places[0];
    memcpy(saving.tail, places, count * sizeof places[0]);
    for (size_t i = 0; i < count; to += places[i++][1])
        memcpy(to, values[i], places[i][1]);
    saving.launch.parameters = count;
    saving.launch.tail_bytes = count * sizeof places[0] + bytes;
}

/* ---- allocations ---------------------------------------------------------------------------------------- */

static void add_piece(uint64_t address, uint64_t bytes, const char *variable)
{
    struct piece *p = &saving.pieces[saving.piece_count];
    *p = (struct piece){.address = address, .bytes = bytes, .variable = variable};
    snprintf(p->stem, sizeof p->stem, "%d-%d-%d", (int)getpid(), saving.tried, saving.piece_count);
    saving.piece_count++;
}

static uint64_t bytes_of_pieces(void)
{
    uint64_t bytes = 0;
    for (int i = 0; i < saving.piece_count; i++)
        bytes += 2 * saving.pieces[i].bytes;
    return bytes;
}

static void add_variable(const char *name, uint64_t address, uint64_t bytes)
{
    if (saving.piece_count == PIECES_MAX || 2 * bytes > saving.left_bytes - bytes_of_pieces())
        recorder_trouble("what the variable %s holds is not saved: there is no room (--save-limit)",
                         name);
    else
        add_piece(address, bytes, name);
}

static void add_allocation(uint64_t address)
{
    size_t bytes = 0;
    uint64_t base = 0;
    if (address == 0 || recorder.driver.range(&base, &bytes, address) != 0 || bytes == 0)
        return;
    for (int i = 0; i < saving.piece_count; i++)
        if (saving.pieces[i].address == base)
            return;
    if (saving.piece_count == PIECES_MAX)
        return;
    add_piece(base, bytes, NULL);
}

// Whatever 8 bytes of the parameters the driver knows as an address of an allocation.
static void find_allocations(void)
{
    uint32_t place[2];
    const char *bytes = saving.tail + saving.launch.parameters * sizeof place;
    for (uint64_t i = 0; i < saving.launch.parameters; bytes += place[1], i++) {
        memcpy(place, saving.tail + i * sizeof place, sizeof place);
        uint32_t first = (ADDRESS_BYTES - place[0] % ADDRESS_BYTES) % ADDRESS_BYTES;
        for (uint32_t at = first; at + ADDRESS_BYTES <= place[1]; at += ADDRESS_BYTES) {
            uint64_t address;
            memcpy(&address, bytes + at, sizeof address);
            add_allocation(address);
        }
    }
}

static int open_piece(const struct piece *p, const char *ending, int flags)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", saving.folder, p->stem, ending);
    if (flags < 0)
        return unlink(path);
    return open(path, flags | O_CLOEXEC, 0600);
}

static bool write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t n = write(fd, data, bytes);
        if (n <= 0 && errno != EINTR)
            return false;
        data += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

// To a file; where one from before is given, *changed says whether it differs.
static bool copy_piece(struct piece *p, const char *ending, int before)
{
    static const char header[SAVED_HEADER_BYTES];
    int fd = open_piece(p, ending, O_WRONLY | O_CREAT | O_EXCL);
    bool done = fd >= 0 && write_all(fd, header, sizeof header);
    for (uint64_t at = 0; done && at < p->bytes; at += CHUNK_BYTES) {
        size_t bytes = p->bytes - at < CHUNK_BYTES ? p->bytes - at : CHUNK_BYTES;
        done = recorder.driver.copy_out(saving.chunk, p->address + at, bytes) == 0 &&
               write_all(fd, saving.chunk, bytes);
        if (done && before >= 0)
            p->changed =
                p->changed ||
                pread(before, saving.other, bytes, (off_t)(at + sizeof header)) != (ssize_t)bytes ||
                memcmp(saving.other, saving.chunk, bytes) != 0;
    }
    if (fd >= 0 && close(fd) != 0)
        done = false;
    return done;
}

static void forget_files(void)
{
    for (int i = 0; i < saving.piece_count; i++) {
        (void)!open_piece(&saving.pieces[i], "before", -1);
        (void)!open_piece(&saving.pieces[i], "after", -1);
    }
}

/* ---- around a launch -------------------------------------------------------------------------------------- */

// NULL, or why not.
static const char *save_before(const struct launch *l)
{
    saving.launch = (struct saved_launch){.ordinal = saving.ordinal, .tail = saving.tail};
    saving.piece_count = 0;
    saving.tried++;
    if (!saving.chunk)
        saving.chunk = malloc(CHUNK_BYTES);
    if (!saving.other)
        saving.other = malloc(CHUNK_BYTES);
    if (!saving.chunk || !saving.other)
        return "no memory";
    if (l->values)
        listed(l->function, l->values);
    else if (l->extra)
        packed(l->extra);
    if (!saving.files_named) {
        name_files();
        caches_record();
    }
    saving.files_named = true;
    find_allocations();
    if (bytes_of_pieces() > saving.left_bytes)
        return "its allocations are larger than what is left of the limit (--save-limit)";
    variables_each(l->function, add_variable);
    if (recorder.driver.wait() != 0)
        return "the GPU's work before it failed";
    for (int i = 0; i < saving.piece_count; i++)
        if (!copy_piece(&saving.pieces[i], "before", -1))
            return "its allocations could not be copied to the disk";
    saving.left_bytes -= bytes_of_pieces();
    return NULL;
}

void saving_before(const char *symbol, const struct launch *l)
{
    if (!symbol || held || atomic_load(&saving.captures) > 0 || !is_chosen(symbol))
        return;
    pthread_mutex_lock(&saving.lock);
    const char *why = save_before(l);
    held = !why;
    if (why) {
        uint64_t bytes = bytes_of_pieces() / 2;
        forget_files();
        recorder_trouble("launch %llu of %s is not saved: %s; it was given %d allocations of %llu "
                         "bytes",
                         (unsigned long long)saving.ordinal, symbol, why, saving.piece_count,
                         (unsigned long long)bytes);
        pthread_mutex_unlock(&saving.lock);
    }
}

const struct saved_launch *saving_after(bool launched)
{
    if (!held)
        return NULL;
    bool done = launched && recorder.driver.wait() == 0;
    for (int i = 0; done && i < saving.piece_count; i++) {
        int before = open_piece(&saving.pieces[i], "before", O_RDONLY);
        done = before >= 0 && copy_piece(&saving.pieces[i], "after", before);
        if (done && !saving.pieces[i].changed)
            (void)!open_piece(&saving.pieces[i], "after", -1);
        if (before >= 0)
            close(before);
    }
    if (done)
        return &saving.launch;
    forget_files();
    recorder_trouble("a launch is not saved: %s",
                     launched ? "it failed, or what it changed could not be copied"
                              : "the driver refused it");
    held = false;
    pthread_mutex_unlock(&saving.lock);
    return NULL;
}

// The files' name, and after a NUL that of the variable.
static void record_variable(uint64_t correlation, const struct piece *p)
{
    char tail[4096];
    struct event_variable event = {correlation, p->address, p->bytes, p->changed};
    int bytes = snprintf(tail, sizeof tail, "%s%c%s", p->stem, '\0', p->variable);
    if (bytes > 0 && (size_t)bytes < sizeof tail)
        stream_add(&recorder.out, EVENT_VARIABLE, &event, sizeof event, tail, (size_t)bytes);
}

void saving_done(uint64_t correlation)
{
    for (int i = 0; i < saving.piece_count; i++) {
        const struct piece *p = &saving.pieces[i];
        struct event_saved event = {correlation, p->address, p->bytes, p->changed};
        if (p->variable)
            record_variable(correlation, p);
        else
            RECORD_TEXT(SAVED, event, p->stem);
    }
    held = false;
    pthread_mutex_unlock(&saving.lock);
}
