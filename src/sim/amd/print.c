// An instruction as text, as LLVM's disassembler writes it: tests compare the two.
// SPDX-License-Identifier: Apache-2.0
#include "sim/amd/isa.h"

#include <inttypes.h>
#include <string.h>

/* ---- operands ------------------------------------------------------------------------------------------ */

static void print_range(struct text *out, const char *letter, unsigned first, unsigned words)
{
    if (words == 1)
        text_printf(out, "%s%u", letter, first);
    else
        text_printf(out, "%s[%u:%u]", letter, first, first + words - 1);
}

struct special {
    unsigned code;
    const char *pair, *word;
};
static const struct special specials[] = {
    {OPERAND_FLAT_SCRATCH, "flat_scratch", "flat_scratch_lo"},
    {OPERAND_FLAT_SCRATCH + 1, NULL, "flat_scratch_hi"},
    {OPERAND_XNACK_MASK, "xnack_mask", "xnack_mask_lo"},
    {OPERAND_XNACK_MASK + 1, NULL, "xnack_mask_hi"},
    {OPERAND_VCC, "vcc", "vcc_lo"},
    {OPERAND_VCC + 1, NULL, "vcc_hi"},
    {OPERAND_M0, NULL, "m0"},
    {OPERAND_NULL, "null", "null"},
    {OPERAND_EXEC, "exec", "exec_lo"},
    {OPERAND_EXEC + 1, NULL, "exec_hi"},
    {OPERAND_SHARED_BASE, "src_shared_base", "src_shared_base"},
    {OPERAND_SHARED_LIMIT, "src_shared_limit", "src_shared_limit"},
    {OPERAND_PRIVATE_BASE, "src_private_base", "src_private_base"},
    {OPERAND_PRIVATE_LIMIT, "src_private_limit", "src_private_limit"},
    {OPERAND_VCCZ, "src_vccz", "src_vccz"},
    {OPERAND_EXECZ, "src_execz", "src_execz"},
    {OPERAND_SCC, "src_scc", "src_scc"},
};

static void print_operand(struct text *out, const struct amd_instruction *in, unsigned code,
                          unsigned words, enum amd_type type)
{
    static const char *const floats[] = {"0.5", "-0.5", "1.0", "-1.0",
                                         "2.0", "-2.0", "4.0", "-4.0"};
    if (code >= OPERAND_VGPR) {
        print_range(out, type == TYPE_ACC ? "a" : "v", code - OPERAND_VGPR, words);
        return;
    }
    bool gfx11 = in->arch == ARCH_GFX1100;
    for (size_t i = 0; i < COUNT_OF(specials); i++)
        if (specials[i].code == code && !(gfx11 && code < OPERAND_VCC) &&
            (words == 1 || specials[i].pair)) {
            text_add(out, words == 1 ? specials[i].word : specials[i].pair);
            return;
        }
    if (code < OPERAND_FLAT_SCRATCH || (gfx11 && code < OPERAND_VCC))
        print_range(out, "s", code, words);
    else if (code >= 108 && code < OPERAND_M0)
        print_range(out, "ttmp", code - 108, words);
    else if (code >= OPERAND_ZERO && code <= 192)
        text_printf(out, "%u", code - OPERAND_ZERO);
    else if (code > 192 && code <= 208)
        text_printf(out, "-%u", code - 192);
    else if (code >= OPERAND_HALF && code < OPERAND_TURN)
        text_add(out, floats[code - OPERAND_HALF]);
    else if (code == OPERAND_TURN)
        text_add(out, words == 2         ? "0.15915494309189532"
                      : type == TYPE_F16 ? "0.1592"
                                         : "0.15915494");
    else if (code == OPERAND_LITERAL && (in->literal <= 64 || in->literal >= (uint32_t)-16))
        text_printf(out, "%" PRId32, (int32_t)in->literal); // as LLVM writes what needed no literal
    else if (code == OPERAND_LITERAL)
        text_printf(out, "0x%" PRIx32, in->literal);
    else
        text_printf(out, "?%u", code);
}

static bool is_float(enum amd_type t)
{
    return t == TYPE_F32 || t == TYPE_F64 || t == TYPE_F16;
}

