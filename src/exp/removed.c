/* Replacements of options and values that were removed.
 *
 * Role     faults about unknown options and values ask here before they list what there is.
 * Invariant nothing here is read as something else: a run file that has one of these is refused. */
#include "exp/removed.h"

#include "base/base.h"

#include <string.h>

static const struct {
    const char *section, *option, *value; /* value NULL: the option */
    const char *instead;
} gone[] = {
    {"cc", "hotspot_degree", NULL,
     "is `cc.senders` now: a number, or auto, the senders that the traffic has for one host"},
    {"cc", "threshold", "none", "is no weight; write 0, which never marks"},
    {"cc", "threshold_reference", "buffer",
     "is gone; write the size of the buffer, as switch.buffer has it, or `preset`"},
};

const char *cop_removed(const char *section, const char *option, const char *value)
{
    for (size_t i = 0; section != NULL && i < COP_LEN(gone); i++)
        if (strcmp(gone[i].section, section) == 0 && strcmp(gone[i].option, option) == 0 &&
            (gone[i].value == NULL) == (value == NULL) &&
            (value == NULL || strcmp(gone[i].value, value) == 0))
            return gone[i].instead;
    return NULL;
}
