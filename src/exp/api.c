/* The public interface (include/coppice.h) to configurations and runs, on top of config and run.
 *
 * Role     opaque handles, copies of what the caller gives, no printing.
 * State    a configuration keeps its text and its overrides and is loaded anew by each check and
 *          run, because an override can repair or break what the file says. A result keeps what the
 *          database wants to know about its configuration.
 * Locale   numbers are read and printed as in the C locale, whatever the program has set (cop_api_guard).
 * Memory   every call that allocates works under a guard (base/mem.h). What it makes reaches its
 *          handle only when the guard has ended well. */
#include "exp/api_int.h"

#include <string.h>

#ifndef COP_VERSION
#define COP_VERSION "0.1.0"
#endif

_Static_assert((int)COPPICE_OK == (int)COP_OUTCOME_OK &&
                   (int)COPPICE_DEADLOCK == (int)COP_OUTCOME_DEADLOCK &&
                   (int)COPPICE_LOSS == (int)COP_OUTCOME_LOSS &&
                   (int)COPPICE_BROKEN == (int)COP_OUTCOME_BROKEN &&
                   (int)COPPICE_STARVED == (int)COP_OUTCOME_STARVED &&
                   (int)COPPICE_STUCK == (int)COP_OUTCOME_STUCK,
               "outcomes have the same numbers inside and outside");
_Static_assert((int)COPPICE_NO_FAULT == (int)COP_OK && (int)COPPICE_BAD_INPUT == (int)COP_E_INPUT &&
                   (int)COPPICE_BAD_FILE == (int)COP_E_IO &&
                   (int)COPPICE_NO_MEMORY == (int)COP_E_MEMORY &&
                   (int)COPPICE_STOPPED == (int)COP_E_STOPPED,
               "faults have the same numbers inside and outside");

const char *coppice_version(void)
{
    return COP_VERSION;
}

void cop_api_no_memory(cop_err *err)
{
    *err = (cop_err){0};
    cop_err_add(err, COP_E_MEMORY, COP_NO_MEMORY);
}

/* Sets the C locale for this thread. glibc allocates nothing for it; other libraries may. */
bool cop_api_guard(void (*work)(void *ctx), void *ctx)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    locale_t before = uselocale(plain);
    bool ok = cop_mem_guard(work, ctx);
    uselocale(before);
    freelocale(plain);
    return ok;
}

/* -- configurations -- */

typedef struct opening {
    const char *file, *text;
    coppice_config *c; /* the handle, when all is well */
} opening;

static void open_config(void *ctx)
{
    opening *o = ctx;
    coppice_config *c = cop_alloc(sizeof(*c));
    c->file = cop_arena_strdup(&c->arena, o->file);
    c->text = o->text ? cop_arena_strdup(&c->arena, o->text) : NULL;
    o->c = c;
}

coppice_config *coppice_open_text(const char *name, const char *text)
{
    opening o = {.file = name, .text = text};
    return cop_api_guard(open_config, &o) ? o.c : NULL;
}

coppice_config *coppice_open(const char *file)
{
    return coppice_open_text(file, NULL);
}

void coppice_close(coppice_config *c)
{
    if (c == NULL)
        return;
    cop_free(c->set);
    cop_free(c->effective);
    cop_plugins_free(&c->plugins);
    cop_arena_free(&c->arena);
    cop_free(c);
}

typedef struct plugging {
    coppice_config *c;
    const struct coppice_plugins *table; /* or */
    const char *file;
    int rc;
} plugging;

static void add_plugins(void *ctx)
{
    plugging *p = ctx;
    p->rc = p->file ? cop_plugins_load(&p->c->plugins, p->file, &p->c->err)
                    : cop_plugins_add(&p->c->plugins, p->table, &p->c->err);
}

static int plug(plugging p)
{
    coppice_config *c = p.c;
    cop_plugin_set before = c->plugins;
    c->err = (cop_err){0};
    if (cop_api_guard(add_plugins, &p))
        return p.rc == 0 ? 0 : -1;
    c->plugins = before;
    cop_api_no_memory(&c->err);
    return -1;
}

int coppice_plug(coppice_config *c, const struct coppice_plugins *plugins)
{
    return plug((plugging){.c = c, .table = plugins});
}

int coppice_plug_file(coppice_config *c, const char *file)
{
    return plug((plugging){.c = c, .file = file});
}

typedef struct setting {
    coppice_config *c;
    const char *assignment;
} setting;

