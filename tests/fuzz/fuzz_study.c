/* Study files from a fuzzer: read, plan, rehearse; nothing is simulated. Text before a line `===` is
 * the study, text after it the base configuration. Whatever comes must end soon, within the memory
 * that expressions may have, and with a message whenever it is refused. */
#include "study/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char usual[] =
    "topology: {kind: single, hosts: 3}\ntraffic: [{name: F, pattern: uniform}]\n";

static void write_file(const char *path, const char *text, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(text, 1, size, f) != size || fclose(f) != 0)
        abort();
}

static char folder[] = "/tmp/fuzz_study_XXXXXX";
static char study[sizeof(folder) + 16], base[sizeof(folder) + 16];

static void make_folder(void)
{
    if (study[0] != '\0')
        return;
    if (mkdtemp(folder) == NULL)
        abort();
    snprintf(study, sizeof(study), "%s/study.yaml", folder);
    snprintf(base, sizeof(base), "%s/base.yaml", folder);
}

static void must_tell(int rc, const cop_err *err)
{
    if ((rc == 0) != (err->faults == 0) || (rc != 0 && err->text[0] == '\0')) {
        fprintf(stderr, "status %d with %u faults: %s\n", rc, err->faults, err->text);
        abort();
    }
}

/* Each run of a plan costs a reading of its configuration; thousands of them find no more. */
static bool is_small(const cop_study *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_blocks; i++) {
        size_t m = 1;
        for (size_t k = 0; k < s->block[i].n_axes && m < 1000; k++)
            m *= s->block[i].axis[k].n_values;
        n += m;
    }
    return n < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    make_folder();
    const char *text = (const char *)data, *line = size ? memmem(data, size, "\n===\n", 5) : NULL;
    write_file(study, text, line ? (size_t)(line - text) + 1 : size);
    if (line != NULL)
        write_file(base, line + 5, size - (size_t)(line + 5 - text));
    else
        write_file(base, usual, strlen(usual));
    for (int scale = 0; scale < 2; scale++) {
        cop_study s;
        cop_plan p;
        cop_err err = {0};
        int rc = cop_study_load(&s, study, scale ? "full" : "quick", NULL, &err);
        if (rc == 0 && !is_small(&s)) {
            cop_study_free(&s);
        } else if (rc == 0) {
            rc = cop_plan_make(&p, &s, &err);
            if (rc == 0)
                rc = cop_study_rehearse(&p, &err);
            cop_study_free(&s);
        }
        must_tell(rc, &err);
    }
    return 0;
}
