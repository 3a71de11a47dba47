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
/* All comments of a text that way, its other lines as they are. */
void cop_wrap_comments(FILE *out, const char *text);
/* A configuration: comments that way, and lists, maps and quoted text go on below where YAML lets them. */
void cop_wrap_yaml(FILE *out, const char *text);

#endif
