/* The handles of the public interface. Private to api*.c. */
#ifndef COP_API_INT_H
#define COP_API_INT_H

#include "coppice.h"

#include "exp/plugins.h"
#include "exp/run.h"
#include "store/store.h"

#include <locale.h>

struct coppice_config {
    cop_arena arena; /* owns file, text and the overrides' text */
    const char *file, *text; /* text NULL: the file is read */
    cop_override *set; /* heap */
    size_t n_set, cap_set;
    bool lost_set; /* an override could not be kept: no run may be made without it */
    cop_plugin_set plugins; /* from outside */
    char *effective; /* heap; NULL: no good check or run yet */
    coppice_progress_fn progress; /* NULL: none */
    void *progress_ctx;
    locale_t caller; /* of the thread that checks or runs, for its progress function */
    cop_err err; /* of the last set, check or run */
};

struct coppice_result {
    cop_result r;
    cop_arena arena; /* owns the strings of `meta`, and `scalar` */
    cop_store_meta meta;
    cop_scalar *scalar;
    size_t n_scalars;
    cop_err err; /* of the last store */
};

/* api_result.c: fill `scalar` from `r`. */
void cop_api_scalars(coppice_result *p);
/* api.c: runs `fn` under a guard and in the C locale; for every call that does more than read a
 * field. False: no memory. */
bool cop_api_guard(void (*work)(void *ctx), void *ctx);
/* api.c: the one fault is that there is no memory. */
void cop_api_no_memory(cop_err *err);

#endif
