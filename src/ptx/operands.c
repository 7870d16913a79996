// The operands of each instruction held to the signature in opcodes.def: how many, of which kind, how
// wide. What passes here the simulator's decoder may take apart without looking again.
//
// A signature is one form, or several divided by ';'. The first whose condition holds counts ("word
// word:", dotted words the instruction has), or another of the same condition if that one takes so many
// operands. A form is a slot an operand: [=]kind[_][|p][?]
//   =  the result, a register; with _ the operand _ may stand there, with |p so may register|predicate
//   ?  may be left out (only the last ones)
//   0 1   a value of the instruction's first type, of its second (the first if it has but one)
//   ~0 ~1 the same, in a register of that size or wider
//   W     twice as wide as the first type with .wide, else of the first type
//   v ~v  of the first type; a vector of it in braces with .v2 .v4 .v8
//   M     of the first type, or 2 or 4 parts of it in braces; as many of it with .v2 .v4
//   m ml  fragments of a matrix in braces; or a 64-bit descriptor
//   b t f  32 bits; of them a byte or half (.b0 .h1), two halves of a and b (.h32), four bytes (.b7654) may be
//          selected, and of a result of t and f the lanes that are written (.h0 .b310)
//   -      before one of those: it may be negated (vmad: the product or what is added)
//   p h w l x  a predicate, 16 bits, 32 bits, 64 bits, any value or predicate
//   # [ @ @@   a constant, an address, a label, a label of .branchtargets
// `...` takes anything (nothing executes it); `call` is checked against the function called.
// SPDX-License-Identifier: Apache-2.0
#include "ptx/parser.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct slot {
    bool result, relaxed, sink, pair, optional, negatable;
    char kind; // the letter above; 'D' for ml, 'T' for @@
};
enum { SLOTS_MAX = PTX_OPERANDS_MAX };
struct form {
    struct slot slots[SLOTS_MAX];
    int count, least;
    bool any, call, writes;
};
struct check {
    struct parser *p;
    const struct ptx_function *f;
    const struct ptx_instruction *in;
    const struct form *form;
    int operand; // being looked at
};

/* ---- forms ------------------------------------------------------------------------------------- */

static bool has_word(const struct ptx_instruction *in, const char *s, size_t n)
{
    for (int i = 0; i < in->word_count; i++)
        if (strncmp(in->words[i], s, n) == 0 && in->words[i][n] == 0)
            return true;
    return false;
}

static struct slot slot_read(const char *s, size_t n)
{
    struct slot slot = {0};
    const char *end = s + n;
    if (s < end && *s == '=')
        slot.result = true, s++;
    if (s < end && *s == '~')
        slot.relaxed = true, s++;
    if (s < end && *s == '-')
        slot.negatable = true, s++;
    assert(s < end);
    slot.kind = *s++;
    if (s < end && *s == 'l')
        slot.kind = 'D', s++;
    if (s < end && *s == '@')
        slot.kind = 'T', s++;
    for (; s < end; s++) {
        slot.sink |= *s == '_';
        slot.optional |= *s == '?';
        slot.pair |= *s == '|';
    }
    return slot;
}

// The condition's end in a form: the colon before a space, or NULL. Words may hold "::".
static const char *condition_end(const char *s, const char *end)
{
    for (; s < end; s++)
        if (*s == ':' && (s + 1 == end || s[1] == ' '))
            return s;
    return NULL;
}

// One form up to ';' or the end; false if its condition doesn't hold. *at goes behind it.
static bool form_read(const struct ptx_instruction *in, const char **at, struct form *form)
{
    const char *s = *at, *end = s + strcspn(s, ";"), *condition = condition_end(s, end);
    *form = (struct form){0};
    *at = *end == ';' ? end + 1 : end;
    for (size_t n; condition != NULL && s < condition; s += n) {
        s += strspn(s, " ");
        n = strcspn(s, " ");
        n = s + n > condition ? (size_t)(condition - s) : n;
        if (!has_word(in, s, n))
            return false;
    }
    s = condition != NULL ? condition + 1 : s;
    for (size_t n; (s += strspn(s, " ")) < end; s += n) {
        n = strcspn(s, " ;");
        form->any |= s[n - 1] == '.';
        form->call |= *s == 'c';
        form->writes |= *s == '=';
        if (form->any || form->call)
            continue;
        assert(form->count < SLOTS_MAX);
        form->slots[form->count] = slot_read(s, n);
        form->least += !form->slots[form->count++].optional;
    }
    return true;
}

