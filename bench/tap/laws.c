// SPDX-License-Identifier: Apache-2.0
/* The runs of a drain: the law that their counts obey, the recipes with the same law, and the
 * counts that --expect wants. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/tap/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

TABLE_DEFINE(tap_run, "runs.csv", TAP_RUN_COLUMNS)
TABLE_DEFINE(tap_law, "laws.csv", TAP_LAW_COLUMNS)

#define LAW_SIZE  128
#define NAME_SIZE 64

/* ------------------------------------------------------------------ counts and their laws */

void tap_count(const struct traffic *traffic, struct tap_run *run)
{
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        run->counts[opcode] = traffic->operations[opcode].requests;
        run->counts[TAP_FAILED + opcode] = traffic->operations[opcode].failed;
    }
    memcpy(&run->counts[TAP_NOTIFICATIONS], traffic->notifications, sizeof traffic->notifications);
    run->counts[TAP_ALL_NOTIFICATIONS] = traffic_notifications(traffic);
    run->counts[TAP_ALL] = traffic_requests(traffic);
}

/* Returns `name`. */
static const char *count_name(size_t counted, char name[NAME_SIZE])
{
    if (counted >= TAP_ALL_NOTIFICATIONS)
        snprintf(name, NAME_SIZE, counted == TAP_ALL ? "all requests" : "notifications");
    else if (counted >= TAP_NOTIFICATIONS)
        snprintf(name, NAME_SIZE, "notification %s",
                 traffic_event_word(counted - TAP_NOTIFICATIONS));
    else
        snprintf(name, NAME_SIZE, "%s%s", opcode_name((enum opcode)(counted % TAP_FAILED)),
                 counted >= TAP_FAILED ? " failed" : "");
    return name;
}

/* How a count grows with n: the polynomial that most runs equal, how many do, and the exponent. */
struct law {
    struct fit_polynomial fit;
    size_t equal;
    struct fit_exponent growth;
    char text[LAW_SIZE]; /* "": the polynomial is not exact */
};

static struct law find_law(const struct tap_run *runs, size_t run_count, size_t counted)
{
    double n[FIT_CONSENSUS_MAX], y[FIT_CONSENSUS_MAX];
    struct law law = {.text = ""};
    for (size_t i = 0; i < run_count; i++) {
        n[i] = (double)runs[i].n;
        y[i] = (double)(int64_t)runs[i].counts[counted];
    }
    law.growth = fit_exponent(n, y, run_count);
    law.fit = fit_consensus(n, y, run_count, &law.equal);
    if (law.fit.exact)
        (void)fit_describe(&law.fit, 'n', law.text, sizeof law.text);
    return law;
}

/* Pings come with time, not with clients; the sum of the notifications has no row. */
static bool occurs(const struct tap *tap, size_t counted)
{
    bool found = false;
    for (size_t i = 0; i < tap->run_count; i++)
        found = found || tap->runs[i].counts[counted] > 0;
    return found && counted != OPCODE_PING && counted != TAP_ALL_NOTIFICATIONS;
}

static void fill_rows(struct tap *tap)
{
    char name[NAME_SIZE];
    for (size_t i = 0; i < tap->run_count; i++)
        for (size_t counted = 0; counted < TAP_COUNTS; counted++)
            if (occurs(tap, counted))
                TAP_ADD_ROW(&tap->tables[TAP_RUNS], tap_run, table_count(tap->runs[i].n),
                            table_count(tap->runs[i].trial), table_text(count_name(counted, name)),
                            table_count(tap->runs[i].counts[counted]));
    for (size_t counted = 0; counted < TAP_COUNTS; counted++) {
        if (!occurs(tap, counted))
            continue;
        const struct law law = find_law(tap->runs, tap->run_count, counted);
        const bool exact = law.fit.exact;
        TAP_ADD_ROW(&tap->tables[TAP_LAWS], tap_law, table_text(count_name(counted, name)),
                    table_text(exact ? law.text : NULL), table_count(tap->run_count),
                    table_count_if(exact, law.equal),
                    table_count_if(exact, (uint64_t)law.fit.max_residual),
                    table_real(law.growth.exponent), table_real(law.growth.low),
                    table_real(law.growth.high));
    }
}

