// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "bench/inspect/internal.h"
#include "bench/output/json_result.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Clocks that are kept together by NTP differ by less. */
#define CLOCKS_DIFFER_MS 1000

#define GAP 2 /* blanks between two columns */

/* As much data as a line below the row has room for. */
#define DATA_WIDTH 60

/* So many znodes without children are named. */
#define CHILDLESS_NAMED_MAX 5

/* The age of a znode: this machine's time minus its creation by the servers' clock, because nobody
 * can read that clock without writing a znode. -1 if it is not known: created_ms is 0, or lies
 * ahead by more than two synchronized clocks differ. */
static int64_t age_ms(int64_t created_ms)
{
    int64_t age = (int64_t)(clock_utc_ns() / NS_PER_MS) - created_ms;
    if (created_ms == 0 || age < -CLOCKS_DIFFER_MS)
        return -1;
    return age > 0 ? age : 0;
}

/* "2.4 s", or GRID_UNKNOWN; size >= 32. */
static const char *age_of(int64_t created_ms, char *text, size_t size)
{
    int64_t age = age_ms(created_ms);
    if (age >= 0)
        return text_format_duration((uint64_t)age * NS_PER_MS, text, size);
    snprintf(text, size, GRID_UNKNOWN);
    return text;
}

/* "0x1000a3b1c2d0003"; a znode that no session owns: "none". */
static const char *session_of(int64_t owner, char *text, size_t size)
{
    if (owner != 0)
        snprintf(text, size, "0x%" PRIx64, (uint64_t)owner);
    else
        snprintf(text, size, "none");
    return text;
}

static const char *const roles[] = {
    [LINE_ALONE] = "", [LINE_READS] = "reads", [LINE_WRITES] = "writes", [LINE_LEASES] = ""};

static const char *state_of(const struct lock_view *view, size_t place)
{
    return place < view->holders ? "holds" : "waits";
}

/* The time of the grant, like created_ms; 0: not known. The servers keep it only where the grant
 * creates the znode. */
static int64_t granted_ms(const struct lock_view *view, size_t place)
{
    return view->kind == LOCK_VIEW_ZNODE ? view->entries[place].stat.created_ms : 0;
}

/* ------------------------------------------------------------------ the table of a view */

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

static const char *sum_of(const struct lock_view *view, char *text, size_t size)
{
    char hold[48], wait[48];
    number_of(view->holders, "holds", "hold", hold, sizeof hold);
    number_of(lock_view_waiters(view), "waits", "wait", wait, sizeof wait);
    if (view->kind == LOCK_VIEW_ZNODE)
        snprintf(text, size, "%s, waiters are not known", hold);
    else if (view->is_lock)
        snprintf(text, size, "%s, %s", hold, wait);
    else
        snprintf(text, size, "no children: a free queue, or not a lock");
    return text;
}

enum { PLACE, STATE, ZNODE, SESSION, QUEUED, HELD, CLIENT, SERVER, DATA, COLUMNS };

static const struct grid_column view_columns[COLUMNS] = {
    [PLACE] = {.title = "place", .right = true},   [STATE] = {.title = "state"},
    [ZNODE] = {.title = "znode", .below = true},   [SESSION] = {.title = "session"},
    [QUEUED] = {.title = "queued", .right = true}, [HELD] = {.title = "held", .right = true},
    [CLIENT] = {.title = "client", .below = true}, [SERVER] = {.title = "server", .below = true},
    [DATA] = {.title = "data", .below = true},
};

/* Which values are not known in some row. */
struct gaps {
    bool ages, connections;
};

static const char *data_of(const struct browser_data *data, char *text, size_t size)
{
    if (!data->known || data->length == 0)
        return GRID_UNKNOWN;
    printable_bytes(data->bytes, data->length, text, size);
    return printable_cut(text, DATA_WIDTH);
}

static void put_place(struct grid *grid, const struct lock_view *view, size_t place,
                      const struct connections *connections, struct gaps *gaps)
{
    const struct lock_view_entry *entry = &view->entries[place];
    const struct connection *found = connections_find(connections, entry->stat.owner);
    char age[32], session[24], server[ENDPOINT_TEXT_SIZE] = GRID_UNKNOWN,
                               data[4 * BROWSER_DATA_MAX];
    if (found != NULL)
        endpoint_typed(&connections->servers->endpoints[found->server], server, sizeof server);
    grid_add(grid, "%zu", place + 1);
    const char *role = roles[view->places[place].role];
    grid_add(grid, "%s%s%s", state_of(view, place), role[0] != '\0' ? ", " : "", role);
    grid_add(grid, "%s", view->places[place].name);
    grid_add(grid, "%s", session_of(entry->stat.owner, session, sizeof session));
    grid_add(grid, "%s", age_of(entry->stat.created_ms, age, sizeof age));
    gaps->ages = gaps->ages || strcmp(age, GRID_UNKNOWN) == 0;
    grid_add(grid, "%s", age_of(granted_ms(view, place), age, sizeof age));
    grid_add(grid, "%s", found != NULL ? found->client : GRID_UNKNOWN);
    gaps->connections = gaps->connections || (found == NULL && entry->stat.owner != 0);
    grid_add(grid, "%s", server);
    grid_add(grid, "%s", data_of(&entry->data, data, sizeof data));
}