static bool condition_equal(const char *a, const char *b)
{
    const char *a_end = condition_end(a, a + strcspn(a, ";"));
    const char *b_end = condition_end(b, b + strcspn(b, ";"));
    size_t n = a_end != NULL ? (size_t)(a_end - a) : 0;
    return (a_end != NULL) == (b_end != NULL) &&
           (a_end == NULL || ((size_t)(b_end - b) == n && memcmp(a, b, n) == 0));
}

// The first form that holds, or of those with the same condition the one that takes so many operands;
// false if none holds.
static bool form_find(const struct ptx_instruction *in, struct form *form)
{
    const char *first = NULL, *at = ptx_opcode_operands(in->opcode);
    do {
        struct form next;
        at += strspn(at, " ");
        const char *start = at;
        if (!form_read(in, &at, &next) || (first != NULL && !condition_equal(first, start)))
            continue;
        bool fits = next.any || next.call ||
                    (in->operand_count >= next.least && in->operand_count <= next.count);
        if (fits || first == NULL)
            *form = next;
        if (fits)
            return true;
        first = first != NULL ? first : start;
    } while (*at != 0);
    return first != NULL;
}

/* ---- saying what is wrong ---------------------------------------------------------------------- */

static const char *instruction_name(const struct check *c)
{
    struct text t = {0};
    text_add(&t, ptx_opcode_name(c->in->opcode));
    for (int i = 0; i < c->in->word_count; i++)
        text_printf(&t, ".%s", c->in->words[i]);
    const char *kept = arena_strdup(c->p->a, text_str(&t));
    text_release(&t);
    return kept;
}

static void slot_write(struct text *t, const struct slot *s, int vector, char letter)
{
    switch (s->kind) {
    case '[':
        text_printf(t, "[%c]", letter);
        break;
    case '#':
        text_add(t, "number");
        break;
    case '@':
    case 'T':
        text_add(t, "LABEL");
        break;
    case 'm':
        text_printf(t, "{%c, ...}", letter);
        break;
    case 'p':
        text_add(t, s->pair ? "p{|q}" : "p");
        break;
    default:
        text_printf(t, s->kind == 'v' && vector > 1 ? "{%c, ...}" : "%c", letter);
        text_add(t, s->pair ? "{|p}" : "");
        break;
    }
}

// "add.u32 d, a, b", as the manual of PTX writes it.
static const char *usage(const struct check *c)
{
    struct text t = {0};
    text_add(&t,
             c->form->call ? "call (results), pointer, (arguments), LABEL" : instruction_name(c));
    char letter = 'a';
    int open = 0;
    for (int i = 0; i < c->form->count; i++) {
        const struct slot *s = &c->form->slots[i];
        open += s->optional;
        text_add(&t, s->optional ? i > 0 ? "{, " : " {" : i > 0 ? ", " : " ");
        slot_write(&t, s, c->in->vector, s->result ? 'd' : letter);
        bool lettered = strchr("#@Tp", s->kind) == NULL;
        letter = (char)(letter + (lettered && !s->result));
        letter = (char)(letter + (letter == 'd'));
    }
    while (open-- > 0)
        text_add(&t, "}");
    const char *kept = arena_strdup(c->p->a, text_str(&t));
    text_release(&t);
    return kept;
}

