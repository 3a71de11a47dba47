/* Nodes of a Chakra trace: see chakra.c.
 *
 * A file is messages of protobuf, each behind its length as a varint: first the metadata, then nodes. Nothing is
 * allocated for a length before its bytes are there. Whole numbers are accepted in every form that the schema has. */
#include "app/chakra.h"

#include <chakra.pb-c.h>
#include <string.h>

#define MAX_MESSAGE (1u << 26)

/* -- protobuf -- */

static void *take(void *unused, size_t size)
{
    (void)unused;
    return cop_alloc(size);
}

static void give(void *unused, void *p)
{
    (void)unused;
    cop_free(p);
}

static ProtobufCAllocator allocator(void)
{
    return (ProtobufCAllocator){.alloc = take, .free = give};
}

/* The length of the next message. False: the file ends here. */
static int read_length(cop_source *s, uint64_t *length, bool *end)
{
    uint8_t b;
    *length = 0;
    *end = false;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (!cop_source_byte(s, &b)) {
            *end = shift == 0 && !s->failed;
            return *end ? 0
                        : cop_source_fault_at(s, s->offset,
                                              "the file is cut short here; get the whole file");
        }
        *length |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80))
            return 0;
    }
    return cop_source_fault_at(s, s->offset, "no length of a message; is this a Chakra trace?");
}

static bool whole(const Chakra__Attribute *a, int64_t *v)
{
    switch (a->value_case) {
    case CHAKRA__ATTRIBUTE__VALUE_INT32_VAL:
        *v = a->int32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_INT64_VAL:
        *v = a->int64_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_UINT32_VAL:
        *v = a->uint32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_UINT64_VAL:
        *v = a->uint64_val <= INT64_MAX ? (int64_t)a->uint64_val : INT64_MAX;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SINT32_VAL:
        *v = a->sint32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SINT64_VAL:
        *v = a->sint64_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_FIXED32_VAL:
        *v = a->fixed32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_FIXED64_VAL:
        *v = a->fixed64_val <= INT64_MAX ? (int64_t)a->fixed64_val : INT64_MAX;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SFIXED32_VAL:
        *v = a->sfixed32_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_SFIXED64_VAL:
        *v = a->sfixed64_val;
        return true;
    case CHAKRA__ATTRIBUTE__VALUE_BOOL_VAL:
        *v = a->bool_val;
        return true;
    default:
        return false;
    }
}

/* The whole number `name` of a node; -1: it has none, or one that is no whole number from 0 on. */
static int64_t attribute(const Chakra__Node *n, const char *name)
{
    int64_t v = -1;
    for (size_t i = 0; i < n->n_attr; i++)
        if (strcmp(n->attr[i]->name, name) == 0 && (!whole(n->attr[i], &v) || v < 0))
            return -1;
    return v;
}

static const char *text_attribute(const Chakra__Node *n, const char *name)
{
    for (size_t i = 0; i < n->n_attr; i++)
        if (strcmp(n->attr[i]->name, name) == 0 &&
            n->attr[i]->value_case == CHAKRA__ATTRIBUTE__VALUE_STRING_VAL)
            return n->attr[i]->string_val;
    return "";
}

/* -- nodes -- */

static uint32_t group_of(chakra_reader *r, const char *name)
{
    for (size_t i = 0; i < r->n_groups; i++)
        if (strcmp(r->group[i].name, name) == 0)
            return (uint32_t)i;
    r->group = cop_grow(r->group, &r->group_cap, r->n_groups + 1, sizeof(*r->group));
    size_t length = strlen(name) + 1;
    r->group[r->n_groups] = (chakra_group){.name = cop_alloc(length)};
    memcpy(r->group[r->n_groups].name, name, length);
    return (uint32_t)r->n_groups++;
}

static int missing(chakra_reader *r, uint64_t at, const Chakra__Node *n, const char *what)
{
    return cop_source_fault_at(
        r->s, at, "node %" PRIu64 " has no whole number `%s` that fits; add it", n->id, what);
}

static int read_message(chakra_reader *r, uint64_t at, const Chakra__Node *n, chakra_node *x)
{
    int64_t size = attribute(n, "comm_size"), tag = attribute(n, "comm_tag");
    int64_t peer = attribute(n, n->type == T_SEND ? "comm_dst" : "comm_src");
    if (size < 0 || (uint64_t)size > COP_MESSAGE_MAX_BYTES)
        return missing(r, at, n, "comm_size");
    if (peer < 0 || peer >= COP_GRAPH_MAX_RANKS)
        return missing(r, at, n, n->type == T_SEND ? "comm_dst" : "comm_src");
    x->size = (uint64_t)size;
    x->peer = (uint32_t)peer;
    x->tag = tag < 0 ? 0 : (uint32_t)((uint64_t)tag % CHAKRA_COLL_TAG);
    return 0;
}