/* ------------------------------------------------------------------ recipes with the same law */

#define DIFFER_MOST 2 /* counts by which a law of a recipe is named that is exceeded */

/* The count that stands for this one where counts are compared with laws, which know one kind of
 * create and one of getChildren. TAP_ALL: none; no law has it. */
static size_t kind_of(size_t counted)
{
    const bool failed = counted >= TAP_FAILED;
    const enum opcode opcode = (enum opcode)(counted % TAP_FAILED);
    if (counted >= TAP_NOTIFICATIONS)
        return counted == TAP_ALL_NOTIFICATIONS ? counted : TAP_ALL;
    if (opcode_creates(opcode))
        return OPCODE_CREATE + (failed ? TAP_FAILED : 0);
    if (opcode == OPCODE_PING || opcode == OPCODE_CLOSE || (failed && opcode != OPCODE_DELETE))
        return TAP_ALL;
    return opcode == OPCODE_GET_CHILDREN2 ? OPCODE_GET_CHILDREN : counted;
}

/* Runs with what the counts exceed the recipe's law by, which may be below 0: each of kind_of. The
 * caller's to free. */
static struct tap_run *subtract_law(const struct tap *tap, const struct recipe *recipe)
{
    static const size_t kinds[TALLY_KINDS] = {
        [TALLY_CREATE] = OPCODE_CREATE,
        [TALLY_CREATE_FAILED] = TAP_FAILED + OPCODE_CREATE,
        [TALLY_EXISTS] = OPCODE_EXISTS,
        [TALLY_GET] = OPCODE_GET_DATA,
        [TALLY_GET_CHILDREN] = OPCODE_GET_CHILDREN,
        [TALLY_SET] = OPCODE_SET_DATA,
        [TALLY_DELETE] = OPCODE_DELETE,
        [TALLY_DELETE_FAILED] = TAP_FAILED + OPCODE_DELETE,
        [TALLY_MULTI] = OPCODE_MULTI,
        [TALLY_SYNC] = OPCODE_SYNC,
        [TALLY_NOTIFICATION] = TAP_ALL_NOTIFICATIONS,
    };
    struct tap_run *rest = memory_new(tap->run_count, sizeof *rest);
    for (size_t i = 0; i < tap->run_count; i++) {
        struct tally law = {0};
        rest[i].n = tap->runs[i].n;
        law_total(recipe, rest[i].n, rest[i].n, &law);
        for (size_t counted = 0; counted < TAP_ALL; counted++)
            rest[i].counts[kind_of(counted)] += tap->runs[i].counts[counted];
        for (enum tally_kind kind = 0; kind <= TALLY_NOTIFICATION; kind++)
            rest[i].counts[kinds[kind]] -= law.of[kind];
    }
    return rest;
}

/* Number of counts that differ from the recipe's law; more than DIFFER_MOST where something lacks,
 * or most runs obey no polynomial. Adds the differences in words. */
static size_t compare_with(const struct tap *tap, const struct recipe *recipe,
                           struct growing_text *words)
{
    struct tap_run *rest = subtract_law(tap, recipe);
    char name[NAME_SIZE];
    size_t differ = 0;
    for (size_t counted = 0; counted < TAP_ALL && differ <= DIFFER_MOST; counted++) {
        const struct law law = find_law(rest, tap->run_count, counted);
        const double most = law.fit.c[law.fit.degree];
        if (!law.fit.exact || 2 * law.equal <= tap->run_count || most < 0)
            differ = DIFFER_MOST + 1;
        else if (law.fit.degree > 0 || most > 0)
            growing_text_add(words, "%s%s %s", ++differ == 1 ? ", and " : ", ", law.text,
                             count_name(counted, name));
    }
    free(rest);
    return differ;
}

