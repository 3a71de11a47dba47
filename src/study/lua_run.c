/* Runs as Lua values, and the raw questions they answer.
 *
 * A run is a userdata with the number of its point; its result is read from the database when first
 * asked for. Metrics of metrics/ are found through the registry. In a rehearsal rehearsal.c
 * answers instead. */
#include "study/lua_int.h"

#include "base/opt.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUN_TYPE "coppice.run"
#define MAX_METRICS 128
#define MAX_LOADED_BYTES ((size_t)512 << 20)

typedef struct lua_run {
    size_t point;
    bool mean; /* of the seeds looked at; the point is that of the first */
} lua_run;

bool cop_lua_is_run(cop_eval *e, int index)
{
    return luaL_testudata(e->L, index, RUN_TYPE) != NULL;
}

/* -- results -- */

static const char *outcome_word(int outcome)
{
    const char *name = cop_outcome_name(outcome);
    return name ? name : "missing";
}

int cop_lua_refuse(lua_State *L, enum cop_eval_status status, const char *what, const char *label)
{
    cop_lua_eval(L)->status = status;
    return luaL_error(L, "run `%s` %s", label, what);
}

/* A result is used during one question only, so all can be freed when memory runs short. */
static void make_room(cop_eval *e)
{
    if (e->bytes < MAX_LOADED_BYTES)
        return;
    for (size_t i = 0; i < e->plan->n_points; i++)
        if (e->loaded[i]) {
            cop_arena_free(&e->result[i].arena);
            e->loaded[i] = false;
        }
    e->bytes = 0;
}

static const cop_result *load(cop_eval *e, size_t at, cop_err *err)
{
    if (!e->loaded[at]) {
        make_room(e);
        if (cop_store_load(e->store, e->plan->point[at].run_id, &e->result[at], err) <= 0)
            return NULL;
        e->loaded[at] = true;
        e->bytes += e->result[at].arena.size + e->result[at].arena.total;
    }
    return &e->result[at];
}

const cop_result *cop_lua_result(cop_eval *e, int index)
{
    const lua_run *run = luaL_testudata(e->L, index, RUN_TYPE);
    const cop_point *p = run ? &e->plan->point[run->point] : NULL;
    e->shown = p ? p->run_id : 0;
    return p && p->run_id > 0 && p->outcome == COP_OUTCOME_OK ? load(e, run->point, NULL) : NULL;
}

static bool is_steady(const cop_result *r)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (r->scalar[i].value > 0.0 && (strcmp(r->scalar[i].name, "saturated") == 0 ||
                                         strcmp(r->scalar[i].name, "packets_piled_up") == 0))
            return false;
    return true;
}

/* The result of the run that is argument 1; raises an error if there is none. */
static const cop_result *result_of(lua_State *L)
{
    cop_eval *e = cop_lua_eval(L);
    const lua_run *run = luaL_checkudata(L, 1, RUN_TYPE);
    const cop_point *p = &e->plan->point[run->point];
    cop_err err = {0};
    if (p->run_id <= 0)
        cop_lua_refuse(L, COP_EVAL_NO_RUN, "has not been made", p->label);
    if (p->outcome != COP_OUTCOME_OK)
        cop_lua_refuse(L, COP_EVAL_NO_RESULT, outcome_word(p->outcome), p->label);
    const cop_result *r = load(e, run->point, &err);
    if (r == NULL)
        cop_lua_refuse(L, COP_EVAL_NO_RUN, err.text[0] ? err.text : "is not in the database",
                       p->label);
    if (e->steady[run->point] == 0)
        e->steady[run->point] = is_steady(r) ? 1 : -1;
    e->unsteady |= e->steady[run->point] < 0;
    return r;
}

static void set_number(lua_State *L, const char *key, double v)
{
    lua_pushnumber(L, v);
    lua_setfield(L, -2, key);
}

static void set_text(lua_State *L, const char *key, const char *v)
{
    lua_pushstring(L, v);
    lua_setfield(L, -2, key);
}

/* A list for n items. The number is a hint, and comes from a file. */
static void push_list(lua_State *L, uint32_t n, int fields)
{
    lua_createtable(L, n < (1u << 20) ? (int)n : 1 << 20, fields);
}

static const cop_series *find_series(const cop_result *r, const char *name)
{
    char full[256];
    snprintf(full, sizeof(full), "throughput/%s", name);
    for (uint32_t i = 0; i < r->n_series; i++)
        if (strcmp(r->series[i].name, name) == 0 || strcmp(r->series[i].name, full) == 0)
            return &r->series[i];
    return NULL;
}

