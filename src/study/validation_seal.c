/* The seals of the validation folder, and its files. See validation.h. */
#include "study/validation.h"

#include "base/file.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEAL "<!-- seal: inputs "
#define OF_PAGES " pages "
#define OWN " text "
#define MAX_PAGE ((size_t)8 << 20)

/* Name and contents. */
static uint64_t hash_file(uint64_t h, const char *path)
{
    const char *slash = strrchr(path, '/');
    h = cop_hash_bytes(h, slash ? slash : path, strlen(slash ? slash : path));
    (void)cop_hash_file(&h, path);
    return h;
}

uint64_t cop_validation_fingerprint(const cop_validation_inputs *in)
{
    uint64_t h = COP_HASH_START;
    const struct {
        const char *folder, *files;
    } parts[] = {{in->claims, "*.yaml"},
                 {in->experiments, "*.yaml"},
                 {in->experiments, "setups/*"},
                 {in->golden, "*.txt"}};
    for (size_t i = 0; i < COP_LEN(parts); i++) {
        cop_arena a = {0};
        glob_t files = {0};
        (void)glob(cop_arena_printf(&a, "%s/%s", parts[i].folder, parts[i].files), 0, NULL, &files);
        for (size_t k = 0; k < files.gl_pathc; k++)
            h = hash_file(h, files.gl_pathv[k]);
        globfree(&files);
        cop_arena_free(&a);
    }
    return h;
}

uint64_t cop_validation_hash(const cop_validation_page *pages, size_t n)
{
    uint64_t sum = 0; /* in whatever order they come */
    for (size_t i = 0; i < n; i++) {
        uint64_t h = cop_hash_bytes(COP_HASH_START, pages[i].name, strlen(pages[i].name) + 1);
        sum += cop_hash_bytes(h, pages[i].text, strlen(pages[i].text));
    }
    return sum;
}

const char *cop_validation_seal(const char *text, const cop_validation_inputs *in, uint64_t pages,
                                cop_arena *arena)
{
    const char *sealed = cop_arena_printf(arena, "%s\n" SEAL "%016" PRIx64 OF_PAGES "%016" PRIx64,
                                          text, cop_validation_fingerprint(in), pages);
    return cop_arena_printf(arena, "%s" OWN "%016" PRIx64 " -->\n", sealed,
                            cop_hash_bytes(COP_HASH_START, sealed, strlen(sealed)));
}

/* What a seal says. */
typedef struct seal {
    uint64_t inputs, pages, own;
    const char *sealed; /* the end of what `own` is over */
} seal;

/* A number in hexadecimal digits after these words; moves *at behind it. */
static bool read_part(const char **at, const char *words, uint64_t *value)
{
    char *end = NULL;
    if (strncmp(*at, words, strlen(words)) != 0)
        return false;
    *value = strtoull(*at + strlen(words), &end, 16);
    *at = end;
    return true;
}

/* The seal that ends the text; false if there is none or something follows it. */
static bool find_seal(const char *text, seal *found)
{
    const char *at = NULL;
    for (const char *s = strstr(text, SEAL); s != NULL; s = strstr(s + 1, SEAL))
        at = s;
    if (at == NULL || !read_part(&at, SEAL, &found->inputs) ||
        !read_part(&at, OF_PAGES, &found->pages))
        return false;
    found->sealed = at;
    return read_part(&at, OWN, &found->own) && strcmp(at, " -->\n") == 0;
}

int cop_validation_check(const cop_validation_page *pages, size_t n,
                         const cop_validation_inputs *in, cop_err *err)
{
    uint64_t inputs = cop_validation_fingerprint(in);
    int rc = 0;
    if (n == 0 || strcmp(pages[n - 1].name, COP_VALIDATION_README) != 0)
        rc = cop_err_add(err, COP_E_INPUT, "%s is missing; run `make reproduce`",
                         COP_VALIDATION_README);
    for (size_t i = 0; i < n; i++) {
        const char *name = pages[i].name, *text = pages[i].text;
        bool all = strcmp(name, COP_VALIDATION_README) == 0;
        seal s;
        if (!find_seal(text, &s))
            rc = cop_err_add(err, COP_E_INPUT, "%s: does not end with a seal; run `make reproduce`",
                             name);
        else if (s.own != cop_hash_bytes(COP_HASH_START, text, (size_t)(s.sealed - text)))
            rc =
                cop_err_add(err, COP_E_INPUT, "%s: was edited by hand; run `make reproduce`", name);
        else if (s.inputs != inputs)
            rc = cop_err_add(err, COP_E_INPUT,
                             "%s: is stale: the ledger, an experiment or the golden runs have "
                             "changed since; run `make reproduce`",
                             name);
        else if (s.pages != (all ? cop_validation_hash(pages, n - 1) : 0))
            rc = cop_err_add(err, COP_E_INPUT,
                             "%s: a page beside it is missing or of another run; run "
                             "`make reproduce`",
                             name);
    }
    return rc;
}

/* -- the folder -- */

static int read_page(const char *path, cop_arena *arena, cop_validation_page *page, cop_err *err)
{
    char *text = NULL;
    size_t length = 0;
    int rc = cop_file_read(path, MAX_PAGE, &text, &length, err);
    if (rc == 0)
        *page = (cop_validation_page){.name = cop_arena_strdup(arena, strrchr(path, '/') + 1),
                                      .text = cop_arena_printf(arena, "%.*s", (int)length, text)};
    cop_free(text);
    return rc;
}

int cop_validation_read(const char *dir, cop_arena *arena, cop_validation_page **pages, size_t *n,
                        cop_err *err)
{
    glob_t files = {0};
    int rc = 0;
    (void)glob(cop_arena_printf(arena, "%s/*.md", dir), 0, NULL, &files);
    cop_validation_page *p = COP_NEW_ARRAY(arena, cop_validation_page, files.gl_pathc + 1);
    size_t k = 0;
    for (size_t pass = 0; pass < 2; pass++) /* README.md last */
        for (size_t i = 0; rc == 0 && i < files.gl_pathc; i++) {
            const char *name = strrchr(files.gl_pathv[i], '/') + 1;
            if ((strcmp(name, COP_VALIDATION_README) == 0) == (pass == 1))
                rc = read_page(files.gl_pathv[i], arena, &p[k++], err);
        }
    globfree(&files);
    *pages = p;
    *n = rc == 0 ? k : 0;
    return rc;
}

int cop_validation_write(const char *dir, const cop_validation_page *pages, size_t n, cop_err *err)
{
    cop_arena a = {0};
    int rc = 0;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        rc = cop_err_add(err, COP_E_IO, "%s: %s; give a folder that can be made or written to", dir,
                         strerror(errno));
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = cop_file_write(cop_arena_printf(&a, "%s/%s", dir, pages[i].name), pages[i].text,
                            strlen(pages[i].text), err);
    cop_arena_free(&a);
    return rc;
}
