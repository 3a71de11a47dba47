/* Reading the cc_* options of an opensm.conf.
 *
 * In: lines `option value` or `option SL value`; # begins a comment; options that do not begin with
 * cc_ are skipped, except congestion_control. Later lines win, as in OpenSM. Numbers are decimal or
 * 0x.
 * Out: a YAML section of cc.kind ibcc. Values that OpenSM silently replaces are refused:
 * congestion_control other than TRUE or FALSE (it means FALSE), a threshold above 0xF (overflows
 * into other bits), a table of one entry (sent as zeros), more than 128 entries (dropped), shift
 * above 3 or multiplier above 16383 (cut), and zeros with which nothing would be throttled. Legal
 * values with little effect get a remark. Levels of the congestion control map take the values of
 * the lowest, except rows of sl_ccti.
 * Simplifications: Trigger_Threshold is that of one level; Victim_Mask and Credit_Mask, which name
 * port numbers, become the ports that face hosts, unless they are 0 or name all.
 * Source: opensm(8); opensm.conf as `opensm -c` writes it, version 3.3.23. */
#include "base/opt.h"
#include "cc/ibcc.h"
#include "cc/opensm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 128
#define LINE_BYTES 4096

enum { /* numbers of the file; those from TIMER on are per service level */
       ON,
       SW_MAP,
       THRESHOLD,
       PACKET_SIZE,
       CS_THRESHOLD,
       MARKING_RATE,
       PORT_CONTROL,
       CA_MAP,
       TIMER,
       INCREASE,
       TRIGGER,
       LEAST,
       NUMBERS
};

static const struct {
    const char *name;
    uint32_t most;
    bool per_level; /* a service level precedes the value */
} numbers[NUMBERS] = {
    [ON] = {"congestion_control", 1, false},
    [SW_MAP] = {"cc_sw_cong_setting_control_map", UINT32_MAX, false},
    [THRESHOLD] = {"cc_sw_cong_setting_threshold", 15, false},
    [PACKET_SIZE] = {"cc_sw_cong_setting_packet_size", 255, false},
    [CS_THRESHOLD] = {"cc_sw_cong_setting_credit_starvation_threshold", 15, false},
    [MARKING_RATE] = {"cc_sw_cong_setting_marking_rate", 65535, false},
    [PORT_CONTROL] = {"cc_ca_cong_setting_port_control", 65535, false},
    [CA_MAP] = {"cc_ca_cong_setting_control_map", 65535, false},
    [TIMER] = {"cc_ca_cong_setting_ccti_timer", 65535, true},
    [INCREASE] = {"cc_ca_cong_setting_ccti_increase", 255, true},
    [TRIGGER] = {"cc_ca_cong_setting_trigger_threshold", 255, true},
    [LEAST] = {"cc_ca_cong_setting_ccti_min", 255, true}};

enum mask { MASK_NONE, MASK_SOME, MASK_ALL };

typedef struct conf {
    const char *name;
    cop_err *err;
    unsigned line;
    uint32_t value[NUMBERS][16]; /* [0] unless per service level */
    enum mask victim, credit;
    char cct[LINE_BYTES], return_delay[32];
    int64_t entries;
    bool known; /* an option of congestion control was seen */
} conf;

static int fault(const conf *c, const char *what, const char *option)
{
    return cop_err_add(c->err, COP_E_INPUT, "%s:%u: %s %s", c->name, c->line, option, what);
}

/* Parse a whole word as a number. */
static bool number(const char *word, uint32_t most, uint32_t *value)
{
    char *end;
    if (!isdigit((unsigned char)word[0]))
        return false;
    unsigned long v = strtoul(word, &end, 0);
    *value = (uint32_t)v;
    return *end == '\0' && v <= most;
}

static int set_number(conf *c, unsigned i, const char *a, const char *b)
{
    uint32_t sl = 0;
    char what[80];
    if (numbers[i].per_level && (!number(a, 15, &sl) || b[0] == '\0'))
        return fault(c, "needs a service level and a value; write it as `0 150`", numbers[i].name);
    snprintf(what, sizeof(what), "is not good; must be 0 to %u", numbers[i].most);
    if (!number(numbers[i].per_level ? b : a, numbers[i].most, &c->value[i][sl]))
        return fault(c, what, numbers[i].name);
    return 0;
}

/* 64 digits at most; port 0 and 255 do not count. */
static int set_mask(conf *c, const char *option, const char *word, enum mask *mask)
{
    const char *digits = word + (strncmp(word, "0x", 2) == 0 ? 2 : 0);
    size_t n = strlen(digits), ones = 0, full = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isxdigit((unsigned char)digits[i]) || n > 64)
            return fault(c, "is no mask; must be at most 64 hexadecimal digits", option);
        ones += digits[i] != '0';
        full += digits[i] == 'f' || digits[i] == 'F';
    }
    *mask = ones == 0 ? MASK_NONE : full + 1 >= n && n >= 9 ? MASK_ALL : MASK_SOME;
    return 0;
}