static int no_such_series(lua_State *L, const cop_result *r, const char *name)
{
    /* Lua's memory: what follows may raise an error. */
    const char **names =
        lua_newuserdatauv(L, cop_product((size_t)r->n_series + 1, sizeof(*names)), 0);
    for (uint32_t i = 0; i < r->n_series; i++)
        names[i] = r->series[i].name;
    const char *near = cop_nearest(name, names, r->n_series);
    const char *all = strstr(name, "/all");
    if (all && near && strncmp(name, "throughput/", 11) != 0 &&
        strncmp(near, name, (size_t)(all - name) + 1) == 0) /* run.observe takes it */
        return luaL_error(L, "no series `%s`; `all` made one for each, as %s", name, near);
    return luaL_error(L, "no series `%s`%s%s", name, near ? "; did you mean " : "",
                      near ? near : "");
}

/* Small runs keep a series per stream: is this one of a stream of the named traffic entry? */
static bool is_stream_of(const cop_series *s, const char *entry)
{
    static const char prefix[] = "throughput/";
    size_t n = sizeof(prefix) - 1, length = strlen(entry);
    return strncmp(s->name, prefix, n) == 0 && strncmp(s->name + n, entry, length) == 0 &&
           s->name[n + length] == '/';
}

/* In ns; 0: the run file has no `units`. */
static double cycle_of(const cop_result *r)
{
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, "units.cycle_ns") == 0)
            return r->scalar[i].value;
    return 0.0;
}

/* The series of that name, or all streams of that traffic entry together. */
static int run_series(lua_State *L)
{
    const cop_result *r = result_of(L);
    const char *name = luaL_checkstring(L, 2);
    cop_sandbox_charge(L, r->n_series / 4);
    const cop_series *s = find_series(r, name);
    bool whole = s != NULL;
    for (uint32_t i = 0; s == NULL && i < r->n_series; i++)
        s = is_stream_of(&r->series[i], name) ? &r->series[i] : NULL;
    if (s == NULL)
        return no_such_series(L, r, name);
    if (!whole)
        cop_sandbox_charge(L, (uint64_t)s->n * r->n_series / 4);
    push_list(L, s->n, 2);
    for (uint32_t i = 0; i < s->n; i++) {
        double v = whole ? s->v[i] : 0.0;
        for (uint32_t k = 0; !whole && k < r->n_series; k++)
            if (i < r->series[k].n && is_stream_of(&r->series[k], name))
                v += r->series[k].v[i];
        lua_pushnumber(L, v);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    set_number(L, "dt", (double)r->sample * 1e-12);
    double cycle_ns = cycle_of(r);
    if (cycle_ns > 0.0)
        set_number(L, "cycles", (double)r->sample * 1e-3 / cycle_ns);
    set_text(L, "unit", s->unit);
    return 1;
}

static int run_scalar(lua_State *L)
{
    const cop_result *r = result_of(L);
    const char *name = luaL_checkstring(L, 2);
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strcmp(r->scalar[i].name, name) == 0) {
            if (isnan(r->scalar[i].value)) {
                cop_lua_eval(L)->status = COP_EVAL_NO_RESULT;
                return luaL_error(L, "scalar `%s` has no value in this run", name);
            }
            lua_pushnumber(L, r->scalar[i].value);
            return 1;
        }
    return luaL_error(L, "no scalar `%s`", name);
}

/* {name = value} of all scalars that begin so. */
static int run_scalars(lua_State *L)
{
    const cop_result *r = result_of(L);
    size_t n;
    const char *prefix = luaL_checklstring(L, 2, &n);
    cop_sandbox_charge(L, r->n_scalars / 4);
    lua_newtable(L);
    for (uint32_t i = 0; i < r->n_scalars; i++)
        if (strncmp(r->scalar[i].name, prefix, n) == 0 && !isnan(r->scalar[i].value))
            set_number(L, r->scalar[i].name, r->scalar[i].value);
    return 1;
}

