/* No key of a study file may be given twice in one map: the meaning would be ambiguous. */
#include "study/read.h"

#include <stdlib.h>
#include <string.h>

typedef struct name {
    const char *text;
    size_t at; /* place in the map */
    int node;
} name;

static int by_text(const void *a, const void *b)
{
    const name *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->at < y->at ? -1 : 1;
}

static void check_map(cop_study_reader *r, int map)
{
    size_t n = cop_doc_count(&r->doc, map), found = 0;
    name *names = cop_alloc_array(n, sizeof(*names));
    for (size_t i = 0; i < n; i++) {
        int key, value;
        cop_doc_pair(&r->doc, map, i, &key, &value);
        const char *text = cop_doc_text(&r->doc, key);
        if (text != NULL)
            names[found++] = (name){.text = text, .at = i, .node = key};
    }
    qsort(names, found, sizeof(*names), by_text);
    for (size_t i = 1; i < found; i++)
        if (strcmp(names[i - 1].text, names[i].text) == 0)
            cop_study_fault(r, names[i].node, "`%s` is given twice, first at %s; remove one",
                            names[i].text, cop_study_where(r, names[i - 1].node));
    cop_free(names);
}

void cop_study_check_once(cop_study_reader *r)
{
    for (int node = 1; node <= r->doc.n_file_nodes; node++)
        if (cop_doc_type(&r->doc, node) == COP_NODE_MAP)
            check_map(r, node);
}