static bool check_fail(const struct check *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool check_fail(const struct check *c, const char *fmt, ...)
{
    char message[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    struct location at = {c->p->module->name, c->in->line, c->in->column, c->p->module->text};
    return fail(c->p->err, at, "%s", message);
}

static const char *operand_text(const struct check *c, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        return arena_printf(c->p->a, "the .%s register '%s'",
                            ptx_type_name(c->f->registers[o->reg].type),
                            c->f->registers[o->reg].name);
    case PTX_OPERAND_IMMEDIATE:
        return o->immediate_type == PTX_TYPE_S64 ? "a number" : "a floating-point number";
    case PTX_OPERAND_ADDRESS:
        return "an address";
    case PTX_OPERAND_SYMBOL:
        return arena_printf(c->p->a, "the %s '%s'", o->function ? "function" : "variable",
                            o->symbol);
    case PTX_OPERAND_LABEL:
        return arena_printf(c->p->a, "the label '%s'", o->symbol);
    case PTX_OPERAND_SPECIAL:
        return arena_printf(c->p->a, "the special register '%s'", ptx_special_name(o->special));
    case PTX_OPERAND_VECTOR:
        return arena_printf(c->p->a, "a vector of %d", o->element_count);
    case PTX_OPERAND_PAIR:
        return "a pair with '|'";
    case PTX_OPERAND_LIST:
        return "a list in parentheses";
    case PTX_OPERAND_SINK:
        return "'_'";
    }
    return "";
}

// "operand 2 is the label 'L', but a register … is due: write add.u32 d, a, b"
static bool wrong(const struct check *c, const struct ptx_operand *o, const char *due)
{
    return check_fail(c, "operand %d of '%s' is %s, but %s is due: write %s", c->operand + 1,
                      ptx_opcode_name(c->in->opcode), operand_text(c, o), due, usage(c));
}

static bool wrong_count(const struct check *c)
{
    const struct form *form = c->form;
    const char *most =
        form->count == form->least ? "" : arena_printf(c->p->a, " to %d", form->count);
    return check_fail(c, "'%s' takes %d%s operand%s, not %d: write %s", instruction_name(c),
                      form->least, most, plural(form->count), c->in->operand_count, usage(c));
}

/* ---- values ------------------------------------------------------------------------------------ */

struct want {           // of a value
    enum ptx_type type; // NONE: of any class
    int bits;           // 0: any
    bool relaxed;       // or wider
    bool result;
    bool negatable;
    char parts; // the letter b, t or f, or 0: what may be selected
};

static bool is_integer(enum ptx_type_kind k)
{
    return k == PTX_KIND_UNSIGNED || k == PTX_KIND_SIGNED;
}

// Types without a sign or of bits agree with all of their size; the others with their like.
static bool classes_agree(enum ptx_type wanted, enum ptx_type have)
{
    enum ptx_type_kind w = ptx_type_kind(wanted), h = ptx_type_kind(have);
    bool wanted_float = wanted == PTX_TYPE_F16 || wanted == PTX_TYPE_F32 || wanted == PTX_TYPE_F64;
    if (w != PTX_KIND_NONE && (w == PTX_KIND_PREDICATE) != (h == PTX_KIND_PREDICATE))
        return false;
    if (wanted_float && h == PTX_KIND_FLOAT)
        return ptx_type_bits(wanted) == ptx_type_bits(have);
    return !(wanted_float && is_integer(h)) && !(is_integer(w) && h == PTX_KIND_FLOAT);
}

static const char *want_text(const struct check *c, const struct want *w)
{
    const char *type =
        w->type == PTX_TYPE_NONE ? "" : arena_printf(c->p->a, " for .%s", ptx_type_name(w->type));
    const char *what = w->result ? "a register" : "a register or a number";
    if (w->type == PTX_TYPE_PRED)
        return w->result ? "a predicate register" : "a predicate";
    if (w->bits == 0)
        return arena_printf(c->p->a, "%s%s", what, type);
    return arena_printf(c->p->a, "%s of %d bits%s%s", what, w->bits, w->relaxed ? " or more" : "",
                        type);
}

static bool register_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    enum ptx_type type = c->f->registers[o->reg].type;
    int bits = ptx_type_bits(type);
    bool fits = w->bits == 0 || bits == w->bits || (w->relaxed && bits > w->bits);
    if (o->negated && (type != PTX_TYPE_PRED || w->result))
        return check_fail(c, "'!' before '%s': only a predicate that is read can be negated",
                          c->f->registers[o->reg].name);
    if (!fits || !classes_agree(w->type, type))
        return wrong(c, o, want_text(c, w));
    return true;
}

static bool special_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    int components = ptx_special_components(o->special);
    if (components > 0 && o->component < 0)
        return check_fail(c, "'%s' has components: write %s.x, %s.y or %s.z",
                          ptx_special_name(o->special), ptx_special_name(o->special),
                          ptx_special_name(o->special), ptx_special_name(o->special));
    if (components == 0 && o->component >= 0)
        return check_fail(c, "'%s' has no components: leave the letter out",
                          ptx_special_name(o->special));
    bool predicate = o->special == PTX_SREG_IS_EXPLICIT_CLUSTER;
    bool narrow = w->bits != 0 && w->bits < 16;
    if (predicate != (w->type == PTX_TYPE_PRED) || (narrow && !predicate) ||
        ptx_type_kind(w->type) == PTX_KIND_FLOAT)
        return wrong(c, o, want_text(c, w));
    return true;
}

