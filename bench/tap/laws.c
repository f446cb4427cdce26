// SPDX-License-Identifier: Apache-2.0
/* The runs of a drain, the law that their counts obey, and the recipes with the same law. */
#include "base/memory.h"
#include "bench/output/findings.h"
#include "bench/tap/internal.h"
#include "measure/fit.h"
#include "recipes/law.h"
#include "recipes/registry.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

TABLE_DEFINE(tap_run, "runs.csv", TAP_RUN_COLUMNS)
TABLE_DEFINE(tap_law, "laws.csv", TAP_LAW_COLUMNS)

#define LAW_SIZE 128

/* ------------------------------------------------------------------ what is counted */

void tap_count(const struct traffic *traffic, struct tap_run *run)
{
    for (enum opcode opcode = 0; opcode < OPCODES; opcode++) {
        run->counts[opcode] = traffic->operations[opcode].requests;
        run->counts[TAP_FAILED + opcode] = traffic->operations[opcode].failed;
    }
    for (enum traffic_event event = 0; event < TRAFFIC_EVENT_KINDS; event++)
        run->counts[TAP_NOTIFICATIONS + event] = traffic->notifications[event];
    run->counts[TAP_ALL_NOTIFICATIONS] = traffic_notifications(traffic);
    run->counts[TAP_ALL] = traffic_requests(traffic);
}

/* Returns `name`. */
const char *tap_count_name(size_t counted, char name[TAP_NAME_SIZE])
{
    if (counted == TAP_ALL)
        snprintf(name, TAP_NAME_SIZE, "all requests");
    else if (counted == TAP_ALL_NOTIFICATIONS)
        snprintf(name, TAP_NAME_SIZE, "notifications");
    else if (counted >= TAP_NOTIFICATIONS)
        snprintf(name, TAP_NAME_SIZE, "notification %s",
                 traffic_event_word((enum traffic_event)(counted - TAP_NOTIFICATIONS)));
    else
        snprintf(name, TAP_NAME_SIZE, "%s%s", opcode_name((enum opcode)(counted % TAP_FAILED)),
                 counted >= TAP_FAILED ? " failed" : "");
    return name;
}

/* Pings come with time, not with clients; the sum of the notifications has no row. */
static bool occurs(const struct tap *tap, size_t counted)
{
    bool found = false;
    for (size_t i = 0; i < tap->run_count; i++)
        found = found || tap->runs[i].counts[counted] > 0;
    return found && counted != OPCODE_PING && counted != TAP_ALL_NOTIFICATIONS;
}

/* A count of each run over its n: a point each. */
struct points {
    double n[FIT_CONSENSUS_MAX], y[FIT_CONSENSUS_MAX];
};

/* The sum of several counts of each run. */
static struct points sum_counts(const struct tap *tap, const size_t *counted, size_t count)
{
    struct points points = {0};
    for (size_t i = 0; i < tap->run_count; i++) {
        points.n[i] = (double)tap->runs[i].n;
        for (size_t j = 0; j < count; j++)
            points.y[i] += (double)tap->runs[i].counts[counted[j]];
    }
    return points;
}

/* The polynomial that most runs' counts equal; how many do. */
static struct fit_polynomial fit_count(const struct tap *tap, size_t counted, struct points *points,
                                       size_t *equal)
{
    *points = sum_counts(tap, &counted, 1);
    return fit_consensus(points->n, points->y, tap->run_count, equal);
}

const char *tap_describe_law(const struct tap *tap, size_t counted, char *text, size_t size)
{
    struct points points;
    size_t equal;
    const struct fit_polynomial fit = fit_count(tap, counted, &points, &equal);
    if (fit.exact)
        return fit_describe(&fit, 'n', text, size);
    snprintf(text, size, "no polynomial in n");
    return text;
}

/* ------------------------------------------------------------------ rows */

