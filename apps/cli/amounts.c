/* Amounts for people. SI: three significant digits and the unit that makes them short. In cycles and flits numbers are
 * written out, without prefixes. */
#include "amounts.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const time_units[] = {"ps", "ns", "us", "ms", "s"};

/* Four digits below a thousand, above all of them. */
static const char *written_out(double v, const char *unit, char *buf, size_t size)
{
    snprintf(buf, size, v < 999.95 ? "%.4g %s" : "%.0f %s", v, unit);
    return buf;
}

const char *cop_short_time(const cop_units_cfg *u, double ps, char *buf, size_t size)
{
    size_t i = 0;
    if (u->cycle_ps > 0)
        return written_out(ps / (double)u->cycle_ps, "cycles", buf, size);
    for (; i + 1 < COP_LEN(time_units) && ps >= 999.5; i++)
        ps /= 1000;
    snprintf(buf, size, "%.3g %s", ps, time_units[i]);
    return buf;
}

const char *cop_short_bytes(const cop_units_cfg *u, double bytes, char *buf, size_t size)
{
    if (u->flit_bytes > 0)
        return written_out(bytes / (double)u->flit_bytes, "flits", buf, size);
    if (bytes < 1024)
        snprintf(buf, size, "%.0f B", bytes);
    else if (bytes < 1048576)
        snprintf(buf, size, "%.1f KiB", bytes / 1024);
    else
        snprintf(buf, size, "%.1f MiB", bytes / 1048576);
    return buf;
}

bool cop_rates_in_flits(const cop_units_cfg *u)
{
    return u->flit_bytes > 0 && u->cycle_ps > 0;
}

double cop_rate_of(const cop_units_cfg *u, double gbps)
{
    return cop_rates_in_flits(u) ? gbps * cop_units_flits_per_cycle(u) : gbps;
}

const char *cop_rate_unit(const cop_units_cfg *u)
{
    return cop_rates_in_flits(u) ? "flit/cycle" : "Gbit/s";
}

const char *cop_grouped(uint64_t v, char *buf, size_t size)
{
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);
    size_t used = 0;
    for (int i = 0; i < n && used + 2 < size; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            buf[used++] = ' ';
        buf[used++] = digits[i];
    }
    buf[used] = '\0';
    return buf;
}