// Digits that rise are no mask: .h10, .b310.
static bool digits_fall(const char *digits, char most)
{
    bool fall = digits[0] <= most;
    for (; fall && digits[1] != 0; digits++)
        fall = digits[1] < digits[0];
    return fall;
}

static bool digits_fit(const char *digits, size_t count, char most)
{
    bool fit = strlen(digits) == count;
    for (; fit && *digits != 0; digits++)
        fit = *digits <= most;
    return fit;
}

static bool selector_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    const char *digits = o->selector + 1;
    bool bytes = *o->selector == 'b', fits = false;
    const char *due = "no such part can be selected here";
    if (w->parts == 'b') {
        fits = digits_fit(digits, 1, bytes ? '3' : '1');
        due = "write .b0 to .b3, .h0 or .h1";
    } else if (w->parts != 0 && w->result) {
        fits = bytes == (w->parts == 'f') && digits_fall(digits, bytes ? '3' : '1');
        due = w->parts == 'f' ? "write .b and the bytes that are written, the highest first (.b310)"
                              : "write .h0, .h1 or .h10";
    } else if (w->parts != 0) {
        fits = bytes == (w->parts == 'f') &&
               (bytes ? digits_fit(digits, 4, '7') : digits_fit(digits, 2, '3'));
        due = w->parts == 'f' ? "write .b and four bytes, each 0 to 7 (.b7654)"
                              : "write .h and two halves, each 0 to 3 (.h32)";
    }
    return fits || check_fail(c, "'.%s' behind operand %d of '%s': %s", o->selector, c->operand + 1,
                              ptx_opcode_name(c->in->opcode), due);
}

// A register, number, special register or the address of a variable.
static bool value_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    bool number = o->kind == PTX_OPERAND_IMMEDIATE && !w->result;
    bool symbol = o->kind == PTX_OPERAND_SYMBOL && !w->result && (w->bits == 0 || w->bits >= 32);
    if (o->minus && !w->negatable)
        return check_fail(c, "'-' stands before numbers only: take neg first");
    if (o->selector && !selector_check(c, o, w))
        return false;
    if (o->kind == PTX_OPERAND_REGISTER)
        return register_check(c, o, w);
    if (o->kind == PTX_OPERAND_SPECIAL && !w->result)
        return special_check(c, o, w);
    if (number && (o->immediate_type == PTX_TYPE_S64 || !is_integer(ptx_type_kind(w->type))))
        return true;
    if (symbol && ptx_type_kind(w->type) != PTX_KIND_FLOAT)
        return true;
    return wrong(c, o, want_text(c, w));
}

// A value, or _ where nothing is wanted of it.
static bool element_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    return (o->kind == PTX_OPERAND_SINK && w->result) || value_check(c, o, w);
}

static bool elements_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    for (int i = 0; i < o->element_count; i++)
        if (!element_check(c, &o->elements[i], w))
            return false;
    return true;
}

/* ---- slots ------------------------------------------------------------------------------------- */

static bool vector_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    bool vector = o->kind == PTX_OPERAND_VECTOR;
    if (c->in->vector == 1 && !vector)
        return value_check(c, o, w);
    if (!vector || o->element_count != c->in->vector)
        return wrong(c, o,
                     c->in->vector == 1
                         ? want_text(c, w)
                         : arena_printf(c->p->a, "a vector of %d in braces", c->in->vector));
    return elements_check(c, o, w);
}

static bool parts_check(const struct check *c, const struct ptx_operand *o, const struct want *w)
{
    if (o->kind != PTX_OPERAND_VECTOR)
        return value_check(c, o, w);
    int n = o->element_count;
    if ((n != 2 && n != 4) || w->bits / n < 8)
        return wrong(c, o, "a register, or 2 or 4 parts of it in braces,");
    struct want part = {.bits = w->bits / n, .result = w->result};
    return elements_check(c, o, &part);
}