// With its sign and size taken away.
static void print_source(struct text *out, const struct amd_instruction *in, int i,
                         enum amd_type type)
{
    const struct amd_row *r = amd_row_of(in);
    bool mixed = r->form == FORM_MIXED, packed = in->encoding == ENCODING_VOP3P && !mixed;
    unsigned words = r->form == FORM_PAIRS ? 2 : amd_type_words(type);
    bool minus = !packed && (in->negate >> i & 1),
         bars = (mixed ? in->negate_high : in->absolute) >> i & 1;
    bool whole = in->sdwa && (in->extend >> i & 1) && i < 2 && !is_float(type);
    bool constant = in->source[i] >= OPERAND_ZERO && in->source[i] < OPERAND_VGPR &&
                    in->source[i] != OPERAND_NULL;
    text_add(out, minus ? (constant && !bars ? "neg(" : "-") : "");
    text_add(out, whole ? "sext(" : bars ? "|" : "");
    print_operand(out, in, in->source[i], words, type);
    text_add(out, whole ? ")" : bars ? "|" : "");
    text_add(out, minus && constant && !bars ? ")" : "");
}

/* ---- vector -------------------------------------------------------------------------------------------- */

static void print_parts(struct text *out, const struct amd_instruction *in, const struct amd_row *r)
{
    static const char *const parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD",  "?"};
    static const char *const unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    if (in->encoding != ENCODING_VOPC)
        text_printf(out, " dst_sel:%s dst_unused:%s", parts[in->part_result], unused[in->unused]);
    text_printf(out, " src0_sel:%s", parts[in->part[0]]);
    if (r->b != TYPE_NONE)
        text_printf(out, " src1_sel:%s", parts[in->part[1]]);
}

