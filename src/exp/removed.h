/* Options and values of earlier versions, and common mistakes. */
#ifndef COP_EXP_REMOVED_H
#define COP_EXP_REMOVED_H

/* What is to be written instead, as the end of a sentence; NULL: nothing is known. `value` NULL: the option itself is not
 * there. */
const char *cop_removed(const char *section, const char *option, const char *value);

#endif
