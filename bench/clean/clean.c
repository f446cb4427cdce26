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
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/output/json_result.h"
#include "bench/target/browser.h"
#include "bench/target/target.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 80

static const char usage[] =
    "Usage: zkherd clean --connect HOSTS[/CHROOT] [OPTION]... [ROOT]...\n"
    "List the root znodes of runs on servers, /zkherd-TIME-PID, which SIGKILL or a\n"
    "lost machine leaves behind; remove those that are named as ROOT, or were last\n"
    "used longer ago than --older. The root of a run that still runs is never\n"
    "removed, and nothing else.\n"
    "\n";

static const char notes[] =
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
    struct error error;            /* the first one: nothing is asked of the servers after it */
    struct error forbidden;        /* the first root that an ACL keeps: the next are removed */
    struct connect_string servers; /* count 0: none are given */
    char **named;
    size_t named_count;
    bool by_age;
    uint64_t older_ns;
    bool json;
    struct browser browser; /* its session deletes, too */
    struct root *found;     /* sorted by path, and so by time */
    size_t found_count;
};

/* ------------------------------------------------------------------ the command line */

static const struct option_row rows[] = {
    OPTION_ROW(.name = "--connect", OPTION_SERVERS(struct clean, servers),
               .help = "      --connect HOSTS[/CHROOT]  the servers, and the chroot of the runs\n"),
    OPTION_ROW(OPTION_AUTH(struct clean, servers),
               .help = "      --auth FILE               log in as FILE says, name:password\n"
                       "                                [$" ROWS_AUTH_VARIABLE "]\n"),
    ROW_TLS,
    OPTION_ROW(.name = "--older", OPTION_DURATION(struct clean, older_ns, 0),
               .given = OPTION_MEMBER(struct clean, by_age),
               .help =
                   "      --older D                 remove the roots last used more than D ago\n"),
    OPTION_ROW(.name = "--json", OPTION_FLAG(struct clean, json),
               .help = "      --json                    print JSON in place of the table\n"),
    OPTION_ROW_HELP("  -h, --help                    print this help\n"),
    {0},
};

