/* Names of the kinds of congestion trees, as results and databases have them. */
#include "stats/result.h"

const char *cop_tree_kind_name(int kind)
{
    static const char *const name[] = {[COP_TREE_UNJUDGED] = "unjudged",
                                       [COP_TREE_SILENT] = "silent",
                                       [COP_TREE_WINDY] = "windy",
                                       [COP_TREE_MOVING] = "moving"};
    return kind >= 0 && (size_t)kind < COP_LEN(name) ? name[kind] : NULL;
}
