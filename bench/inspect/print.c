// SPDX-License-Identifier: Apache-2.0
/* A lock, and the locks below a folder, as rows: on the terminal and in JSON. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/terminal.h"
#include "bench/inspect/internal.h"
#include "bench/output/json_result.h"
#include "bench/output/row_grid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Clocks that are kept together by NTP differ by less. */
#define CLOCKS_DIFFER_MS 1000

#define CHILDLESS_MOST 5  /* znodes without children that are named */
#define BY_NAME_MOST   20 /* rows of locks of one znode on the screen */
#define DATA_WIDTH     60 /* columns on the screen */
#define TEXT_SIZE      1200

#define PLACE_COLUMNS(X, T)                                                                        \
    X(T, place, COUNT, "", 0, NONE, "from 1")                                                      \
    X(T, state, TEXT, "", 0, NONE, "`holds` or `waits`")                                           \
    X(T, role, TEXT, "", 0, NONE, "`reads` or `writes`")                                           \
    X(T, znode, TEXT, "", 0, NONE, "its full path")                                                \
    X(T, name, TEXT, "", 0, PRIVATE, "the end of it")                                              \
    X(T, session, TEXT, "", 0, NONE, "null: not ephemeral")                                        \
    X(T, created, TEXT, "", 0, NONE, "UTC")                                                        \
    X(T, queued_ms, COUNT, "ms", 0, NONE, "age of the znode; null: the clocks differ")             \
    X(T, held_ms, COUNT, "ms", 0, NONE, "null: not known, as of queues")                           \
    X(T, client, TEXT, "", 0, NONE, "its address")                                                 \
    X(T, server, TEXT, "", 0, NONE, "to which it is connected")                                    \
    X(T, data, TEXT, "", 0, NONE, "256 bytes at most")
TABLE_DECLARE(inspect_place, PLACE_COLUMNS);
TABLE_DEFINE(inspect_place, "--json", PLACE_COLUMNS)

#define LOCK_COLUMNS(X, T)                                                                         \
    X(T, path, TEXT, "", 0, NONE, "of the folder, or of the one znode")                            \
    X(T, recipe, TEXT, "", 0, NONE, "by the names of the znodes")                                  \
    X(T, holders, COUNT, "", 0, NONE, "places that hold")                                          \
    X(T, waiters, COUNT, "", 0, NONE, "null: not known, because they have no znodes")              \
    X(T, longest_wait_ms, COUNT, "ms", 0, NONE, "of the first waiter")                             \
    X(T, session, TEXT, "", 0, NONE, "of the first holder; null: of no session")                   \
    X(T, data, TEXT, "", 0, NONE, "of the first holder")
TABLE_DECLARE(inspect_lock, LOCK_COLUMNS);
TABLE_DEFINE(inspect_lock, "--json", LOCK_COLUMNS)

/* ------------------------------------------------------------------ values */

/* The age of a znode: this machine's time minus its creation by the servers' clock, which
 * is read by writing a znode alone. Unknown if that lies ahead by more than two synchronized clocks
 * differ. */
static struct table_value age_of(int64_t created_ms)
{
    int64_t age = (int64_t)(clock_utc_ns() / NS_PER_MS) - created_ms;
    return table_count_if(created_ms != 0 && age >= -CLOCKS_DIFFER_MS, age > 0 ? (uint64_t)age : 0);
}

/* For the screen: JSON has the bytes. */
static struct table_value data_of(const struct browser_data *data)
{
    char text[4 * BROWSER_DATA_MAX + 1];
    if (!data->known || data->length == 0)
        return table_text(NULL);
    printable_bytes(data->bytes, data->length, text, sizeof text);
    return table_text(printable_cut(text, DATA_WIDTH));
}