static int parse(int argc, char **argv, struct clean *clean)
{
    static const struct arguments arguments = {"clean", usage, rows, notes, NULL};
    int first;
    int status = arguments_parse(&arguments, argc, argv, clean, &first);
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

/* Reads a root, its mark and its age, which is that of its newest child. Returns whether the znode
 * is there, and has the record of a run. A child that was deleted by now is no trace of use. */
static bool read_root(struct clean *clean, struct root *root)
{
    struct browser *browser = &clean->browser;
    struct browser_stat stat;
    struct browser_data data;
    const char **children;
    size_t length = strlen(TARGET_ROOT_RECORD), count;
    if (!browser_read(browser, root->path, &stat, &data))
        return false;
    if (!data.known)
        complain_mildly("%s: not listed: its ACL forbids reading it", root->path);
    if (strncmp(data.bytes, TARGET_ROOT_RECORD, length) != 0)
        return false;
    snprintf(root->about, sizeof root->about, "%.95s", data.bytes + length);
    root->created_ms = stat.created_ms;
    const bool there = browser_list(browser, root->path, &children, &count);
    for (size_t i = 0; i < count; i++) {
        char *path = memory_format("%s/%s", root->path, children[i]);
        root->running |=
            browser_exists(browser, path, &stat) && strcmp(children[i], TARGET_ROOT_MARK) == 0;
        if (stat.created_ms > root->created_ms)
            root->created_ms = stat.created_ms;
        free(path);
    }
    free(children);
    return there;
}

static int compare(const void *a, const void *b)
{
    const struct root *one = a, *other = b;
    return strcmp(one->path, other->path);
}

static void find_all(struct clean *clean)
{
    const char **names;
    size_t count, named = 0;
    (void)browser_list(&clean->browser, "/", &names, &count);
    clean->found = memory_new(count + 1, sizeof *clean->found);
    for (size_t i = 0; i < count; i++) {
        if (target_root_is_name(names[i]))
            snprintf(clean->found[named++].path, TARGET_ROOT_PATH_SIZE, "/%.40s", names[i]);
    }
    free(names);
    qsort(clean->found, named, sizeof *clean->found, compare);
    for (size_t i = 0; i < named; i++) {
        struct root root = clean->found[i];
        if (read_root(clean, &root))
            clean->found[clean->found_count++] = root;
    }
}

/* ------------------------------------------------------------------ what is printed */

static uint64_t age_ns(const struct root *root)
{
    int64_t age_ms = (int64_t)(clock_utc_ns() / NS_PER_MS) - root->created_ms;
    return age_ms > 0 ? (uint64_t)age_ms * NS_PER_MS : 0;
}

static void print_table(const struct clean *clean)
{
    bool running = false;
    for (size_t i = 0; i < clean->found_count; i++) {
        const struct root *root = &clean->found[i];
        char age[32], line[256], text[4 * sizeof line];
        snprintf(line, sizeof line, "%-32s  %-7s  %s ago, %s", root->path,
                 root->running ? "running" : "dead",
                 text_format_duration(age_ns(root), age, sizeof age), root->about);
        printable_text(line, text, sizeof text);
        puts(printable_cut(text, COLUMNS));
        running = running || root->running;
    }
    if (running)
        puts("running: its session lives, or was killed less than 15 s ago");
    if (clean->found_count == 0)
        puts("no run has left znodes here");
}

static void print_json(const struct clean *clean)
{
    const char *cut_short = clean->error.kind != ERROR_NONE ? error_words(clean->error.kind) : NULL;
    json_t *roots = json_array();
    size_t removed = 0;
    for (size_t i = 0; i < clean->found_count; i++) {
        const struct root *root = &clean->found[i];
        char used[32];
        clock_format_utc((uint64_t)root->created_ms * NS_PER_MS, 0, used, sizeof used);
        removed += root->removed;
        json_array_append_new(
            roots, json_pack("{s:o, s:s, s:o, s:s, s:b}", "path", json_text(root->path), "state",
                             root->running ? "running" : "dead", "run", json_text(root->about),
                             "last_used", used, "removed", (int)root->removed));
    }
    json_result_write(json_pack("{s:o, s:I, s:I, s:I, s:s?}", "roots", roots, "found",
                                (json_int_t)clean->found_count, "removed", (json_int_t)removed,
                                "kept", (json_int_t)(clean->found_count - removed), "cut_short",
                                cut_short),
                      stdout);
}

/* ------------------------------------------------------------------ removing */

static void remove_root(struct clean *clean, struct root *root)
{
    struct error *error = &clean->error;
    ERROR_FIRST(error, setup_session_delete_tree(clean->browser.session, root->path, error));
    root->removed = error->kind == ERROR_NONE;
    if (error->kind == ERROR_FORBIDDEN) {
        clean->forbidden = clean->forbidden.kind == ERROR_NONE ? *error : clean->forbidden;
        *error = (struct error){.kind = ERROR_NONE};
    }
    if (root->removed && !clean->json)
        printf("removed %s\n", root->path);
}

static void remove_named(struct clean *clean, const char *path)
{
    size_t i = 0;
    while (i < clean->found_count && strcmp(clean->found[i].path, path) != 0)
        i++;
    if (i == clean->found_count)
        complain_mildly("%s: no run has left it here", path);
    else if (clean->found[i].running)
        complain_mildly("%s: kept: its run still runs", path);
    else if (!clean->found[i].removed)
        remove_root(clean, &clean->found[i]);
}

/* ------------------------------------------------------------------ the whole */

static void run_clean(struct clean *clean)
{
    clean->browser.error = &clean->error;
    browser_open(&clean->browser, &clean->servers);
    find_all(clean);
    if (clean->error.kind != ERROR_NONE)
        return;
    if (!clean->json)
        print_table(clean);
    for (size_t i = 0; clean->error.kind == ERROR_NONE && i < clean->named_count; i++)
        remove_named(clean, clean->named[i]);
    for (size_t i = 0; clean->by_age && i < clean->found_count; i++) {
        struct root *root = &clean->found[i];
        if (!root->running && !root->removed && age_ns(root) >= clean->older_ns)
            remove_root(clean, root);
    }
    clean->error = clean->error.kind == ERROR_NONE ? clean->forbidden : clean->error;
    if (clean->json) /* also if not all could be removed */
        print_json(clean);
}

int clean_main(int argc, char **argv)
{
    struct clean clean = {.json = false};
    int status = parse(argc, argv, &clean);
    if (status == ARGUMENTS_GO) {
        run_clean(&clean);
        status = clean.error.kind == ERROR_NONE ? 0 : complain(&clean.error);
    }
    browser_close(&clean.browser);
    free(clean.found);
    identity_free(clean.servers.identity);
    return status;
}
