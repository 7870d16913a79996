// The public face but for sim_launch: opening, device memory, modules and their variables.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/cache.h"
#include "sim/run/exec.h"

#include <stdlib.h>

bool sim_open(const struct gpu *gpu, struct sim **out, struct error *err)
{
    struct sim *s = xcalloc(1, sizeof(*s));
    s->gpu = gpu;
    s->isa = sim_isa_best();
    s->spare = spare_open();
    uint64_t params = 0;
    if (!space_init(&s->space, err) ||
        !space_alloc(&s->space, PARAM_BYTES_MAX + 4, "kernel parameters", &params, err)) {
        sim_close(s);
        return false;
    }
    s->params_address = params;
    s->space.items[0].read_only = true;
    if (gpu_is_simulated(gpu)) // AMD's caches are not simulated
        s->l2 = l2_new(gpu);
    *out = s;
    return true;
}

void sim_close(struct sim *s)
{
    if (s == NULL)
        return;
    while (s->module_count > 0)
        sim_module_unload(s, s->modules[s->module_count - 1]);
    free(s->modules);
    free(s->textures);
    free(s->l1);
    free(s->l1_room);
    free(s->asked);
    for (int i = 0; i < s->log_count; i++) {
        l2_log_release(&s->logs[i].log);
        l2_log_release(&s->logs[i].sent);
    }
    free(s->logs);
    free(s->log_room);
    if (s->l2 != NULL)
        l2_free(s->l2);
    amd_caches_free(s->amd_caches);
    spare_close(s->spare);
    space_release(&s->space);
    free(s);
}

bool sim_alloc(struct sim *s, uint64_t size_bytes, const char *name, uint64_t *address,
               struct error *err)
{
    return space_alloc(&s->space, size_bytes, name, address, err);
}

bool sim_free(struct sim *s, uint64_t address, struct error *err)
{
    return space_free(&s->space, address, err);
}

bool sim_write(struct sim *s, uint64_t address, const void *data, uint64_t size_bytes,
               struct error *err)
{
    if (size_bytes == 0)
        return true;
    if (!space_check(&s->space, address, size_bytes, "write of", err))
        return false;
    memcpy(space_host(&s->space, address), data, size_bytes);
    space_mark_written(&s->space, address, size_bytes);
    return true;
}

bool sim_read(struct sim *s, uint64_t address, void *data, uint64_t size_bytes, struct error *err)
{
    if (size_bytes == 0)
        return true;
    if (!space_check(&s->space, address, size_bytes, "read of", err))
        return false;
    memcpy(data, space_host(&s->space, address), size_bytes);
    return true;
}

bool sim_fill(struct sim *s, uint64_t address, uint8_t byte, uint64_t size_bytes, struct error *err)
{
    if (size_bytes == 0)
        return true;
    if (!space_check(&s->space, address, size_bytes, "fill of", err))
        return false;
    memset(space_host(&s->space, address), byte, size_bytes);
    space_mark_written(&s->space, address, size_bytes);
    return true;
}

void sim_flush_caches(struct sim *s)
{
    s->flushes++;
    if (s->l2 != NULL)
        l2_flush(s->l2);
    amd_caches_flush(s->amd_caches);
    for (int i = 0; i < s->l1_count; i++)
        if (s->l1[i] != NULL) // an SM that ran no block yet has none
            l1_reset(s->l1[i]);
}

/* ---- modules ------------------------------------------------------------------------------- */

// The module's variables, then those declared within its functions, which live as long.
static int variable_count(const struct ptx_module *ptx)
{
    int n = ptx->variable_count;
    for (int f = 0; f < ptx->function_count; f++)
        n += ptx->functions[f].variable_count;
    return n;
}

static const struct ptx_variable *variable_at(const struct ptx_module *ptx, int i)
{
    const struct ptx_function *f = ptx->functions;
    if (i < ptx->variable_count)
        return &ptx->variables[i];
    for (i -= ptx->variable_count; i >= f->variable_count; f++)
        i -= f->variable_count;
    return &f->variables[i];
}

static bool lies_within(const struct ptx_variable *v, const struct ptx_variable *first, int count)
{
    return count > 0 && v >= first && v < first + count;
}

