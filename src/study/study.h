/* A study: many runs from one file, with checks and figures. experiments/NAME.yaml holds one
 * study per published figure or table; users write their own for sweeps. docs/EXPERIMENTS.md
 * explains the format.
 *
 *   read*.c      YAML -> cop_study           plan.c      cop_study -> points (configurations)
 *   pool.c       points -> runs in the database, all cores (worker.c: one of them)
 *   evaluate.c   runs -> values, verdicts, figures (expressions in Lua; metrics/)
 */
#ifndef COP_STUDY_H
#define COP_STUDY_H

#include "exp/ledger.h"

/* A Lua expression and where it stands. */
typedef struct cop_expr {
    const char *text, *where;
} cop_expr;

/* The place of a setting in the file, for faults. */
typedef struct cop_setting {
    const char *text; /* "key.path=value", one that is in a list of settings */
    const char *where;
    struct cop_setting *next;
} cop_setting;

/* One value of an axis: what it is called and which options it sets. */
typedef struct cop_case {
    const char *label;
    double number; /* of the label's first word, in the axis's unit; NaN if it is none */
    const char **set; /* "key.path=value" */
    size_t n_set;
} cop_case;

typedef struct cop_axis {
    const char *name;
    const char *unit; /* of the numbers; "": none */
    cop_case *value;
    size_t n_values;
    cop_case *absent; /* values of the other scale */
    size_t n_absent;
} cop_axis;

/* Combinations of a block that are not run, and why: those whose value of each axis is hit. */
typedef struct cop_gap {
    const char *why;
    const bool **hit; /* [n_axes][n_values]; NULL: every value of this axis */
} cop_gap;

/* Runs under one name: common settings and a product of axes, but for what is left out. */
typedef struct cop_block {
    const char *name, *where;
    const char **set;
    size_t n_set;
    cop_axis *axis;
    size_t n_axes;
    cop_gap *gap;
    size_t n_gaps;
} cop_block;

/* Why the combination of these values (index per axis) is left out; NULL: it is run. */
const char *cop_block_gap(const cop_block *b, const uint32_t *value);

typedef struct cop_let {
    const char *name;
    cop_expr of;
} cop_let;

enum cop_rule {
    COP_RULE_BAND, /* low <= value <= high */
    COP_RULE_SIGN, /* a margin of 2 %, or beyond the confidence interval over five seeds */
    COP_RULE_SHOWN, /* measured, not judged */
};

/* One measured number of a check and what it must be. */
typedef struct cop_item {
    const char *what;
    cop_expr of;
    enum cop_rule rule;
    double value, low, high; /* as in cop_band */
    bool own; /* the study says what it must be, not the ledger */
} cop_item;

typedef struct cop_check {
    const char *id, *where;
    const cop_claim *claim; /* NULL: a check of the user's own */
    const cop_paper *paper;
    const char *metric, *explain, *note; /* "" where there is none */
    bool full_only; /* means nothing at quick scale */
    bool average; /* judged on the mean of the runs of all seeds, as the study's */
    cop_item *item;
    size_t n_items;
} cop_check;

typedef struct cop_label {
    const char *label, *unit;
    bool log;
    double min, max; /* NaN: as the data */
} cop_label;

typedef struct cop_curve {
    const char *name; /* may hold {s} */
    cop_expr of;
    const char *over_series; /* axis that gives one curve per value as `s`; NULL */
    bool dash;
    /* columns of a ranking */
    const char *unit, *better; /* "high", "low", or "" if neither is */
    bool log;
} cop_curve;

/* Rows of a ranking that belong together. */
typedef struct cop_group {
    const char *name, **row;
    size_t n_rows;
} cop_group;

/* Values of the source, drawn beside those of a figure. */
typedef struct cop_mark_expected {
    const char *name;
    const char *category; /* bars */
    cop_expr from, to; /* x, as its length may depend on the scale; no text: open */
    double value, low, high; /* NaN: open */
    double (*points)[2]; /* or a curve read from the source */
    size_t n_points;
    double tolerance; /* of the points, relative */
} cop_mark_expected;

typedef struct cop_figure {
    const char *name, *title, *kind, *note, *where;
    cop_label x, y, z;
    const char *over[2]; /* axes of x (and y, heat maps) */
    const char *tabs,
        *rank; /* ranking: axis with a table for each value `s`; column that orders the rows */
    cop_group *group;
    size_t n_groups;
    const char **category; /* bars */
    const char **column; /* tables */
    const char **check; /* ids */
    size_t n_categories, n_columns, n_checks;
    cop_curve *curve;
    size_t n_curves;
    cop_mark_expected *expected;
    size_t n_expected;
    bool stack;
} cop_figure;

typedef struct cop_choice {
    const char *what, *why;
} cop_choice;

typedef struct cop_study {
    cop_arena arena; /* owns everything below */
    const char *file, *name, *title, *paper, *about;
    const char *scale; /* "quick" or "full" */
    const char *base; /* configuration file */
    const struct cop_plugin_set *plugins; /* from outside, for all its runs; or NULL */
    uint64_t inputs; /* hash of the study file and of its base */
    cop_choice *choice;
    size_t n_choices;
    const char **set;
    size_t n_set;
    cop_setting *setting; /* all that the file has, in no order */
    int64_t *seed;
    size_t n_seeds;
    bool
        average; /* expressions of checks and curves over time see the mean of the runs of all seeds */
    cop_block *block;
    size_t n_blocks;
    cop_block *absent; /* blocks of the other scale: expressions may use their names and axes */
    size_t n_absent;
    cop_let *let;
    size_t n_lets;
    cop_check *check;
    size_t n_checks;
    cop_figure *figure;
    size_t n_figures;
} cop_study;

/* Read FILE for a scale. With a ledger, checks are looked up there and an unknown id is a fault.
 * All faults are in err, each with file and line; on failure nothing is left to free. */
int cop_study_load(cop_study *s, const char *file, const char *scale, const cop_ledger *ledger,
                   cop_err *err);
void cop_study_free(cop_study *s);

/* One run to be made: a block, one value of each of its axes, a seed. */
typedef struct cop_point {
    const cop_block *block;
    uint32_t value[8]; /* index per axis of the block */
    int64_t seed;
    const char *label, *axes; /* for people; JSON */
    const char *base; /* configuration file: the study's, unless a setting `base` names another */
    const char **set; /* all overrides in order, NULL at the end */
    size_t n_set;
    uint64_t config_hash;
    int64_t run_id; /* 0: not run yet */
    int64_t failed_id; /* a failed run that is to be made again; 0: none */
    int outcome; /* enum cop_outcome of the run */
    const char *detail; /* first line of what it says about a bad end; NULL: nothing */
    const char *behaviour; /* of the program that made it; NULL: not run yet */
} cop_point;

typedef struct cop_plan {
    const cop_study *study;
    cop_arena *arena; /* of the study */
    cop_point *point; /* grouped by seed, then block; in the study's arena */
    size_t n_points, per_seed;
    uint32_t
        *place; /* of each combination of each block, in order: its point among those of a seed;
                        COP_NONE: it is left out */
    const char *config; /* effective configuration of the first point */
} cop_plan;

/* Expand the axes and check every configuration, so that a mistake shows before hours of work. */
int cop_plan_make(cop_plan *p, cop_study *s, cop_err *err);
/* The point of this block and these axis values (index) with seed number `seed`; NULL if none, as
 * for what is left out. */
cop_point *cop_plan_find(const cop_plan *p, const cop_block *b, const uint32_t *value, size_t seed);

#endif
