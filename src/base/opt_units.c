/* Numbers and quantities as people write them.
 *
 * Role: text to integer picoseconds, bytes and bit/s, and back.
 * Invariants: decimals are read with integer arithmetic, so "13.5 Gbit/s" is 13500000000 exactly;
 * printed text parses to the same value.
 * Simplifications: at most 18 significant digits. A time or size that is not a whole number of
 * picoseconds or bytes is refused; a rate is rounded to the nearest bit/s. */
#include "base/opt.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIGITS 18

typedef struct unit {
    const char *name;
    uint64_t scale; /* stored units in one of these */
} unit;

typedef struct quantity {
    const char *what, *example, *unit_example, *whole; /* whole: NULL = round to nearest */
    const unit *units; /* ends with a NULL name */
} quantity;

static const unit time_units[] = {{"ps", 1},          {"ns", 1000},         {"us", 1000000},
                                  {"ms", 1000000000}, {"s", 1000000000000}, {"\xc2\xb5s", 1000000},
                                  {NULL, 0}};
static const unit byte_units[] = {
    {"B", 1},         {"kB", 1000},          {"KiB", 1024},
    {"MB", 1000000},  {"MiB", 1 << 20},      {"GB", 1000000000},
    {"GiB", 1 << 30}, {"TB", 1000000000000}, {"TiB", (uint64_t)1 << 40},
    {"byte", 1},      {"bytes", 1},          {NULL, 0}};
static const unit rate_units[] = {{"bit/s", 1},
                                  {"kbit/s", 1000},
                                  {"Mbit/s", 1000000},
                                  {"Gbit/s", 1000000000},
                                  {"Tbit/s", 1000000000000},
                                  {"B/s", 8},
                                  {"kB/s", 8000},
                                  {"MB/s", 8000000},
                                  {"GB/s", 8000000000},
                                  {"TB/s", 8000000000000},
                                  {NULL, 0}};

/* Forms of rates in other programs; there bits and bytes differ by a letter's case, so they are
 * refused. */
static const char *const bit_forms[][2] = {
    {"bps", "bit/s"},   {"kbps", "kbit/s"}, {"Mbps", "Mbit/s"}, {"Gbps", "Gbit/s"},
    {"Tbps", "Tbit/s"}, {"Mb/s", "Mbit/s"}, {"Gb/s", "Gbit/s"}, {"Tb/s", "Tbit/s"}};

static const quantity time_quantity = {"time", "100 ns", "ns", "picoseconds", time_units};
static const quantity byte_quantity = {"size", "64 KiB", "B", "bytes", byte_units};
static const quantity rate_quantity = {"rate", "20 Gbit/s", "Gbit/s", NULL, rate_units};

/* mantissa * 10^exponent */
typedef struct decimal {
    uint64_t mantissa;
    int exponent;
} decimal;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/* Reads digits[.digits][e[+-]digits]. Returns the first character after it; NULL if there is no
 * number; *d is unset and *too_long true if it has more digits than can be kept. */
static const char *scan_decimal(const char *s, decimal *d, bool *too_long)
{
    *d = (decimal){0};
    *too_long = false;
    int kept = 0, zeros = 0, seen = 0;
    bool point = false;
    for (; is_digit(*s) || (*s == '.' && !point); s++) {
        if (*s == '.') {
            point = true;
            continue;
        }
        seen++;
        d->exponent -= point;
        if (*s == '0') { /* trailing zeros carry no information: count them until a digit follows */
            zeros += kept > 0;
            d->exponent += kept == 0 ? 0 : 1;
            continue;
        }
        if (kept + zeros + 1 > MAX_DIGITS) {
            *too_long = true;
            zeros = 0;
            continue;
        }
        for (; zeros > 0; zeros--, kept++, d->exponent--)
            d->mantissa *= 10;
        d->mantissa = d->mantissa * 10 + (uint64_t)(*s - '0');
        kept++;
    }
    if (seen == 0)
        return NULL;
    if ((*s == 'e' || *s == 'E') &&
        (is_digit(s[1]) || ((s[1] == '-' || s[1] == '+') && is_digit(s[2])))) {
        bool minus = s[1] == '-';
        int e = 0;
        for (s += is_digit(s[1]) ? 1 : 2; is_digit(*s); s++)
            e = e < 1000 ? e * 10 + (*s - '0') : e;
        d->exponent += minus ? -e : e;
    }
    return s;
}

