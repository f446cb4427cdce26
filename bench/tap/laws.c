// SPDX-License-Identifier: Apache-2.0
/* The runs of a drain: the law that their counts obey, the recipes with the same law, and the
 * counts that --expect wants. */
#include "base/memory.h"
#include "base/text.h"
#include "bench/output/findings.h"
#include "bench/tap/internal.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    for (size_t event = 0; event < TRAFFIC_EVENTS; event++)
        run->counts[TAP_NOTIFICATIONS + event] = traffic->notifications[event];
    run->counts[TAP_ALL_NOTIFICATIONS] = traffic_notifications(traffic);
    run->counts[TAP_ALL] = traffic_requests(traffic);
}

/* Returns `name`. */
static const char *count_name(size_t counted, char name[NAME_SIZE])
{
    if (counted == TAP_ALL)
        snprintf(name, NAME_SIZE, "all requests");
    else if (counted == TAP_ALL_NOTIFICATIONS)
        snprintf(name, NAME_SIZE, "notifications");
    else if (counted >= TAP_NOTIFICATIONS)
        snprintf(name, NAME_SIZE, "notification %s",
                 traffic_event_word(counted - TAP_NOTIFICATIONS));
    else
        snprintf(name, NAME_SIZE, "%s%s", opcode_name((enum opcode)(counted % TAP_FAILED)),
                 counted >= TAP_FAILED ? " failed" : "");
    return name;
}

/* A point for each run: its n, and a count, or a sum of several. */
struct points {
    double n[FIT_CONSENSUS_MAX], y[FIT_CONSENSUS_MAX];
};

static void add_count(const struct tap *tap, size_t counted, struct points *points)
{
    for (size_t i = 0; i < tap->run_count; i++) {
        points->n[i] = (double)tap->runs[i].n;
        points->y[i] += (double)tap->runs[i].counts[counted];
    }
}

/* How a count grows with n: the polynomial that most runs equal, how many do, and the exponent. */
struct law {
    struct fit_polynomial fit;
    size_t equal;
    struct fit_exponent growth;
};

static struct law find_law(const struct tap *tap, size_t counted)
{
    struct points points = {0};
    struct law law;
    add_count(tap, counted, &points);
    law.growth = fit_exponent(points.n, points.y, tap->run_count);
    law.fit = fit_consensus(points.n, points.y, tap->run_count, &law.equal);
    return law;
}

/* ------------------------------------------------------------------ rows */

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
    char name[NAME_SIZE], text[LAW_SIZE];
    for (size_t i = 0; i < tap->run_count; i++)
        for (size_t counted = 0; counted < TAP_COUNTS; counted++)
            if (occurs(tap, counted))
                TAP_ADD_ROW(&tap->tables[TAP_RUNS], tap_run, table_count(tap->runs[i].n),
                            table_count(tap->runs[i].trial), table_text(count_name(counted, name)),
                            table_count(tap->runs[i].counts[counted]));
    for (size_t counted = 0; counted < TAP_COUNTS; counted++) {
        if (!occurs(tap, counted))
            continue;
        const struct law law = find_law(tap, counted);
        const bool exact = law.fit.exact;
        TAP_ADD_ROW(&tap->tables[TAP_LAWS], tap_law, table_text(count_name(counted, name)),
                    table_text(exact ? fit_describe(&law.fit, 'n', text, sizeof text) : NULL),
                    table_count(tap->run_count), table_count_if(exact, law.equal),
                    table_count_if(exact, (uint64_t)law.fit.max_residual),
                    table_real(law.growth.exponent), table_real(law.growth.low),
                    table_real(law.growth.high));
    }
}

/* ------------------------------------------------------------------ recipes with the same law */

/* Kinds of messages: those of a tally, which recipes have laws for, and behind them each operation
 * that no law has. */
#define KINDS (TALLY_KINDS + OPCODES)

#define DIFFER_MOST 2 /* kinds by which a law of a recipe is named that is exceeded */

