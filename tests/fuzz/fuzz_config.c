/* Run files from a fuzzer. The first line, if it begins with '=', is an override. Whatever is
 * accepted must survive the circle print, load, print, in SI units and in those of the file. */
#include "exp/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_load_again(cop_config *c, const char *text)
{
    cop_config again;
    cop_err err = {0};
    if (cop_config_load(&again, "again.yaml", text, NULL, 0, &err) != 0) {
        fprintf(stderr, "printed configuration is refused: %s\n%s", err.text, text);
        abort();
    }
    const char *first = cop_config_print(c), *second = cop_config_print(&again);
    if (strcmp(first, second) != 0) {
        fprintf(stderr, "not the same after a second load:\n%s\n%s", first, second);
        abort();
    }
    cop_config_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = cop_alloc(size + 1);
    memcpy(text, data, size);
    char *body = text;
    cop_override set = {.text = NULL};
    char *line_end = strchr(text, '\n');
    if (text[0] == '=' && line_end != NULL) {
        *line_end = '\0';
        set.text = text + 1;
        body = line_end + 1;
    }
    cop_config c;
    cop_err err = {0};
    int rc = cop_config_load(&c, "fuzz.yaml", body, &set, set.text ? 1 : 0, &err);
    if ((rc == 0) != (err.faults == 0)) {
        fprintf(stderr, "status %d with %u faults: %s\n", rc, err.faults, err.text);
        abort();
    }
    if (rc == 0) {
        must_load_again(&c, cop_config_print(&c));
        must_load_again(&c, cop_config_print_units(&c));
    }
    cop_config_free(&c);
    cop_free(text);
    return 0;
}