enum scaled { SCALED_OK, SCALED_FRACTION, SCALED_OVERFLOW };

/* *out = d * scale; the nearest integer, and SCALED_FRACTION if that is not exact. */
static enum scaled scale_decimal(decimal d, uint64_t scale, uint64_t *out)
{
    *out = 0;
    unsigned __int128 v = (unsigned __int128)d.mantissa * scale;
    if (v == 0)
        return SCALED_OK;
    for (; d.exponent > 0; d.exponent--) {
        v *= 10;
        if (v > UINT64_MAX)
            return SCALED_OVERFLOW;
    }
    unsigned __int128 divisor = 1;
    for (; d.exponent < 0; d.exponent++) {
        divisor *= 10;
        if (divisor > 2 * v) /* below one half: nearest is 0 */
            return SCALED_FRACTION;
    }
    unsigned __int128 q = v / divisor, rest = v % divisor;
    if (rest >= divisor - rest)
        q++;
    if (q > UINT64_MAX - 1) /* the last value means "never" */
        return SCALED_OVERFLOW;
    *out = (uint64_t)q;
    return rest ? SCALED_FRACTION : SCALED_OK;
}

/* The unit the user meant: same letters in other case first ("gbit/s"), then nearest. */
static const char *nearest_unit(const char *wrong, const unit *units)
{
    const char *names[16];
    size_t n = 0;
    for (const unit *u = units; u->name && n < COP_LEN(names); u++)
        names[n++] = u->name;
    for (size_t i = 0; i < COP_LEN(bit_forms); i++)
        if (strcmp(wrong, bit_forms[i][0]) == 0)
            wrong = bit_forms[i][1];
    return cop_nearest(wrong, names, n);
}

static int unknown_unit(const char *shown, const char *wrong, const quantity *q, cop_err *err)
{
    const char *near = nearest_unit(wrong, q->units);
    char unit_shown[24];
    cop_excerpt(wrong, unit_shown, sizeof(unit_shown));
    if (near != NULL)
        return cop_err_add(err, COP_E_INPUT, "`%s` has the unknown unit `%s`; did you mean `%s`?",
                           shown, unit_shown, near);
    return cop_err_add(err, COP_E_INPUT, "`%s` is not a %s; write one such as `%s`", shown, q->what,
                       q->example);
}

/* `whole`: what the user wrote, of which `text` may be a part. */
static int parse_part(const char *text, const char *whole, const quantity *q, uint64_t *out,
                      cop_err *err)
{
    char shown[64], unit_name[16];
    cop_excerpt(whole, shown, sizeof(shown));
    const char *s = skip_blanks(text);
    decimal d;
    bool too_long;
    if (*s == '-' && is_digit(s[1]))
        return cop_err_add(err, COP_E_INPUT, "`%s` is negative; write a %s such as `%s`", shown,
                           q->what, q->example);
    const char *end = scan_decimal(s, &d, &too_long);
    if (end == NULL)
        return cop_err_add(err, COP_E_INPUT, "`%s` is not a %s; write one such as `%s`", shown,
                           q->what, q->example);
    s = skip_blanks(end);
    size_t n = strcspn(s, " \t");
    if (*s == '\0') {
        if (d.mantissa == 0 && !too_long) {
            *out = 0;
            return 0;
        }
        return cop_err_add(err, COP_E_INPUT, "`%s` has no unit; add a unit, such as `%s %s`", shown,
                           shown, q->unit_example);
    }
    if (n >= sizeof(unit_name) || *skip_blanks(s + n) != '\0')
        return unknown_unit(shown, s, q, err);
    memcpy(unit_name, s, n);
    unit_name[n] = '\0';
    const unit *u = q->units;
    while (u->name && strcmp(u->name, unit_name) != 0)
        u++;
    if (u->name == NULL)
        return unknown_unit(shown, unit_name, q, err);
    if (too_long)
        return cop_err_add(err, COP_E_INPUT, "`%s` has too many digits; write at most %d", shown,
                           MAX_DIGITS);
    enum scaled how = scale_decimal(d, u->scale, out);
    if (how == SCALED_OVERFLOW)
        return cop_err_add(err, COP_E_INPUT, "`%s` is too large; write a smaller %s", shown,
                           q->what);
    if (how == SCALED_FRACTION && q->whole != NULL)
        return cop_err_add(err, COP_E_INPUT, "`%s` is not a whole number of %s; write one that is",
                           shown, q->whole);
    return 0;
}

