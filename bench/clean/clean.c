// SPDX-License-Identifier: Apache-2.0
/*
 * zkherd clean: lists the root znodes of runs on servers, and removes those that are named or old.
 *
 * A run that lives has its mark (bench/target/target.h); the servers remove the mark when the
 * session of a killed run times out.
 *
 * Invariant: only a znode that has the name and the record of a root is listed, and none that has
 * the mark is removed.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
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

#define SESSION_NS (10 * NS_PER_S)
#define COLUMNS    80

static const char usage[] =
    "Usage: zkherd clean --connect HOSTS[/CHROOT] [OPTION]... [ROOT]...\n"
    "List the root znodes of runs on servers, and remove those that are named as\n"
    "ROOT, or were last used longer ago than --older.\n"
    "\n"
    "A run on servers of --connect works below one root znode, /zkherd-TIME-PID, and\n"
    "removes that znode when the run ends. SIGKILL or a lost machine leaves the znode\n"
    "behind. The root of a run that still runs is never removed, and nothing else.\n"
    "\n";

static const char notes[] =
    "\n"
    "A run counts as running while its session lives: after a SIGKILL that is up to\n"
    "15 seconds.\n"
    "\n"
    "Exit status: 0 done, or there was nothing to remove; 2 wrong usage; 3 the\n"
    "environment.\n"
    "\n"
    "Examples:\n"
    "  zkherd clean --connect zk1:2181,zk2:2181,zk3:2181\n"
    "  zkherd clean --connect zk1:2181 /zkherd-20261122T080910Z-0001234\n"
    "  zkherd clean --connect zk1:2181/bench --older 24h\n";

struct root {
    char path[TARGET_ROOT_PATH_SIZE];
    bool running;       /* the mark is there */
    int64_t created_ms; /* of the newest of the root and its children, by the servers' clock */
    char about[96];     /* the process and the host; any bytes */
    bool removed;
};

struct clean {
    struct connect_string servers; /* count 0: none are given */
    char **named;
    size_t named_count;
    bool by_age;
    uint64_t older_ns;
    bool json;
    struct connect_string reached; /* those of the servers that answer */
    struct browser *browser;
    struct setup_session *setup; /* what deletes; NULL: nothing was deleted yet */
    struct root *found;          /* sorted by path, and so by time */
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
    {.name = "--older",
     OPTION_DURATION(struct clean, older_ns, 0),
     .given = OPTION_MEMBER(struct clean, by_age),
     .help = "      --older D                 remove the roots last used more than D ago\n"},
    {.name = "--json",
     OPTION_FLAG(struct clean, json),
     .help = "      --json                    print JSON in place of the table\n"},
    OPTION_ROW_HELP("  -h, --help                    print this help\n"),
    {0},
};

static int parse(int argc, char **argv, struct clean *clean)
{
    static const struct arguments arguments = {"clean", usage, rows, notes, NULL};
    int first;
    int status = arguments_take(&arguments, argc, argv, clean, &first);
    if (status != ARGUMENTS_GO)
        return status;
    if (clean->servers.count == 0)
        return complain_usage("clean", "--connect", "expected the servers, as zk1:2181,zk2:2181");
    clean->named = argv + first;
    clean->named_count = (size_t)(argc - first);
    for (size_t i = 0; i < clean->named_count; i++) {
        if (clean->named[i][0] != '/' || !target_root_is_name(clean->named[i] + 1))
            return complain_usage("clean", clean->named[i],
                                  "expected a root znode as it is listed: /zkherd-TIME-PID");
    }
    return ARGUMENTS_GO;
}

/* ------------------------------------------------------------------ what there is */

/* A child that has gone meanwhile is no trace of use. */
static enum error_kind look_at_child(struct browser *browser, const char *name, struct root *root,
                                     struct error *error)
{
    struct browser_stat stat;
    bool there = false;
    char *path = memory_format("%s/%s", root->path, name);
    enum error_kind kind = browser_look(browser, path, &there, &stat, error);
    free(path);
    if (kind == ERROR_NONE && there && stat.created_ms > root->created_ms)
        root->created_ms = stat.created_ms;
    root->running = root->running || (there && strcmp(name, TARGET_ROOT_MARK) == 0);
    return kind;
}

static enum error_kind look_at_children(struct browser *browser, struct root *root, bool *there,
                                        struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0;
    enum error_kind kind = browser_list(browser, root->path, there, &names, &count, error);
    if (kind != ERROR_NONE || !*there)
        return kind;
    const char **kept = browser_take_names(browser);
    for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
        kind = look_at_child(browser, kept[i], root, error);
    free(kept);
    return kind;
}

/* *is_root: whether the znode is there, and has the record of a run. */
static enum error_kind read_root(struct browser *browser, struct root *root, bool *is_root,
                                 struct error *error)
{
    struct browser_stat stat;
    struct browser_data data;
    size_t length = strlen(TARGET_ROOT_RECORD);
    bool there = false;
    *is_root = false;
    enum error_kind kind = browser_read(browser, root->path, &there, &stat, &data, error);
    if (kind == ERROR_NONE && there && !data.known)
        complain_mildly("%s: not listed: its ACL forbids reading it", root->path);
    if (kind != ERROR_NONE || !there || strncmp(data.bytes, TARGET_ROOT_RECORD, length) != 0)
        return kind;
    snprintf(root->about, sizeof root->about, "%.95s", data.bytes + length);
    root->created_ms = stat.created_ms;
    return look_at_children(browser, root, is_root, error);
}

static int compare(const void *a, const void *b)
{
    const struct root *one = a, *other = b;
    return strcmp(one->path, other->path);
}