static struct table list_places(const struct lock *lock, const struct connections *connections)
{
    static const char *const roles[] = {
        [LINE_READS] = "reads", [LINE_WRITES] = "writes", [LINE_LEASES] = NULL};
    struct table table = {.type = &inspect_place_table};
    for (size_t i = 0; i < lock->count; i++) {
        const struct place *place = &lock->places[i];
        const struct connection *found = connections_find(connections, place->stat.owner);
        struct table_value *row = table_add(&table);
        char server[ENDPOINT_TEXT_SIZE], created[32];
        row[inspect_place_place] = table_count(i + 1);
        row[inspect_place_state] = table_text(place->line.holds ? "holds" : "waits");
        row[inspect_place_role] = table_text(roles[place->line.role]);
        row[inspect_place_znode] = table_text(place->path);
        row[inspect_place_name] = table_text(strrchr(place->path, '/') + 1);
        row[inspect_place_session] = table_hex(place->stat.owner);
        clock_format_utc((uint64_t)place->stat.created_ms * NS_PER_MS, 0, created, sizeof created);
        row[inspect_place_created] = table_text(created);
        row[inspect_place_queued_ms] = age_of(place->stat.created_ms);
        /* The servers keep the time of the grant only where the grant creates the znode. */
        if (lock->by_name)
            row[inspect_place_held_ms] = row[inspect_place_queued_ms];
        row[inspect_place_data] = data_of(&place->data);
        if (found == NULL)
            continue;
        endpoint_typed(&connections->servers->endpoints[found->server], server, sizeof server);
        row[inspect_place_client] = table_text(found->client);
        row[inspect_place_server] = table_text(server);
    }
    return table;
}

/* The first holder, if it was read; NULL: none was. */
static const struct place *first_holder(const struct lock *lock)
{
    return lock->count > 0 && lock->places[0].line.holds ? &lock->places[0] : NULL;
}

static struct table list_locks(const struct survey *survey)
{
    struct table table = {.type = &inspect_lock_table};
    for (size_t i = 0; i < survey->count; i++) {
        const struct lock *lock = &survey->locks[i];
        const struct place *holder = first_holder(lock);
        struct table_value *row = table_add(&table);
        row[inspect_lock_path] = table_text(lock->path);
        row[inspect_lock_recipe] = table_text(lock->recipe);
        row[inspect_lock_holders] = table_count(lock->holders);
        row[inspect_lock_waiters] = table_count_if(!lock->waiters_unknown, lock->waiters);
        row[inspect_lock_longest_wait_ms] = age_of(lock->since_ms);
        row[inspect_lock_session] = table_hex(holder != NULL ? holder->stat.owner : 0);
        if (holder != NULL)
            row[inspect_lock_data] = data_of(&holder->data);
    }
    return table;
}

/* ------------------------------------------------------------------ the terminal */

static const struct row_column place_columns[] = {
    {.column = inspect_place_place},
    {.column = inspect_place_state},
    {.column = inspect_place_role, .where = ROW_COLUMN_KNOWN},
    {.column = inspect_place_session},
    {.column = inspect_place_queued_ms, .title = "queued s", .factor = 1e-3, .decimals = 1},
    {.column = inspect_place_held_ms, .title = "held s", .factor = 1e-3, .decimals = 1},
    {.column = inspect_place_name, .title = "znode", .below = true},
    {.column = inspect_place_client, .below = true},
    {.column = inspect_place_server, .below = true},
    {.column = inspect_place_data, .below = true},
};

static const struct row_column lock_columns[] = {
    {.column = inspect_lock_waiters},
    {.column = inspect_lock_longest_wait_ms,
     .over = "longest",
     .title = "wait s",
     .factor = 1e-3,
     .decimals = 1},
    {.column = inspect_lock_recipe},
    {.column = inspect_lock_holders},
    {.column = inspect_lock_session, .title = "held by"},
    {.column = inspect_lock_path, .title = "lock", .below = true},
    {.column = inspect_lock_data, .below = true},
};

#define COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof(list)[0]

static void write_grid(const struct row_grid *grid)
{
    row_grid_write(grid, terminal_columns(STDOUT_FILENO), stdout);
}

/* Why clients have no address. */
static void write_refusals(const struct connections *connections)
{
    bool all_answered = true;
    for (size_t i = 0; i < connections->servers->count; i++) {
        const struct error *refusal = &connections->refusals[i];
        char server[TEXT_SIZE], detail[TEXT_SIZE];
        if (refusal->kind == ERROR_NONE)
            continue;
        all_answered = false;
        printf("no client addresses from %s: %s%s%s; %s\n",
               printable_text(refusal->subject, server, sizeof server), error_words(refusal->kind),
               refusal->detail[0] != '\0' ? ": " : "",
               printable_text(refusal->detail, detail, sizeof detail), error_advice(refusal->kind));
    }
    if (all_answered)
        puts("a session without a client has no connection to a server of --connect");
}

