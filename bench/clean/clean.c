// SPDX-License-Identifier: Apache-2.0
/*
 * zkherd clean: the root znodes of runs on servers, and which of them belong to runs that are dead.
 *
 * A run that lives has its mark (bench/target/target.h); the servers remove the mark when the
 * session of a killed run times out. A root of an older version of zkherd never had a mark: it is
 * judged by its age.
 *
 * Invariant: a root is dead only if everything in it has the name and the form that a run gives, no
 * mark is in it, and no session owns a znode in it.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/progress.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/json_result.h"
#include "bench/target/browser.h"
#include "bench/target/target.h"
#include "fleet/setup_session.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SESSION_NS (10 * NS_PER_S)
#define COLUMNS    80
/* A root without a record is dead if nothing was created in it for so long. */
#define AGE_H 24
/* root, trial, lock, queue, its znodes, and one to spare. */
#define DEPTH_MAX 6
/* A run of 100,000 clients leaves so many at most; what is larger was not made by one. */
#define ZNODES_MAX ((size_t)1000000)

static const char usage[] =
    "Usage: zkherd clean --connect HOSTS[/CHROOT] [--auth FILE] [--yes [--json]]\n"
    "Remove the znodes that killed runs left on servers.\n"
    "\n"
    "A run on servers of --connect works below one root znode, /zkherd-TIME-PID, and\n"
    "removes that znode when the run ends. SIGKILL or a lost machine leaves the znode\n"
    "behind. This command lists all roots, says which belong to dead runs, asks, and\n"
    "removes those. It removes nothing else.\n"
    "\n";

static const char notes[] =
    "\n"
    "A run counts as running while its session lives: after a SIGKILL that is up to\n"
    "15 seconds.\n"
    "\n"
    "Exit status: 0 done, or there was nothing to remove, or the answer was no; 2\n"
    "wrong usage; 3 the environment.\n"
    "\n"
    "Examples:\n"
    "  zkherd clean --connect zk1:2181,zk2:2181,zk3:2181\n"
    "  zkherd clean --connect zk1:2181/bench --yes\n";

enum state {
    DEAD,    /* the run has ended and has left the root behind */
    RUNNING, /* the mark is there */
    IN_USE,  /* no mark, but a session owns a znode in it */
    RECENT,  /* no record, and younger than AGE_H */
    FOREIGN, /* the root has a znode that no run makes */
    GONE,    /* the root was removed meanwhile */
};

static const char *const state_words[] = {"dead",    "running", "in use",
                                          "unknown", "foreign", "gone"};

struct remains {
    char path[TARGET_ROOT_PATH_SIZE];
    enum state state;
    size_t znodes;      /* that were read, the root included */
    int64_t created_ms; /* of the newest znode, by the servers' clock */
    char about[96];     /* the process and the host; FOREIGN, IN_USE: the znode that decided. Any
                           bytes */
    bool removed;
};

struct clean {
    struct connect_string servers; /* count 0: none are given */
    bool yes, json;
    struct connect_string reached; /* those of the servers that answer */
    struct browser *browser;
    struct setup_session *setup; /* what deletes */
    struct remains *found;       /* sorted by path, and so by time */
    size_t found_count;
};

/* ------------------------------------------------------------------ the command line */

static const struct option_row rows[] = {
    {.name = "--connect",
     OPTION_SERVERS(struct clean, servers),
     .help = "      --connect HOSTS[/CHROOT]  the servers, and the chroot of the runs\n"},
    {OPTION_AUTH(struct clean, servers),
     .help = "      --auth FILE               log in as FILE says, name:password\n"
             "                                [$" ROWS_AUTH_VARIABLE "]\n"},
    ROW_TLS,
    {.name = "--yes",
     OPTION_FLAG(struct clean, yes),
     .help = "      --yes                     do not ask\n"},
    {.name = "--json",
     OPTION_FLAG(struct clean, json),
     .help = "      --json                    with --yes: print JSON in place of the table\n"},
    OPTION_ROW_HELP("  -h, --help                    print this help\n"),
    {0},
};

static int parse(int argc, char **argv, struct clean *clean)
{
    static const struct arguments arguments = {"clean", usage, rows, notes, NULL};
    int status = arguments_take(&arguments, argc, argv, clean, NULL);
    if (status != ARGUMENTS_GO)
        return status;
    if (clean->servers.count == 0)
        return complain_usage("clean", "--connect", "expected the servers, as zk1:2181,zk2:2181");
    if (clean->json && !clean->yes)
        return complain_usage("clean", "--json", "there is no table to answer by: give --yes, too");
    if (!clean->yes && !isatty(STDIN_FILENO))
        return complain_usage("clean", "--yes", "there is no terminal to ask on: give --yes");
    return ARGUMENTS_GO;
}

