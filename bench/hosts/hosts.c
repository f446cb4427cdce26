// SPDX-License-Identifier: Apache-2.0
/* zkherd hosts: the members of a meeting place, a row each. */
#include "base/clock.h"
#include "base/printable.h"
#include "base/sha256.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/subcommands.h"
#include "bench/cli/terminal.h"
#include "bench/output/crew_kinds.h"
#include "bench/output/json_result.h"
#include "fleet/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: zkherd hosts --meet HOSTS[/CHROOT] [--auth FILE] [--json]\n"
    "List the hosts on which zkherd worker runs with the same --meet: their cores,\n"
    "memory, release and clock, and what they are doing.\n"
    "\n";

static const char notes[] =
    "\n"
    "Clock: how much a host's clock is ahead of the meeting place's servers when the\n"
    "host joined, and how exact that is. No result depends on it.\n"
    "\n"
    "Exit status: 0 done; 2 wrong usage; 3 the environment.\n"
    "\n"
    "Examples:\n"
    "  zkherd hosts --meet zk9:2181/lab\n"
    "  zkherd hosts --meet zk9:2181/lab --json\n";

struct call {
    bool meets;
    struct connect_string meet;
    bool json;
};

static const struct option_row rows[] = {
    {.name = "--meet",
     OPTION_SERVERS(struct call, meet),
     .given = OPTION_MEMBER(struct call, meets),
     .help = "      --meet HOSTS[/CHROOT]  the meeting place\n"},
    {OPTION_AUTH(struct call, meet),
     .help = "      --auth FILE            log in as FILE says, name:password\n"
             "                             [$" ROWS_AUTH_VARIABLE "]\n"},
    ROW_TLS,
    {.name = "--json",
     OPTION_FLAG(struct call, json),
     .help = "      --json                 print JSON in place of the table\n"},
    OPTION_ROW_HELP("  -h, --help                 print this help\n"),
    {0},
};

/* ------------------------------------------------------------------ a member */

enum {
    COLUMN_MEMBER,
    COLUMN_HOST,
    COLUMN_CORES,
    COLUMN_MEMORY,
    COLUMN_SHARE,
    COLUMN_CLOCK,
    COLUMN_VERSION,
    COLUMN_DOING,
    COLUMNS
};

static const struct grid_column columns[COLUMNS] = {
    [COLUMN_MEMBER] = {.title = "member"},
    [COLUMN_HOST] = {.title = "host"},
    [COLUMN_CORES] = {.title = "cores", .right = true},
    [COLUMN_MEMORY] = {.over = "memory", .title = "MiB", .right = true},
    [COLUMN_SHARE] = {.title = "share", .right = true, .spare = 1},
    [COLUMN_CLOCK] = {.over = "clock ahead", .title = "ms", .right = true},
    [COLUMN_VERSION] = {.title = "release"},
    [COLUMN_DOING] = {.title = "doing", .below = true},
};

static double ahead_ms(const struct meeting_member *member)
{
    return (double)member->clock_us / 1e3 - (double)member->server_ms;
}

/* What it does, or why no run of this program can lead it. */
static const char *doing_of(const struct meeting_member *member, const char *meaning)
{
    if (member->protocol == 0)
        return "no worker: its znode holds something else, or may not be read";
    if (!meeting_understands(member, meaning))
        return "another version: no run of this program can use it";
    return member->doing;
}

static void put_member(struct grid *grid, const struct meeting_member *member, const char *meaning)
{
    grid_put(grid, "%s", member->name);
    if (member->protocol == 0) {
        for (int i = COLUMN_HOST; i < COLUMN_DOING; i++)
            grid_put(grid, GRID_UNKNOWN);
    } else {
        grid_put(grid, "%s", member->host);
        grid_put(grid, "%u", member->cores);
        grid_put_whole(grid, (double)member->memory_mib);
        grid_put(grid, "%u", member->share);
        grid_put(grid, "%.1f within %.1f", ahead_ms(member), (double)member->within_us / 1e3);
        grid_put(grid, "%s", member->version);
    }
    grid_put(grid, "%s", doing_of(member, meaning));
}

static json_t *describe_member(const struct meeting_member *member, const char *meaning)
{
    return json_pack(
        "{s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:f, s:I, s:I, s:o, s:b, s:o}", "member",
        json_text(member->name), "host", json_text(member->host), "process",
        (json_int_t)member->process, "cores", (json_int_t)member->cores, "memory_mib",
        (json_int_t)member->memory_mib, "share", (json_int_t)member->share, "system",
        json_text(member->system), "version", json_text(member->version), "clock_ahead_ms",
        ahead_ms(member), "clock_within_ms", (double)member->within_us / 1e3, "max_clients",
        (json_int_t)member->max_clients, "max_rate", (json_int_t)member->max_rate, "only",
        json_text(member->only), "usable", meeting_understands(member, meaning), "doing",
        json_text(doing_of(member, meaning)));
}

/* ------------------------------------------------------------------ all of them */

static void print_table(const struct meeting_member *list, size_t count, const char *meaning,
                        const char *leader)
{
    struct grid grid;
    grid_init(&grid, columns, COLUMNS, 2);
    for (size_t i = 0; i < count; i++)
        put_member(&grid, &list[i], meaning);
    grid_write(&grid, terminal_columns(STDOUT_FILENO), stdout);
    grid_deinit(&grid);
    char text[2 * MEETING_LEADER_SIZE];
    printf("%s%zu worker%s; %s%s\n", count > 0 ? "\n" : "", count, count == 1 ? "" : "s",
           leader[0] != '\0' ? "led by " : "no run leads them",
           printable_bytes(leader, strlen(leader), text, sizeof text));
}

static void print_json(const struct meeting_member *list, size_t count, const char *meaning,
                       const char *leader)
{
    json_t *workers = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(workers, describe_member(&list[i], meaning));
    json_result_write(json_pack("{s:o, s:o}", "leader",
                                leader[0] != '\0' ? json_text(leader) : json_null(), "workers",
                                workers),
                      stdout);
}

static int show(const struct call *call)
{
    struct meeting *meeting = NULL;
    struct meeting_member *list = NULL;
    struct error error;
    size_t count = 0;
    char leader[MEETING_LEADER_SIZE], meaning[SHA256_TEXT_SIZE];
    crew_meaning(crew_kinds, meaning);
    enum error_kind kind = meeting_open(&call->meet, -1, false, &meeting, &error);
    if (kind == ERROR_NONE)
        kind = meeting_members(meeting, NO_WATCH, &list, &count, &error);
    if (kind == ERROR_NONE)
        kind = meeting_leader(meeting, NO_WATCH, leader, &error);
    if (kind == ERROR_NONE)
        (call->json ? print_json : print_table)(list, count, meaning, leader);
    free(list);
    meeting_free(meeting);
    return kind == ERROR_NONE ? 0 : complain(&error);
}

int hosts_main(int argc, char **argv)
{
    static const struct arguments arguments = {"hosts", usage, rows, notes, NULL};
    struct call call = {0};
    int status = arguments_take(&arguments, argc, argv, &call, NULL);
    if (status != ARGUMENTS_GO)
        return status;
    if (!call.meets)
        return complain_usage("hosts", "--meet", "missing: where the workers meet");
    status = show(&call);
    identity_free(call.meet.identity);
    return status;
}
