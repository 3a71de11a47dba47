/* What a writer prints, as a file that appears whole or not at all (base/file.h). */
#include "report/report_int.h"

#include "base/file.h"
#include "base/mem.h"

int cop_report_save(const char *path, cop_report_write_fn write, const void *what, cop_err *err)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = cop_text_open(&text, &length);
    write(what, f);
    cop_text_close(f, &text);
    int rc = cop_file_write(path, text, length, err);
    cop_free_foreign(text);
    return rc;
}