static int parse_quantity(const char *text, const quantity *q, uint64_t *out, cop_err *err)
{
    return parse_part(text, text, q, out, err);
}

int cop_parse_time(const char *text, uint64_t *ps, cop_err *err)
{
    if (strcmp(skip_blanks(text), "never") == 0) {
        *ps = COP_NEVER;
        return 0;
    }
    return parse_quantity(text, &time_quantity, ps, err);
}

int cop_parse_bytes(const char *text, uint64_t *bytes, cop_err *err)
{
    return parse_quantity(text, &byte_quantity, bytes, err);
}

int cop_parse_rate(const char *text, uint64_t *bits_per_second, cop_err *err)
{
    return parse_quantity(text, &rate_quantity, bits_per_second, err);
}

int cop_parse_scaled(const char *number, const cop_scale *scale, uint64_t *value, cop_err *err)
{
    const unit units[] = {{"x", scale->factor}, {NULL, 0}};
    const quantity q = {scale->what, scale->example, "x", scale->whole, units};
    char text[80], shown[64];
    if (snprintf(text, sizeof(text), "%s x", number) >= (int)sizeof(text))
        return cop_err_add(err, COP_E_INPUT, "`%s` has too many digits; write at most %d",
                           cop_excerpt(scale->written, shown, sizeof(shown)), MAX_DIGITS);
    return parse_part(text, scale->written, &q, value, err);
}

static uint64_t unit_scale(const unit *units, const char *name)
{
    while (units->name != NULL && strcmp(units->name, name) != 0)
        units++;
    return units->scale; /* of the end: 0 */
}

double cop_unit_convert(double value, const char *from, const char *to)
{
    const quantity *const all[] = {&time_quantity, &byte_quantity, &rate_quantity};
    if (strcmp(from, to) == 0)
        return value;
    for (size_t i = 0; i < COP_LEN(all); i++) {
        uint64_t a = unit_scale(all[i]->units, from), b = unit_scale(all[i]->units, to);
        if (a != 0 && b != 0)
            return value * (double)a / (double)b;
    }
    return NAN;
}

int cop_parse_int(const char *text, int64_t *value, cop_err *err)
{
    char shown[64];
    cop_excerpt(text, shown, sizeof(shown));
    const char *s = skip_blanks(text);
    const char *digits = *s == '-' || *s == '+' ? s + 1 : s;
    if (!is_digit(*digits))
        return cop_err_add(err, COP_E_INPUT, "`%s` is not an integer; write one such as `4`",
                           shown);
    errno = 0;
    char *end;
    long long v = strtoll(s, &end, 10);
    if (*skip_blanks(end) != '\0')
        return cop_err_add(err, COP_E_INPUT,
                           "`%s` is not an integer; write a whole number without a unit", shown);
    if (errno == ERANGE)
        return cop_err_add(err, COP_E_INPUT, "`%s` is too large; write a smaller integer", shown);
    *value = v;
    return 0;
}