static void fill_law(const struct tap *tap, size_t counted, struct table_value *row)
{
    struct points points;
    char text[LAW_SIZE], name[TAP_NAME_SIZE];
    size_t equal;
    const struct fit_polynomial fit = fit_count(tap, counted, &points, &equal);
    const struct fit_exponent growth = fit_exponent(points.n, points.y, tap->run_count);
    row[tap_law_counted] = table_text(tap_count_name(counted, name));
    if (fit.exact)
        row[tap_law_law] = table_text(fit_describe(&fit, 'n', text, sizeof text));
    row[tap_law_runs] = table_count(tap->run_count);
    row[tap_law_equal] = table_count_if(fit.exact, equal);
    row[tap_law_differ_most] = table_count_if(fit.exact, (uint64_t)fit.max_residual);
    table_put_interval(&row[tap_law_exponent],
                       &(struct interval){growth.exponent, growth.low, growth.high});
}

void tap_fill_laws(struct tap *tap)
{
    char name[TAP_NAME_SIZE];
    for (size_t i = 0; i < tap->run_count; i++)
        for (size_t counted = 0; counted < TAP_COUNTS; counted++) {
            if (!occurs(tap, counted))
                continue;
            struct table_value *row = table_add(&tap->tables[TAP_RUNS]);
            row[tap_run_clients] = table_count(tap->runs[i].n);
            row[tap_run_trial] = table_count(tap->runs[i].trial);
            row[tap_run_counted] = table_text(tap_count_name(counted, name));
            row[tap_run_messages] = table_count(tap->runs[i].counts[counted]);
        }
    for (size_t counted = 0; counted < TAP_COUNTS; counted++)
        if (occurs(tap, counted))
            fill_law(tap, counted, table_add(&tap->tables[TAP_LAWS]));
}

/* ------------------------------------------------------------------ recipes with the same law */

