// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/plan_limits.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/machine.h"
#include "bench/cli/options.h"
#include "bench/cli/rows.h"
#include "bench/cli/terminal.h"
#include "bench/limits/internal.h"
#include "bench/output/json_result.h"
#include "bench/output/verdict.h"
#include "bench/target/target_conflicts.h"
#include "recipes/footprint.h"
#include "servers/server_limits.h"
#include "servers/tcp.h"
#include "wire/maxbuffer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_NS (5 * NS_PER_S)

#define COLUMNS    6
#define GAP        2
#define NARROW_GAP 1

/* ------------------------------------------------------------------ the command line */

struct limits_options {
    bool limits;
    const struct recipe *recipes[OPTIONS_RECIPES_MAX];
    size_t recipe_count;
    uint64_t clients; /* of a lock; 0: not asked about */
    const char *lock; /* path of the lock's znode, below the chroot */
    uint32_t jute_maxbuffer_bytes;
    struct target_options target;
    struct output_options output;
};

#define CLIENTS_MAX 1000000000

static const char usage[] =
    "Usage: zkherd plan --limits [OPTION]...\n"
    "Say what limits the clients of a lock besides time: the longest message that\n"
    "servers and Java clients take (jute.maxbuffer), connections, descriptors, local\n"
    "ports, and the memory of watches. For each limit: its setting, its formula, and\n"
    "how many names, watches, bytes or sessions it allows.\n"
    "\n";

static const char notes[] =
    "\n"
    "Nothing is measured, and no server is started. The servers of --connect are\n"
    "asked for their settings by four-letter words (conf, mntr, envi). With -n, a\n"
    "server that refuses conf is tried: as many silent connections as the clients\n"
    "need are opened, and closed again.\n"
    "\n"
    "Exit status: 0 done; 1 the clients of -n pass a limit; 2 wrong usage; 3 the\n"
    "environment, for example no server.\n"
    "\n"
    "Examples:\n"
    "  zkherd plan --limits -r scalable,scalable-guid -n 20000\n"
    "  zkherd plan --limits --connect zk1,zk2,zk3 --lock /app/locks/orders\n";

static bool parse_recipes(struct option_given *given)
{
    struct limits_options *options = given->options;
    return rows_recipes(given, options->recipes, &options->recipe_count);
}

static bool parse_lock(struct option_given *given)
{
    struct error error = {0};
    *(const char **)option_row_place(given) = given->value;
    if (connect_check_path(given->value, &error) != ERROR_NONE)
        return option_row_refuse(given, "%s", error.detail);
    return given->value[1] != '\0' ||
           option_row_refuse(given, "expected the znode of a lock, such as /locks/orders");
}

static const struct option_row rows[] = {
    {.name = "--limits",
     OPTION_FLAG(struct limits_options, limits),
     .help = "      --limits             print the limits\n"},
    {.name = "--recipes",
     .letter = 'r',
     .parse = parse_recipes,
     .value = ROWS_RECIPES_DEFAULT,
     .help = "  -r, --recipes LIST       names (see zkherd recipes)\n"
             "                           [" ROWS_RECIPES_DEFAULT "]\n"},
    {.name = "--clients",
     .letter = 'n',
     OPTION_NUMBER(struct limits_options, clients, 1, CLIENTS_MAX),
     .help = "  -n, --clients N          the share of each limit that N clients of one lock\n"
             "                           need, all on this host, with a session each\n"},
    {.name = "--lock",
     .parse = parse_lock,
     .member = OPTION_MEMBER(struct limits_options, lock),
     .value = "/locks/lock",
     .help = "      --lock PATH          znode of the lock [/locks/lock]\n"},
    {.name = "--jute-maxbuffer",
     OPTION_NUMBER(struct limits_options, jute_maxbuffer_bytes, MAXBUFFER_LEAST, MAXBUFFER_MOST),
     .value = "1048575",
     .help = "      --jute-maxbuffer B   of servers and Java clients, in bytes; none tells it\n"
             "                           [1048575]\n"},
    ROW_SERVERS(struct limits_options),
    ROW_HEAP(struct limits_options),
    ROW_CONNECT(struct limits_options),
    ROW_JSON(struct limits_options),
    {.name = "--quiet",
     .letter = 'q',
     OPTION_FLAG(struct limits_options, output.quiet),
     .help = "  -q, --quiet              print only errors and limits that -n passes\n"},
    OPTION_ROW_HELP("  -h, --help               print this help\n"),
    {0},
};