/* ------------------------------------------------------------------ what is below a root */

static void note(struct remains *remains, enum state state, const char *about)
{
    remains->state = state;
    snprintf(remains->about, sizeof remains->about, "%s", about);
}

/* ------------------------------------------------------------------ what is below a root */

static enum error_kind walk(struct browser *browser, const char *path, unsigned depth,
                            struct remains *remains, struct error *error);

static enum error_kind walk_children(struct browser *browser, const char *path, unsigned depth,
                                     const char *const *names, size_t count,
                                     struct remains *remains, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && remains->state == DEAD && i < count; i++) {
        char *child = memory_format("%s/%s", path, names[i]);
        kind = walk(browser, child, depth + 1, remains, error);
        free(child);
    }
    return kind;
}

/* Only as long as it may be a dead run's. */
static enum error_kind walk(struct browser *browser, const char *path, unsigned depth,
                            struct remains *remains, struct error *error)
{
    struct browser_stat stat;
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    enum error_kind kind = browser_look(browser, path, NO_WATCH, &there, &stat, error);
    if (kind != ERROR_NONE || !there)
        return kind;
    remains->znodes++;
    if (stat.created_ms > remains->created_ms)
        remains->created_ms = stat.created_ms;
    if (stat.owner != 0)
        note(remains, IN_USE, path);
    else if (depth == DEPTH_MAX || remains->znodes > ZNODES_MAX)
        note(remains, FOREIGN, path);
    if (remains->state != DEAD)
        return ERROR_NONE;
    kind = browser_list(browser, path, NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE || !there)
        return kind;
    const char **kept = browser_take_names(browser);
    kind = walk_children(browser, path, depth, kept, count, remains, error);
    free(kept);
    return kind;
}

/* ------------------------------------------------------------------ the root itself */

/* Whether its children may be those of a dead run's root, by their names. */
static void judge_children(const char *const *names, size_t count, struct remains *remains)
{
    for (size_t i = 0; i < count; i++) {
        if (!target_root_is_child(names[i])) {
            note(remains, FOREIGN, names[i]);
            return;
        }
        if (strcmp(names[i], TARGET_ROOT_MARK) == 0)
            remains->state = RUNNING;
    }
}

/* The record, or "" for the root of an older version, which has no data; false: neither. */
static bool read_record(const struct browser_data *data, struct remains *remains)
{
    size_t length = strlen(TARGET_ROOT_RECORD);
    remains->about[0] = '\0';
    if (!data->known || data->length == 0)
        return data->known;
    if (strncmp(data->bytes, TARGET_ROOT_RECORD, length) != 0)
        return false;
    note(remains, remains->state, data->bytes + length);
    return true;
}

/* Without a record only the age shows whether the run may be alive. */
static void judge_age(struct remains *remains)
{
    int64_t now_ms = (int64_t)(clock_utc_ns() / NS_PER_MS);
    if (remains->about[0] == '\0' && now_ms - remains->created_ms < AGE_H * INT64_C(3600000))
        remains->state = RECENT;
}

static enum error_kind judge_below(struct browser *browser, struct remains *remains,
                                   struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    enum error_kind kind =
        browser_list(browser, remains->path, NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!there) {
        remains->state = GONE;
        return ERROR_NONE;
    }
    judge_children(names, count, remains);
    if (remains->state != DEAD)
        return ERROR_NONE;
    kind = walk(browser, remains->path, 0, remains, error);
    if (kind == ERROR_NONE && remains->state == DEAD)
        judge_age(remains);
    return kind;
}