static int set_table(conf *c, const char *word)
{
    ibcc_ratio list[MAX_ENTRIES + 1];
    c->entries = 0;
    if (strcmp(word, "(null)") == 0)
        return 0;
    c->entries = ibcc_parse_ratios(word, list, COP_LEN(list));
    if (c->entries < 0)
        return fault(c,
                     "is no table; must be shift:multiplier,... with shifts of 0 to 3 and "
                     "multipliers of 0 to 16383",
                     "cc_cct");
    if (c->entries == 1)
        return fault(c, "has one entry, which OpenSM sends as none at all; give two or more",
                     "cc_cct");
    if (c->entries > 0 && list[0].multiplier != 0)
        return fault(c,
                     "has a first entry that is not 0:0: no source would ever send at full rate; "
                     "begin with 0:0",
                     "cc_cct");
    if (c->entries > MAX_ENTRIES)
        return fault(c,
                     "has more than 128 entries, of which OpenSM drops the rest; give at most 128",
                     "cc_cct");
    snprintf(c->cct, sizeof(c->cct), "%s", word);
    return 0;
}

static int read_option(conf *c, const char *option, const char *a, const char *b)
{
    if (strcmp(option, numbers[ON].name) == 0) {
        c->value[ON][0] = strcmp(a, "TRUE") == 0;
        if (!c->value[ON][0] && strcmp(a, "FALSE") != 0)
            return fault(c, "is neither TRUE nor FALSE, which OpenSM takes for FALSE; write TRUE",
                         option);
        return 0;
    }
    for (unsigned i = SW_MAP; i < NUMBERS; i++)
        if (strcmp(option, numbers[i].name) == 0)
            return set_number(c, i, a, b);
    if (strcmp(option, "cc_sw_cong_setting_victim_mask") == 0)
        return set_mask(c, option, a, &c->victim);
    if (strcmp(option, "cc_sw_cong_setting_credit_mask") == 0)
        return set_mask(c, option, a, &c->credit);
    if (strcmp(option, "cc_sw_cong_setting_credit_starvation_return_delay") == 0) {
        snprintf(c->return_delay, sizeof(c->return_delay), "%s", a);
        return ibcc_parse_ratios(a, NULL, 0) == 1
                   ? 0
                   : fault(c, "is not shift:multiplier; must be like 0:4", option);
    }
    if (strcmp(option, "cc_cct") == 0)
        return set_table(c, a);
    if (strcmp(option, "cc_key") == 0 || strcmp(option, "cc_max_outstanding_mads") == 0)
        return 0;
    return strncmp(option, "cc_", 3) == 0
               ? fault(
                     c,
                     "is unknown; OpenSM would pass it over, look for the name in `opensm -c FILE`",
                     option)
               : 0;
}

static int read_lines(conf *c, const char *text, size_t len)
{
    static char none[] = "";
    int rc = 0;
    for (size_t at = 0; at < len && rc == 0;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - text) - at : len - at;
        char line[LINE_BYTES], *rest, *word[3];
        c->line++;
        if (n >= sizeof(line))
            return cop_err_add(c->err, COP_E_INPUT, "%s:%u: line of %zu bytes; at most %d", c->name,
                               c->line, n, LINE_BYTES - 1);
        memcpy(line, text + at, n);
        line[n] = '\0';
        at += n + 1;
        line[strcspn(line, "#")] = '\0';
        for (unsigned i = 0; i < 3; i++) {
            word[i] = strtok_r(i == 0 ? line : NULL, " \t\r\v\f", &rest);
            word[i] = word[i] ? word[i] : none;
            if (word[i] == none)
                while (++i < 3)
                    word[i] = none;
        }
        c->known |= strncmp(word[0], "cc_", 3) == 0 || strcmp(word[0], "congestion_control") == 0;
        if (word[0] != none)
            rc = read_option(c, word[0], word[1], word[2]);
    }
    return rc;
}

/* A level of the control map never recovers once throttled, or has no entry in the table. */
static bool never_recovers(const conf *c)
{
    for (unsigned sl = 0; sl < 16; sl++)
        if ((c->value[CA_MAP][0] >> sl & 1) && c->value[INCREASE][sl] && !c->value[TIMER][sl])
            return true;
    return false;
}

static bool least_outside(const conf *c)
{
    for (unsigned sl = 0; sl < 16; sl++)
        if ((c->value[CA_MAP][0] >> sl & 1) && c->value[LEAST][sl] >= c->entries)
            return true;
    return false;
}

