/* Claims on runs, for programs that use one result file at the same time.
 *
 * A claim is a lock of the operating system, so it ends with its program, however that dies, and
 * there is nothing to clean up. It says that a run is being made, not that it is wanted: after a
 * claim a program looks whether the file has the run meanwhile, and makes it if not. */
#ifndef COP_STORE_CLAIM_H
#define COP_STORE_CLAIM_H

#include "base/base.h"

typedef struct cop_claims cop_claims;

/* Claims on the runs of an existing result file. NULL where the file system keeps no locks or nothing
 * can be written beside the file: then every claim succeeds, and runs may be made twice. */
cop_claims *cop_claims_open(const char *db_path);
/* Give up all claims, when children that share them have ended. NULL is fine. */
void cop_claims_close(cop_claims *c);
/* False if another program has it. Children share the claims of their parent. */
bool cop_claim_take(cop_claims *c, uint64_t config_hash, int64_t seed);
void cop_claim_drop(cop_claims *c, uint64_t config_hash, int64_t seed);

#endif
