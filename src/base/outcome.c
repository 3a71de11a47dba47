#include "base/outcome.h"

#include "base/base.h"

#include <string.h>

static const char *const names[] = {
    [COP_OUTCOME_OK] = "ok",         [COP_OUTCOME_DEADLOCK] = "deadlock",
    [COP_OUTCOME_LOSS] = "loss",     [COP_OUTCOME_BROKEN] = "broken",
    [COP_OUTCOME_FAILED] = "failed", [COP_OUTCOME_STARVED] = "starved",
    [COP_OUTCOME_STUCK] = "stuck"};

const char *cop_outcome_name(int outcome)
{
    return outcome >= 0 && outcome < (int)COP_LEN(names) ? names[outcome] : NULL;
}

enum cop_outcome cop_outcome_of(const char *name)
{
    for (int o = 0; o < (int)COP_LEN(names); o++)
        if (strcmp(name, names[o]) == 0)
            return (enum cop_outcome)o;
    return COP_OUTCOME_BROKEN;
}