static int run_streams(lua_State *L)
{
    const cop_result *r = result_of(L);
    push_list(L, r->n_streams, 0);
    for (uint32_t i = 0; i < r->n_streams; i++) {
        const cop_stream_result *s = &r->stream[i];
        lua_createtable(L, 0, 8);
        set_text(L, "entry", s->entry);
        lua_pushinteger(L, s->host);
        lua_setfield(L, -2, "host");
        if (s->dst != COP_NONE) {
            lua_pushinteger(L, s->dst);
            lua_setfield(L, -2, "dst");
        }
        set_number(L, "gbps", s->gbps);
        set_number(L, "latency_ns", s->latency_mean_ns);
        set_number(L, "packets", (double)s->packets);
        set_number(L, "sent_bytes", (double)s->sent_bytes);
        set_number(L, "delivered_bytes", (double)s->delivered_bytes);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int run_nodes(lua_State *L)
{
    const cop_result *r = result_of(L);
    push_list(L, r->n_nodes, 0);
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        const cop_node_result *n = &r->node[i];
        lua_createtable(L, 0, 6);
        set_text(L, "name", n->name);
        set_number(L, "sent_gbps", n->sent_gbps);
        set_number(L, "received_gbps", n->received_gbps);
        set_number(L, "hotspot", n->hotspot);
        set_text(L, "role", n->role);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int run_ports(lua_State *L)
{
    const cop_result *r = result_of(L);
    push_list(L, r->n_ports, 0);
    for (uint32_t i = 0; i < r->n_ports; i++) {
        const cop_port_result *p = &r->port[i];
        lua_createtable(L, 0, 5);
        set_text(L, "name", p->name);
        set_text(L, "to", p->to);
        set_number(L, "utilisation", p->utilisation);
        set_number(L, "mean_queue_bytes", p->mean_queue_bytes);
        set_number(L, "max_queue_bytes", (double)p->max_queue_bytes);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int run_flows(lua_State *L)
{
    const cop_result *r = result_of(L);
    push_list(L, r->n_flows, 0);
    for (uint32_t i = 0; i < r->n_flows; i++) {
        lua_createtable(L, 0, 4);
        set_number(L, "src", r->flow[i].src);
        set_number(L, "dst", r->flow[i].dst);
        set_number(L, "packets", (double)r->flow[i].packets);
        set_number(L, "bytes", (double)r->flow[i].bytes);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* A value that does not exist is no field. */
static void set_known(lua_State *L, const char *key, double v)
{
    if (!isnan(v))
        set_number(L, key, v);
}

static int run_trees(lua_State *L)
{
    const cop_result *r = result_of(L);
    if (!r->trees_asked)
        return luaL_error(L, "this run did not look for trees; set run.trees to yes");
    push_list(L, r->n_trees, 0);
    for (uint32_t i = 0; i < r->n_trees; i++) {
        const cop_tree_result *t = &r->tree[i];
        uint32_t root = t->root[t->n_roots - 1].port;
        lua_createtable(L, 0, 18);
        set_text(L, "root", root < r->n_ports ? r->port[root].name : "");
        set_text(L, "to", root < r->n_ports ? r->port[root].to : "");
        set_text(L, "kind", cop_tree_kind_name((int)t->kind));
        set_number(L, "number", i + 1);
        set_number(L, "begin", (double)t->begin * 1e-12);
        set_number(L, "finish", (double)t->end * 1e-12);
        set_number(L, "samples", t->samples);
        set_number(L, "links", t->links);
        set_number(L, "depth", t->depth);
        if (t->counted) {
            set_number(L, "contributors", t->contributors);
            set_number(L, "victims", (double)t->victims);
        }
        set_known(L, "loss", t->loss);
        set_number(L, "bytes_mean", t->bytes_mean);
        set_number(L, "bytes_max", (double)t->bytes_max);
        set_known(L, "similarity", t->similarity);
        set_known(L, "overlap", t->overlap);
        set_known(L, "contributor_overlap", t->contributor_overlap);
        set_number(L, "moves", t->n_roots - 1);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

typedef struct branch {
    uint32_t samples, depth, bytes; /* at the last sample; most */
} branch;

/* Ports of a tree over its life, in order of their numbers. */
static int run_branches(lua_State *L)
{
    const cop_result *r = result_of(L);
    lua_Integer number = luaL_checkinteger(L, 2), n = 0;
    uint32_t samples = 0;
    branch *port = lua_newuserdatauv(L, cop_product((size_t)r->n_ports + 1, sizeof(*port)), 0);
    memset(port, 0, ((size_t)r->n_ports + 1) * sizeof(*port));
    for (uint32_t i = 0; i < r->n_tree_frames; i++) {
        const cop_tree_frame *f = &r->tree_frame[i];
        if (f->tree + 1 != number || f->n_members == 0)
            continue;
        samples++;
        cop_sandbox_charge(L, f->n_members / 4);
        for (uint32_t k = 0; k < f->n_members; k++) {
            const cop_tree_member *m = &f->member[k];
            if (m->port >= r->n_ports)
                continue;
            branch *b = &port[m->port];
            *b = (branch){b->samples + 1, m->depth, m->bytes > b->bytes ? m->bytes : b->bytes};
        }
    }
    push_list(L, 0, 0);
    for (uint32_t p = 0; p < r->n_ports; p++) {
        if (port[p].samples == 0)
            continue;
        lua_createtable(L, 0, 4);
        lua_pushfstring(L, "%s > %s", r->port[p].name, r->port[p].to);
        lua_setfield(L, -2, "port");
        set_number(L, "depth", port[p].depth);
        set_number(L, "bytes", port[p].bytes);
        set_number(L, "share", (double)port[p].samples / samples);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

static int run_info(lua_State *L)
{
    const cop_result *r = result_of(L);
    lua_createtable(L, 0, 8);
    set_number(L, "hosts", r->n_hosts);
    set_number(L, "switches", r->n_switches);
    set_number(L, "sim_time", (double)r->sim_time * 1e-12);
    set_number(L, "warmup", (double)r->warmup * 1e-12);
    set_number(L, "sample", (double)r->sample * 1e-12);
    set_number(L, "cpu_seconds", r->cpu_seconds);
    set_number(L, "packet_hops", (double)r->packet_hops);
    set_number(L, "events", (double)r->events);
    return 1;
}

/* Found once per run: tables ask for it again and again. */
static int run_farthest_switches(lua_State *L)
{
    cop_eval *e = cop_lua_eval(L);
    const lua_run *run = luaL_checkudata(L, 1, RUN_TYPE);
    const cop_result *r = result_of(L);
    double *known = &e->diameter[run->point];
    if (isnan(*known))
        *known = cop_lua_diameter(L, r);
    lua_pushnumber(L, *known);
    return 1;
}

/* How the run ended, also without a result: "ok", "deadlock", "failed", ... */
static int run_outcome(lua_State *L)
{
    cop_eval *e = cop_lua_eval(L);
    const lua_run *run = luaL_checkudata(L, 1, RUN_TYPE);
    const cop_point *p = &e->plan->point[run->point];
    if (p->run_id <= 0)
        return cop_lua_refuse(L, COP_EVAL_NO_RUN, "has not been made", p->label);
    lua_pushstring(L, outcome_word(p->outcome));
    return 1;
}

/* -- the questions -- */

static const struct {
    const char *name;
    lua_CFunction fn;
} questions[] = {
    {"series", run_series},     {"scalar", run_scalar},
    {"scalars", run_scalars},   {"streams", run_streams},
    {"nodes", run_nodes},       {"ports", run_ports},
    {"flows", run_flows},       {"info", run_info},
    {"outcome", run_outcome},   {"trees", run_trees},
    {"branches", run_branches}, {"farthest_switches", run_farthest_switches},
};

static int unknown_question(lua_State *L, const char *name)
{
    const char *names[MAX_METRICS + COP_LEN(questions)];
    size_t n = 0;
    for (size_t i = 0; i < COP_LEN(questions); i++)
        names[n++] = questions[i].name;
    /* In the order of the catalogue, so that the same one is proposed each time. */
    lua_getfield(L, LUA_REGISTRYINDEX, "metric_list");
    for (lua_Integer i = 1; n < COP_LEN(names) && lua_rawgeti(L, -1, i) == LUA_TTABLE; i++) {
        lua_getfield(L, -1, "name");
        names[n++] = lua_tostring(L, -1); /* the catalogue keeps it */
        lua_pop(L, 2);
    }
    const char *near = cop_nearest(name, names, n);
    return luaL_error(L, "unknown metric `%s`; %s%s", name,
                      near ? "did you mean " : "see `coppice list metrics`", near ? near : "");
}

/* run.name: a raw question, a metric, or a mistake. */
static int run_index(lua_State *L)
{
    const char *name = luaL_checkstring(L, 2);
    bool rehearsal = cop_lua_eval(L)->store == NULL;
    if (((const lua_run *)luaL_checkudata(L, 1, RUN_TYPE))->mean) {
        cop_lua_push_mean(L, name);
        return 1;
    }
    for (size_t i = 0; i < COP_LEN(questions); i++)
        if (strcmp(name, questions[i].name) == 0) {
            lua_pushstring(L, name);
            lua_pushboolean(L, false);
            lua_pushnil(L);
            lua_pushcclosure(L, rehearsal ? cop_lua_rehearsed : questions[i].fn, 3);
            return 1;
        }
    lua_getfield(L, LUA_REGISTRYINDEX, "metric_by_name");
    if (lua_getfield(L, -1, name) != LUA_TTABLE)
        return unknown_question(L, name);
    if (rehearsal) {
        lua_pushstring(L, name);
        lua_pushboolean(L, lua_getfield(L, -2, "returns") == LUA_TSTRING);
        lua_remove(L, -2);
        lua_getfield(L, -3, "rehearse");
        lua_pushcclosure(L, cop_lua_rehearsed, 3);
        return 1;
    }
    lua_getfield(L, -1, "of");
    return 1;
}

void cop_lua_push_run(lua_State *L, size_t point, bool mean)
{
    lua_run *run = lua_newuserdatauv(L, sizeof(*run), 0);
    *run = (lua_run){point, mean};
    luaL_setmetatable(L, RUN_TYPE);
}

size_t cop_lua_point(lua_State *L, int index)
{
    return ((const lua_run *)luaL_checkudata(L, index, RUN_TYPE))->point;
}

void cop_lua_add_run_type(lua_State *L)
{
    luaL_newmetatable(L, RUN_TYPE);
    lua_pushcfunction(L, run_index);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}
