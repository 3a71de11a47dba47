/* See verdict_rows.h. */
#include "verdict_rows.h"

#include "base/text.h"
#include "verdict_cells.h"
#include "wrap.h"

#include <string.h>

enum { INDENT = 2, DEEPER = 4, LEAST_SUBJECT = 24, BETWEEN = 3 };

/* A row, or the heading of a check of several values. */
typedef struct line {
    const cop_study_verdict *check;
    const char *heading; /* NULL: a row */
    const char *verdict, *measured; /* of a heading that no row follows; NULL: rows follow */
    cop_verdict_cells cell;
    bool under; /* a heading */
    bool last; /* of its check */
} line;

typedef struct sheet {
    cop_arena arena;
    line *line;
    size_t n, capacity;
    cop_style style;
    unsigned end; /* of the subjects: columns */
    unsigned paper, here, word;
    bool stacked; /* subjects stand above the other columns */
    bool ids; /* there is room for the id of a check that has no heading */
} sheet;

static line *add_line(sheet *s, const cop_study_verdict *v)
{
    s->line = cop_grow(s->line, &s->capacity, s->n + 1, sizeof(*s->line));
    s->line[s->n] = (line){.check = v};
    return &s->line[s->n++];
}

/* "gran4-topo  parts of the fat tree"; a check of a study's own may have no words but its id. */
static line *add_heading(sheet *s, const cop_study_verdict *v)
{
    line *l = add_line(s, v);
    const char *id = cop_plain_copy(&s->arena, v->id),
               *words = cop_plain_copy(&s->arena, v->metric);
    l->heading = strcmp(id, words) == 0 ? id : cop_arena_printf(&s->arena, "%s  %s", id, words);
    return l;
}

static void add_row(sheet *s, const cop_study_verdict *v, const json_t *item, bool alone,
                    bool under)
{
    line *l = add_line(s, v);
    l->cell = cop_verdict_cells_of(v, item, alone, &s->arena);
    l->under = under;
    if (l->cell.subject[0] == '\0')
        l->cell.subject = under ? "value" : cop_plain_copy(&s->arena, v->metric);
}

/* A database may hold a verdict's text alone (tools/verdicts.py). */
static bool has_values(const json_t *items)
{
    return json_object_get(json_array_get(items, 0), "what") != NULL;
}

/* One value, whose words say what is measured: its name alone need not. */
static bool stands_alone(const json_t *items)
{
    const json_t *item = json_array_get(items, 0);
    const char *what = json_string_value(json_object_get(item, "what")),
               *subject = json_string_value(json_object_get(item, "subject"));
    return json_array_size(items) == 1 && what != NULL &&
           (what[0] == '\0' || (subject != NULL && strcmp(what, subject) != 0));
}

static void add_check(sheet *s, const cop_study_verdict *v)
{
    json_t *items = json_loads(v->items, 0, NULL), *item;
    size_t i, n = json_array_size(items);
    bool values = has_values(items), alone = stands_alone(items);
    if (!alone) {
        line *l = add_heading(s, v);
        if (!values) {
            l->verdict = cop_verdict_word(v);
            l->measured = cop_plain_copy(&s->arena, v->measured);
        }
    }
    json_array_foreach(items, i, item) if (values) add_row(s, v, item, n == 1, !alone);
    s->line[s->n - 1].last = true;
    json_decref(items);
}

static unsigned wider(unsigned most, const char *text)
{
    unsigned n = (unsigned)cop_columns(text);
    return n > most ? n : most;
}

static unsigned indent_of(const line *l)
{
    return l->under ? DEEPER : INDENT;
}

/* The id of a check that no heading names and that is not named by its id. */
static const char *id_of(const line *l)
{
    return l->heading || l->under || strcmp(l->check->id, l->cell.subject) == 0 ? "" : l->check->id;
}

static void lay_out(sheet *s)
{
    unsigned end = 0, id = 0;
    for (size_t i = 0; i < s->n; i++) {
        const line *l = &s->line[i];
        if (l->heading != NULL)
            continue;
        unsigned subject = wider(0, l->cell.subject);
        end = subject + indent_of(l) > end ? subject + indent_of(l) : end;
        s->paper = wider(s->paper, l->cell.paper);
        s->here = wider(s->here, l->cell.here);
        s->word = wider(s->word, l->cell.verdict);
        id = wider(id, id_of(l));
    }
    unsigned taken = s->paper + s->here + s->word + 3 * BETWEEN;
    unsigned room = s->style.width > taken ? s->style.width - taken : 0;
    s->stacked = end > room && room < DEEPER + LEAST_SUBJECT;
    s->end = end < room ? end : room;
    s->ids = !s->stacked && id > 0 && end + id + BETWEEN <= room;
}

static void put_padded(FILE *out, const char *text, unsigned columns)
{
    size_t used = cop_columns(text);
    fprintf(out, "%s%*s", text, used < columns ? (int)(columns - used) : 0, "");
}

