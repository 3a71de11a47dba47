/* Bytes as text that is printed: what reaches a terminal is UTF-8 without anything it would
 * obey, and a cell of a CSV file is one cell, and no formula. */
#include "base/opt.h"
#include "base/text.h"
#include "report/report.h"
#include "report/report_int.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_plain(const char *text)
{
    for (const char *at = text; *at != '\0';)
        COP_CHECK(cop_is_plain(cop_utf8_next(&at)));
}

static void check_cell(const char *text)
{
    json_t *cell = json_string(text);
    if (cell == NULL)
        return; /* no UTF-8; the reader of databases has replaced it */
    json_t *f = json_pack("{s:s, s:[o]}", "kind", "table", "columns", cell);
    char *out = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&out, &size);
    cop_report_csv_figure(f, stream);
    fclose(stream);
    COP_CHECK(size >= 2 && memcmp(out + size - 2, "\r\n", 2) == 0);
    bool quoted = out[0] == '"';
    char first = quoted ? out[1] : out[0];
    if (strchr("=@\t", first) != NULL)
        abort();
    if (strchr("+-", first) != NULL) {
        char *end; /* a number, and nothing behind it */
        (void)strtod(out, &end);
        COP_CHECK(!quoted && end == out + size - 2);
    }
    for (size_t i = 0; !quoted && i < size - 2; i++)
        COP_CHECK(strchr(",;\t\"\r\n", out[i]) == NULL);
    free(out);
    json_decref(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = cop_alloc(size + 1), buf[40];
    memcpy(text, data, size);
    check_cell(text);
    check_plain(cop_excerpt(text, buf, sizeof(buf)));
    COP_CHECK(cop_plain(text) == strlen(text));
    check_plain(text);
    cop_free(text);
    return 0;
}