/* The list grows last: were it to grow first and the copy to fail, the handle would point to what
 * the guard has released. */
static void add_override(void *ctx)
{
    setting *s = ctx;
    coppice_config *c = s->c;
    const char *text = cop_arena_strdup(&c->arena, s->assignment);
    c->set = cop_grow(c->set, &c->cap_set, c->n_set + 1, sizeof(*c->set));
    c->set[c->n_set++] = (cop_override){.text = text};
}

int coppice_set(coppice_config *c, const char *assignment)
{
    cop_arena before = c->arena;
    setting s = {c, assignment};
    c->err = (cop_err){0};
    if (cop_api_guard(add_override, &s))
        return 0;
    c->arena = before;
    c->lost_set = true;
    cop_api_no_memory(&c->err);
    return -1;
}

const char *coppice_text(const coppice_config *c)
{
    return c->effective;
}

const char *coppice_error(const coppice_config *c)
{
    return c->err.text;
}

enum coppice_fault coppice_fault(const coppice_config *c)
{
    return (enum coppice_fault)c->err.code;
}

void coppice_progress(coppice_config *c, coppice_progress_fn fn, void *ctx)
{
    c->progress = fn;
    c->progress_ctx = ctx;
}

/* -- checks and runs -- */

typedef struct job {
    coppice_config *c;
    bool simulate; /* else only check */
    int rc;
    char *effective; /* heap; after a fault NULL: it would be that of a network that cannot be built
                      */
    coppice_result *result;
} job;

static bool on_progress(void *ctx, cop_time now, cop_time end, uint64_t packet_hops)
{
    const coppice_config *c = ctx;
    locale_t ours = uselocale(c->caller);
    int stop = c->progress(c->progress_ctx, (double)now / 1e3, (double)end / 1e3, packet_hops);
    uselocale(ours);
    return stop != 0;
}

static void remember_config(coppice_result *p, cop_config *loaded, const char *text, uint64_t hash)
{
    p->meta = (cop_store_meta){.name = cop_arena_strdup(&p->arena, loaded->name),
                               .title = cop_arena_strdup(&p->arena, loaded->title),
                               .config_text = cop_arena_strdup(&p->arena, text),
                               .version = COP_VERSION,
                               .model = cop_model_id(),
                               .behaviour = cop_behaviour_id(),
                               .seed = loaded->run.seed,
                               .config_hash = hash};
}

static int simulate(job *j, cop_config *loaded)
{
    coppice_config *c = j->c;
    cop_run_hooks hooks = {.progress = c->progress ? on_progress : NULL, .progress_ctx = c};
    uint64_t hash = cop_config_hash(loaded); /* of files as they are now, not when the run ends */
    coppice_result *p = cop_alloc(sizeof(*p));
    int rc = cop_run(loaded, &hooks, &p->r, &c->err);
    if (rc != 0) {
        cop_free(p);
        return rc;
    }
    remember_config(p, loaded, j->effective, hash);
    cop_api_scalars(p);
    j->result = p;
    return 0;
}

static void work(void *ctx)
{
    job *j = ctx;
    coppice_config *c = j->c;
    cop_config loaded = {0};
    j->rc = cop_config_load_with(&loaded, &c->plugins, c->file, c->text, c->set, c->n_set, &c->err);
    if (j->rc != 0)
        return;
    const char *text = cop_config_print(&loaded);
    j->effective = strcpy(cop_alloc(strlen(text) + 1), text);
    j->rc = j->simulate ? simulate(j, &loaded) : cop_check_network(&loaded, NULL, &c->err);
    if (j->rc != 0) {
        cop_free(j->effective);
        j->effective = NULL;
    }
    cop_config_free(&loaded);
}

/* 0, or -1 with a fault in the handle. */
static int do_job(job *j)
{
    coppice_config *c = j->c;
    cop_free(c->effective);
    c->effective = NULL;
    c->caller = uselocale((locale_t)0);
    c->err = (cop_err){0};
    if (c->lost_set || !cop_api_guard(work, j)) {
        cop_api_no_memory(&c->err);
        return -1;
    }
    c->effective = j->effective;
    return j->rc == 0 ? 0 : -1;
}

int coppice_check(coppice_config *c)
{
    return do_job(&(job){.c = c});
}

coppice_result *coppice_run(coppice_config *c)
{
    job j = {.c = c, .simulate = true};
    return do_job(&j) == 0 ? j.result : NULL;
}