uint64_t module_variable_address(const struct sim_module *m, const struct ptx_variable *v)
{
    const struct ptx_module *ptx = m->ptx;
    if (lies_within(v, ptx->variables, ptx->variable_count))
        return m->variables[v - ptx->variables].address;
    int base = ptx->variable_count;
    for (int i = 0; i < ptx->function_count; i++) {
        const struct ptx_function *f = &ptx->functions[i];
        if (lies_within(v, f->variables, f->variable_count))
            return m->variables[base + (int)(v - f->variables)].address;
        base += f->variable_count;
    }
    return 0;
}

int module_function_index(const struct ptx_module *m, const struct ptx_function *f)
{
    // A declaration stands for the definition of the same name.
    int found = (int)(f - m->functions);
    for (int i = 0; i < m->function_count && !f->has_body; i++)
        if (m->functions[i].has_body && strcmp(m->functions[i].name, f->name) == 0)
            found = i;
    return found;
}

static bool variable_lives_on_device(const struct ptx_variable *v)
{
    return (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST) && v->size_bytes > 0;
}

static bool relocation_value(const struct sim_module *m, const struct ptx_relocation *r,
                             uint64_t *value)
{
    const struct ptx_variable *v = ptx_variable_find(m->ptx, r->symbol);
    const struct ptx_function *f = v == NULL ? ptx_function_find(m->ptx, r->symbol) : NULL;
    if (v != NULL)
        *value = module_variable_address(m, v) + (uint64_t)r->addend;
    else if (f != NULL)
        *value = CODE_BASE + 16 * (uint64_t)module_function_index(m->ptx, f);
    return v != NULL || f != NULL;
}

static bool module_initialise(struct sim_module *m, const struct ptx_variable *v, uint64_t address,
                              struct error *err)
{
    struct sim *s = m->sim;
    uint8_t *host = space_host(&s->space, address);
    if (v->initial != NULL)
        memcpy(host, v->initial, v->size_bytes);
    else
        memset(host, 0, v->size_bytes);
    for (size_t i = 0; i < v->relocation_count; i++) {
        const struct ptx_relocation *r = &v->relocations[i];
        uint64_t value = 0;
        if (!relocation_value(m, r, &value))
            return fail(err, v->at, "initialiser of '%s' names unknown '%s'", v->name, r->symbol);
        if (r->size_bytes > 8 || r->offset_bytes + (size_t)r->size_bytes > v->size_bytes)
            return fail(err, v->at, "initialiser of '%s' is longer than it", v->name);
        memcpy(host + r->offset_bytes, &value, (size_t)r->size_bytes);
    }
    space_mark_written(&s->space, address, v->size_bytes);
    return true;
}

bool sim_module_load(struct sim *s, const struct ptx_module *ptx, struct sim_module **out,
                     struct error *err)
{
    struct sim_module *m = xcalloc(1, sizeof(*m));
    m->sim = s;
    m->ptx = ptx;
    int count = variable_count(ptx);
    m->variables = xcalloc((size_t)count + 1, sizeof(*m->variables));
    VEC_PUSH(s->modules, s->module_count, s->module_capacity, m);
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        const struct ptx_variable *v = variable_at(ptx, i);
        if (variable_lives_on_device(v))
            ok = space_alloc(&s->space, v->size_bytes, v->name, &m->variables[i].address, err);
    }
    // Addresses first: initialisers may name later variables.
    for (int i = 0; ok && i < count; i++)
        if (m->variables[i].address != 0)
            ok = module_initialise(m, variable_at(ptx, i), m->variables[i].address, err);
    if (!ok) {
        sim_module_unload(s, m);
        return error_context(err, "in module '%s'", ptx->name);
    }
    *out = m;
    return true;
}

void sim_module_unload(struct sim *s, struct sim_module *m)
{
    struct error ignored;
    if (m == NULL)
        return;
    for (int i = 0; i < variable_count(m->ptx); i++)
        if (m->variables[i].address != 0 &&
            !space_free(&s->space, m->variables[i].address, &ignored))
            continue; // freed by the user: nothing left to do
    for (size_t i = 0; i < m->program_count; i++)
        program_free(m->programs[i]);
    for (size_t i = 0; i < s->module_count; i++)
        if (s->modules[i] == m)
            s->modules[i] = s->modules[--s->module_count];
    free(m->programs);
    free(m->variables);
    free(m);
}

bool sim_module_symbol(const struct sim_module *m, const char *name, uint64_t *address,
                       uint64_t *size_bytes)
{
    const struct ptx_variable *v = ptx_variable_find(m->ptx, name);
    if (v == NULL || module_variable_address(m, v) == 0)
        return false;
    *address = module_variable_address(m, v);
    *size_bytes = v->size_bytes;
    return true;
}
