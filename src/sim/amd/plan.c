// What a vector instruction's operands and results are to the executor, named once per instruction of the program.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/wave.h"

// false: it depends on more of the wave than its registers.
static bool plan_source(struct amd_plan *p, int i, const struct amd_instruction *in, unsigned code,
                        enum amd_type type)
{
    struct amd_plan_source *s = &p->source[i];
    const unsigned more = amd_type_words(type) - 1;
    if (type == TYPE_NONE)
        return true;
    s->two = more != 0;
    if (code >= OPERAND_VGPR) {
        s->kind = PLAN_ROW;
        s->at = (uint16_t)(code - OPERAND_VGPR + (type == TYPE_ACC ? FIRST_ACC : 0));
        return true;
    }
    if (code < OPERAND_ZERO) {
        s->kind = PLAN_SCALAR;
        s->at = (uint16_t)code;
        return true;
    }
    if (code == OPERAND_SCC || code == OPERAND_VCCZ || code == OPERAND_EXECZ)
        return false;
    s->kind = PLAN_CONSTANT;
    s->value = amd_scalar_value(NULL, in, code, type);
    return true;
}

static bool plan_masks(struct amd_plan *p, const struct amd_instruction *in,
                       const struct amd_row *r, const uint16_t source[3])
{
    const enum vector_form f = r->form;
    p->reads_mask = f == FORM_READS || f == FORM_BOTH || f == FORM_VCC;
    p->mask = f == FORM_VCC ? OPERAND_VCC : source[2];
    p->writes_exec = f == FORM_COMPARES_EXEC;
    p->writes_mask = f == FORM_WRITES || f == FORM_BOTH || f == FORM_SCALE || f == FORM_COMPARES ||
                     f == FORM_COMPARES_EXEC;
    p->mask_result = in->mask_result;
    return !p->reads_mask || p->mask < OPERAND_ZERO;
}

static bool plan_one(struct amd_plan *p, const struct amd_instruction *in, enum amd_id id,
                     const uint16_t source[3], unsigned result)
{
    const struct amd_row *r = &amd_rows[id];
    const enum amd_type types[] = {r->a, r->b, r->c};
    *p = (struct amd_plan){.id = (uint16_t)id};
    p->counts = r->d == TYPE_F16 || r->d == TYPE_F32 || r->d == TYPE_F64;
    p->writes = r->d != TYPE_NONE;
    p->two = amd_type_words(r->d) == 2;
    p->to = (uint16_t)(result + (r->d == TYPE_ACC ? FIRST_ACC : 0));
    for (int i = 0; i < 3; i++) {
        bool own = r->form == FORM_ADDS && i == 2;
        unsigned code = own ? OPERAND_VGPR + result : source[i];
        if (!plan_source(p, i, in, code, types[i]))
            return false;
        p->sources = (uint8_t)(p->sources + (types[i] != TYPE_NONE));
    }
    if (!plan_masks(p, in, r, source))
        return false;
    p->simple = p->writes && !p->two && !p->reads_mask && !p->writes_mask;
    return true;
}

// The second of a pair, which reads before the first has written, must not read that.
static bool is_apart(const struct amd_plan *first, const struct amd_plan *second)
{
    bool apart = !first->writes_mask && !second->writes_mask && !first->two;
    for (int i = 0; i < 3; i++) {
        const struct amd_plan_source *s = &second->source[i];
        apart &= s->kind != PLAN_ROW || (s->at != first->to && (!s->two || s->at + 1 != first->to));
    }
    return apart;
}

void amd_plan(struct amd_instruction *in)
{
    const bool dual = in->encoding == ENCODING_VOPD;
    in->plans = 0;
    if (!amd_is_plain(in) || !plan_one(&in->plan[0], in, in->id, in->source, in->result))
        return;
    if (dual && (!plan_one(&in->plan[1], in, in->second.id, in->second.source, in->second.result) ||
                 !is_apart(&in->plan[0], &in->plan[1])))
        return;
    in->plans = dual ? 2 : 1;
}