/* How to go on from a holder: logs have the whole path. */
static void write_next(const struct lock *lock, const char *chroot)
{
    const struct place *holder = first_holder(lock);
    const bool is_chroot = chroot[0] != '\0' && strcmp(lock->path, "/") == 0;
    char whole[TEXT_SIZE], path[4 * TEXT_SIZE];
    char where[96] = "its znode outlives its session: who made it is in the logs:";
    if (holder == NULL)
        return;
    if (holder->stat.owner != 0)
        snprintf(where, sizeof where,
                 "look for session 0x%" PRIx64 " in the logs of clients and servers; its past:",
                 (uint64_t)holder->stat.owner);
    snprintf(whole, sizeof whole, "%s%s", chroot, is_chroot ? "" : lock->path);
    wrap_sentence(stdout, "next: %s zkherd autopsy --lock %s DATADIR...", where,
                  printable_text(whole, path, sizeof path));
}

/* What a survey, or a lock, leaves out. */
static void write_left_out(size_t count, const char *one, const char *several)
{
    if (count > 0)
        printf("left out: %zu %s\n", count, count == 1 ? one : several);
}

void print_lock(const struct lock *lock, const struct connections *connections)
{
    struct table table = list_places(lock, connections);
    bool lacks_client = false, lacks_age = false;
    char path[TEXT_SIZE];
    for (size_t i = 0; i < table.rows; i++) {
        const struct table_value *row = table_row(&table, i);
        lacks_client |= row[inspect_place_session].kind != TABLE_UNKNOWN &&
                        row[inspect_place_client].kind == TABLE_UNKNOWN;
        lacks_age |= row[inspect_place_queued_ms].kind == TABLE_UNKNOWN;
    }
    printf("%s: ", printable_text(lock->path, path, sizeof path));
    if (lock->count == 0) {
        puts("no children: a free queue, a lock of no session, or not a lock");
    } else {
        printf("%zu hold%s, ", lock->holders, lock->holders == 1 ? "s" : "");
        if (lock->waiters_unknown)
            puts("waiters are not known");
        else
            printf("%zu wait%s\n", lock->waiters, lock->waiters == 1 ? "s" : "");
    }
    write_grid(&(struct row_grid){.table = &table, COLUMNS(place_columns)});
    if (lacks_client)
        write_refusals(connections);
    if (lacks_age)
        puts("ages are not known: the servers' clock is ahead of this machine's");
    if (lock->by_name)
        puts("a waiter sets a watch on this znode and creates no znode of its own");
    write_left_out(lock->others, "child of the folder that is no place",
                   "children of the folder that are no places");
    write_next(lock, connections->servers->chroot);
    table_deinit(&table);
}

/* How many there are, and the first of them. */
static void write_childless(const struct survey *survey)
{
    const size_t count = survey->childless_count;
    char names[CHILDLESS_MOST * TEXT_SIZE] = "", name[TEXT_SIZE];
    for (size_t i = 0; i < count && i < CHILDLESS_MOST; i++)
        text_append(names, sizeof names, "%s%s", i == 0 ? "" : ", ",
                    printable_text(survey->childless[i], name, sizeof name));
    if (count > 0)
        wrap_sentence(stdout, "%zu znode%s without children: %s: %s%s", count, text_plural(count),
                      count == 1 ? "a free queue, a lock of no session, or not a lock"
                                 : "free queues, locks of no session, or not locks",
                      names, count > CHILDLESS_MOST ? ", ..." : "");
}

