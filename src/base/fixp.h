/* Bandwidth arithmetic: rates are bit/s at the border and picoseconds per byte, with 16 binary
 * digits after the point (Q16), inside. Serialisation times are rounded up to a whole picosecond,
 * so a link is never faster than configured. */
#ifndef COP_FIXP_H
#define COP_FIXP_H

#include "base/base.h"

typedef uint64_t cop_pace; /* picoseconds per byte, Q16 */

static inline cop_pace cop_pace_of(uint64_t bits_per_second)
{
    unsigned __int128 num = (unsigned __int128)8 * COP_SECOND << 16;
    return (cop_pace)((num + bits_per_second - 1) / bits_per_second);
}

/* Time to move `bytes` at this pace. Exact for paces below 2^40 and packets below 2^24 bytes. */
static inline cop_time cop_wire_time(cop_pace pace, uint64_t bytes)
{
    return (bytes * pace + 0xffff) >> 16;
}

static inline double cop_gbps(uint64_t bytes, cop_time span)
{
    return span ? (double)bytes * 8000.0 / (double)span : 0.0;
}

#endif