static int read_collective(chakra_reader *r, uint64_t at, const Chakra__Node *n, chakra_trace *t,
                           chakra_node *x)
{
    int64_t size = attribute(n, "comm_size"), type = attribute(n, "comm_type");
    int64_t root = attribute(n, "root_rank");
    if (type < 0 || type > 9)
        return missing(r, at, n, "comm_type");
    if (size < 0 && type != 9)
        return missing(r, at, n, "comm_size");
    if (size > INT64_C(1) << 40)
        return missing(r, at, n, "comm_size");
    x->coll_type = (uint8_t)type;
    x->size = size < 0 ? 0 : (uint64_t)size;
    x->peer = root < 0 ? 0 : (uint32_t)(root % COP_GRAPH_MAX_RANKS);
    x->group = group_of(r, text_attribute(n, "pg_name"));
    if (x->group >= t->n_count) {
        t->count = cop_grow(t->count, &t->count_cap, (size_t)x->group + 1, sizeof(*t->count));
        for (; t->n_count <= x->group; t->n_count++)
            t->count[t->n_count] = 0;
    }
    x->nth = t->count[x->group]++;
    return 0;
}

static int keep(chakra_reader *r, uint64_t at, const Chakra__Node *n, chakra_trace *t)
{
    chakra_node x = {
        .id = n->id, .type = (uint8_t)n->type, .dep0 = (uint32_t)t->n_deps, .op = COP_NONE};
    int rc = 0;
    if (n->type < 1 || n->type > T_LAST)
        return cop_source_fault_at(r->s, at, "node %" PRIu64 " of type %d; give 1 to %d", n->id,
                                   n->type, T_LAST);
    r->odd[n->type]++;
    int64_t host = attribute(n, "is_cpu_op");
    x.cpu = host > 0 ? CPU_HOST : CPU_ACCELERATOR;
    if (n->type == T_SEND || n->type == T_RECV) {
        rc = read_message(r, at, n, &x);
    } else if (n->type == T_COLL) {
        rc = read_collective(r, at, n, t, &x);
    } else if (n->type == T_COMP || n->type == T_LOAD || n->type == T_STORE) {
        x.size = n->duration_micros;
        r->untimed += x.size == 0;
        if (x.size > UINT64_C(10000000000))
            rc = cop_source_fault_at(
                r->s, at, "node %" PRIu64 " takes %" PRIu64 " us; give at most 10000000000", n->id,
                x.size);
    }
    if (rc != 0)
        return rc;
    size_t n_deps = n->n_ctrl_deps + n->n_data_deps;
    if (t->n_deps + n_deps >= COP_NONE || t->n >= COP_GRAPH_MAX_OPS)
        return cop_source_fault_at(r->s, at, "too many nodes or dependencies; use a shorter trace");
    t->dep = cop_grow(t->dep, &t->dep_cap, t->n_deps + n_deps, sizeof(*t->dep));
    for (size_t i = 0; i < n->n_ctrl_deps; i++)
        t->dep[t->n_deps++] = n->ctrl_deps[i];
    for (size_t i = 0; i < n->n_data_deps; i++)
        t->dep[t->n_deps++] = n->data_deps[i];
    x.n_deps = (uint32_t)n_deps;
    t->node = cop_grow(t->node, &t->cap, t->n + 1, sizeof(*t->node));
    t->node[t->n++] = x;
    return 0;
}

int chakra_read_file(chakra_reader *r, cop_source *s, chakra_trace *t)
{
    ProtobufCAllocator a = allocator();
    uint8_t *buf = NULL;
    size_t cap = 0;
    int rc = 0;
    r->s = s;
    for (bool first = true; rc == 0; first = false) {
        uint64_t length, at = s->offset;
        bool end;
        rc = read_length(s, &length, &end);
        if (rc != 0 || end)
            break;
        if (length > MAX_MESSAGE) {
            rc = cop_source_fault_at(
                s, at, "a message of %" PRIu64 " bytes; is this a Chakra trace?", length);
            break;
        }
        for (uint64_t got = 0; got < length && rc == 0;) { /* bounded by the file */
            size_t part =
                length - got < COP_SOURCE_PIECE ? (size_t)(length - got) : COP_SOURCE_PIECE;
            buf = cop_grow(buf, &cap, (size_t)got + part, 1);
            if (!cop_source_get(s, buf + got, part))
                rc = cop_source_fault_at(s, s->offset,
                                         "the file is cut short here; get the whole file");
            got += part;
        }
        if (rc != 0 || first) /* the metadata is not used */
            continue;
        Chakra__Node *n =
            chakra__node__unpack(&a, (size_t)length, buf != NULL ? buf : (uint8_t *)"");
        if (n == NULL) {
            rc = cop_source_fault_at(s, at, "no node of a Chakra trace; write the file anew");
            break;
        }
        rc = keep(r, at, n, t);
        chakra__node__free_unpacked(n, &a);
    }
    cop_free(buf);
    return rc;
}