static bool fragments_check(const struct check *c, const struct ptx_operand *o,
                            const struct slot *slot)
{
    bool wide = c->in->type_count > 0 && c->in->types[0] == PTX_TYPE_F64;
    struct want w = {.bits = wide ? 64 : 32, .result = slot->result};
    if (slot->kind == 'D' && o->kind != PTX_OPERAND_VECTOR) {
        w.bits = 64;
        return value_check(c, o, &w);
    }
    if (o->kind != PTX_OPERAND_VECTOR)
        return value_check(c, o, &w);
    for (int i = 0; i < o->element_count; i++)
        if (!value_check(c, &o->elements[i], &w))
            return false;
    return o->element_count > 0 || wrong(c, o, "registers in braces");
}

static bool same_space(enum ptx_space a, enum ptx_space b)
{
    return a == b || (a == PTX_SPACE_SHARED_CLUSTER && b == PTX_SPACE_SHARED);
}

// [parameter + offset] is a fixed place: it lies inside the parameter.
static bool parameter_check(const struct check *c, const struct ptx_operand *o)
{
    const struct ptx_instruction *in = c->in;
    uint64_t bytes = in->type_count > 0 ? (uint64_t)ptx_type_bits(in->types[0]) / 8 : 0;
    uint64_t whole = bytes * (uint64_t)in->vector;
    if (o->offset >= 0 && whole <= o->variable->size_bytes &&
        (uint64_t)o->offset <= o->variable->size_bytes - whole &&
        (bytes == 0 || (uint64_t)o->offset % bytes == 0))
        return true;
    return check_fail(c,
                      "%llu bytes at '%s%+lld' are no whole part of this parameter of %llu bytes: "
                      "the offset must be a multiple of the size, inside it",
                      (unsigned long long)whole, o->symbol, (long long)o->offset,
                      (unsigned long long)o->variable->size_bytes);
}

static bool address_check(const struct check *c, const struct ptx_operand *o)
{
    const struct ptx_instruction *in = c->in;
    if (o->kind != PTX_OPERAND_ADDRESS)
        return wrong(c, o, "an address in brackets");
    if (o->element_count > 0)
        return wrong(c, o, "one without coordinates");
    if (o->reg >= 0) {
        enum ptx_type type = c->f->registers[o->reg].type;
        int bits = ptx_type_bits(type);
        if ((bits == 32 || bits == 64) && ptx_type_kind(type) != PTX_KIND_FLOAT)
            return true;
        return check_fail(c,
                          "the .%s register '%s' holds no address: one of 64 bits (or 32, for "
                          "shared memory) is due",
                          ptx_type_name(type), c->f->registers[o->reg].name);
    }
    if (o->symbol == NULL)
        return true;
    const struct ptx_variable *v = o->variable;
    if (v == NULL)
        return check_fail(c,
                          "'%s' is no variable: an address is [register], [variable] or "
                          "[number]",
                          o->symbol);
    if (in->space_count == 1 && !same_space(in->spaces[0], v->space))
        return check_fail(c, "'%s' lies in .%s memory, not in .%s: write %s.%s", o->symbol,
                          ptx_space_name(v->space), ptx_space_name(in->spaces[0]),
                          ptx_opcode_name(in->opcode), ptx_space_name(v->space));
    bool fixed = in->space_count == 1 && in->spaces[0] == PTX_SPACE_PARAM;
    return !fixed || parameter_check(c, o);
}

static bool label_check(const struct check *c, const struct ptx_operand *o, bool table)
{
    if (o->kind != PTX_OPERAND_LABEL)
        return wrong(c, o, table ? "the label of a list of .branchtargets" : "a label");
    if (!table)
        return true;
    for (int i = 0; i < c->f->branch_target_count; i++)
        if (c->f->branch_targets[i].label && strcmp(c->f->branch_targets[i].label, o->symbol) == 0)
            return true;
    return wrong(c, o, "the label of a list of .branchtargets");
}

static struct want want_of(const struct check *c, const struct slot *slot)
{
    const struct ptx_instruction *in = c->in;
    struct want w = {
        .relaxed = slot->relaxed, .result = slot->result, .negatable = slot->negatable};
    switch (slot->kind) {
    case 'p':
        w.type = PTX_TYPE_PRED;
        w.bits = 1;
        return w;
    case 'b':
    case 't':
    case 'f':
        w.parts = slot->kind;
        w.bits = 32;
        return w;
    case 'h':
    case 'w':
    case 'l':
        w.bits = slot->kind == 'h' ? 16 : slot->kind == 'w' ? 32 : 64;
        return w;
    case 'x':
        return w;
    default:
        break;
    }
    w.type = in->types[slot->kind == '1' && in->type_count > 1 ? 1 : 0];
    w.bits = ptx_type_bits(w.type);
    if (slot->kind == 'W' && ptx_has_modifier(in, PTX_MOD_WIDE))
        w.bits *= 2;
    return w;
}

