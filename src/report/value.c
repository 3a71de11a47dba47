/* Values of a result file as JSON. Texts of a file are not trusted to be UTF-8. */
#include "report/report_int.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at s, 0 if there is none. */
static size_t sequence(const unsigned char *s)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0x80)
        return 1;
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    uint32_t code = s[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = (code << 6) | (s[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[n] || code > 0x10ffff || surrogate ? 0 : n;
}

json_t *cop_report_string(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *plain = json_string(text);
    if (plain != NULL)
        return plain;
    char *clean = cop_alloc_array(3, strlen(text) + 1), *to = clean;
    for (const char *from = text; *from != '\0';) {
        size_t n = sequence((const unsigned char *)from);
        memcpy(to, n ? from : replacement, n ? n : 3);
        to += n ? n : 3;
        from += n ? n : 1;
    }
    *to = '\0';
    json_t *s = json_string(clean);
    cop_free(clean);
    return s ? s : json_null();
}

json_t *cop_report_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *cop_report_cell(const cop_cell *c)
{
    switch (c->kind) {
    case COP_CELL_INT:
        return json_integer(c->i);
    case COP_CELL_REAL:
        return cop_report_real(c->real);
    case COP_CELL_TEXT:
        return cop_report_string(c->text);
    default:
        return json_null();
    }
}

cop_cell cop_report_column(const cop_cell *cells, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(cells[i].name, name) == 0)
            return cells[i];
    return (cop_cell){.name = name, .kind = COP_CELL_NULL, .real = NAN, .text = ""};
}

const char *cop_report_get(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}
