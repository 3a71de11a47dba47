/* How a simulation ends. Not an error: a result that is stored and shown. */
#ifndef COP_OUTCOME_H
#define COP_OUTCOME_H

enum cop_outcome {
    COP_OUTCOME_OK, /* ran to its end */
    COP_OUTCOME_DEADLOCK, /* packets wait for each other in a cycle */
    COP_OUTCOME_LOSS, /* a buffer overflowed (only with flow_control.unsafe) */
    COP_OUTCOME_BROKEN, /* an invariant does not hold: a bug, `detail` names the place */
    COP_OUTCOME_FAILED, /* could not be simulated, or the program died of it: no result */
};

#endif