/* The text is checked by hand because strtod also takes hexadecimal, infinities and NaN. */
static int parse_number(const char *text, const char *suffix, double *value, cop_err *err,
                        const char *right)
{
    char shown[64], number[400];
    cop_excerpt(text, shown, sizeof(shown));
    const char *s = skip_blanks(text);
    const char *start = s;
    decimal d;
    bool too_long;
    s += *s == '-' || *s == '+';
    const char *end = scan_decimal(s, &d, &too_long);
    bool percent = false;
    if (end != NULL) {
        const char *rest = skip_blanks(end);
        percent = suffix != NULL && *rest == *suffix;
        if (*skip_blanks(rest + percent) != '\0')
            end = NULL;
    }
    if (end == NULL || (size_t)(end - start) + 4 >= sizeof(number))
        return cop_err_add(err, COP_E_INPUT, "`%s` is not a number; write %s", shown, right);
    size_t n = (size_t)(end - start);
    memcpy(number, start, n);
    number[n] = '\0';
    /* Shifting the decimal exponent in the text avoids the rounding of a division by 100. */
    bool has_exponent = strpbrk(number, "eE") != NULL;
    if (percent && !has_exponent)
        memcpy(number + n, "e-2", 4);
    double v = strtod(number, NULL);
    if (percent && has_exponent)
        v /= 100;
    if (!isfinite(v))
        return cop_err_add(err, COP_E_INPUT, "`%s` is too large; write %s", shown, right);
    *value = v;
    return 0;
}

int cop_parse_real(const char *text, double *value, cop_err *err)
{
    return parse_number(text, NULL, value, err, "a plain number such as `0.5`");
}

int cop_parse_share(const char *text, double *value, cop_err *err)
{
    return parse_number(text, "%", value, err, "a share such as `30 %` or `0.3`");
}

/* Exact decimal of v / scale, scale a power of ten, without trailing zeros. */
static const char *print_decimal(uint64_t v, uint64_t scale, const char *unit_name, char *buf,
                                 size_t size)
{
    uint64_t fraction = v % scale;
    int digits = 0;
    for (uint64_t s = scale; s > 1; s /= 10)
        digits++;
    while (fraction != 0 && fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    if (fraction == 0)
        snprintf(buf, size, "%" PRIu64 " %s", v / scale, unit_name);
    else
        snprintf(buf, size, "%" PRIu64 ".%0*" PRIu64 " %s", v / scale, digits, fraction, unit_name);
    return buf;
}

static const char *print_scaled(uint64_t v, const unit *units, size_t n, char *buf, size_t size)
{
    size_t i = n - 1;
    while (i > 0 && v < units[i].scale)
        i--;
    return print_decimal(v, units[i].scale, units[i].name, buf, size);
}

const char *cop_print_time(uint64_t ps, char *buf, size_t size)
{
    if (ps == 0 || ps == COP_NEVER) {
        snprintf(buf, size, ps == 0 ? "0" : "never");
        return buf;
    }
    return print_scaled(ps, time_units, 5, buf, size);
}

const char *cop_print_rate(uint64_t bits_per_second, char *buf, size_t size)
{
    if (bits_per_second == 0) {
        snprintf(buf, size, "0");
        return buf;
    }
    return print_scaled(bits_per_second, rate_units, 5, buf, size);
}

/* The unit that leaves the smallest whole number: 64 KiB, 100 kB, 1500 B. */
const char *cop_print_bytes(uint64_t bytes, char *buf, size_t size)
{
    if (bytes == 0) {
        snprintf(buf, size, "0");
        return buf;
    }
    const unit *best = &byte_units[0];
    for (const unit *u = byte_units; u->name != NULL; u++)
        if (bytes % u->scale == 0 && u->scale > best->scale)
            best = u;
    return print_decimal(bytes / best->scale, 1, best->name, buf, size);
}

const char *cop_print_real(double value, char *buf, size_t size)
{
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(buf, size, "%.*g", precision, value);
        if (strtod(buf, NULL) == value)
            break;
    }
    return buf;
}

const char *cop_print_share(double value, char *buf, size_t size)
{
    for (int precision = 3; precision <= 15; precision++) {
        double back = 0;
        snprintf(buf, size, "%.*g %%", precision, value * 100);
        if (cop_parse_share(buf, &back, NULL) == 0 && back == value)
            return buf;
    }
    return cop_print_real(value, buf, size);
}
