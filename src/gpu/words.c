// Sentences are written in NVIDIA's words; what AMD calls otherwise is said so on its chips.
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <ctype.h>
#include <string.h>

struct pair { // whole words; longer ones before those that they begin with
    const char *from, *to;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// The length of `word` where `at` begins with it and neither goes on in a letter; 0: it does not.
static size_t match(const char *start, const char *at, const char *word)
{
    size_t length = strlen(word);
    bool inside = at > start && is_letter(at[-1]) && is_letter(word[0]);
    bool goes_on =
        strncmp(at, word, length) == 0 && is_letter(at[length]) && is_letter(word[length - 1]);
    return !inside && !goes_on && strncmp(at, word, length) == 0 ? length : 0;
}

static const char *capital(struct arena *a, const char *word)
{
    char *copy = arena_strdup(a, word);
    copy[0] = (char)toupper((unsigned char)copy[0]);
    return copy;
}

const char *gpu_say(struct arena *a, const struct gpu *g, const char *sentence)
{
    const struct gpu_words *w = gpu_words(g);
    if (!sentence || strcmp(g->vendor, "amd") != 0)
        return sentence;
    const struct pair pairs[] = {
        {"waves of blocks", arena_printf(a, "rounds of %s", w->blocks)},
        {" (__reduce_add_sync, shuffles)", " (shuffles)"},
        {"mma, wmma or wgmma", "MFMA"},
        {"tensor cores", "matrix cores"},
        {"thread block", w->block},
        {"an SM", w->an_sm},
        {"SMs", arena_printf(a, "%ss", w->sm)},
        {"SM", w->sm},
        {"shared memory", w->memory},
        {"Shared memory", w->memory},
        {"warps", w->warps},
        {"Warps", capital(a, w->warps)},
        {"warp", w->warp},
        {"Warp", capital(a, w->warp)},
        {"blocks", w->blocks},
        {"Blocks", capital(a, w->blocks)},
        {"block", w->block},
        {"Block", capital(a, w->block)},
    };
    struct text out = {0};
    for (const char *at = sentence; *at != '\0';) {
        size_t length = 0, i = 0;
        while (i < COUNT_OF(pairs) && (length = match(sentence, at, pairs[i].from)) == 0)
            i++;
        if (length > 0)
            text_add(&out, pairs[i].to);
        else
            text_printf(&out, "%c", *at);
        at += length > 0 ? length : 1;
    }
    const char *said = arena_strdup(a, text_str(&out));
    text_release(&out);
    return said;
}