/* ------------------------------------------------------------------ what is given */

/* What this host and the options say, for so many servers. */
static struct plan_given give(const struct limits_options *options, uint64_t servers)
{
    return (struct plan_given){
        .jute_maxbuffer_bytes = options->jute_maxbuffer_bytes,
        .lock_length = strlen(options->target.servers.chroot) + strlen(options->lock),
        .servers = servers,
        .descriptors = machine_descriptors(),
        .local_ports = machine_local_ports(),
        .clients = options->clients,
    };
}

/* The lowest limits of the servers of --connect. */
static enum error_kind ask_servers(struct connect_string *servers, struct server_limits *lowest,
                                   struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (size_t i = 0; kind == ERROR_NONE && i < servers->count; i++) {
        struct server_limits limits = {0};
        kind = tcp_resolve(&servers->endpoints[i], ASK_NS, error);
        if (kind == ERROR_NONE)
            kind = server_limits_ask(&servers->endpoints[i], ASK_NS, &limits, error);
        if (kind == ERROR_NONE && i == 0)
            *lowest = limits;
        else if (kind == ERROR_NONE)
            server_limits_heed(lowest, &limits);
    }
    return kind;
}

/* ------------------------------------------------------------------ the limits of a target */

/* All limits, in the order of the table, and of each recipe that which is met first: kind
 * PLAN_LIMIT_KINDS if none is told. */
struct answer {
    const struct limits_options *options;
    const char *name;
    struct plan_given given;
    struct plan_limit *limits;
    size_t count;
    struct plan_limit first[OPTIONS_RECIPES_MAX];
};

static void compute(struct answer *answer)
{
    const struct limits_options *options = answer->options;
    answer->limits = memory_new(PLAN_LIMIT_KINDS * options->recipe_count, sizeof *answer->limits);
    for (enum plan_limit_kind kind = 0; kind < PLAN_LIMIT_KINDS; kind++) {
        bool varies = plan_limits_words(kind)->varies;
        for (size_t i = 0; i < (varies ? options->recipe_count : 1); i++)
            answer->count += plan_limits_compute(kind, varies ? options->recipes[i] : NULL,
                                                 &answer->given, &answer->limits[answer->count]);
    }
    for (size_t i = 0; i < options->recipe_count; i++) {
        answer->first[i].kind = PLAN_LIMIT_KINDS;
        plan_limits_first(options->recipes[i], &answer->given, &answer->first[i]);
    }
}

/* ------------------------------------------------------------------ the table */

static const char *word_most(uint64_t most, char text[32])
{
    if (plan_limits_is_number(most))
        return text_format_count(most, text, 32);
    return most == PLAN_NO_LIMIT ? "no limit" : "not told";
}

static void put_share(struct grid *grid, const struct plan_limit *limit)
{
    if (!limit->is_needed || !plan_limits_is_number(limit->most)) {
        grid_put(grid, GRID_UNKNOWN);
        return;
    }
    double percent =
        limit->most > 0 ? (double)limit->need / (double)limit->most * 100 : (double)INFINITY;
    if (limit->need > 0 && percent < 0.1)
        grid_put(grid, "<0.1%%");
    else
        grid_put(grid, percent < 1000 ? "%.1f%%" : "%.0f%%", percent);
}