/* Refuse zeros that have no effect; all defaults are such. */
static int check(const conf *c, unsigned sl)
{
    const char *what = NULL;
    if (c->value[CA_MAP][0] == 0)
        what = "cc_ca_cong_setting_control_map is 0: no service level of any host reacts; set the "
               "bits of those in "
               "use, 0x1 for 0";
    else if (c->value[THRESHOLD][0] == 0 || !(c->value[SW_MAP][0] & 4))
        what = "switches never mark; cc_sw_cong_setting_threshold must be 1 to 0xF and bit 2 of "
               "cc_sw_cong_setting_control_map set";
    else if (c->entries == 0)
        what = "there is no cc_cct: hosts would never wait; give a table of delays";
    else if (c->value[INCREASE][sl] == 0)
        what = "cc_ca_cong_setting_ccti_increase is 0: hosts would never wait; must be 1 to 255";
    else if (never_recovers(c))
        what = "cc_ca_cong_setting_ccti_timer is 0: hosts would never recover; must be 1 to 65535, "
               "in 1.024 us";
    else if (least_outside(c))
        what = "cc_ca_cong_setting_ccti_min is not an entry of cc_cct; must be below its number of "
               "entries";
    return what ? cop_err_add(c->err, COP_E_INPUT, "%s: %s", c->name, what) : 0;
}

static const char *mask_word(enum mask m)
{
    return m == MASK_NONE ? "none" : m == MASK_ALL ? "all" : "hosts";
}

/* Levels of the map with other values than level `sl`. */
static void print_levels(const conf *c, unsigned sl, FILE *out)
{
    const char *before = "  sl_ccti: [";
    for (unsigned other = 0; other < 16; other++) {
        bool differs = false;
        for (unsigned i = TIMER; i < NUMBERS; i++)
            differs |= i != TRIGGER && c->value[i][other] != c->value[i][sl];
        if (!(c->value[CA_MAP][0] >> other & 1) || !differs)
            continue;
        fprintf(out, "%s%u, %d, %u, -1, %u", before, other,
                c->value[TIMER][other] ? (int)c->value[TIMER][other] : -1,
                c->value[INCREASE][other], c->value[LEAST][other]);
        before = ", ";
    }
    if (before[0] == ',')
        fprintf(out, "] # level, timer, increase, limit as above, min\n");
    for (unsigned other = 0; other < 16; other++)
        if ((c->value[CA_MAP][0] >> other & 1) && c->value[TRIGGER][other] != c->value[TRIGGER][sl])
            fprintf(out,
                    "# service level %u has another trigger_threshold; this is that of level %u\n",
                    other, sl);
}

static void print(const conf *c, unsigned sl, FILE *out)
{
    uint32_t map = c->value[SW_MAP][0];
    bool starves = (map & 8) && (map & 2);
    fprintf(out,
            "cc:\n  kind: ibcc # preset auto: rules of hardware, where OpenSM has no option\n");
    fprintf(out, "  threshold: %u\n  packet_size: %u\n", c->value[THRESHOLD][0],
            c->value[PACKET_SIZE][0]);
    fprintf(out, "  marking_rate: %u%s\n", map & 16 ? c->value[MARKING_RATE][0] : 0,
            map & 16 ? "" : " # bit 4 of the control map is not set");
    fprintf(out, "  victim_mask: %s%s\n", map & 1 ? mask_word(c->victim) : "none",
            !(map & 1) ? " # bit 0 of the control map is not set"
            : c->victim == MASK_SOME
                ? " # the mask names port numbers: are these the ports of hosts?"
                : "");
    if (starves)
        fprintf(out, "  credit_mask: %s\n  cs_threshold: %u\n  cs_return_delay: \"%s\"\n",
                mask_word(c->credit), c->value[CS_THRESHOLD][0], c->return_delay);
    fprintf(out, "  level: %s\n", c->value[PORT_CONTROL][0] & 1 ? "sl" : "qp");
    fprintf(out, "  ccti_timer_units: %u # of 1.024 us\n", c->value[TIMER][sl]);
    fprintf(out, "  ccti_increase: %u\n  trigger_threshold: %u\n", c->value[INCREASE][sl],
            c->value[TRIGGER][sl]);
    fprintf(out, "  ccti_min: %u\n  ccti_limit: %d # the last entry\n", c->value[LEAST][sl],
            (int)c->entries - 1);
    fprintf(out, "  cct_encoded: \"%s\"\n", c->cct);
    print_levels(c, sl, out);
}

int cop_opensm_read(const char *name, const char *text, size_t len, FILE *out, cop_err *err)
{
    conf *c = cop_alloc(sizeof(*c));
    *c = (conf){.name = name, .err = err, .return_delay = "0:0"};
    int rc = read_lines(c, text, len);
    unsigned sl = 0;
    while (sl < 15 && !(c->value[CA_MAP][0] >> sl & 1))
        sl++;
    if (rc == 0 && !c->known)
        rc = cop_err_add(
            err, COP_E_INPUT,
            "%s: has no option of congestion control (congestion_control, cc_*); give an "
            "opensm.conf, such as `opensm -c FILE` writes",
            name);
    else if (rc == 0 && !c->value[ON][0])
        fprintf(out,
                "# congestion_control is not TRUE: OpenSM configures nothing\ncc: {kind: none}\n");
    else if (rc == 0)
        rc = check(c, sl);
    if (rc == 0 && c->value[ON][0])
        print(c, sl, out);
    cop_free(c);
    return rc;
}
