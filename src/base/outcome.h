/* How a simulation ends. Not an error: a result that is stored and shown. */
#ifndef COP_OUTCOME_H
#define COP_OUTCOME_H

enum cop_outcome {
    COP_OUTCOME_OK, /* ran to its end */
    COP_OUTCOME_DEADLOCK, /* packets wait for each other in a cycle */
    COP_OUTCOME_LOSS, /* a buffer overflowed (only with flow_control.unsafe) */
    COP_OUTCOME_BROKEN, /* an invariant does not hold: a bug, `detail` names the place */
    COP_OUTCOME_FAILED, /* could not be simulated, or the program died of it: no result */
    COP_OUTCOME_STARVED, /* messages wait for a congestion control that will never release them */
    COP_OUTCOME_STUCK, /* a job waits for a message that will never come */
};

/* "ok", "deadlock", ... as results and databases have it; NULL if there is no such outcome. */
const char *cop_outcome_name(int outcome);
/* The outcome of that name; COP_OUTCOME_BROKEN if there is none. */
enum cop_outcome cop_outcome_of(const char *name);

#endif