/* A limit and a setting stand in the first of their rows alone. */
static void write_table(const struct answer *answer)
{
    char count[32], clients[48], most[32];
    const char *setting = "";
    uint64_t asked = answer->given.clients;
    snprintf(clients, sizeof clients, "n = %s", text_format_count(asked, count, sizeof count));
    const struct grid_column columns[COLUMNS] = {
        {.title = "limit"},
        {.title = "set by", .below = true},
        {.title = "recipe"},
        {.title = "formula"},
        {.title = "at most", .right = true},
        {.title = clients, .right = true},
    };
    struct grid grid;
    grid_init(&grid, columns, asked > 0 ? COLUMNS : COLUMNS - 1, GAP);
    for (size_t i = 0; i < answer->count; i++) {
        const struct plan_limit *limit = &answer->limits[i];
        const struct plan_limit_words *words = plan_limits_words(limit->kind);
        bool again = i > 0 && limit[-1].kind == limit->kind;
        grid_put(&grid, "%s", again ? "" : words->name);
        grid_put(&grid, "%s", strcmp(setting, words->setting) == 0 ? "" : words->setting);
        grid_put(&grid, "%s", limit->recipe == NULL ? "" : limit->recipe->name);
        grid_put(&grid, "%s", limit->formula);
        grid_put(&grid, "%s", word_most(limit->most, most));
        if (asked > 0)
            put_share(&grid, limit);
        setting = words->setting;
    }
    if (grid_width(&grid) > TERMINAL_COLUMNS)
        grid.gap = NARROW_GAP;
    grid_write(&grid, TERMINAL_COLUMNS, stdout);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ what stands around it */

static const char *word_told(uint64_t setting, char text[32])
{
    return setting == FOUR_LETTER_UNTOLD ? "not told" : text_format_count(setting, text, 32);
}

static void write_settings(const struct answer *answer)
{
    char maxbuffer[32], heap[32], connections[32], files[32], own[32], ports[32];
    const struct plan_given *given = &answer->given;
    const struct server_limits *lowest = &given->lowest;
    snprintf(heap, sizeof heap, "%llu MiB", (unsigned long long)lowest->heap_bytes >> 20);
    wrap_sentence(
        stdout,
        "%s: S = %llu; of each server: jute.maxbuffer B = %s bytes, maxClientCnxns C = %s, free "
        "descriptors F = %s, heap H = %s. This host: descriptors D = %s, local ports L = %s. The "
        "lock: %s%s, P = %zu bytes.",
        answer->name, (unsigned long long)given->servers,
        text_format_count(given->jute_maxbuffer_bytes, maxbuffer, sizeof maxbuffer),
        word_told(lowest->connections, connections), word_told(lowest->descriptors, files),
        lowest->heap_bytes == FOUR_LETTER_UNTOLD ? "not told" : heap,
        word_most(given->descriptors, own),
        text_format_count(given->local_ports, ports, sizeof ports),
        answer->options->target.servers.chroot, answer->options->lock, given->lock_length);
}

static void write_notes(const struct limits_options *options)
{
    struct growing_text rare = {NULL, 0};
    wrap_hanging("names in a list, value read: over a longer reply a Java client loses its "
                 "connection; the server sends it, and the C client reads it",
                 stdout);
    wrap_hanging("watches again: of one session of the C client; with more, after a lost "
                 "connection, the server closes each new connection of the session",
                 stdout);
    wrap_hanging("path, value created, value set: over a longer request the server closes the "
                 "connection",
                 stdout);
    for (size_t i = 0; i < options->recipe_count; i++) {
        const struct recipe *recipe = options->recipes[i];
        if (recipe->names.listed != NULL && !footprint_lists_always(recipe))
            growing_text_add(&rare, "%s%s", rare.length > 0 ? ", " : "", recipe->name);
    }
    if (rare.length > 0)
        wrap_sentence(stdout, "names in a list of %s: only after another client has given up",
                      rare.text);
    free(rare.text);
}

/* Whether two recipes meet the same limit first, at the same number of clients. */
static bool is_same(const struct plan_limit *one, const struct plan_limit *other)
{
    return one->kind == other->kind && one->most_clients == other->most_clients;
}

/* Recipes that meet the same limit first are told together, where the first of them stands. */
static void write_first(const struct answer *answer)
{
    struct growing_text text = {NULL, 0};
    size_t recipes = answer->options->recipe_count;
    for (size_t i = 0; i < recipes; i++) {
        const struct plan_limit *first = &answer->first[i];
        char count[32];
        bool told = first->kind == PLAN_LIMIT_KINDS;
        for (size_t j = 0; j < i; j++)
            told |= is_same(&answer->first[j], first);
        if (told)
            continue;
        growing_text_add(&text, "%s%s (%s) at %s clients of ", text.length > 0 ? "; " : "",
                         plan_limits_words(first->kind)->name,
                         plan_limits_words(first->kind)->setting,
                         text_format_count(first->most_clients, count, sizeof count));
        for (size_t j = i; j < recipes; j++) {
            if (is_same(&answer->first[j], first))
                growing_text_add(&text, "%s%s", j > i ? ", " : "",
                                 answer->options->recipes[j]->name);
        }
    }
    wrap_sentence(stdout,
                  "Met first, as clients of one lock are added, all on this host, with a session "
                  "each: %s.",
                  text.text == NULL ? "" : text.text);
    free(text.text);
}

/* ------------------------------------------------------------------ JSON */

static json_t *count_or_null(uint64_t count)
{
    return plan_limits_is_number(count) ? json_integer((json_int_t)count) : json_null();
}

static json_t *told_or_null(uint64_t setting)
{
    return setting == FOUR_LETTER_UNTOLD ? json_null() : json_integer((json_int_t)setting);
}

static json_t *describe_limit(const struct plan_limit *limit)
{
    const struct plan_limit_words *words = plan_limits_words(limit->kind);
    return json_pack(
        "{s:s, s:s, s:s?, s:s, s:s, s:o, s:b, s:o, s:o, s:b}", "limit", words->name, "setting",
        words->setting, "recipe", limit->recipe != NULL ? limit->recipe->name : NULL, "formula",
        limit->formula, "unit", words->unit, "most", count_or_null(limit->most), "told",
        (int)(limit->most != PLAN_UNTOLD), "need",
        limit->is_needed ? json_integer((json_int_t)limit->need) : json_null(), "most_clients",
        count_or_null(limit->most_clients), "passed", (int)plan_limits_passed(limit));
}

static json_t *describe(const struct answer *answer)
{
    const struct plan_given *given = &answer->given;
    const struct limits_options *options = answer->options;
    json_t *limits = json_array(), *list = json_array();
    for (size_t i = 0; i < answer->count; i++)
        json_array_append_new(limits, describe_limit(&answer->limits[i]));
    for (size_t i = 0; i < options->recipe_count; i++) {
        const struct plan_limit *first = &answer->first[i];
        if (first->kind != PLAN_LIMIT_KINDS)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "recipe",
                                                  options->recipes[i]->name, "limit",
                                                  plan_limits_words(first->kind)->name, "setting",
                                                  plan_limits_words(first->kind)->setting,
                                                  "most_clients", (json_int_t)first->most_clients));
    }
    return json_pack("{s:o, s:I, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o, s:I}, s:o, s:o}", "target",
                     json_text(answer->name), "servers", (json_int_t)given->servers, "lock",
                     json_sprintf("%s%s", options->target.servers.chroot, options->lock), "clients",
                     given->clients > 0 ? json_integer((json_int_t)given->clients) : json_null(),
                     "settings", "jute_maxbuffer_bytes", (json_int_t)given->jute_maxbuffer_bytes,
                     "max_client_connections", told_or_null(given->lowest.connections),
                     "server_descriptors", told_or_null(given->lowest.descriptors), "heap_bytes",
                     told_or_null(given->lowest.heap_bytes), "descriptors",
                     count_or_null(given->descriptors), "local_ports",
                     (json_int_t)given->local_ports, "limits", limits, "first", list);
}