/* Names all recipes with the same law, or else the first with the fewest differences. */
static void judge_recipes(struct tap *tap)
{
    struct growing_text like = {0};
    size_t least = DIFFER_MOST + 1;
    const struct recipe *recipe;
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        struct growing_text words = {0};
        if (!recipe_has_law(recipe) || recipe->broken)
            continue;
        const size_t differ = compare_with(tap, recipe, &words);
        if (differ < least) {
            free(like.text);
            like = (struct growing_text){0};
        }
        if (differ < least || differ == 0)
            growing_text_add(&like, "%s%s%s", like.text == NULL ? "" : ", ", recipe->name,
                             differ == 0 ? "" : words.text);
        least = differ < least ? differ : least;
        free(words.text);
    }
    if (like.text != NULL)
        TAP_ADD_FINDING(tap, "recipe", "command", VERDICT_MEASURED, NAN, "", tap->run_count,
                        "The counts are those of zkherd's recipe %s%s", like.text,
                        least == 0 ? "" : " more");
    free(like.text);
}

/* ------------------------------------------------------------------ what a drain comes to */

/* Whether a count grows faster than the clients: 1, or no faster: 0; -1: it is not certain. */
static int bends(const struct law *law)
{
    if (law->fit.exact)
        return law->fit.degree > 1 && law->fit.c[2] > 0;
    return law->growth.low > 1 + FIT_MARGIN ? 1 : law->growth.high < 1 + FIT_MARGIN ? 0 : -1;
}

/* What people ask a drain for; the remedies are laws of docs/tap.md. */
static void judge_herding(struct tap *tap, const struct law *all)
{
    const struct law told = find_law(tap->runs, tap->run_count, TAP_ALL_NOTIFICATIONS);
    const int requests = bends(all), notified = bends(&told);
    const bool herds = requests == 1 || notified == 1;
    const struct tap_run *most = tap->runs;
    for (size_t i = 1; i < tap->run_count; i++)
        most = tap->runs[i].n > most->n ? &tap->runs[i] : most;
    if (!herds && requests + notified != 0)
        return;
    const double each = (double)most->counts[TAP_ALL] / (double)most->n;
    TAP_ADD_FINDING(tap, "herds", "command", VERDICT_MEASURED, each, "requests", tap->run_count,
                    "%s: %s grow %s n; with n = %" PRIu64 " a client sends %.3g requests%s",
                    herds ? "Herd" : "No herd",
                    requests == 0 && herds ? "notifications" : "requests",
                    herds ? "faster than" : "with", most->n, each,
                    herds ? "; with kazoo's Lock it is 6, with Curator's InterProcessMutex 5" : "");
}

static void judge_requests(struct tap *tap, const struct law *all)
{
    const struct interval exponent = {all->growth.exponent, all->growth.low, all->growth.high};
    const size_t levels = tap->options->clients.count, runs = tap->run_count;
    if (all->fit.exact)
        TAP_ADD_FINDING(tap, "law", "all requests", VERDICT_MEASURED, (double)all->equal, "runs",
                        runs, "n clients send %s requests in %zu of %zu runs", all->text,
                        all->equal, runs);
    else if (isfinite(exponent.low))
        findings_add(&tap->tables[TAP_FINDINGS],
                     FINDING_MEASURED("law", "all requests", exponent, "exponent", runs),
                     "Requests grow as n^%.2f (%.2f to %.2f), and equal no polynomial in n",
                     exponent.value, exponent.low, exponent.high);
    if (!all->fit.exact && levels < 5)
        TAP_ADD_FINDING(tap, "levels", "all requests", VERDICT_MEASURED, (double)levels, "", 1,
                        "A law needs more different n: 4 for a line, 5 for a parabola");
}

/* ------------------------------------------------------------------ --expect */

/* Goes behind a sign if it is next. */
static bool skip(const char **at, const char *sign)
{
    *at += strspn(*at, " ");
    const bool is_next = strncmp(*at, sign, strlen(sign)) == 0;
    *at += is_next ? strlen(sign) : 0;
    return is_next;
}

