/* The page: a template with gaps, filled with title, style, document, script, and the licences of the
 * libraries in the script. That of a live run is another template with the same gaps, but no document.
 *
 * The document goes into a script element that browsers do not run. Whatever is in it, it cannot
 * end that element or begin another: the three characters that are special to an HTML parser
 * are written as JSON escapes. The script builds the page from it with text nodes only.
 */
#include "report/report_int.h"

#include <string.h>

static int write_escaped(const char *text, size_t n, void *user)
{
    FILE *out = user;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '<' || c == '>' || c == '&')
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    return ferror(out) ? -1 : 0;
}

static void write_title(const json_t *doc, FILE *out)
{
    const json_t *es = json_object_get(doc, "experiments"), *rs = json_object_get(doc, "runs");
    const json_t *only = NULL;
    if (json_array_size(es) + json_array_size(rs) == 1)
        only = json_array_get(json_array_size(es) ? es : rs, 0);
    const char *text = only ? cop_report_get(only, "title") : cop_report_get(doc, "database");
    if (only != NULL && text[0] == '\0')
        text = cop_report_get(only, "name");
    fputs("Coppice: ", out);
    for (; *text != '\0'; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
    }
}

/* 10 digits: more than any measurement has, and times in nanoseconds keep theirs. */
static void fill_gap(const cop_report *r, const char *name, size_t len, FILE *out)
{
    if (strncmp(name, "style", len) == 0)
        fputs(cop_report_css, out);
    else if (strncmp(name, "script", len) == 0)
        fputs(r ? cop_report_script : cop_live_script, out);
    else if (strncmp(name, "licences", len) == 0)
        fputs(cop_report_licences, out);
    else if (r != NULL && strncmp(name, "title", len) == 0)
        write_title(r->doc, out);
    else if (r != NULL && strncmp(name, "document", len) == 0)
        (void)json_dump_callback(r->doc, write_escaped, out,
                                 JSON_COMPACT | JSON_REAL_PRECISION(10));
}

/* r NULL: no document. */
static void fill(const char *from, const cop_report *r, FILE *out)
{
    for (const char *gap; (gap = strstr(from, "{{")) != NULL;) {
        const char *end = strstr(gap, "}}");
        COP_CHECK(end != NULL);
        fwrite(from, 1, (size_t)(gap - from), out);
        fill_gap(r, gap + 2, (size_t)(end - gap - 2), out);
        from = end + 2;
    }
    fputs(from, out);
}

void cop_report_html(const cop_report *r, FILE *out)
{
    fill(cop_report_page, r, out);
}

void cop_report_live_page(FILE *out)
{
    fill(cop_live_page, NULL, out);
}

static void write_page(const void *what, FILE *out)
{
    cop_report_html(what, out);
}

int cop_report_save_html(const cop_report *r, const char *path, cop_err *err)
{
    return cop_report_save(path, write_page, r, err);
}
