// GOAL text from records.
//
//   l3: send 4096b to 1 tag 7
//   l3 requires l2
// Labels count the operations of a rank from 1. Dependencies follow their operation.
#include "record.h"
#include <inttypes.h>

static int64_t known_tag(const struct rec_tags *t, int32_t tag)
{
    size_t low = 0, high = t->knowns;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (t->known[mid] <= tag)
            low = mid;
        else
            high = mid;
    }
    return (int64_t)low;
}

int64_t rec_tag(const struct rec_tags *t, const struct rec_record *r)
{
    int64_t base = (int64_t)r->context * ((int64_t)t->tags + t->numbers);
    if (r->flags & REC_COLLECTIVE)
        return base + t->tags + (uint32_t)r->tag % t->numbers;
    return base + (t->known ? known_tag(t, r->tag) : r->tag);
}

bool rec_tags_fit(const struct rec_tags *t)
{
    uint64_t each = (uint64_t)t->tags + t->numbers;
    return each <= INT32_MAX && t->contexts <= INT32_MAX / each;
}

static int line_of_message(struct rec_text *t, const struct rec_record *r, uint64_t op, char *to,
                           size_t room)
{
    int64_t tag = rec_tag(t->tags, r);
    bool sends = r->kind == REC_SEND;
    if (t->keep && !t->keep(t->state, r, tag)) {
        t->dropped++;
        return snprintf(to, room, "l%" PRIu64 ": calc 0\n", op);
    }
    uint64_t bytes = r->value < t->min_bytes ? t->min_bytes : r->value;
    t->sends += sends;
    t->recvs += !sends;
    t->sent_bytes += sends ? bytes : 0;
    int peer = t->keep_any && (r->flags & REC_ANY) ? -1 : (int)r->peer;
    return snprintf(to, room, "l%" PRIu64 ": %s %" PRIu64 "b %s %d tag %" PRId64 "\n", op,
                    sends ? "send" : "recv", bytes, sends ? "to" : "from", peer, tag);
}

static int line(struct rec_text *t, const struct rec_record *r, uint64_t *op, char *to, size_t room)
{
    switch (r->kind) {
    case REC_CALC:
        t->calcs++;
        t->calc_ns += r->value;
        return snprintf(to, room, "l%" PRIu64 ": calc %" PRIu64 "\n", ++*op, r->value);
    case REC_SEND:
    case REC_RECV:
        return line_of_message(t, r, ++*op, to, room);
    case REC_REQUIRES:
        return snprintf(to, room, "l%" PRIu64 " requires l%" PRIu64 "\n", *op, r->value);
    case REC_IREQUIRES:
        return snprintf(to, room, "l%" PRIu64 " irequires l%" PRIu64 "\n", *op, r->value);
    case REC_NOTE:
        return !t->notes ? 0
                         : snprintf(to, room, "// %s %" PRIu64 "b of %d\n",
                                    rec_collective_name(r->tag), r->value, (int)r->peer);
    default:
        return 0;
    }
}

size_t rec_text_next(struct rec_text *t, struct rec_spool *s, uint64_t *op, char *to, size_t room)
{
    size_t used = 0;
    struct rec_record r;
    while (room - used >= 256 && rec_spool_next(s, &r)) {
        int n = line(t, &r, op, to + used, room - used);
        used += n > 0 ? (size_t)n : 0;
    }
    return used;
}