static bool typed_check(const struct check *c, const struct slot *slot, const struct want *w)
{
    if (strchr("01WMv", slot->kind) == NULL)
        return true;
    if (w->type == PTX_TYPE_NONE)
        return check_fail(c, "'%s' has no type: write one behind it, such as .u32",
                          instruction_name(c));
    bool memory = slot->relaxed || slot->kind == 'v';
    bool predicate = w->type == PTX_TYPE_PRED && !memory;
    if (w->bits < 8 && !predicate)
        return check_fail(c, "'%s' can't be of type .%s", instruction_name(c),
                          ptx_type_name(w->type));
    return true;
}

static bool slot_check(const struct check *c, const struct slot *slot, const struct ptx_operand *o)
{
    struct want w = want_of(c, slot);
    if (!typed_check(c, slot, &w))
        return false;
    if (slot->sink && o->kind == PTX_OPERAND_SINK)
        return true;
    if (slot->pair && o->kind == PTX_OPERAND_PAIR) {
        struct want predicate = {.type = PTX_TYPE_PRED, .bits = 1, .result = true};
        return element_check(c, &o->elements[0], &w) &&
               element_check(c, &o->elements[1], &predicate);
    }
    switch (slot->kind) {
    case '[':
        return address_check(c, o);
    case '@':
    case 'T':
        return label_check(c, o, slot->kind == 'T');
    case '#':
        return (o->kind == PTX_OPERAND_IMMEDIATE && o->immediate_type == PTX_TYPE_S64) ||
               wrong(c, o, "a whole number");
    case 'm':
    case 'D':
        return fragments_check(c, o, slot);
    case 'v':
        return vector_check(c, o, &w);
    case 'M':
        if (c->in->vector > 4)
            return check_fail(c, "a move has 2 or 4 elements, not %d", c->in->vector);
        return c->in->vector > 1 ? vector_check(c, o, &w) : parts_check(c, o, &w);
    default:
        return value_check(c, o, &w);
    }
}

/* ---- calls ------------------------------------------------------------------------------------- */

// (a, b) of a call against the parameters of what is called.
static bool arguments_check(const struct check *c, const struct ptx_operand *list,
                            const struct ptx_variable *params, int count, const char *what)
{
    int have = list ? list->element_count : 0;
    if (params != NULL && have != count)
        return check_fail(c, "the call has %d %s%s where the function has %d: pass as many", have,
                          what, plural(have), count);
    for (int i = 0; i < have; i++) {
        const struct ptx_operand *o = &list->elements[i];
        bool value = (o->kind == PTX_OPERAND_REGISTER && !o->selector) ||
                     o->kind == PTX_OPERAND_IMMEDIATE || o->kind == PTX_OPERAND_VECTOR ||
                     o->kind == PTX_OPERAND_SINK;
        bool param = o->kind == PTX_OPERAND_SYMBOL && o->variable &&
                     o->variable->space == PTX_SPACE_PARAM && o->offset == 0;
        if (!value && !param)
            return check_fail(c, "%s %d of the call is %s: a register or a .param variable is due",
                              what, i + 1, operand_text(c, o));
        if (param && params != NULL && params[i].space == PTX_SPACE_PARAM &&
            params[i].size_bytes != 0 && params[i].size_bytes != o->variable->size_bytes)
            return check_fail(c, "%s %d of the call has %llu bytes where the function has %llu",
                              what, i + 1, (unsigned long long)o->variable->size_bytes,
                              (unsigned long long)params[i].size_bytes);
    }
    return true;
}

static const struct ptx_prototype *prototype_find(const struct ptx_function *f,
                                                  const struct ptx_operand *o)
{
    for (int i = 0; o->kind == PTX_OPERAND_LABEL && i < f->prototype_count; i++)
        if (f->prototypes[i].label && strcmp(f->prototypes[i].label, o->symbol) == 0)
            return &f->prototypes[i];
    return NULL;
}

