/* Text for terminals of 80 columns: lines that are longer go on below, under where their text begins. */
#ifndef COP_CLI_WRAP_H
#define COP_CLI_WRAP_H

#include <stdio.h>

/* Lines of help. What does not fit goes on in the next line of the same paragraph or description. */
void cop_wrap_lines(FILE *out, const char *text);
/* `head`, and from `column` on `text`, with a line break at the end. */
void cop_wrap_item(FILE *out, const char *head, int column, const char *text);

/* n bytes as a comment of a configuration, `# ` in front unless it is there; what does not fit stands indented below. */
void cop_wrap_comment(FILE *out, const char *text, size_t n);

#endif
