/* A number that a plug-in shows: its name and unit, for results and run.observe. */
#ifndef COP_VALUE_H
#define COP_VALUE_H

typedef struct cop_value {
    const char *name, *unit;
} cop_value;

#endif