static void write_foreign(const char *text)
{
    char printable[1024];
    fputs(printable_text(text, printable, sizeof printable), stdout);
}

static void write_refusals(const struct connections *connections)
{
    bool all_answered = true;
    for (size_t i = 0; i < connections->servers->count; i++) {
        const struct error *refusal = &connections->refusals[i];
        char line[1200];
        if (refusal->kind == ERROR_NONE)
            continue;
        all_answered = false;
        snprintf(line, sizeof line, "no client addresses from %s: %s%s%s; %s", refusal->subject,
                 error_words(refusal->kind), refusal->detail[0] != '\0' ? ": " : "",
                 refusal->detail, error_advice(refusal->kind));
        write_foreign(line);
        putchar('\n');
    }
    if (all_answered)
        puts("a session without a client has no connection to a server of --connect");
}

void show_view(const char *path, const struct lock_view *view,
               const struct connections *connections)
{
    struct grid grid;
    struct gaps gaps = {false, false};
    char sum[160];
    grid_init(&grid, view_columns, COLUMNS, GAP);
    for (size_t i = 0; i < view->count; i++)
        put_place(&grid, view, i, connections, &gaps);
    write_foreign(path);
    printf(": %s\n", sum_of(view, sum, sizeof sum));
    grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
    grid_deinit(&grid);
    if (gaps.connections)
        write_refusals(connections);
    if (gaps.ages)
        puts("ages are not known: the servers' clock is ahead of this machine's");
    if (view->kind == LOCK_VIEW_ZNODE)
        puts("a waiter sets a watch on this znode and creates no znode of its own");
}

/* ------------------------------------------------------------------ the table of a survey */

static const struct grid_column survey_columns[] = {
    {.title = "waiters", .right = true},
    {.title = "longest wait", .right = true},
    {.title = "recipe"},
    {.title = "held by"},
    {.title = "lock", .below = true},
    {.title = "data", .below = true},
};

/* "0x1000a3b1c2d0003", "3 readers", "3 leases", "nobody". */
static const char *holder_of(const struct survey_lock *lock, char *text, size_t size)
{
    char count[32];
    bool leases = strstr(lock->recipe, "lease") != NULL;
    if (lock->holders == 0)
        snprintf(text, size, "nobody");
    else if (lock->holders > 1)
        snprintf(text, size, "%s %s", text_format_count(lock->holders, count, sizeof count),
                 leases ? "leases" : "readers");
    else if (!lock->found_holder)
        snprintf(text, size, GRID_UNKNOWN);
    else
        session_of(lock->session, text, size);
    return text;
}

static void put_lock(struct grid *grid, const struct survey_lock *lock)
{
    char text[64], data[4 * BROWSER_DATA_MAX] = GRID_UNKNOWN;
    if (lock->holders == 1 && lock->data.known && lock->data.length > 0)
        printable_bytes(lock->data.bytes, lock->data.length, data, DATA_WIDTH);
    grid_add(grid, "%s", text_format_count(lock->waiters, text, sizeof text));
    grid_add(grid, "%s", age_of(lock->oldest_ms, text, sizeof text));
    grid_add(grid, "%s", lock->recipe);
    grid_add(grid, "%s", holder_of(lock, text, sizeof text));
    grid_add(grid, "%s", lock->path);
    grid_add(grid, "%s", data);
}

/* How many there are, and the first of them. */
static void write_childless(const struct survey *survey)
{
    char number[32];
    size_t count = survey->childless_count;
    struct growing_text line = {0};
    if (count == 0)
        return;
    growing_text_add(&line, "%s znode%s without children: ",
                     text_format_count(count, number, sizeof number), count == 1 ? "" : "s");
    growing_text_add(&line,
                     count == 1 ? "a free queue, or not a lock" : "free queues, or not locks");
    for (size_t i = 0; i < count && i < CHILDLESS_NAMED_MAX; i++) {
        char name[1024];
        growing_text_add(&line, "%s %s", i == 0 ? ":" : ",",
                         printable_text(survey->childless[i], name, sizeof name));
    }
    growing_text_add(&line, "%s", count > CHILDLESS_NAMED_MAX ? ", ..." : "");
    wrap_hanging(line.text, stdout);
    free(line.text);
}