/* KINDS: a count that is none. */
static size_t kind_of(size_t counted)
{
    static const struct {
        enum opcode opcode;
        enum tally_kind kind;
    } of_requests[] = {{OPCODE_EXISTS, TALLY_EXISTS},
                       {OPCODE_GET_DATA, TALLY_GET},
                       {OPCODE_GET_CHILDREN, TALLY_GET_CHILDREN},
                       {OPCODE_GET_CHILDREN2, TALLY_GET_CHILDREN},
                       {OPCODE_SET_DATA, TALLY_SET},
                       {OPCODE_MULTI, TALLY_MULTI},
                       {OPCODE_SYNC, TALLY_SYNC}};
    const enum opcode opcode = (enum opcode)(counted % TAP_FAILED);
    const bool failed = counted >= TAP_FAILED;
    if (counted >= TAP_NOTIFICATIONS)
        return counted == TAP_ALL_NOTIFICATIONS ? TALLY_NOTIFICATION : KINDS;
    if (opcode_creates(opcode))
        return failed ? TALLY_CREATE_FAILED : TALLY_CREATE;
    if (opcode == OPCODE_DELETE)
        return failed ? TALLY_DELETE_FAILED : TALLY_DELETE;
    if (failed || opcode == OPCODE_PING || opcode == OPCODE_CLOSE)
        return KINDS;
    for (size_t i = 0; i < sizeof of_requests / sizeof of_requests[0]; i++)
        if (of_requests[i].opcode == opcode)
            return of_requests[i].kind;
    return TALLY_KINDS + opcode;
}

/* Adds in words by what the counts of a kind exceed the laws of the runs. Returns 0 if by nothing,
 * 1 if by a polynomial, or more than DIFFER_MOST where something lacks, or most runs obey none. */
static size_t add_excess(const struct tap *tap, const struct tally *laws, size_t kind,
                         struct growing_text *excess)
{
    struct points points = {0};
    char text[LAW_SIZE], name[NAME_SIZE] = "";
    size_t equal;
    for (size_t counted = TAP_COUNTS; counted-- > 0;)
        if (kind_of(counted) == kind) {
            add_count(tap, counted, &points);
            (void)count_name(counted, name);
        }
    for (size_t i = 0; kind < TALLY_KINDS && i < tap->run_count; i++)
        points.y[i] -= (double)laws[i].of[kind];
    const struct fit_polynomial fit = fit_consensus(points.n, points.y, tap->run_count, &equal);
    if (!fit.exact || 2 * equal <= tap->run_count || fit.c[fit.degree] < 0)
        return DIFFER_MOST + 1;
    if (fit.degree == 0 && fit.c[0] == 0)
        return 0;
    growing_text_add(excess, "%s%s %s", excess->text != NULL ? ", " : "",
                     fit_describe(&fit, 'n', text, sizeof text), name);
    return 1;
}

/* Number of kinds whose counts differ from the recipe's law, with the whole excess in words. */
static size_t compare_with(const struct tap *tap, const struct recipe *recipe,
                           struct growing_text *excess)
{
    struct tally *laws = memory_new(tap->run_count, sizeof *laws);
    bool compared[KINDS + 1] = {[KINDS] = true};
    size_t differ = 0;
    for (size_t i = 0; i < tap->run_count; i++)
        law_total(recipe, tap->runs[i].n, tap->runs[i].n, &laws[i]);
    for (size_t counted = 0; counted < TAP_COUNTS && differ <= DIFFER_MOST; counted++) {
        const size_t kind = kind_of(counted);
        if (!compared[kind])
            differ += add_excess(tap, laws, kind, excess);
        compared[kind] = true;
    }
    free(laws);
    return differ;
}

