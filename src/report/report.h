/* Reports of a result file: one HTML page, CSV files, a table in a terminal.
 *
 * cop_report_read makes one document of the whole file; the writers only show it. The document
 * depends on the file alone, not on the clock or the machine, so the same file gives the same page.
 * docs/REPORT.md describes what is shown and the figures an experiment may store. */
#ifndef COP_REPORT_H
#define COP_REPORT_H

#include "base/err.h"

#include <stdio.h>

typedef struct cop_report cop_report;

typedef struct cop_report_size {
    size_t experiments, checks, failed, figures, runs;
} cop_report_size;

/* On a fault *r is NULL and err has one line. `version` is that of coppice. */
int cop_report_read(cop_report **r, const char *db_path, const char *version, cop_err *err);
void cop_report_free(cop_report *r);
cop_report_size cop_report_count(const cop_report *r);

/* The page, complete in one file. The stream keeps its error flag if it could not be written. */
void cop_report_html(const cop_report *r, FILE *out);
/* The page of a run that goes on: no data in it, it asks for them over a WebSocket. */
void cop_report_live_page(FILE *out);
/* The kind of topology in a configuration as it is printed, so many characters; NULL: none is named. */
const char *cop_report_topology(const char *config, size_t *length);
/* Experiments and verdicts in columns, at most `width` wide. */
void cop_report_text(const cop_report *r, FILE *out, bool colour, unsigned width);

/* The numbers of one figure, given as its JSON, in columns. Nothing if it is over time or a network. */
void cop_report_spec_text(const char *spec, FILE *out, unsigned width);
/* The same of a ranking; nothing if the figure is none. */
void cop_report_ranking_text(const char *spec, FILE *out, unsigned width);

/* The page in a file, all of it or none: an older file of that name stays until the new one is
 * whole. */
int cop_report_save_html(const cop_report *r, const char *path, cop_err *err);
/* verdicts.csv and one file per figure; the folder is made if need be. */
int cop_report_save_csv(const cop_report *r, const char *dir, cop_err *err);

#endif
