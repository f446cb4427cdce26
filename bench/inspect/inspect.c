// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/printable.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/inspect/internal.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Ctrl-C is to be heard within two seconds, and not while the servers are asked. */
#define CONNECTIONS_NS (1500 * NS_PER_MS)
#define NOT_AS_SHOWN   1 /* the exit status when there was nothing left to break */

/* So many holders are named; it can be many readers. */
#define NAMED_MAX 3

static const char usage[] =
    "Usage: zkherd inspect PATH --connect HOSTS[/CHROOT] [OPTION]...\n"
    "Show who holds a lock and who waits for it, in order: session, time in the\n"
    "queue, data of the znode, and, where the servers report them (cons), the\n"
    "client's address and its server. PATH above locks: list the locks below it, the\n"
    "one with the most waiters first.\n"
    "\n"
    "PATH is the folder of a queue of ephemeral sequential znodes, of zkherd,\n"
    "Curator, kazoo, ZooKeeper's recipes or others, read/write locks included; a\n"
    "semaphore of Curator or kazoo; or the one ephemeral znode that is the lock: its\n"
    "waiters create no znodes and are not known. Without --break nothing is changed.\n"
    "\n";

static const char notes[] =
    "\n"
    "The holder is not notified of --break and may continue as if it still held the\n"
    "lock, beside the next holder, unless the protected resource refuses it\n"
    "(fencing). If you can, end that client instead.\n"
    "\n"
    "Exit status: 0 done, or there was no holder to break, or the answer was no; 1\n"
    "the holder had changed before --break, and was kept; 2 wrong usage, or not a\n"
    "lock; 3 the environment; 4 interrupted (the end of --watch).\n"
    "\n"
    "Examples:\n"
    "  zkherd inspect /locks --connect zk1:2181,zk2:2181,zk3:2181\n"
    "  zkherd inspect /locks/orders --connect zk1:2181,zk2:2181,zk3:2181\n"
    "  zkherd inspect /orders --connect zk1:2181,zk2:2181/locks --watch\n"
    "  zkherd inspect /locks/orders --connect zk1:2181 --break --yes\n";

struct inspect {
    const char *path;
    struct connect_string servers; /* count 0: none are given */
    bool json;
    bool watch;
    bool breaks;
    bool yes;
    struct connect_string reached; /* those of the servers that answer */
    struct browser *browser;
    struct connections connections;
    struct lock_view view; /* the last one that was shown */
    bool shown;
    int signals; /* watch: a signalfd; else -1 */
};

/* ------------------------------------------------------------------ the command line */

static const struct option_row rows[] = {
    {.name = "--connect",
     OPTION_SERVERS(struct inspect, servers),
     .help = "      --connect HOSTS[/CHROOT]  all servers; without some of them, clients of\n"
             "                                those servers have no address\n"},
    {OPTION_AUTH(struct inspect, servers),
     .help = "      --auth FILE               log in as FILE says, name:password\n"
             "                                [$" ROWS_AUTH_VARIABLE "]\n"},
    ROW_TLS,
    {.name = "--json",
     OPTION_FLAG(struct inspect, json),
     .help = "      --json                    print JSON; zkherd-inspect(1) lists the keys\n"},
    {.name = "--watch",
     OPTION_FLAG(struct inspect, watch),
     .help = "      --watch                   show the lock again at each change, until Ctrl-C\n"},
    {.name = "--break",
     OPTION_FLAG(struct inspect, breaks),
     .help = "      --break                   ask, then delete the holder's znode; of all\n"
             "                                readers, or all leases, if several hold\n"},
    {.name = "--yes",
     OPTION_FLAG(struct inspect, yes),
     .help = "      --yes                     with --break: do not ask\n"},
    OPTION_ROW_HELP("  -h, --help                    print this help\n"),
    {0},
};

static int wrong(const char *subject, const char *why)
{
    return complain_usage("inspect", subject, "%s", why);
}

static int check_together(const struct inspect *inspect)
{
    struct error error = {0};
    if (connect_check_path(inspect->path, &error) != ERROR_NONE)
        return wrong(inspect->path[0] != '\0' ? inspect->path : "''", error.detail);
    if (inspect->servers.count == 0)
        return wrong("--connect", "expected the servers, as zk1:2181,zk2:2181");
    if (inspect->watch && inspect->breaks)
        return wrong("--break", "cannot be used with --watch");
    if (inspect->json && (inspect->watch || inspect->breaks))
        return wrong("--json", inspect->watch ? "cannot be used with --watch"
                                              : "cannot be used with --break");
    if (inspect->yes && !inspect->breaks)
        return wrong("--yes", "is for --break only");
    if (inspect->breaks && !inspect->yes && !isatty(STDIN_FILENO))
        return wrong("--break", "there is no terminal to ask on: check the holder, then use --yes");
    return ARGUMENTS_GO;
}