static enum error_kind find_all(struct clean *clean, struct error *error)
{
    const char *const *names = NULL;
    size_t count = 0, found = 0;
    bool there = false, is_root;
    enum error_kind kind = browser_list(clean->browser, "/", &there, &names, &count, error);
    if (kind != ERROR_NONE)
        return kind;
    clean->found = memory_new(count + 1, sizeof *clean->found);
    for (size_t i = 0; there && i < count; i++) {
        if (target_root_is_name(names[i]))
            snprintf(clean->found[found++].path, TARGET_ROOT_PATH_SIZE, "/%.40s", names[i]);
    }
    qsort(clean->found, found, sizeof *clean->found, compare);
    for (size_t i = 0; kind == ERROR_NONE && i < found; i++) {
        struct root *next = &clean->found[clean->found_count];
        *next = clean->found[i];
        kind = read_root(clean->browser, next, &is_root, error);
        clean->found_count += is_root;
    }
    return kind;
}

/* ------------------------------------------------------------------ what is told */

static uint64_t age_ns(const struct root *root)
{
    int64_t age_ms = (int64_t)(clock_utc_ns() / NS_PER_MS) - root->created_ms;
    return age_ms > 0 ? (uint64_t)age_ms * NS_PER_MS : 0;
}

static const char *state_of(const struct root *root)
{
    return root->running ? "running" : "dead";
}

static void write_table(const struct clean *clean)
{
    bool running = false;
    for (size_t i = 0; i < clean->found_count; i++) {
        const struct root *root = &clean->found[i];
        char age[32], about[4 * sizeof root->about];
        printable_text(root->about, about, sizeof about);
        int used = printf("%-32s  %-7s  %s ago, ", root->path, state_of(root),
                          text_format_duration(age_ns(root), age, sizeof age));
        printf("%s\n", printable_cut(about, (size_t)(COLUMNS - used)));
        running = running || root->running;
    }
    if (running)
        puts("running: its session lives, or was killed less than 15 s ago");
    if (clean->found_count == 0)
        puts("no run has left znodes here");
}

static json_t *json_root(const struct root *root)
{
    char used[32];
    clock_format_utc((uint64_t)root->created_ms * NS_PER_MS, 0, used, sizeof used);
    return json_pack("{s:o, s:s, s:o, s:s, s:b}", "path", json_text(root->path), "state",
                     state_of(root), "run", json_text(root->about), "last_used", used, "removed",
                     (int)root->removed);
}

/* cut_short: the error that ended the removal, or ERROR_NONE. */
static void write_json(const struct clean *clean, enum error_kind cut_short)
{
    json_t *roots = json_array();
    size_t removed = 0;
    for (size_t i = 0; i < clean->found_count; i++) {
        removed += clean->found[i].removed;
        json_array_append_new(roots, json_root(&clean->found[i]));
    }
    json_result_write(
        json_pack("{s:o, s:I, s:I, s:I, s:o}", "roots", roots, "found",
                  (json_int_t)clean->found_count, "removed", (json_int_t)removed, "kept",
                  (json_int_t)(clean->found_count - removed), "cut_short",
                  cut_short != ERROR_NONE ? json_string(error_words(cut_short)) : json_null()),
        stdout);
}

/* ------------------------------------------------------------------ removing */

static struct root *find(const struct clean *clean, const char *path)
{
    for (size_t i = 0; i < clean->found_count; i++) {
        if (strcmp(clean->found[i].path, path) == 0)
            return &clean->found[i];
    }
    return NULL;
}

static enum error_kind remove_one(struct clean *clean, struct root *root, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    if (clean->setup == NULL)
        kind = setup_session_new(&clean->reached, NULL, SESSION_NS, -1, &clean->setup, error);
    if (kind == ERROR_NONE)
        kind = setup_session_delete_tree(clean->setup, root->path, error);
    root->removed = kind == ERROR_NONE;
    if (root->removed && !clean->json)
        printf("removed %s\n", root->path);
    return kind;
}

static enum error_kind remove_named(struct clean *clean, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < clean->named_count; i++) {
        struct root *root = find(clean, clean->named[i]);
        if (root == NULL)
            complain_mildly("%s: no run has left it here", clean->named[i]);
        else if (root->running)
            complain_mildly("%s: kept: its run still runs", root->path);
        else if (!root->removed)
            kind = remove_one(clean, root, error);
    }
    return kind;
}

static enum error_kind remove_old(struct clean *clean, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && clean->by_age && i < clean->found_count; i++) {
        struct root *root = &clean->found[i];
        if (!root->running && !root->removed && age_ns(root) >= clean->older_ns)
            kind = remove_one(clean, root, error);
    }
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind lead(struct clean *clean, struct error *error)
{
    enum error_kind kind = browser_reach(&clean->servers, &clean->reached, error);
    if (kind == ERROR_NONE)
        kind = browser_new(&clean->reached, &clean->browser, error);
    if (kind == ERROR_NONE)
        kind = find_all(clean, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!clean->json)
        write_table(clean);
    kind = remove_named(clean, error);
    if (kind == ERROR_NONE)
        kind = remove_old(clean, error);
    if (clean->json) /* what was removed is told, too, if not all could be */
        write_json(clean, kind);
    return kind;
}

int clean_main(int argc, char **argv)
{
    struct clean clean = {.json = false};
    struct error error = {0};
    int status = parse(argc, argv, &clean);
    if (status == ARGUMENTS_GO) {
        enum error_kind kind = lead(&clean, &error);
        status = kind == ERROR_NONE ? 0 : complain(&error);
    }
    browser_free(clean.browser);
    setup_session_free(clean.setup);
    free(clean.found);
    identity_free(clean.servers.identity);
    return status;
}