void print_survey(const char *path, const struct survey *survey)
{
    struct table table = list_locks(survey);
    char text[TEXT_SIZE];
    bool of_no_session = false, lacks_waiters = false;
    size_t waiters = 0, by_name = 0;
    for (size_t i = 0; i < survey->count; i++) {
        const struct place *holder = first_holder(&survey->locks[i]);
        waiters += survey->locks[i].waiters;
        lacks_waiters |= survey->locks[i].waiters_unknown;
        by_name += survey->locks[i].by_name;
        of_no_session = of_no_session || (holder != NULL && holder->stat.owner == 0);
    }
    printf("%s: ", printable_text(path, text, sizeof text));
    if (survey->count == 0)
        puts("no lock is held or waited for");
    else
        printf("%zu lock%s, %zu waiter%s%s\n", survey->count, text_plural(survey->count), waiters,
               text_plural(waiters), lacks_waiters ? " known" : "");
    if (by_name > BY_NAME_MOST) /* they are the last */
        table_truncate(&table, survey->count - by_name + BY_NAME_MOST);
    write_grid(&(struct row_grid){.table = &table, COLUMNS(lock_columns)});
    if (of_no_session)
        puts("held by -: its znode is of no session, and stays");
    if (by_name > 0)
        puts("one znode: a lock whose waiters have no znodes, or a registration");
    if (by_name > BY_NAME_MOST)
        printf("%zu more of one znode: --json has all\n", by_name - BY_NAME_MOST);
    write_childless(survey);
    write_left_out(survey->tasks, "folder of numbered znodes of no session, such as tasks",
                   "folders of numbered znodes of no session, such as tasks");
    write_left_out(survey->unreadable, "znode that may not be read", "znodes that may not be read");
    if (survey->is_cut)
        printf("the search is incomplete: limit %d levels, %d znodes\n", SURVEY_DEPTH_MAX,
               SURVEY_ZNODES_MAX);
    if (survey->count > 0)
        puts("next: zkherd inspect LOCK has all clients of one lock");
    table_deinit(&table);
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_data(const struct place *place)
{
    return place != NULL && place->data.known
               ? json_text_bytes(place->data.bytes, place->data.length)
               : json_null();
}

void print_lock_json(const struct lock *lock, const struct connections *connections)
{
    struct table table = list_places(lock, connections);
    json_t *places = json_result_rows(&table), *servers = json_array();
    for (size_t i = 0; i < lock->count; i++)
        json_object_set_new(json_array_get(places, i), "data", json_data(&lock->places[i]));
    for (size_t i = 0; i < connections->servers->count; i++) {
        enum error_kind refusal = connections->refusals[i].kind;
        char text[ENDPOINT_TEXT_SIZE];
        endpoint_typed(&connections->servers->endpoints[i], text, sizeof text);
        json_array_append_new(servers,
                              json_pack("{s:o, s:s?}", "server", json_text(text), "refusal",
                                        refusal != ERROR_NONE ? error_words(refusal) : NULL));
    }
    json_result_write(
        json_pack("{s:o, s:s, s:s, s:I, s:o, s:I, s:o, s:o}", "path", json_text(lock->path), "kind",
                  lock->by_name ? "znode" : "queue", "recipe",
                  lock->by_name ? "znode" : lock->recipe, "holders", (json_int_t)lock->holders,
                  "waiters",
                  lock->waiters_unknown ? json_null() : json_integer((json_int_t)lock->waiters),
                  "others", (json_int_t)lock->others, "places", places, "servers", servers),
        stdout);
    table_deinit(&table);
}

void print_survey_json(const char *path, const struct survey *survey)
{
    struct table table = list_locks(survey);
    json_t *locks = json_result_rows(&table), *childless = json_array();
    for (size_t i = 0; i < survey->count; i++)
        json_object_set_new(json_array_get(locks, i), "data",
                            json_data(first_holder(&survey->locks[i])));
    for (size_t i = 0; i < survey->childless_count; i++)
        json_array_append_new(childless, json_text(survey->childless[i]));
    json_result_write(json_pack("{s:o, s:s, s:o, s:o, s:I, s:I, s:I, s:b}", "path", json_text(path),
                                "kind", "folder", "locks", locks, "childless", childless, "znodes",
                                (json_int_t)survey->znodes, "tasks", (json_int_t)survey->tasks,
                                "unreadable", (json_int_t)survey->unreadable, "complete",
                                !survey->is_cut && survey->unreadable == 0),
                      stdout);
    table_deinit(&table);
}