static enum error_kind judge(struct browser *browser, struct remains *remains, struct error *error)
{
    struct browser_stat stat;
    struct browser_data data;
    bool there = false;
    remains->state = DEAD;
    remains->znodes = 0;
    remains->created_ms = 0;
    enum error_kind kind = browser_read(browser, remains->path, &there, &stat, &data, error);
    if (kind == ERROR_NONE && !there)
        remains->state = GONE;
    else if (kind == ERROR_NONE && (!read_record(&data, remains) || stat.owner != 0))
        note(remains, FOREIGN, "");
    if (kind == ERROR_NONE && remains->state == DEAD)
        kind = judge_below(browser, remains, error);
    /* A run's znodes are open to all, or to its credentials. */
    if (kind != ERROR_FORBIDDEN)
        return kind;
    note(remains, FOREIGN, "");
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ all of them */

static int compare(const void *a, const void *b)
{
    const struct remains *one = a, *other = b;
    return strcmp(one->path, other->path);
}

/* Finds the roots below / and judges each. */
static enum error_kind find_all(struct clean *clean, struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0, found = 0;
    bool there = false;
    enum error_kind kind =
        browser_list(clean->browser, "/", NO_WATCH, &there, &names, &count, error);
    if (kind != ERROR_NONE)
        return kind;
    clean->found = memory_new(count + 1, sizeof *clean->found);
    for (size_t i = 0; there && i < count; i++) {
        if (target_root_is_name(names[i]))
            snprintf(clean->found[found++].path, TARGET_ROOT_PATH_SIZE, "/%.40s", names[i]);
    }
    qsort(clean->found, found, sizeof *clean->found, compare);
    for (size_t i = 0; kind == ERROR_NONE && i < found; i++) {
        struct remains *next = &clean->found[clean->found_count];
        *next = clean->found[i];
        kind = judge(clean->browser, next, error);
        clean->found_count += next->state != GONE;
    }
    return kind;
}

/* ------------------------------------------------------------------ what there is */

static void describe(const struct remains *remains, char *text, size_t size)
{
    char count[32], age[32];
    int64_t age_ms = (int64_t)(clock_utc_ns() / NS_PER_MS) - remains->created_ms;
    text_format_count(remains->znodes, count, sizeof count);
    text_format_duration(age_ms > 0 ? (uint64_t)age_ms * NS_PER_MS : 0, age, sizeof age);
    if (remains->state == FOREIGN)
        snprintf(text, size, "no run makes %s",
                 remains->about[0] != '\0' ? remains->about : "such a znode");
    else if (remains->state == IN_USE)
        snprintf(text, size, "a session owns %s", remains->about + strlen(remains->path) + 1);
    else if (remains->state == RECENT)
        snprintf(text, size, "no record, last used %s ago", age);
    else if (remains->state == RUNNING)
        snprintf(text, size, "%s", remains->about);
    else
        snprintf(text, size, "%s znode%s, %s", count, remains->znodes == 1 ? "" : "s",
                 remains->about[0] != '\0' ? remains->about : "of an older zkherd");
}

/* A row for each root, and what the states mean that are not plain. */
static void write_table(const struct clean *clean)
{
    bool running = false, recent = false;
    for (size_t i = 0; i < clean->found_count; i++) {
        const struct remains *remains = &clean->found[i];
        char about[256], line[4 * 256];
        describe(remains, about, sizeof about);
        printable_text(about, line, sizeof line);
        int used = printf("%-32s  %-7s  ", remains->path, state_words[remains->state]);
        printf("%s\n", printable_cut(line, (size_t)(COLUMNS - used)));
        running = running || remains->state == RUNNING;
        recent = recent || remains->state == RECENT;
    }
    if (running)
        puts("running: its session lives, or was killed less than 15 s ago");
    if (recent)
        printf("unknown: made by an older zkherd; counts as dead %d h after its last use\n", AGE_H);
    if (clean->found_count == 0)
        puts("no run has left znodes here");
}

/* ------------------------------------------------------------------ JSON */

/* The state as it was judged last; only of a dead root all znodes were counted. */
static json_t *json_root(const struct remains *remains)
{
    bool dead = remains->state == DEAD;
    bool has_run = dead || remains->state == RUNNING;
    bool has_znode = remains->state == FOREIGN || remains->state == IN_USE;
    char used[32];
    clock_format_utc((uint64_t)remains->created_ms * NS_PER_MS, 0, used, sizeof used);
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:b}", "path", json_text(remains->path), "state",
        state_words[remains->state], "run", json_result_text(has_run ? remains->about : NULL),
        "znode", json_result_text(has_znode ? remains->about : NULL), "znodes",
        dead ? json_integer((json_int_t)remains->znodes) : json_null(), "last_used",
        json_result_text(remains->created_ms > 0 ? used : NULL), "removed", (int)remains->removed);
}

