/* Private to src/report and its tests.
 *
 * The document is one JSON object:
 *   version, database, date      date: of the newest result
 *   experiments                  the studies, with verdicts, figures, points
 *   runs                         runs of no experiment, oldest first; the newest have figures
 * JSON inside the file appears parsed. */
#ifndef COP_REPORT_INT_H
#define COP_REPORT_INT_H

#include "report/report.h"
#include "store/browse.h"

#include <jansson.h>

/* Runs of no experiment that get figures, at most: pages stay readable. */
#define COP_REPORT_DRAWN_RUNS 24

/* For each element v, number i, of a JSON array; none if it is no array. */
#define COP_EACH(array, i, v) for ((i) = 0; ((v) = json_array_get((array), (i))) != NULL; (i)++)

struct cop_report {
    json_t *doc; /* owned */
};

/* Text from a file, made valid UTF-8: bytes that are not become U+FFFD. */
json_t *cop_report_string(const char *text);
/* NaN and infinities become null. */
json_t *cop_report_real(double v);
json_t *cop_report_cell(const cop_cell *c);
/* The cell of this name, or one that is NULL. */
cop_cell cop_report_column(const cop_cell *cells, size_t n, const char *name);
/* A member as text, "" if it is missing or no text. Owned by the object. */
const char *cop_report_get(const json_t *object, const char *key);

/* Add `figures` and `scalars` to the run's object. */
int cop_report_draw_run(cop_store *s, json_t *run, cop_err *err);

/* The network of a run, with all that is stored of it, in place of what figure f has; nothing changes
 * if the run is gone. */
int cop_report_run_network(cop_store *s, int64_t id, const char *config, json_t *f, cop_err *err);

/* Write a file whole or not at all: `write` fills a stream, then the file gets its name. */
typedef void (*cop_report_write_fn)(const void *what, FILE *out);
int cop_report_save(const char *path, cop_report_write_fn write, const void *what, cop_err *err);

/* The numbers of a figure (JSON of docs/RESULTS.md) as a table of at most `width` columns. */
/* Is value k of a series, or cell k of a heat map, one of runs that were not steady? */
bool cop_report_unsteady(const json_t *series, size_t k);
void cop_report_figure_text(const json_t *figure, FILE *out, unsigned width);
void cop_report_csv_figure(const void *figure, FILE *out); /* a json_t */
void cop_report_csv_verdicts(const void *doc, FILE *out); /* a json_t */
/* Calls fn for every verdict of the document. */
void cop_report_each_verdict(const json_t *doc,
                             void (*fn)(void *user, const json_t *experiment, const json_t *v),
                             void *user);

/* The page's parts, put into the program by assets.S. They end with a zero byte. */
extern const char cop_report_page[], cop_report_css[], cop_report_script[];
extern const char cop_live_page[], cop_live_script[];
extern const char cop_report_licences[]; /* HTML text */

#endif