/* The kinds of messages in the laws of recipes, each with the counts that it sums. */
#define FAILURES(operation) (TAP_FAILED + OPCODE_##operation)
#define OF(event)           (TAP_NOTIFICATIONS + TRAFFIC_##event)
static const struct kind {
    enum tally_kind tally;
    const char *word;
    size_t count;
    size_t counted[4];
} kinds[] = {
    {TALLY_CREATE,
     "create",
     4,
     {OPCODE_CREATE, OPCODE_CREATE2, OPCODE_CREATE_CONTAINER, OPCODE_CREATE_TTL}},
    {TALLY_CREATE_FAILED,
     "failed create",
     4,
     {FAILURES(CREATE), FAILURES(CREATE2), FAILURES(CREATE_CONTAINER), FAILURES(CREATE_TTL)}},
    {TALLY_EXISTS, "exists", 1, {OPCODE_EXISTS}},
    {TALLY_GET, "getData", 1, {OPCODE_GET_DATA}},
    {TALLY_GET_CHILDREN, "getChildren", 2, {OPCODE_GET_CHILDREN, OPCODE_GET_CHILDREN2}},
    {TALLY_SET, "setData", 1, {OPCODE_SET_DATA}},
    {TALLY_DELETE, "delete", 1, {OPCODE_DELETE}},
    {TALLY_DELETE_FAILED, "failed delete", 1, {FAILURES(DELETE)}},
    {TALLY_MULTI, "multi", 1, {OPCODE_MULTI}},
    {TALLY_SYNC, "sync", 1, {OPCODE_SYNC}},
    {TALLY_NOTIFICATION, "notification", 4, {OF(CREATED), OF(DELETED), OF(CHANGED), OF(CHILDREN)}},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

#define DIFFER_MOST 2 /* kinds by which a law of a recipe is named that is exceeded */

/* The counts of a kind less the law of a recipe. False: most runs obey no polynomial. */
static bool fit_excess(const struct tap *tap, const struct recipe *recipe, const struct kind *kind,
                       struct fit_polynomial *fit)
{
    struct points points = sum_counts(tap, kind->counted, kind->count);
    size_t equal;
    for (size_t i = 0; kind->tally < TALLY_KINDS && i < tap->run_count; i++) {
        struct tally law = {0};
        law_total(recipe, tap->runs[i].n, tap->runs[i].n, &law);
        points.y[i] -= (double)law.of[kind->tally];
    }
    *fit = fit_consensus(points.n, points.y, tap->run_count, &equal);
    return fit->exact && 2 * equal > tap->run_count;
}

/* Adds the excess of a kind in words. Returns 0 if there is none, 1 if there is one, or
 * more than DIFFER_MOST where something lacks or no polynomial says it. */
static size_t compare_kind(const struct tap *tap, const struct recipe *recipe,
                           const struct kind *kind, struct growing_text *excess)
{
    struct fit_polynomial fit;
    char text[LAW_SIZE];
    if (!fit_excess(tap, recipe, kind, &fit) || fit.c[fit.degree] < 0)
        return DIFFER_MOST + 1;
    if (fit.degree == 0 && fit.c[0] == 0)
        return 0;
    growing_text_add(excess, "%s%s %s", excess->text != NULL ? ", " : "",
                     fit_describe(&fit, 'n', text, sizeof text), kind->word);
    return 1;
}

/* Whether an operation belongs to no law: each of them is a kind of its own. */
static bool is_foreign(size_t counted)
{
    bool found = counted == OPCODE_PING || counted == OPCODE_CLOSE;
    for (size_t i = 0; i < KINDS; i++)
        for (size_t j = 0; j < kinds[i].count; j++)
            found = found || kinds[i].counted[j] == counted;
    return !found;
}

/* Number of kinds whose counts differ from the recipe's law, with the whole excess in words. */
static size_t compare_with(const struct tap *tap, const struct recipe *recipe,
                           struct growing_text *excess)
{
    size_t differ = 0;
    for (size_t i = 0; i < KINDS && differ <= DIFFER_MOST; i++)
        differ += compare_kind(tap, recipe, &kinds[i], excess);
    for (size_t counted = 0; counted < OPCODES && differ <= DIFFER_MOST; counted++) {
        const struct kind kind = {TALLY_KINDS, opcode_name((enum opcode)counted), 1, {counted}};
        if (is_foreign(counted) && occurs(tap, counted))
            differ += compare_kind(tap, recipe, &kind, excess);
    }
    return differ;
}

/* ------------------------------------------------------------------ findings */

#define MEASURED(slug, subject, figure, unit, runs)                                                \
    &(const struct finding)                                                                        \
    {                                                                                              \
        slug, subject, VERDICT_MEASURED, figure, unit, runs                                        \
    }

/* Names all recipes with the same law, or else the first with the fewest differences. */
static void judge_recipes(struct tap *tap)
{
    struct growing_text same = {0}, near = {0};
    size_t least = DIFFER_MOST + 1;
    const struct recipe *recipe;
    for (size_t i = 0; tap->run_count > 0 && (recipe = registry_at(i)) != NULL; i++) {
        struct growing_text excess = {0};
        if (!recipe_has_law(recipe) || recipe->broken)
            continue;
        size_t differ = compare_with(tap, recipe, &excess);
        if (differ == 0)
            growing_text_add(&same, "%s%s", same.text == NULL ? "" : ", ", recipe->name);
        else if (differ < least) {
            free(near.text);
            near = (struct growing_text){0};
            growing_text_add(&near, "%s, and %s more", recipe->name, excess.text);
            least = differ;
        }
        free(excess.text);
    }
    const char *like = same.text != NULL ? same.text : near.text;
    if (like != NULL)
        findings_add(&tap->tables[TAP_FINDINGS],
                     MEASURED("recipe", "command", FINDING_NO_FIGURE, "", tap->run_count),
                     "The counts are those of zkherd's recipe %s", like);
    free(same.text);
    free(near.text);
}

/* Messages of the first run beyond the least of the runs with as many clients: those that clients
 * send once, as to make the parents of their znodes. */
static void judge_first_run(struct tap *tap)
{
    struct growing_text list = {0};
    char name[TAP_NAME_SIZE];
    uint64_t sum = 0;
    for (size_t counted = 0; counted < TAP_ALL_NOTIFICATIONS; counted++) {
        uint64_t least = UINT64_MAX, first = tap->first.counts[counted];
        for (size_t i = 0; i < tap->run_count; i++)
            if (tap->runs[i].n == tap->first.n && tap->runs[i].counts[counted] < least)
                least = tap->runs[i].counts[counted];
        if (first <= least || counted == OPCODE_PING)
            continue;
        growing_text_add(&list, "%s%" PRIu64 " %s", sum > 0 ? ", " : "", first - least,
                         tap_count_name(counted, name));
        sum += first - least;
    }
    if (sum > 0)
        findings_add(&tap->tables[TAP_FINDINGS],
                     MEASURED("first-run", "command", FINDING_FIGURE((double)sum), "messages", 1),
                     "The first run, which is not counted, had more: %s. That is what clients make "
                     "once",
                     list.text);
    free(list.text);
}

/* Whether a count grows faster than the clients: 1, or no faster: 0; -1: it is not certain. */
static int bends(const struct tap *tap, size_t counted)
{
    struct points points;
    size_t equal;
    const struct fit_polynomial fit = fit_count(tap, counted, &points, &equal);
    const struct fit_exponent growth = fit_exponent(points.n, points.y, tap->run_count);
    if (fit.exact)
        return fit.degree > 1 && fit.c[2] > 0;
    return growth.low > 1 + FIT_MARGIN ? 1 : growth.high < 1 + FIT_MARGIN ? 0 : -1;
}

/* What people ask a drain for; the remedies are laws of docs/tap.md. */
static void judge_herding(struct tap *tap)
{
    const int requests = bends(tap, TAP_ALL), notified = bends(tap, TAP_ALL_NOTIFICATIONS);
    const struct tap_run *most = tap->runs;
    for (size_t i = 0; i < tap->run_count; i++)
        most = tap->runs[i].n > most->n ? &tap->runs[i] : most;
    if (tap->run_count == 0 || (requests != 1 && notified != 1 && requests + notified != 0))
        return;
    const bool herds = requests == 1 || notified == 1;
    const double each = (double)most->counts[TAP_ALL] / (double)most->n;
    findings_add(&tap->tables[TAP_FINDINGS],
                 MEASURED("herds", "command", FINDING_FIGURE(each), "requests", tap->run_count),
                 "%s: %s grow with %s; with n = %" PRIu64 " a client sends %.3g requests%s",
                 herds ? "Herd" : "No herd", requests == 0 && herds ? "notifications" : "requests",
                 herds ? "n\302\262" : "n", most->n, each,
                 herds ? "; with kazoo's Lock it is 6, with Curator's InterProcessMutex 5" : "");
}

/* The law of all requests, which is that of the last row. */
static void judge_requests(struct tap *tap)
{
    const struct table *laws = &tap->tables[TAP_LAWS];
    if (!occurs(tap, TAP_ALL))
        return;
    const struct table_value *row = table_row(laws, laws->rows - 1);
    const struct interval growth = {row[tap_law_exponent].real, row[tap_law_exponent_low].real,
                                    row[tap_law_exponent_high].real};
    const double equal = table_number(&row[tap_law_equal]);
    if (isfinite(equal))
        findings_add(&tap->tables[TAP_FINDINGS],
                     MEASURED("law", "all requests", FINDING_FIGURE(equal), "runs", tap->run_count),
                     "n clients send %s requests in %.0f of %zu runs", row[tap_law_law].text, equal,
                     tap->run_count);
    else if (isfinite(growth.low))
        findings_add(&tap->tables[TAP_FINDINGS],
                     MEASURED("law", "all requests", growth, "exponent", tap->run_count),
                     "Requests grow as n^%.2f (%.2f to %.2f), and equal no polynomial in n",
                     growth.value, growth.low, growth.high);
    if (!isfinite(equal) && tap->options->clients.count < 5)
        findings_add(&tap->tables[TAP_FINDINGS],
                     MEASURED("levels", "all requests",
                              FINDING_FIGURE((double)tap->options->clients.count), "", 1),
                     "A law needs more different n: 4 for a line, 5 for a parabola");
}

void tap_judge_laws(struct tap *tap)
{
    judge_herding(tap);
    judge_requests(tap);
    judge_recipes(tap);
    judge_first_run(tap);
}
