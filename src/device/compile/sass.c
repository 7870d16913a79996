// Machine code as text by the user's lines, where a toolkit's nvdisasm is installed: to be read beside the source. It is neither
// run nor translated. PTX becomes machine code by ptxas first; what a driver makes of the same PTX may differ.
//   nvdisasm -c -gi: "\t//## File "k.cu", line 7 inlined at "k.cu", line 9", innermost call first, before the instructions that
//   come of it; "        /*0040*/                   IMAD R2, R2, UR4, R3 ;"; ".text.NAME:" where a function begins.
// SPDX-License-Identifier: Apache-2.0
#include "device/internal.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 64 };
static const double ask_timeout_s = 20;

const char *nvdisasm_find(struct arena *a)
{
    return toolkit_find(a, "RIDGE_NVDISASM", "nvdisasm");
}

/* ---- what it prints --------------------------------------------------------------------------------- */

struct place {
    const char *file; // NULL: none was said
    int line;
};
struct reading {
    struct arena *arena;
    const struct code_disassembly *to;
    const char *function; // "": none has begun
    struct place place;   // of the instructions that come
    bool in_frames;       // the line before was one of its calls …
    bool settled;         // … of which one is the user's
    int count;
};

// false: it is none.
static bool read_frame(struct arena *a, const char *line, size_t length, struct place *out)
{
    static const char head[] = "//## File \"", middle[] = "\", line ";
    const char *end = line + length, *at = line + strspn(line, " \t");
    if (at + sizeof head > end || !str_starts_with(at, head))
        return false;
    at += sizeof head - 1;
    const char *quote = strstr(at, middle);
    if (!quote || quote >= end)
        return false;
    out->file = arena_strndup(a, at, (size_t)(quote - at));
    out->line = (int)strtol(quote + sizeof middle - 1, NULL, 10);
    return out->line > 0;
}

// The innermost call that is in no library's header; where all are, the outermost.
static void take_frame(struct reading *r, const struct place *frame)
{
    if (!r->in_frames)
        r->settled = false;
    r->in_frames = true;
    if (r->settled)
        return;
    r->place = *frame;
    r->settled = !path_is_foreign(frame->file);
}

// Without its address; false: the line is no instruction.
static bool read_instruction(const char *line, size_t length, const char **text, size_t *bytes)
{
    const char *end = line + length, *at = line + strspn(line, " \t");
    if (at + 2 >= end || at[0] != '/' || at[1] != '*')
        return false;
    at += 2;
    size_t digits = strspn(at, "0123456789abcdef");
    if (digits == 0 || at[digits] != '*' || at[digits + 1] != '/')
        return false;
    at += digits + 2;
    at += strspn(at, " \t");
    while (end > at && strchr(" \t\r;", end[-1]))
        end--;
    *text = at;
    *bytes = end > at ? (size_t)(end - at) : 0;
    return *bytes > 0;
}

static bool read_function(struct reading *r, const char *line, size_t length)
{
    static const char head[] = ".text.";
    if (length < sizeof head || line[length - 1] != ':' || !str_starts_with(line, head))
        return false;
    r->function = arena_strndup(r->arena, line + sizeof head - 1, length - sizeof head);
    r->place = (struct place){NULL, 0};
    return true;
}

static void read_line(struct reading *r, const char *line, size_t length)
{
    struct place frame;
    const char *text = NULL;
    size_t bytes = 0;
    if (read_frame(r->arena, line, length, &frame)) {
        take_frame(r, &frame);
        return;
    }
    r->in_frames = false;
    if (read_function(r, line, length) || !read_instruction(line, length, &text, &bytes) ||
        !r->place.file)
        return;
    if (r->to->instruction(r->to->context, r->function, r->place.file, r->place.line,
                           arena_strndup(r->arena, text, bytes)))
        r->count++;
}

static int read_all(const char *text, const struct code_disassembly *to)
{
    struct arena a = {0};
    struct reading r = {.arena = &a, .to = to, .function = ""};
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        read_line(&r, at, length);
        at += length + (at[length] == '\n');
    }
    arena_release(&a);
    return r.count;
}

/* ---- who is asked ------------------------------------------------------------------------------------ */

static bool run_disassembler(const char *tool, const char *machine, const char *folder,
                             struct text *out)
{
    const char *argv[] = {tool, "-c", "-gi", machine, NULL};
    struct process_spec spec = {
        .argv = argv, .timeout_s = ask_timeout_s, .temporary_folder = folder};
    struct process_result r;
    struct error ignored = {0};
    if (!process_run(&spec, &r, &ignored))
        return false;
    bool done = r.exit_status == 0 && !r.timed_out;
    if (done)
        text_add(out, text_str(&r.out));
    process_result_release(&r);
    return done;
}

// The machine code as a file. NULL: *why.
static const char *machine_file(struct arena *a, const struct code_object *code, const char *arch,
                                const char *folder, const char **why)
{
    const char *path = path_join(a, folder, "code.cubin");
    struct error ignored = {0};
    if (code->format == CODE_CUBIN)
        return file_write(path, code->bytes, code->size_bytes, &ignored)
                   ? path
                   : (*why = "its file was not written", NULL);
    const struct ptxas_job job = {.ptxas = ptxas_find(a),
                                  .arch = ptxas_arch(code->arch, arch),
                                  .option = "--generate-line-info",
                                  .text = code->bytes,
                                  .text_bytes = code->size_bytes,
                                  .folder = folder,
                                  .file = path,
                                  .timeout_s = ask_timeout_s};
    if (!job.ptxas || !job.arch) {
        *why = job.ptxas
                   ? "its PTX is for another chip"
                   : "ptxas is not here, which comes with CUDA's toolkit (RIDGE_PTXAS names it)";
        return NULL;
    }
    if (ptxas_make(a, &job, NULL))
        return path;
    *why = "ptxas does not take its PTX";
    return NULL;
}

const char *code_disassemble(struct arena *a, const struct code_object *code, const char *arch,
                             const struct code_disassembly *to)
{
    const char *tool = nvdisasm_find(a), *why = NULL;
    struct work_folder folder = {0};
    struct error ignored = {0};
    struct text out = {0};
    if (!tool)
        return "nvdisasm is not here, which comes with CUDA's toolkit (RIDGE_NVDISASM names it)";
    if (!work_folder_open(&folder, &ignored))
        return "there is no room for its files";
    const char *machine = machine_file(a, code, arch, folder.path, &why);
    if (machine) {
        if (!run_disassembler(tool, machine, folder.path, &out))
            why = arena_printf(a, "%s does not take the machine code", tool);
        else if (read_all(text_str(&out), to) == 0)
            why = "the machine code has no table of lines";
    }
    work_folder_close(&folder);
    text_release(&out);
    return why;
}
