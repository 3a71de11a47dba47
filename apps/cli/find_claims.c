/* Experiments by what people call them: "Paper IV figure 5", "CCFIT", "silent forest", "fig5".
 *
 * In: words. Out: names of experiments whose checks have all the words in their paper, place, set-up,
 * metric, mechanisms or names; if there is none, those with most of the words. Case, hyphens and the
 * spelling of "figure" do not matter; long words match by their beginning. */
#include "find_claims.h"

#include <ctype.h>
#include <string.h>

#define PREFIX 4 /* letters; longer words may be the beginning of another */

/* " fig 5 paper iv ": words of letters or of digits, each between spaces. */
static char *words_of(const char *text, cop_arena *a)
{
    char *out = cop_arena_array(a, 2, strlen(text) + 2), *at = out;
    char before = ' ';
    *at++ = ' ';
    for (; *text != '\0'; text++) {
        char c = (char)tolower((unsigned char)*text);
        bool letter = isalpha((unsigned char)c) != 0, digit = isdigit((unsigned char)c) != 0;
        bool joins =
            (letter && isalpha((unsigned char)before)) || (digit && isdigit((unsigned char)before));
        if ((letter || digit) && before != ' ' && !joins)
            *at++ = ' ';
        if (letter || digit || before != ' ')
            *at++ = letter || digit ? c : ' ';
        before = letter || digit ? c : ' ';
    }
    if (before != ' ')
        *at++ = ' ';
    *at = '\0';
    return out;
}

/* " paper 4 fig 5 " as the sources have it: " paper iv fig 5 ". */
static const char *count_papers(const char *words, cop_arena *a)
{
    static const char *const roman[] = {"i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"};
    const char *at = strstr(words, " paper ");
    if (at == NULL || at[7] < '1' || at[7] > '9' || at[8] != ' ')
        return words;
    return cop_arena_printf(a, "%.*s paper %s%s", (int)(at - words), words, roman[at[7] - '1'],
                            at + 8);
}

static bool has_word(const char *text, const char *word, size_t n)
{
    if (n == 6 && strncmp(word, "figure", n) == 0)
        n = 3; /* "fig" */
    for (const char *at = text; (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, word, n) == 0 && (at[1 + n] == ' ' || n >= PREFIX))
            return true;
    return false;
}

/* "5" and "iv" mean something only after what they count. */
static bool is_count(const char *word, size_t n)
{
    return strspn(word, "0123456789") >= n || strspn(word, "ivx") >= n;
}

static bool has_pair(const char *text, const char *first, size_t n, const char *word, size_t m,
                     cop_arena *a)
{
    n = n == 6 && strncmp(first, "figure", n) == 0 ? 3 : n;
    return strstr(text, cop_arena_printf(a, " %.*s %.*s ", (int)n, first, (int)m, word)) != NULL;
}

/* How many of the wanted words the text has. */
static size_t score(const char *text, const char *wanted, size_t *all, cop_arena *a)
{
    size_t found = 0, before = 0;
    const char *last = NULL;
    *all = 0;
    for (const char *w = wanted + strspn(wanted, " "); *w != '\0'; w += strspn(w, " ")) {
        size_t n = strcspn(w, " ");
        found += last != NULL && is_count(w, n) ? has_pair(text, last, before, w, n, a)
                                                : has_word(text, w, n);
        ++*all;
        last = w;
        before = n;
        w += n;
    }
    return found;
}

static const char *text_of(const cop_claim *c, const cop_paper *p, cop_arena *a)
{
    return words_of(cop_arena_printf(a, "%s %s %s %s %s %s %s %s %s", p->key, p->title, p->source,
                                     c->id, c->where, c->setup, c->experiment, c->metric, c->needs),
                    a);
}

static void add_once(const char **list, size_t *n, size_t max, const char *name)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i], name) == 0)
            return;
    if (*n < max)
        list[(*n)++] = name;
}

const char *cop_find_paper(const cop_ledger *l, const char *words)
{
    cop_arena arena = {0};
    const char *wanted = count_papers(words_of(words, &arena), &arena), *key = NULL;
    bool counts = strncmp(wanted, " paper ", 7) == 0 && strspn(wanted + 7, "ivx") > 0 &&
                  strcmp(wanted + 7 + strspn(wanted + 7, "ivx"), " ") == 0;
    for (size_t i = 0; counts && key == NULL && i < l->n_papers; i++)
        if (strstr(words_of(l->paper[i].source, &arena), wanted) != NULL)
            key = l->paper[i].key;
    cop_arena_free(&arena);
    return key;
}

size_t cop_find_experiments(const cop_ledger *l, const char *words, const char **list, size_t max)
{
    cop_arena arena = {0};
    const char *wanted = count_papers(words_of(words, &arena), &arena);
    size_t n = 0, best = 1, all = 0;
    for (size_t i = 0; i < l->n_papers; i++)
        for (size_t k = 0; k < l->paper[i].n_claims; k++) {
            const cop_claim *c = &l->paper[i].claim[k];
            size_t s = score(text_of(c, &l->paper[i], &arena), wanted, &all, &arena);
            if (s < best || 2 * s < all)
                continue;
            n = s > best ? 0 : n; /* more words: what was found so far is worse */
            best = s;
            add_once(list, &n, max, c->experiment);
        }
    cop_arena_free(&arena);
    return n;
}