static void put_word(FILE *out, const char *word, cop_style style)
{
    const char *colour = strncmp(word, "FAIL", 4) == 0   ? "\033[31m"
                         : strncmp(word, "pass", 4) == 0 ? "\033[32m"
                                                         : "";
    fprintf(out, "%s%s%s", style.colour ? colour : "", word,
            style.colour && colour[0] ? "\033[0m" : "");
}

/* How many bytes of the text fit into so many columns, up to a space if there is one. */
static size_t part(const char *text, unsigned columns)
{
    size_t used = 0, last = 0, i = 0;
    for (; text[i] != '\0' && used <= columns; i++) {
        used += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (used <= columns && (text[i + 1] == ' ' || text[i + 1] == '\0'))
            last = i + 1;
    }
    return last > 0 || i == 0 ? last : i - (used > columns);
}

static void put_row(FILE *out, sheet *s, const line *l)
{
    const cop_verdict_cells *c = &l->cell;
    const char *rest = c->subject;
    int indent = (int)indent_of(l);
    unsigned columns = s->end - indent_of(l);
    if (s->stacked) {
        cop_wrap_item(out, cop_arena_printf(&s->arena, "%*s", indent, ""), indent, rest);
        fprintf(out, "%*s", indent + BETWEEN, "");
        rest = "";
    } else {
        size_t n = part(rest, columns);
        fprintf(out, "%*s", indent, "");
        put_padded(out, cop_arena_printf(&s->arena, "%.*s", (int)n, rest), columns);
        fputs(" | ", out);
        rest += n + strspn(rest + n, " ");
    }
    put_padded(out, c->paper, s->paper);
    fputs(" | ", out);
    put_padded(out, c->here, s->here);
    fputs(" | ", out);
    put_word(out, c->verdict, s->style);
    if (s->ids && id_of(l)[0] != '\0')
        fprintf(out, "%*s | %s", (int)(s->word - cop_columns(c->verdict)), "",
                cop_plain_copy(&s->arena, l->check->id));
    fputc('\n', out);
    for (size_t n; *rest != '\0'; rest += n + strspn(rest + n, " ")) {
        n = part(rest, columns);
        fprintf(out, "%*s%.*s\n", indent, "", (int)n, rest);
    }
}

static void put_heading(FILE *out, sheet *s, const line *l)
{
    cop_wrap_item(out, "", INDENT, l->heading);
    if (l->verdict == NULL)
        return;
    fprintf(out, "%*s", DEEPER, "");
    put_word(out, l->verdict, s->style);
    if (l->measured[0] == '\0')
        fputc('\n', out);
    else
        cop_wrap_item(out, " |", 0, l->measured);
}

/* What is to be known of a value. Where a heading or a column does not name the check of one that is not
 * simply passed, this does. */
static void put_below(FILE *out, sheet *s, const line *l, const char *note_above)
{
    const cop_verdict_cells *c = &l->cell;
    bool nameless = id_of(l)[0] && !s->ids && strcmp(c->verdict, "pass") != 0;
    const char *text = c->below;
    if (c->note[0] && strcmp(c->note, note_above) != 0)
        text = cop_arena_printf(&s->arena, "%s%s%s", text, text[0] ? "; " : "", c->note);
    if (nameless && (text[0] || strcmp(c->verdict, "not run") != 0))
        text = cop_arena_printf(&s->arena, "%s%s%s", cop_plain_copy(&s->arena, l->check->id),
                                text[0] ? ": " : "", text);
    if (text[0])
        cop_wrap_item(out, "", INDENT + DEEPER, text);
}

static void put_lines(FILE *out, sheet *s)
{
    const char *note = "";
    for (size_t i = 0; i < s->n; i++) {
        const line *l = &s->line[i];
        if (l->heading) {
            put_heading(out, s, l);
        } else {
            put_row(out, s, l);
            put_below(out, s, l, note);
        }
        note = l->heading ? "" : l->cell.note;
        if (l->last && l->check->explain[0] != '\0')
            cop_wrap_item(out,
                          strcmp(l->check->state, "pass") == 0 ? "      note:" : "      why:", 12,
                          cop_plain_copy(&s->arena, l->check->explain));
    }
}

void cop_verdict_rows_show(FILE *out, const cop_study_verdict *v, size_t n, cop_style style)
{
    sheet s = {.style = style};
    for (size_t i = 0; i < n; i++)
        add_check(&s, &v[i]);
    lay_out(&s);
    put_lines(out, &s);
    cop_free(s.line);
    cop_arena_free(&s.arena);
}

bool cop_verdict_rows_of(FILE *out, const cop_study_verdict *v, cop_style style)
{
    sheet s = {.style = style};
    json_t *items = json_loads(v->items, 0, NULL), *item;
    size_t i, n = json_array_size(items);
    bool values = has_values(items);
    json_array_foreach(items, i, item) if (values) add_row(&s, v, item, n == 1, true);
    lay_out(&s);
    put_lines(out, &s);
    json_decref(items);
    cop_free(s.line);
    cop_arena_free(&s.arena);
    return values;
}