/* Names all recipes with the same law, or else the first with the fewest differences. */
static void judge_recipes(struct tap *tap)
{
    struct growing_text same = {0}, near = {0};
    size_t least = DIFFER_MOST + 1;
    const struct recipe *recipe;
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        struct growing_text excess = {0};
        if (!recipe_has_law(recipe) || recipe->broken)
            continue;
        const size_t differ = compare_with(tap, recipe, &excess);
        if (differ == 0)
            growing_text_add(&same, "%s%s", same.text == NULL ? "" : ", ", recipe->name);
        else if (differ < least) {
            free(near.text);
            near.text = memory_format("%s, and %s more", recipe->name, excess.text);
            least = differ;
        }
        free(excess.text);
    }
    const char *like = same.text != NULL ? same.text : near.text;
    if (like != NULL)
        findings_add(&tap->tables[TAP_FINDINGS],
                     FINDING_MEASURED("recipe", "command", FINDING_NO_FIGURE, "", tap->run_count),
                     "The counts are those of zkherd's recipe %s", like);
    free(same.text);
    free(near.text);
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
    const struct law of_notifications = find_law(tap, TAP_ALL_NOTIFICATIONS);
    const int requests = bends(all), notified = bends(&of_notifications);
    const bool herds = requests == 1 || notified == 1;
    const struct tap_run *most = tap->runs;
    for (size_t i = 1; i < tap->run_count; i++)
        most = tap->runs[i].n > most->n ? &tap->runs[i] : most;
    if (!herds && requests + notified != 0)
        return;
    const double each = (double)most->counts[TAP_ALL] / (double)most->n;
    findings_add(
        &tap->tables[TAP_FINDINGS],
        FINDING_MEASURED("herds", "command", FINDING_FIGURE(each), "requests", tap->run_count),
        "%s: %s grow with %s; with n = %" PRIu64 " a client sends %.3g requests%s",
        herds ? "Herd" : "No herd", requests == 0 && herds ? "notifications" : "requests",
        herds ? "n\302\262" : "n", most->n, each,
        herds ? "; with kazoo's Lock it is 6, with Curator's InterProcessMutex 5" : "");
}

static void judge_requests(struct tap *tap, const struct law *all)
{
    const struct fit_exponent *growth = &all->growth;
    const struct interval exponent = {growth->exponent, growth->low, growth->high};
    const size_t levels = tap->options->clients.count;
    struct table *findings = &tap->tables[TAP_FINDINGS];
    char text[LAW_SIZE];
    if (!occurs(tap, TAP_ALL))
        return;
    if (all->fit.exact)
        findings_add(findings,
                     FINDING_MEASURED("law", "all requests", FINDING_FIGURE((double)all->equal),
                                      "runs", tap->run_count),
                     "n clients send %s requests in %zu of %zu runs",
                     fit_describe(&all->fit, 'n', text, sizeof text), all->equal, tap->run_count);
    else if (isfinite(growth->low))
        findings_add(findings,
                     FINDING_MEASURED("law", "all requests", exponent, "exponent", tap->run_count),
                     "Requests grow as n^%.2f (%.2f to %.2f), and equal no polynomial in n",
                     growth->exponent, growth->low, growth->high);
    if (!all->fit.exact && levels < 5)
        findings_add(
            findings,
            FINDING_MEASURED("levels", "all requests", FINDING_FIGURE((double)levels), "", 1),
            "A law needs more different n: 4 for a line, 5 for a parabola");
}

/* ------------------------------------------------------------------ --expect */

/* Goes behind a sign if it is next. */
static bool skip(const char **at, const char *sign)
{
    *at += strspn(*at, " ");
    if (strncmp(*at, sign, strlen(sign)) != 0)
        return false;
    *at += strlen(sign);
    return true;
}

/* A term without its sign: a number, n, or both: "7", "n", "2n", "3·n", "0.5n^2", "n²". */
static bool parse_term(const char **at, double sign, struct fit_polynomial *law)
{
    double factor = 1;
    unsigned degree = 0;
    char *end;
    *at += strspn(*at, " ");
    const bool has_number = isdigit((unsigned char)**at);
    if (has_number) {
        factor = strtod(*at, &end);
        *at = end;
        if (!skip(at, "*"))
            (void)skip(at, "\302\267");
    }
    if (skip(at, "n"))
        degree = skip(at, "^2") || skip(at, "\302\262") ? 2 : 1;
    law->c[degree] += sign * factor;
    law->degree = degree > law->degree ? degree : law->degree;
    return has_number || degree > 0;
}