static void print_lanes(struct text *out, const struct amd_instruction *in)
{
    unsigned c = in->dpp_control, eight = in->lanes8;
    bool gfx11 = in->arch == ARCH_GFX1100;
    if (in->dpp8) {
        text_add(out, " dpp8:[");
        for (int i = 0; i < 8; i++)
            text_printf(out, "%s%u", i > 0 ? "," : "", eight >> (3 * i) & 7);
        text_add(out, in->fetch_inactive ? "] fi:1" : "]");
        return;
    }
    if (c < 0x100)
        text_printf(out, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
    else if (c < 0x130)
        text_printf(out, " row_%s:%u", c < 0x110 ? "shl" : c < 0x120 ? "shr" : "ror", c & 15);
    else if (c == 0x140 || c == 0x141)
        text_add(out, c == 0x140 ? " row_mirror" : " row_half_mirror");
    else if (c == 0x142 || c == 0x143)
        text_add(out, c == 0x142 ? " row_bcast:15" : " row_bcast:31");
    else if (c >= 0x150 && c < 0x160)
        text_printf(out, " row_%s:%u", gfx11 ? "share" : "newbcast", c & 15);
    else if (c >= 0x160 && c < 0x170)
        text_printf(out, " row_xmask:%u", c & 15);
    else
        text_printf(out, " wave_%s:1",
                    c == 0x130   ? "shl"
                    : c == 0x134 ? "rol"
                    : c == 0x138 ? "shr"
                                 : "ror");
    text_printf(out, " row_mask:0x%x bank_mask:0x%x", in->row_mask, in->bank_mask);
    text_add(out, in->bound_zero ? " bound_ctrl:1" : "");
    text_add(out, in->fetch_inactive ? " fi:1" : "");
}

static void print_bits(struct text *out, const char *name, unsigned value, int count)
{
    text_printf(out, " %s:[", name);
    for (int i = 0; i < count; i++)
        text_printf(out, "%s%u", i > 0 ? "," : "", value >> i & 1);
    text_add(out, "]");
}

static int source_count(const struct amd_row *r)
{
    if (r->form == FORM_WMMA)
        return 3;
    return r->c != TYPE_NONE && r->form != FORM_ADDS ? 3
           : r->b != TYPE_NONE                       ? 2
           : r->a != TYPE_NONE                       ? 1
                                                     : 0;
}

static void print_modifiers(struct text *out, const struct amd_instruction *in,
                            const struct amd_row *r)
{
    static const char *const scales[] = {"", " mul:2", " mul:4", " div:2"};
    int count = source_count(r);
    unsigned all = (1u << count) - 1;
    if (r->form == FORM_MIXED) {
        if (in->select != 0)
            print_bits(out, "op_sel", in->select, count);
        if (in->select_high != 0)
            print_bits(out, "op_sel_hi", in->select_high, count);
    } else if (in->encoding == ENCODING_VOP3P) {
        if (in->select != 0)
            print_bits(out, "op_sel", in->select, count);
        if ((in->select_high & all) != all)
            print_bits(out, "op_sel_hi", in->select_high, count);
        if (in->negate != 0)
            print_bits(out, "neg_lo", in->negate, count);
        if (in->negate_high != 0)
            print_bits(out, "neg_hi", in->negate_high, count);
    } else if (in->encoding == ENCODING_VOP3 && in->select != 0) {
        text_add(out, " op_sel:[");
        for (int i = 0; i < count && r->form != FORM_PERMUTES; i++)
            text_printf(out, "%u,", in->select >> i & 1);
        if (r->form == FORM_PERMUTES)
            text_printf(out, "%u,%u]", in->select & 1, in->select >> 1 & 1);
        else
            text_printf(out, "%u]", in->select >> 3 & 1);
    }
    text_add(out, in->clamp ? " clamp" : "");
    text_add(out, scales[in->scale]);
}

// The encoding, where the mnemonic has several.
static const char *suffix_of(const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    bool gfx11 = in->arch == ARCH_GFX1100;
    bool own =
        gfx11 ? in->single_form : r->encoding == ENCODING_VOP3 || r->encoding == ENCODING_VOP3P;
    own |= r->form == FORM_SCALAR || r->form == FORM_CONSTANT || r->form == FORM_SWAP ||
           in->id == AMD_v_nop || in->id == AMD_v_accvgpr_mov_b32;
    if (gfx11 && in->dpp)
        return in->encoding == ENCODING_VOP3   ? "_e64_dpp"
               : in->encoding == ENCODING_VOPC ? ""
                                               : "_dpp";
    return own                             ? ""
           : in->sdwa                      ? "_sdwa"
           : in->dpp                       ? "_dpp"
           : in->encoding == ENCODING_VOP3 ? "_e64"
                                           : "_e32";
}

static void print_vector(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned mask_words = amd_arch_lanes(in->arch) / 32;
    text_add(out, suffix_of(in));
    const char *comma = " ";
    if (r->form == FORM_SCALAR) {
        text_add(out, comma);
        print_operand(out, in, in->result, 1, TYPE_U32);
        comma = ", ";
    } else if (r->d != TYPE_NONE) {
        text_add(out, comma);
        unsigned words = r->form == FORM_PAIRS ? 2 : amd_type_words(r->d);
        print_range(out, r->d == TYPE_ACC ? "a" : "v", in->result, words);
        comma = ", ";
    }
    bool writes = r->form == FORM_WRITES || r->form == FORM_BOTH || r->form == FORM_SCALE ||
                  r->form == FORM_COMPARES ||
                  (r->form == FORM_COMPARES_EXEC && in->arch != ARCH_GFX1100);
    if (writes) {
        text_add(out, comma);
        print_operand(out, in, in->mask_result, mask_words, TYPE_U64);
        comma = ", ";
    }
    const enum amd_type types[] = {r->a, r->b, r->c};
    for (int i = 0; i < source_count(r); i++) {
        // v_fmamk: the constant stands in the middle.
        bool between = in->id == AMD_v_fmamk_f32 || in->id == AMD_v_fmamk_f16;
        int at = between && i > 0 ? 3 - i : i;
        text_add(out, comma);
        print_source(out, in, at, types[at]);
        comma = ", ";
    }
    if (r->form == FORM_READS || r->form == FORM_BOTH) {
        text_add(out, comma);
        print_operand(out, in, in->source[2], mask_words, TYPE_U64);
    }
    print_modifiers(out, in, r);
    if (in->sdwa)
        print_parts(out, in, r);
    else if (in->dpp)
        print_lanes(out, in);
}

static void print_one_of_two(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    bool constant_between = in->id == AMD_v_fmamk_f32;
    text_printf(out, "%s v%u, ", in->name, in->result);
    print_operand(out, in, in->source[0], 1, r->a);
    if (constant_between)
        text_printf(out, ", 0x%" PRIx32, in->literal);
    if (r->b != TYPE_NONE) {
        text_add(out, ", ");
        print_operand(out, in, in->source[1], 1, r->b);
    }
    if (r->form == FORM_CONSTANT && !constant_between)
        text_printf(out, ", 0x%" PRIx32, in->literal);
}

static void print_dual(struct text *out, const struct amd_instruction *in)
{
    struct amd_instruction second = *in;
    second.id = in->second.id;
    second.name = in->second.name;
    second.result = in->second.result;
    memcpy(second.source, in->second.source, sizeof second.source);
    print_one_of_two(out, in);
    text_add(out, " :: ");
    print_one_of_two(out, &second);
}

static void print_matrix(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    unsigned factor = amd_matrix_words(r, false), result = amd_matrix_words(r, true);
    bool doubles = r->matrix.in == MATRIX_F64;
    text_add(out, " ");
    print_range(out, in->is_acc ? "a" : "v", in->result, result);
    for (int i = 0; i < 3; i++) {
        bool acc = i < 2 ? in->acc_sources >> i & 1 : in->is_acc;
        text_add(out, ", ");
        if (in->source[i] >= OPERAND_VGPR)
            print_range(out, acc ? "a" : "v", in->source[i] - OPERAND_VGPR,
                        i < 2 ? factor : result);
        else
            print_operand(out, in, in->source[i], 1, doubles ? TYPE_F64 : TYPE_F32);
    }
    if (r->form == FORM_WMMA) {
        print_modifiers(out, in, r);
        return;
    }
    const struct {
        const char *name;
        unsigned value;
    } more[] = {{"cbsz", in->broadcast}, {"abid", in->broadcast_block}, {"blgp", in->swizzle}};
    for (size_t i = 0; i < COUNT_OF(more); i++)
        if (more[i].value)
            text_printf(out, " %s:%u", more[i].name, more[i].value);
}

/* ---- scalar -------------------------------------------------------------------------------------------- */

static void print_waitcnt(struct text *out, unsigned c)
{
    unsigned vm = (c & 15) | (c >> 14 & 3) << 4, exp = c >> 4 & 7, lgkm = c >> 8 & 15;
    bool all = vm == 63 && exp == 7 && lgkm == 15;
    if (vm != 63 || all)
        text_printf(out, " vmcnt(%u)", vm);
    if (exp != 7 || all)
        text_printf(out, " expcnt(%u)", exp);
    if (lgkm != 15 || all)
        text_printf(out, " lgkmcnt(%u)", lgkm);
}

static void print_hardware_register(struct text *out, enum amd_arch arch, unsigned c)
{
    static const char *const names[] = {
        [1] = "HW_REG_MODE",   [2] = "HW_REG_STATUS",       [3] = "HW_REG_TRAPSTS",
        [4] = "HW_REG_HW_ID",  [5] = "HW_REG_GPR_ALLOC",    [6] = "HW_REG_LDS_ALLOC",
        [7] = "HW_REG_IB_STS", [15] = "HW_REG_SH_MEM_BASES"};
    unsigned id = c & 63, offset = c >> 6 & 31, width = (c >> 11 & 31) + 1;
    const char *name = arch == ARCH_GFX1100   ? amd_hardware_register_gfx11(id)
                       : id < COUNT_OF(names) ? names[id]
                                              : NULL;
    text_add(out, "hwreg(");
    if (name)
        text_add(out, name);
    else
        text_printf(out, "%u", id);
    if (offset != 0 || width != 32)
        text_printf(out, ", %u, %u", offset, width);
    text_add(out, ")");
}

static void print_index(struct text *out, unsigned operands)
{
    static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
    const char *comma = "";
    text_add(out, "gpr_idx(");
    for (int i = 0; i < 4; i++)
        if (operands >> i & 1) {
            text_printf(out, "%s%s", comma, names[i]);
            comma = ",";
        }
    text_add(out, ")");
}

static void print_scalar(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    const char *comma = " ";
    unsigned constant = (unsigned)in->constant & 0xffff;
    if (r->encoding == ENCODING_SOPP) {
        if (in->arch == ARCH_GFX1100 && r->b != TYPE_U32 && r->b != TYPE_LABEL)
            amd_print_constant(r->b, constant, out);
        else if (r->b == TYPE_WAITCNT)
            print_waitcnt(out, constant);
        else if (r->b != TYPE_NONE)
            text_printf(out, " %u", constant);
        return;
    }
    if (in->id == AMD_s_setreg_b32) {
        text_add(out, comma);
        print_hardware_register(out, in->arch, constant);
        text_add(out, ", ");
        print_operand(out, in, in->result, 1, TYPE_U32);
        return;
    }
    if (r->d != TYPE_NONE || r->encoding == ENCODING_SOPK) {
        text_add(out, comma);
        print_operand(out, in, in->result, amd_type_words(r->d != TYPE_NONE ? r->d : r->a),
                      TYPE_U32);
        comma = ", ";
    }
    if (r->encoding == ENCODING_SOPK) {
        text_add(out, comma);
        if (in->id == AMD_s_getreg_b32)
            print_hardware_register(out, in->arch, constant);
        else if (r->b == TYPE_LABEL)
            text_printf(out, "%u", constant);
        else
            text_printf(out, "0x%x", constant);
        return;
    }
    const enum amd_type types[] = {r->a, r->b};
    for (int i = 0; i < 2; i++)
        if (types[i] != TYPE_NONE) {
            text_add(out, comma);
            if (types[i] == TYPE_INDEX)
                print_index(out, in->source[i]);
            else
                print_operand(out, in, in->source[i], amd_type_words(types[i]), types[i]);
            comma = ", ";
        }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void print_smem(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    if (r->words == 0)
        return;
    text_add(out, " ");
    print_operand(out, in, in->data, r->words, TYPE_U32);
    if (r->action == ACTION_TIME)
        return;
    text_add(out, ", ");
    print_operand(out, in, in->base, 2, TYPE_U32);
    text_add(out, ", ");
    bool gfx11 = in->arch == ARCH_GFX1100; // a register, a constant other than 0, or both
    bool names_register = in->has_offset_register || (gfx11 && in->constant == 0);
    if (names_register)
        print_operand(out, in, in->source[0], 1, TYPE_U32);
    if (!names_register || (gfx11 && in->constant != 0))
        text_printf(out, "%s%s0x%x", names_register ? " offset:" : "", in->constant < 0 ? "-" : "",
                    (unsigned)(in->constant < 0 ? -in->constant : in->constant));
    text_add(out, in->glc ? " glc" : "");
    text_add(out, in->dlc ? " dlc" : "");
}

static void print_ds(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    const char *letter = in->is_acc ? "a" : "v", *comma = " ";
    bool two = r->action == ACTION_LOAD_TWO || r->action == ACTION_STORE_TWO;
    bool stores = r->action == ACTION_STORE || r->action == ACTION_STORE_HIGH ||
                  r->action == ACTION_STORE_TWO;
    if (!stores && r->action != ACTION_ATOMIC) {
        text_add(out, comma);
        print_range(out, letter, in->result, r->words * (r->action == ACTION_LOAD_TWO ? 2u : 1u));
        comma = ", ";
    }
    text_add(out, comma);
    print_range(out, "v", in->address, 1);
    bool data = stores || r->action == ACTION_ATOMIC || r->action == ACTION_ATOMIC_RETURN ||
                r->action == ACTION_PERMUTE || r->action == ACTION_PERMUTE_BACK;
    if (data) {
        text_add(out, ", ");
        print_range(out, letter, in->data, r->words);
    }
    if (r->action == ACTION_STORE_TWO || r->flag == FLAG_CMPSWAP) {
        text_add(out, ", ");
        print_range(out, letter, in->data1, r->words);
    }
    if (two && in->offset0)
        text_printf(out, " offset0:%u", in->offset0);
    if (two && in->offset1)
        text_printf(out, " offset1:%u", in->offset1);
    if (!two && in->constant)
        text_printf(out, " offset:%d", in->constant);
}

static unsigned data_words(const struct amd_row *r)
{
    return r->flag == FLAG_CMPSWAP ? 2u * r->words : r->words;
}

static void print_cache_bits(struct text *out, const struct amd_instruction *in)
{
    bool later = in->arch == ARCH_GFX942;
    text_add(out, in->glc ? (later ? " sc0" : " glc") : "");
    text_add(out, in->slc ? (later ? " nt" : " slc") : "");
    text_add(out, in->scc ? (later ? " sc1" : " scc") : "");
    text_add(out, in->dlc ? " dlc" : "");
}

static void print_global(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    const char *letter = in->is_acc ? "a" : "v", *comma = " ";
    bool stores = r->action == ACTION_STORE || r->action == ACTION_STORE_HIGH;
    bool atomic = r->action == ACTION_ATOMIC;
    if (!stores && (!atomic || in->glc)) {
        text_add(out, comma);
        print_range(out, letter, in->result, r->words);
        comma = ", ";
    }
    text_add(out, comma);
    if (in->encoding == ENCODING_SCRATCH && !in->has_address)
        text_add(out, "off");
    else
        print_range(out, "v", in->address,
                    in->has_base || in->encoding == ENCODING_SCRATCH ? 1 : 2);
    if (stores || atomic) {
        text_add(out, ", ");
        print_range(out, letter, in->data, data_words(r));
    }
    if (in->encoding != ENCODING_FLAT) {
        text_add(out, ", ");
        if (in->has_base)
            print_operand(out, in, in->base, in->encoding == ENCODING_SCRATCH ? 1 : 2, TYPE_U32);
        else
            text_add(out, "off");
    }
    if (in->constant)
        text_printf(out, " offset:%d", in->constant);
    print_cache_bits(out, in);
}

static void print_mubuf(struct text *out, const struct amd_instruction *in)
{
    const struct amd_row *r = amd_row_of(in);
    if (r->action == ACTION_NOTHING) {
        print_cache_bits(out, in);
        return;
    }
    text_add(out, " ");
    print_range(out, in->is_acc ? "a" : "v", in->data, data_words(r));
    text_add(out, ", ");
    if (in->has_offset_register || in->has_index)
        print_range(out, "v", in->address, in->has_offset_register && in->has_index ? 2 : 1);
    else
        text_add(out, "off");
    text_add(out, ", ");
    print_operand(out, in, in->base, 4, TYPE_U32);
    text_add(out, ", ");
    print_operand(out, in, in->source[0], 1, TYPE_U32);
    text_add(out, in->has_index ? " idxen" : "");
    text_add(out, in->has_offset_register ? " offen" : "");
    if (in->constant)
        text_printf(out, " offset:%d", in->constant);
    print_cache_bits(out, in);
}

void amd_print(const struct amd_instruction *in, struct text *out)
{
    static const char *const families[ENCODING_COUNT] = {[ENCODING_FLAT] = "flat_",
                                                         [ENCODING_SCRATCH] = "scratch_",
                                                         [ENCODING_GLOBAL] = "global_",
                                                         [ENCODING_MUBUF] = "buffer_"};
    if (families[in->encoding])
        text_add(out, families[in->encoding]);
    const struct amd_row *r = amd_row_of(in);
    if (in->encoding == ENCODING_VOPD) {
        print_dual(out, in);
        return;
    }
    text_add(out, in->name                                   ? in->name
                  : in->arch == ARCH_GFX942 && r->later_name ? r->later_name
                                                             : r->name);
    if (r->form == FORM_MATRIX || r->form == FORM_WMMA) {
        print_matrix(out, in);
        return;
    }
    switch (in->encoding) {
    case ENCODING_SOP1:
    case ENCODING_SOP2:
    case ENCODING_SOPC:
    case ENCODING_SOPK:
    case ENCODING_SOPP:
        print_scalar(out, in);
        break;
    case ENCODING_SMEM:
        print_smem(out, in);
        break;
    case ENCODING_VOP1:
    case ENCODING_VOP2:
    case ENCODING_VOPC:
    case ENCODING_VOP3:
    case ENCODING_VOP3P:
        print_vector(out, in);
        break;
    case ENCODING_DS:
        print_ds(out, in);
        break;
    case ENCODING_FLAT:
    case ENCODING_SCRATCH:
    case ENCODING_GLOBAL:
        print_global(out, in);
        break;
    case ENCODING_MUBUF:
        print_mubuf(out, in);
        break;
    case ENCODING_VOPD:
    case ENCODING_VMEM:
    case ENCODING_COUNT:
        break;
    }
}