/* ------------------------------------------------------------------ the whole */

static void print(const struct answer *answer)
{
    write_settings(answer);
    fputc('\n', stdout);
    write_table(answer);
    fputc('\n', stdout);
    write_notes(answer->options);
    fputc('\n', stdout);
    write_first(answer);
}

/* Complains about each limit that the clients pass; whether there is one. */
static bool complain_of_passed(const struct answer *answer)
{
    bool passes = false;
    for (size_t i = 0; i < answer->count; i++) {
        const struct plan_limit *limit = &answer->limits[i];
        const struct plan_limit_words *words = plan_limits_words(limit->kind);
        char clients[32], need[32], most[32];
        if (!plan_limits_passed(limit))
            continue;
        passes = true;
        complain_plainly("%s: %s clients%s%s: %s: %s needed, %s at most (%s)", answer->name,
                         text_format_count(answer->given.clients, clients, sizeof clients),
                         limit->recipe != NULL ? " of " : "",
                         limit->recipe != NULL ? limit->recipe->name : "", words->name,
                         text_format_count(limit->need, need, sizeof need),
                         text_format_count(limit->most, most, sizeof most), words->setting);
    }
    return passes;
}

/* Prints a target's limits, or appends them to the results of --json; returns the exit status. */
static int tell(const struct limits_options *options, const char *name,
                const struct plan_given *given, json_t *results)
{
    struct answer answer = {.options = options, .name = name, .given = *given};
    compute(&answer);
    if (options->output.json)
        json_array_append_new(results, describe(&answer));
    else if (!options->output.quiet)
        print(&answer);
    int status = complain_of_passed(&answer) ? 1 : 0;
    free(answer.limits);
    return status;
}