static bool parse_polynomial(const char *text, struct fit_polynomial *law)
{
    *law = (struct fit_polynomial){.exact = true};
    double sign = skip(&text, "-") ? -1 : 1;
    do {
        if (!parse_term(&text, sign, law))
            return false;
        sign = skip(&text, "+") ? 1 : skip(&text, "-") ? -1 : 0;
    } while (sign != 0);
    return *text == '\0';
}

/* A count by the name that the table of laws gives it; TAP_COUNTS: none has it. */
static size_t find_count(const char *text, size_t length)
{
    char name[NAME_SIZE];
    size_t counted = 0;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    while (counted < TAP_COUNTS &&
           (strlen(count_name(counted, name)) != length || strncmp(name, text, length) != 0))
        counted++;
    return counted;
}

bool tap_parse_expected(struct option_given *given)
{
    struct fit_polynomial *expected = option_row_place(given);
    const char *list = given->value;
    char item[256];
    memset(expected, 0, TAP_COUNTS * sizeof *expected);
    while (text_next_item(&list, item, sizeof item)) {
        const char *name = item + strspn(item, " "), *law = strchr(name, '=');
        const size_t length = law != NULL ? (size_t)(law - name) : 0,
                     counted = law != NULL ? find_count(name, length) : TAP_ALL;
        if (counted == TAP_COUNTS)
            return option_row_refuse(given,
                                     "%.*s is no count of laws.csv, such as create, getChildren, "
                                     "notifications or all requests",
                                     (int)length, name);
        if (!parse_polynomial(law != NULL ? law + 1 : name, &expected[counted]))
            return option_row_refuse(given, "expected a polynomial in n, such as '6n - 2', or "
                                            "'create=n,notifications=n - 1'");
    }
    return true;
}

static void judge_count(struct tap *tap, size_t counted, const struct fit_polynomial *expected)
{
    const struct law law = find_law(tap, counted);
    const struct tap_run *first = NULL; /* that differs */
    size_t equal = 0;
    char name[NAME_SIZE], text[LAW_SIZE], found[LAW_SIZE] = "no polynomial in n", rest[256] = "";
    for (size_t i = 0; i < tap->run_count; i++) {
        const struct tap_run *run = &tap->runs[i];
        const bool is_equal =
            fit_polynomial_at(expected, (double)run->n) == (double)run->counts[counted];
        equal += is_equal;
        if (!is_equal && first == NULL)
            first = run;
    }
    if (law.fit.exact)
        (void)fit_describe(&law.fit, 'n', found, sizeof found);
    if (first != NULL)
        snprintf(rest, sizeof rest,
                 "; with n = %" PRIu64 " there were %" PRIu64 ", not %.10g; the runs have %s",
                 first->n, first->counts[counted], fit_polynomial_at(expected, (double)first->n),
                 found);
    const struct finding finding = {"expected",
                                    count_name(counted, name),
                                    first == NULL ? VERDICT_HOLDS : VERDICT_FAILS,
                                    FINDING_FIGURE((double)equal),
                                    "runs",
                                    tap->run_count};
    findings_add(&tap->tables[TAP_FINDINGS], &finding, "%s, %s: %s in %zu of %zu runs%s",
                 first == NULL ? "As expected" : "Not as expected", name,
                 fit_describe(expected, 'n', text, sizeof text), equal, tap->run_count, rest);
}

void tap_judge_laws(struct tap *tap)
{
    if (tap->run_count == 0)
        return;
    const struct law all = find_law(tap, TAP_ALL);
    fill_rows(tap);
    judge_herding(tap, &all);
    judge_requests(tap, &all);
    judge_recipes(tap);
    for (size_t counted = 0; counted < TAP_COUNTS; counted++)
        if (tap->options->expected[counted].exact)
            judge_count(tap, counted, &tap->options->expected[counted]);
}
