/* Fixed-width types, checks and small helpers shared by every folder. Knows nothing of networks. */
#ifndef COP_BASE_H
#define COP_BASE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t cop_time; /* picoseconds since the start of the run; 2^64 ps = 213 days */

#define COP_NEVER UINT64_MAX /* a time that does not come */
#define COP_NONE UINT32_MAX /* an index that points nowhere */
#define COP_NS ((cop_time)1000) /* picoseconds in a nanosecond */
#define COP_US (1000 * COP_NS) /* picoseconds in a microsecond */
#define COP_MS (1000 * COP_US) /* picoseconds in a millisecond */
#define COP_SECOND (1000 * COP_MS) /* picoseconds in a second */

#define COP_MAX_VL 16 /* virtual lanes of one link (InfiniBand's limit) */
#define COP_MAX_CAND 128 /* alternatives one routing decision may offer: 16 lanes of 8 directions */
#define COP_MAX_PORTS 512 /* ports of one switch */

#define COP_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define COP_LIKELY(x) __builtin_expect(!!(x), 1)
#define COP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Functions declared between these two are visible to plug-ins that are compiled outside
 * (exp/plugin.h); all others are hidden. */
#define COP_OUTSIDE_BEGIN _Pragma("GCC visibility push(default)")
#define COP_OUTSIDE_END _Pragma("GCC visibility pop")

COP_OUTSIDE_BEGIN
/* A broken invariant is a bug of the simulator, never of the user: print the place and stop. */
_Noreturn void cop_panic(const char *file, int line, const char *what);
COP_OUTSIDE_END
/* A plug-in breaks a rule of its family while the network runs, which cannot continue: prints the
 * plug-in, and what would be right. */
_Noreturn void cop_misused(const char *family, const char *name, const char *what);
#define COP_CHECK(cond) (COP_LIKELY(cond) ? (void)0 : cop_panic(__FILE__, __LINE__, #cond))
#ifdef NDEBUG
#define COP_ASSERT(cond) ((void)0)
#else
#define COP_ASSERT(cond) COP_CHECK(cond)
#endif

static inline uint64_t cop_min64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t cop_max64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Of two values of a counter that wraps at 2^32: is `a` the later one? They are less than 2^31
 * apart. */
static inline bool cop_counts_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

#endif
