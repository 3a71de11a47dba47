/* Text for Markdown files: paragraphs in lines of at most 100 characters, cells of tables in one line. */
#ifndef COP_STUDY_MARKDOWN_H
#define COP_STUDY_MARKDOWN_H

#include "base/line.h"

typedef cop_line cop_markdown;

void cop_markdown_put(cop_markdown *m, const char *fmt, ...) COP_PRINTF(2, 3);
/* Text in a cell of a table, between a space and " |". */
void cop_markdown_cell(cop_markdown *m, const char *text);
/* A paragraph, or with `head` "* " an item of a list, whose further lines are indented as far. A word
 * that is longer than a line has one of its own. */
void cop_markdown_prose(cop_markdown *m, const char *head, const char *text);

#endif