static int tell_private(const struct limits_options *options, json_t *results)
{
    int status = 0;
    for (size_t i = 0; i < options->target.topology_count; i++) {
        char name[32];
        uint64_t count = options->target.server_counts[i];
        struct plan_given given = give(options, count);
        /* As servers/server_config.h configures them: any number of connections, the descriptors of
         * this process. */
        given.lowest =
            (struct server_limits){.descriptors = given.descriptors,
                                   .heap_bytes = (uint64_t)options->target.heap_mib << 20};
        snprintf(name, sizeof name, "%llu private server%s", (unsigned long long)count,
                 count == 1 ? "" : "s");
        if (i > 0 && !options->output.quiet && !options->output.json)
            putchar('\n');
        int found = tell(options, name, &given, results);
        status = found > status ? found : status;
    }
    return status;
}

static int tell_connected(struct limits_options *options, json_t *results)
{
    struct connect_string *servers = &options->target.servers;
    struct plan_given given = give(options, servers->count);
    struct error error;
    char name[CONNECT_TEXT_SIZE];
    connect_format(servers, false, name, sizeof name);
    if (ask_servers(servers, &given.lowest, &error) != ERROR_NONE)
        return complain(&error);
    return tell(options, name, &given, results);
}

static int tell_all(struct limits_options *options)
{
    json_t *results = json_array();
    struct error error;
    int status =
        options->target.connect ? tell_connected(options, results) : tell_private(options, results);
    if (options->output.json && json_array_size(results) > 0 &&
        json_result_write(json_pack("{s:s, s:O}", "verdict",
                                    verdict_word(verdict_of_status(status)), "results", results),
                          "plan", stdout, &error) != ERROR_NONE)
        status = complain(&error);
    json_decref(results);
    return status;
}

int plan_limits_main(int argc, char **argv)
{
    static const struct arguments arguments = {"plan --limits", usage, rows, notes, NULL};
    struct limits_options options = {0};
    int status = arguments_take(&arguments, argc, argv, &options, NULL);
    if (status == ARGUMENTS_GO && target_conflicts("plan --limits", &options.target, 1))
        status = error_exit_status(ERROR_USAGE);
    if (status == ARGUMENTS_GO)
        status = tell_all(&options);
    target_options_deinit(&options.target);
    return status;
}
