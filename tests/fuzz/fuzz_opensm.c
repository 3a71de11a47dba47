/* Bytes into the reader of opensm.conf. Whatever they are, it must answer with a section of a run file or with
 * one error message. */
#include "cc/opensm.h"

#include "base/mem.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t n = 0;
    cop_err err = {0};
    FILE *out = open_memstream(&text, &n);
    int rc = cop_opensm_read("fuzz", (const char *)data, size, out, &err);
    fclose(out);
    COP_CHECK((rc == 0) == (err.faults == 0) && err.faults <= 1);
    if (rc == 0)
        COP_CHECK(strstr(text, "cc:") != NULL);
    else
        COP_CHECK(err.code == COP_E_INPUT && strchr(err.text, ';') != NULL);
    cop_free_foreign(text);
    return 0;
}
