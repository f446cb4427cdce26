// SPDX-License-Identifier: Apache-2.0
#include "bench/sight_table.h"

#include "base/clock.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* Clocks that are kept together by NTP differ by less. */
#define CLOCKS_DIFFER_MS 1000

/* What is not known is a dash. */
struct row {
    const char *name;
    char place[24];
    char state[16];
    char session[24];
    char age[32];
    char client[80];
    char server[ENDPOINT_TEXT_SIZE];
    bool has_age;
    bool has_whereabout;
};

/* How wide the columns are that have no width of their own. */
struct widths {
    int name, age, client;
};

static const char *number_of(size_t count, const char *one, const char *several, char *text,
                             size_t size)
{
    char digits[32];
    if (count == 0)
        snprintf(text, size, "nobody %s", one);
    else
        snprintf(text, size, "%s %s", text_format_count(count, digits, sizeof digits),
                 count == 1 ? one : several);
    return text;
}

static const char *sum_of(const struct sight *sight, char *text, size_t size)
{
    char hold[48], wait[48];
    number_of(sight->holders, "holds", "hold", hold, sizeof hold);
    number_of(sight->count - sight->holders, "waits", "wait", wait, sizeof wait);
    if (sight->kind == SIGHT_QUEUE && !sight->is_lock)
        snprintf(text, size, "no children: a queue that is free, or no lock");
    else if (sight->kind == SIGHT_QUEUE)
        snprintf(text, size, "%s, %s", hold, wait);
    else if (sight->kind == SIGHT_GONE)
        snprintf(text, size, "there is no such znode now; it may be made anew");
    else
        snprintf(text, size, "%s, who waits is not known", hold);
    return text;
}

/* ------------------------------------------------------------------ rows */

static void fill_age(const struct browser_stat *stat, uint64_t now_ms, struct row *row)
{
    int64_t age_ms = (int64_t)now_ms - stat->created_ms;
    row->has_age = age_ms > -CLOCKS_DIFFER_MS;
    if (row->has_age)
        text_format_duration(age_ms > 0 ? (uint64_t)age_ms * NS_PER_MS : 0, row->age,
                             sizeof row->age);
}

static void fill_whereabout(const struct whereabouts *whereabouts, int64_t session, struct row *row)
{
    const struct whereabout *found = whereabouts_find(whereabouts, session);
    row->has_whereabout = found != NULL;
    if (found == NULL)
        return;
    snprintf(row->client, sizeof row->client, "%s", found->client);
    endpoint_typed(&whereabouts->servers->endpoints[found->server], row->server,
                   sizeof row->server);
}

static struct row row_of(const struct sight *sight, size_t place,
                         const struct whereabouts *whereabouts, uint64_t now_ms)
{
    static const char *const roles[] = {
        [LINE_ALONE] = "", [LINE_READS] = ", reads", [LINE_WRITES] = ", writes"};
    const struct line_place *its = &sight->places[place];
    struct row row = {.name = its->name, .age = "-", .client = "-", .server = "-"};
    snprintf(row.place, sizeof row.place, "%zu", place + 1);
    snprintf(row.state, sizeof row.state, "%s%s", its->holds ? "holds" : "waits", roles[its->role]);
    fill_age(&sight->stats[place], now_ms, &row);
    if (sight->stats[place].owner == 0) {
        snprintf(row.session, sizeof row.session, "none");
        row.has_whereabout = true;
        return row;
    }
    snprintf(row.session, sizeof row.session, "0x%" PRIx64, (uint64_t)sight->stats[place].owner);
    fill_whereabout(whereabouts, sight->stats[place].owner, &row);
    return row;
}

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static void write_row(const struct row *row, const struct widths *widths, FILE *stream)
{
    fprintf(stream, "%5s  %-13s  %-*s  %-18s  %*s  %-*s  %s\n", row->place, row->state,
            widths->name, row->name, row->session, widths->age, row->age, widths->client,
            row->client, row->server);
}

/* ------------------------------------------------------------------ what could not be told */

static void write_refusals(const struct whereabouts *whereabouts, FILE *stream)
{
    bool all_told = true;
    for (size_t i = 0; i < whereabouts->servers->count; i++) {
        const struct fault *refusal = &whereabouts->refusals[i];
        if (refusal->kind == FAULT_NONE)
            continue;
        all_told = false;
        fprintf(stream, "-: who is connected to %s is not known: %s%s%s; %s\n", refusal->subject,
                fault_words(refusal->kind), refusal->detail[0] != '\0' ? ": " : "", refusal->detail,
                fault_advice(refusal->kind));
    }
    if (all_told)
        fputs("-: no server of --connect has a connection of that session\n", stream);
}

void sight_table_write(const char *path, const struct sight *sight,
                       const struct whereabouts *whereabouts, FILE *stream)
{
    const struct row head = {"znode",  "place",  "state", "session", "age",
                             "client", "server", true,    true};
    struct widths widths = {wider(0, head.name), wider(0, head.age), wider(0, head.client)};
    uint64_t now_ms = clock_utc_ns() / NS_PER_MS;
    bool all_aged = true, all_placed = true;
    char sum[128];
    fprintf(stream, "%s: %s\n", path, sum_of(sight, sum, sizeof sum));
    for (size_t i = 0; i < sight->count; i++) {
        const struct row row = row_of(sight, i, whereabouts, now_ms);
        widths = (struct widths){wider(widths.name, row.name), wider(widths.age, row.age),
                                 wider(widths.client, row.client)};
        all_aged = all_aged && row.has_age;
        all_placed = all_placed && row.has_whereabout;
    }
    if (sight->count > 0)
        write_row(&head, &widths, stream);
    for (size_t i = 0; i < sight->count; i++) {
        const struct row row = row_of(sight, i, whereabouts, now_ms);
        write_row(&row, &widths, stream);
    }
    if (!all_placed)
        write_refusals(whereabouts, stream);
    if (!all_aged)
        fputs("-: the servers' clock is ahead of this machine's, so ages are not known\n", stream);
    if (sight->kind == SIGHT_ZNODE)
        fputs("who waits leaves a watch on the znode, and no znode of its own\n", stream);
}