static int parse(int argc, char **argv, struct inspect *inspect)
{
    static const struct arguments arguments = {"inspect", usage, rows, notes, NULL};
    int first;
    int status = arguments_take(&arguments, argc, argv, inspect, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (first == argc)
        return wrong("path", "expected the path of a lock");
    if (first + 1 < argc)
        return wrong(argv[first + 1], "expected one path only");
    inspect->path = argv[first];
    return check_together(inspect);
}

/* ------------------------------------------------------------------ before the first look */

static enum error_kind prepare(struct inspect *inspect, struct error *error)
{
    enum error_kind kind = browser_reach(&inspect->servers, &inspect->reached, error);
    if (kind != ERROR_NONE)
        return kind;
    connections_init(&inspect->connections, &inspect->servers);
    if (inspect->watch)
        inspect->signals = signals_block();
    return browser_new("inspect", &inspect->reached, inspect->signals, &inspect->browser, error);
}

/* ------------------------------------------------------------------ looking */

static bool knows_all(const struct inspect *inspect)
{
    for (size_t i = 0; i < inspect->view.count; i++) {
        int64_t session = inspect->view.entries[i].stat.owner;
        if (session != 0 && connections_find(&inspect->connections, session) == NULL)
            return false;
    }
    return true;
}

/* On a terminal the last one is wiped away; elsewhere they stand below each other. */
static void begin_block(const struct inspect *inspect)
{
    char time[32];
    clock_format_utc(clock_utc_ns(), 0, time, sizeof time);
    if (terminal_look(STDOUT_FILENO).controls)
        fputs("\033[H\033[2J", stdout);
    else if (inspect->shown)
        putchar('\n');
    puts(time);
}

static enum error_kind show(struct inspect *inspect, struct error *error)
{
    /* JSON tells of every server whether it answers, even if no session is looked for. */
    if (inspect->json || !knows_all(inspect))
        connections_ask(&inspect->connections, CONNECTIONS_NS);
    if (inspect->watch)
        begin_block(inspect);
    inspect->shown = true;
    if (inspect->json)
        show_view_json(inspect->path, &inspect->view, &inspect->connections);
    else
        show_view(inspect->path, &inspect->view, &inspect->connections);
    return standard_output_flush(error);
}

/* *changed: whether there is anything else to show. */
static enum error_kind look(struct inspect *inspect, bool *changed, struct error *error)
{
    struct lock_view now;
    const struct lock_view *before = inspect->shown ? &inspect->view : NULL;
    enum error_kind kind = lock_view_take(inspect->browser, inspect->path,
                                          inspect->watch ? WATCH : NO_WATCH, before, &now, error);
    if (kind != ERROR_NONE)
        return kind;
    *changed = before == NULL || !lock_view_equal(before, &now);
    lock_view_deinit(&inspect->view);
    inspect->view = now;
    return ERROR_NONE;
}

static enum error_kind look_and_show(struct inspect *inspect, struct error *error)
{
    bool changed;
    enum error_kind kind = look(inspect, &changed, error);
    return kind == ERROR_NONE ? show(inspect, error) : kind;
}

/* ------------------------------------------------------------------ the locks below */

/* What is no lock may be above some. If nothing below it can be one, the error stays what it was.
 */
static enum error_kind look_below(struct inspect *inspect, struct error *error)
{
    struct survey survey = {.count = 0};
    struct error other;
    enum error_kind kind = survey_take(inspect->browser, inspect->path, &survey, &other);
    if (kind != ERROR_NONE) {
        *error = other;
        return kind;
    }
    if (survey.count + survey.childless_count == 0)
        kind = ERROR_NO_LOCK;
    else if (inspect->json)
        show_survey_json(inspect->path, &survey);
    else
        show_survey(inspect->path, &survey);
    survey_deinit(&survey);
    return kind == ERROR_NONE ? standard_output_flush(error) : kind;
}

/* ------------------------------------------------------------------ watching */

/* *stale: whether the connection was lost meanwhile. */
static enum error_kind await_change(struct inspect *inspect, bool *stale, struct error *error)
{
    enum browser_news news = BROWSER_LOST;
    *stale = false;
    while (news == BROWSER_LOST) {
        enum error_kind kind = browser_await(inspect->browser, &news, error);
        if (kind != ERROR_NONE)
            return kind;
        if (news == BROWSER_LOST) {
            *stale = true;
            complain_mildly(
                "%s: the connection is lost; the lock may have changed since it was shown",
                inspect->path);
        }
    }
    return ERROR_NONE;
}

/* Until an error ends it: an interrupt, as a rule, of which nothing is said. */
static enum error_kind follow(struct inspect *inspect, struct error *error)
{
    bool changed = false, stale = false;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE) {
        kind = look(inspect, &changed, error);
        if (kind == ERROR_NONE && (changed || stale))
            kind = show(inspect, error);
        if (kind == ERROR_NONE)
            kind = await_change(inspect, &stale, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ breaking */

/* "lock-0000000004 of session 0x1000…". A znode that is not ephemeral is no session's. */
static void write_holder(const struct lock_view *view, size_t place, FILE *stream)
{
    char name[512];
    fputs(printable_text(view->places[place].name, name, sizeof name), stream);
    if (view->entries[place].stat.owner != 0)
        fprintf(stream, " of session 0x%" PRIx64, (uint64_t)view->entries[place].stat.owner);
}

/* Names on stderr the sessions that would lose the lock, and asks. */
static enum error_kind ask(const struct inspect *inspect, bool *agreed, struct error *error)
{
    const struct lock_view *view = &inspect->view;
    complain_mildly("the holder is not notified and may continue as if it still held the lock");
    fputs("break the lock held by ", stderr);
    for (size_t i = 0; i < view->holders && i < NAMED_MAX; i++) {
        fputs(i > 0 ? ", " : "", stderr);
        write_holder(view, i, stderr);
    }
    if (view->holders > NAMED_MAX)
        fprintf(stderr, " and %zu more", view->holders - NAMED_MAX);
    fputc('?', stderr);
    return browser_ask_consent(inspect->browser, agreed, error);
}

/* Whether the znode of a holder is still the one that was shown; or deletes it, if it is. A znode
 * is the same if it has the same session, time of creation and version: the name of a place in a
 * queue is never used again. But a lock of one znode may change hands in the round trip between the
 * last look and the deletion, and ZooKeeper cannot tell the two znodes apart. */
static enum error_kind confirm(const struct inspect *inspect, size_t holder, bool deletes,
                               bool *done, struct error *error)
{
    const struct browser_stat *seen = &inspect->view.entries[holder].stat;
    struct browser_stat stat;
    char *znode = lock_view_znode(&inspect->view, inspect->path, holder);
    bool there = false;
    *done = false;
    enum error_kind kind =
        deletes ? browser_delete(inspect->browser, znode, seen->version, done, error)
                : browser_look(inspect->browser, znode, NO_WATCH, &there, &stat, error);
    free(znode);
    if (kind == ERROR_NONE && !deletes)
        *done = there && stat.owner == seen->owner && stat.created_ms == seen->created_ms &&
                stat.version == seen->version;
    return kind;
}

/* Deletes the znodes of the holders. If one of them is not as it was shown nothing is deleted; if
 * it differs only at its deletion, this one and those behind it are kept. *unlike is the index of
 * the first that differs, or the number of holders. Says what was deleted, also on an error. */
static enum error_kind delete_holders(const struct inspect *inspect, size_t *unlike,
                                      struct error *error)
{
    size_t holders = inspect->view.holders;
    enum error_kind kind = ERROR_NONE;
    for (int deletes = 0; deletes < 2; deletes++) {
        bool done = true;
        for (*unlike = 0; done && *unlike < holders; *unlike += done) {
            kind = confirm(inspect, *unlike, deletes > 0, &done, error);
            if (done && deletes > 0) {
                fputs("deleted ", stdout);
                write_holder(&inspect->view, *unlike, stdout);
                putchar('\n');
            }
        }
        if (!done)
            break;
    }
    return kind;
}

/* The lock has been shown. *status is the program's. */
static enum error_kind break_lock(struct inspect *inspect, int *status, struct error *error)
{
    bool agreed = inspect->yes;
    size_t unlike = 0;
    enum error_kind kind = ERROR_NONE;
    if (inspect->view.holders == 0)
        return ERROR_NONE;
    if (!agreed)
        kind = ask(inspect, &agreed, error);
    if (kind == ERROR_NONE && agreed)
        kind = delete_holders(inspect, &unlike, error);
    if (kind != ERROR_NONE || !agreed)
        return kind;
    if (unlike < inspect->view.holders) {
        *status = NOT_AS_SHOWN;
        complain_mildly("%s: not broken: %s was deleted or replaced since it was shown; look again",
                        inspect->path, inspect->view.places[unlike].name);
    }
    return look_and_show(inspect, error);
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind look_or_break(struct inspect *inspect, int *status, struct error *error)
{
    enum error_kind kind = prepare(inspect, error);
    if (kind != ERROR_NONE)
        return kind;
    if (inspect->watch)
        return follow(inspect, error);
    kind = look_and_show(inspect, error);
    if (inspect->breaks)
        return kind == ERROR_NONE ? break_lock(inspect, status, error) : kind;
    return kind == ERROR_NO_LOCK ? look_below(inspect, error) : kind;
}

int inspect_main(int argc, char **argv)
{
    struct inspect inspect = {.signals = -1};
    struct error error = {0};
    int status = parse(argc, argv, &inspect);
    if (status == ARGUMENTS_GO) {
        status = 0;
        enum error_kind kind = look_or_break(&inspect, &status, &error);
        if (kind == ERROR_INTERRUPTED || kind == ERROR_UNREAD)
            status = error_exit_status(kind);
        else if (kind != ERROR_NONE)
            status = complain(&error);
    }
    browser_free(inspect.browser);
    connections_deinit(&inspect.connections);
    lock_view_deinit(&inspect.view);
    identity_free(inspect.servers.identity);
    if (inspect.signals >= 0)
        close(inspect.signals);
    return status;
}