/* cut_short: the error that ended the removal, or ERROR_NONE. */
static void write_json(const struct clean *clean, enum error_kind cut_short)
{
    json_t *roots = json_array();
    size_t removed = 0, gone = 0;
    for (size_t i = 0; i < clean->found_count; i++) {
        removed += clean->found[i].removed;
        gone += clean->found[i].state == GONE;
        json_array_append_new(roots, json_root(&clean->found[i]));
    }
    json_result_write(
        json_pack("{s:o, s:I, s:I, s:I, s:o}", "roots", roots, "found",
                  (json_int_t)clean->found_count, "removed", (json_int_t)removed, "kept",
                  (json_int_t)(clean->found_count - removed - gone), "cut_short",
                  cut_short != ERROR_NONE ? json_string(error_words(cut_short)) : json_null()),
        stdout);
}

/* ------------------------------------------------------------------ removing */

/* The root goes last: as long as it is there, another `zkherd clean` knows what the rest is. */
static enum error_kind delete_root(struct clean *clean, const struct remains *remains,
                                   struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0;
    bool there = false;
    struct progress progress;
    progress_init(&progress, 0, false);
    enum error_kind kind =
        browser_list(clean->browser, remains->path, NO_WATCH, &there, &names, &count, error);
    for (size_t i = 0; kind == ERROR_NONE && there && i < count; i++) {
        char path[CONNECT_PATH_MAX], doing[128];
        snprintf(path, sizeof path, "%s/%s", remains->path, names[i]);
        snprintf(doing, sizeof doing, "removing %s: %zu of %zu", remains->path, i, count);
        progress_say(&progress, doing);
        kind = setup_session_delete_tree(clean->setup, path, error);
    }
    progress_clear(&progress);
    return kind == ERROR_NONE ? setup_session_delete_tree(clean->setup, remains->path, error)
                              : kind;
}

/* A run that seemed dead when it was asked about may have reached its servers again. */
static enum error_kind remove_one(struct clean *clean, struct remains *remains, struct error *error)
{
    enum error_kind kind = judge(clean->browser, remains, error);
    if (kind != ERROR_NONE || remains->state == GONE)
        return kind;
    if (remains->state != DEAD) {
        complain_mildly("%s: kept: its state is now: %s", remains->path,
                        state_words[remains->state]);
        return ERROR_NONE;
    }
    kind = delete_root(clean, remains, error);
    remains->removed = kind == ERROR_NONE;
    if (remains->removed && !clean->json)
        printf("removed %s\n", remains->path);
    return kind;
}

/* Asks, and removes those of dead runs. */
static enum error_kind remove_dead(struct clean *clean, struct error *error)
{
    size_t dead = 0;
    bool agreed = clean->yes;
    for (size_t i = 0; i < clean->found_count; i++)
        dead += clean->found[i].state == DEAD;
    if (dead == 0)
        return ERROR_NONE;
    enum error_kind kind = standard_output_flush(error);
    if (kind == ERROR_NONE && !agreed) {
        fprintf(stderr, "remove the znodes of %zu dead run%s?", dead, dead == 1 ? "" : "s");
        kind = browser_ask_consent(clean->browser, &agreed, error);
    }
    if (kind == ERROR_NONE && agreed)
        kind = setup_session_new(&clean->reached, NULL, SESSION_NS, -1, &clean->setup, error);
    for (size_t i = 0; kind == ERROR_NONE && agreed && i < clean->found_count; i++) {
        if (clean->found[i].state == DEAD)
            kind = remove_one(clean, &clean->found[i], error);
    }
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind lead(struct clean *clean, struct error *error)
{
    enum error_kind kind = browser_reach(&clean->servers, &clean->reached, error);
    if (kind == ERROR_NONE)
        kind = browser_new("clean", &clean->reached, -1, &clean->browser, error);
    if (kind == ERROR_NONE)
        kind = find_all(clean, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!clean->json)
        write_table(clean);
    kind = remove_dead(clean, error);
    if (clean->json) /* what was removed is told, too, if not all could be */
        write_json(clean, kind);
    return kind;
}

int clean_main(int argc, char **argv)
{
    struct clean clean = {.yes = false};
    struct error error = {0};
    int status = parse(argc, argv, &clean);
    if (status == ARGUMENTS_GO) {
        enum error_kind kind = lead(&clean, &error);
        status = kind == ERROR_UNREAD ? error_exit_status(kind) : 0;
        if (kind != ERROR_NONE && kind != ERROR_UNREAD)
            status = complain(&error);
    }
    browser_free(clean.browser);
    setup_session_free(clean.setup);
    free(clean.found);
    identity_free(clean.servers.identity);
    return status;
}