void show_survey(const char *path, const struct survey *survey)
{
    struct grid grid;
    uint64_t waiters = 0;
    char number[32];
    grid_init(&grid, survey_columns, sizeof survey_columns / sizeof survey_columns[0], GAP);
    for (size_t i = 0; i < survey->count; i++) {
        put_lock(&grid, &survey->locks[i]);
        waiters += survey->locks[i].waiters;
    }
    write_foreign(path);
    if (survey->count == 0)
        fputs(": no lock is held or waited for\n", stdout);
    else {
        printf(": %s lock%s, ", text_format_count(survey->count, number, sizeof number),
               survey->count == 1 ? "" : "s");
        printf("%s waiter%s\n", text_format_count(waiters, number, sizeof number),
               waiters == 1 ? "" : "s");
    }
    grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
    grid_deinit(&grid);
    write_childless(survey);
    if (!survey->complete)
        printf("the search is incomplete: limit %d levels, %s znodes;\n"
               "unreadable znodes are skipped\n",
               SURVEY_DEPTH_MAX, text_format_count(SURVEY_ZNODES_MAX, number, sizeof number));
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_age(int64_t since_ms)
{
    int64_t age = age_ms(since_ms);
    return age >= 0 ? json_integer(age) : json_null();
}

static json_t *json_session(int64_t owner)
{
    char text[24];
    return owner != 0 ? json_string(session_of(owner, text, sizeof text)) : json_null();
}

static json_t *json_data(const struct browser_data *data)
{
    return data->known ? json_text_bytes(data->bytes, data->length) : json_null();
}

static json_t *json_place(const char *path, const struct lock_view *view, size_t place,
                          const struct connections *connections)
{
    const struct lock_view_entry *entry = &view->entries[place];
    const struct connection *found = connections_find(connections, entry->stat.owner);
    char server[ENDPOINT_TEXT_SIZE], created[32];
    char *znode = lock_view_znode(view, path, place);
    json_t *queued = json_age(entry->stat.created_ms);
    /* Who holds since it queued has held for as long as it has queued, to the millisecond. */
    json_t *held = granted_ms(view, place) > 0 ? json_incref(queued) : json_null();
    if (found != NULL)
        endpoint_typed(&connections->servers->endpoints[found->server], server, sizeof server);
    clock_format_utc((uint64_t)entry->stat.created_ms * NS_PER_MS, 0, created, sizeof created);
    json_t *object = json_pack(
        "{s:i, s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "place", (int)place + 1, "state",
        state_of(view, place), "role", json_result_text(roles[view->places[place].role]), "znode",
        json_text(znode), "session", json_session(entry->stat.owner), "created", created,
        "queued_ms", queued, "held_ms", held, "client",
        found != NULL ? json_text(found->client) : json_null(), "server",
        found != NULL ? json_text(server) : json_null(), "data", json_data(&entry->data));
    free(znode);
    return object;
}

static const char *kind_of(const struct lock_view *view)
{
    return view->kind == LOCK_VIEW_ZNODE ? "znode" : "queue";
}

static json_t *json_servers(const struct connections *connections)
{
    json_t *servers = json_array();
    for (size_t i = 0; i < connections->servers->count; i++) {
        const struct error *refusal = &connections->refusals[i];
        char text[ENDPOINT_TEXT_SIZE];
        endpoint_typed(&connections->servers->endpoints[i], text, sizeof text);
        json_array_append_new(servers, json_pack("{s:o, s:o}", "server", json_text(text), "refusal",
                                                 refusal->kind == ERROR_NONE
                                                     ? json_null()
                                                     : json_text(error_words(refusal->kind))));
    }
    return servers;
}

void show_view_json(const char *path, const struct lock_view *view,
                    const struct connections *connections)
{
    json_t *places = json_array();
    bool known = view->kind != LOCK_VIEW_ZNODE;
    const char *recipe = view->kind == LOCK_VIEW_QUEUE && view->count > 0
                             ? line_recipe(view->places, view->count)
                             : kind_of(view);
    for (size_t i = 0; i < view->count; i++)
        json_array_append_new(places, json_place(path, view, i, connections));
    json_result_write(
        json_pack("{s:o, s:s, s:s, s:I, s:o, s:o, s:o}", "path", json_text(path), "kind",
                  kind_of(view), "recipe", recipe, "holders", (json_int_t)view->holders, "waiters",
                  known ? json_integer((json_int_t)lock_view_waiters(view)) : json_null(), "places",
                  places, "servers", json_servers(connections)),
        stdout);
}

static json_t *json_lock(const struct survey_lock *lock)
{
    return json_pack("{s:o, s:s, s:I, s:I, s:o, s:o, s:o}", "path", json_text(lock->path), "recipe",
                     lock->recipe, "holders", (json_int_t)lock->holders, "waiters",
                     (json_int_t)lock->waiters, "longest_wait_ms", json_age(lock->oldest_ms),
                     "session", lock->found_holder ? json_session(lock->session) : json_null(),
                     "data", lock->found_holder ? json_data(&lock->data) : json_null());
}

void show_survey_json(const char *path, const struct survey *survey)
{
    json_t *locks = json_array(), *childless = json_array();
    for (size_t i = 0; i < survey->count; i++)
        json_array_append_new(locks, json_lock(&survey->locks[i]));
    for (size_t i = 0; i < survey->childless_count; i++)
        json_array_append_new(childless, json_text(survey->childless[i]));
    json_result_write(json_pack("{s:o, s:s, s:o, s:o, s:I, s:b}", "path", json_text(path), "kind",
                                "folder", "locks", locks, "childless", childless, "znodes",
                                (json_int_t)survey->znodes, "complete", (int)survey->complete),
                      stdout);
}