/* Terms are a number, n, or both: "7", "n", "2n", "3·n", "0.5n^2", "n²". */
static bool parse_polynomial(const char *at, struct fit_polynomial *law)
{
    bool is_term = true;
    *law = (struct fit_polynomial){.exact = true};
    for (int sign = skip(&at, "-") ? -1 : 1; sign != 0 && is_term;
         sign = skip(&at, "+") ? 1 : -(int)skip(&at, "-")) {
        unsigned degree = 0;
        double factor = 1;
        char *end;
        at += strspn(at, " ");
        is_term = isdigit((unsigned char)*at) != 0;
        if (is_term) {
            factor = strtod(at, &end);
            at = end;
            (void)(skip(&at, "*") || skip(&at, "\302\267"));
        }
        if (skip(&at, "n"))
            degree = skip(&at, "^2") || skip(&at, "\302\262") ? 2 : 1;
        law->c[degree] += sign * factor;
        law->degree = degree > law->degree ? degree : law->degree;
        is_term = is_term || degree > 0;
    }
    return is_term && *at == '\0';
}

/* Goes behind the name of a count and "=". TAP_COUNTS: it is none of them. */
static size_t parse_count(const char **at)
{
    char name[NAME_SIZE];
    const char *start = *at;
    size_t counted = 0;
    for (; counted < TAP_COUNTS; counted++, *at = start)
        if (skip(at, count_name(counted, name)) && skip(at, "="))
            break;
    return counted;
}

bool tap_parse_expected(struct option_given *given)
{
    struct fit_polynomial *expected = option_row_place(given);
    const char *list = given->value;
    char item[256];
    memset(expected, 0, TAP_COUNTS * sizeof *expected);
    while (text_next_item(&list, item, sizeof item)) {
        const char *law = item;
        const size_t name = strcspn(item, "="),
                     counted = item[name] == '=' ? parse_count(&law) : TAP_ALL;
        if (counted == TAP_COUNTS)
            return option_row_refuse(given,
                                     "%.*s is no count of laws.csv, such as getChildren, "
                                     "notifications or all requests",
                                     (int)name, item);
        if (expected[counted].exact || !parse_polynomial(law, &expected[counted]))
            return option_row_refuse(given,
                                     "expected a polynomial in n, such as '6n - 2', or one for "
                                     "each of several counts, 'create=n,notifications=n - 1'");
    }
    return true;
}

static void judge_count(struct tap *tap, size_t counted, const struct fit_polynomial *expected)
{
    const struct law law = find_law(tap->runs, tap->run_count, counted);
    char name[NAME_SIZE], text[LAW_SIZE], rest[256] = "";
    size_t equal = 0;
    for (size_t i = tap->run_count; i-- > 0;) {
        const struct tap_run *run = &tap->runs[i];
        const double wanted = fit_polynomial_at(expected, (double)run->n);
        if (wanted == (double)run->counts[counted])
            equal++;
        else /* the first of them is kept */
            snprintf(rest, sizeof rest,
                     "; with n = %" PRIu64 " there were %" PRIu64 ", not %.10g; the runs have %s",
                     run->n, run->counts[counted], wanted,
                     law.fit.exact ? law.text : "no polynomial in n");
    }
    const struct traffic *traffic = &tap->traffic;
    const bool is_equal = equal == tap->run_count,
               is_whole = traffic->connections > 0 && traffic->unopened == 0 &&
                          traffic->encrypted == 0 && traffic->unreadable == 0 &&
                          tap->connections.unaccepted == 0;
    TAP_ADD_FINDING(tap, "expected", count_name(counted, name),
                    is_equal   ? VERDICT_HOLDS
                    : is_whole ? VERDICT_FAILS
                               : VERDICT_NOT_VALID,
                    (double)equal, "runs", tap->run_count, "%s, %s: %s in %zu of %zu runs%s",
                    is_equal ? "As expected" : "Not as expected", name,
                    fit_describe(expected, 'n', text, sizeof text), equal, tap->run_count, rest);
}

void tap_judge_laws(struct tap *tap)
{
    if (tap->run_count == 0)
        return;
    const struct law all = find_law(tap->runs, tap->run_count, TAP_ALL);
    fill_rows(tap);
    if (occurs(tap, TAP_ALL)) {
        judge_herding(tap, &all);
        judge_requests(tap, &all);
    }
    judge_recipes(tap);
    for (size_t counted = 0; counted < TAP_COUNTS; counted++)
        if (tap->options->expected[counted].exact)
            judge_count(tap, counted, &tap->options->expected[counted]);
}