// call (results), target, (arguments), prototype or list of targets;
static bool call_check(const struct check *c)
{
    static const char FORM[] = "write call (results), function, (arguments)";
    const struct ptx_instruction *in = c->in;
    const struct ptx_operand *o = in->operands, *end = o + in->operand_count;
    const struct ptx_operand *results = o < end && o->kind == PTX_OPERAND_LIST ? o++ : NULL;
    const struct ptx_operand *target = o < end ? o++ : NULL;
    const struct ptx_operand *args = o < end && o->kind == PTX_OPERAND_LIST ? o++ : NULL;
    if (target == NULL || end - o > 1)
        return check_fail(c, "'call' names %s: %s", target ? "too much" : "no function", FORM);
    if (target->kind == PTX_OPERAND_REGISTER) {
        struct want pointer = {.bits = 64};
        const struct ptx_prototype *t = o < end ? prototype_find(c->f, o) : NULL;
        if (o < end && o->kind != PTX_OPERAND_LABEL)
            return check_fail(c,
                              "the last operand of 'call' is %s, but the label of a "
                              ".callprototype or of .calltargets is due",
                              operand_text(c, o));
        if (!register_check(c, target, &pointer))
            return false;
        return (!t || (arguments_check(c, results, t->results, t->result_count, "result") &&
                       arguments_check(c, args, t->params, t->param_count, "argument"))) &&
               arguments_check(c, results, NULL, 0, "result") &&
               arguments_check(c, args, NULL, 0, "argument");
    }
    const struct ptx_function *callee =
        target->kind == PTX_OPERAND_SYMBOL ? target->function : NULL;
    if (callee == NULL || callee->is_entry || o < end)
        return check_fail(c, "'call' of %s: %s",
                          callee && callee->is_entry ? "a kernel" : operand_text(c, target), FORM);
    return arguments_check(c, results, callee->results, callee->result_count, "result") &&
           arguments_check(c, args, callee->params, callee->param_count, "argument");
}

/* ---- a function -------------------------------------------------------------------------------- */

static bool instruction_check(struct parser *p, const struct ptx_function *f,
                              struct ptx_instruction *in)
{
    struct form form = {0};
    bool found = form_find(in, &form);
    struct check c = {.p = p, .f = f, .in = in, .form = &form};
    const struct ptx_operand *first = &in->operands[0];
    in->writes_first =
        in->operand_count > 0 && (form.call ? first->kind == PTX_OPERAND_LIST : form.writes);
    if (in->guard >= 0 && f->registers[in->guard].type != PTX_TYPE_PRED)
        return check_fail(&c, "the guard '%s' is a .%s register: a .pred register is due",
                          f->registers[in->guard].name,
                          ptx_type_name(f->registers[in->guard].type));
    if (form.call)
        return call_check(&c);
    if (form.any || in->unknown_word) // nothing runs it
        return true;
    if (!found)
        return check_fail(&c, "'%s' is no form of '%s': a word behind it is missing or wrong",
                          instruction_name(&c), ptx_opcode_name(in->opcode));
    if (in->operand_count < form.least || in->operand_count > form.count)
        return wrong_count(&c);
    for (c.operand = 0; c.operand < in->operand_count; c.operand++)
        if (!slot_check(&c, &form.slots[c.operand], &in->operands[c.operand]))
            return false;
    if (form.count > 3 && form.slots[3].negatable && in->operands[3].minus &&
        in->operands[1].minus != in->operands[2].minus)
        return check_fail(
            &c, "'-' before the product and before what is added: only one of them may be negated");
    return true;
}

static bool branch_targets_check(struct parser *p, const struct ptx_function *f,
                                 const struct ptx_branch_targets *t)
{
    for (int i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *in = &f->instructions[i];
        const char *list =
            in->opcode == PTX_OP_BRX && in->operand_count > 1 // of an unknown form: any
                ? in->operands[1].symbol
                : NULL;
        if (!list || strcmp(list, t->label) != 0)
            continue;
        struct check c = {.p = p, .f = f, .in = in};
        for (int k = 0; k < t->count; k++)
            if (t->targets[k] < 0)
                return check_fail(&c, "the target '%s' of '%s' is no label of this function",
                                  t->names[k], t->label);
    }
    return true;
}

bool ptx_check_operands(struct parser *p, struct ptx_function *f)
{
    for (int i = 0; i < f->instruction_count; i++)
        if (!instruction_check(p, f, &f->instructions[i]))
            return false;
    for (int i = 0; i < f->branch_target_count; i++)
        if (f->branch_targets[i].label && !branch_targets_check(p, f, &f->branch_targets[i]))
            return false;
    return true;
}
