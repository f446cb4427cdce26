// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"
#include "bench/cli/terminal.h"
#include "bench/output/json_result.h"
#include "bench/output/verdict.h"
#include "bench/plan/internal.h"
#include "bench/target/target.h"
#include "recipes/footprint.h"
#include "servers/tcp.h"
#include "wire/maxbuffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a server keeps of a watch besides its path, in bytes: measured, of sessions with a watch
 * each (docs/limits.md). */
#define WATCH_BYTES 450

/* No lock has so many clients; of so many, no count below overflows. */
#define CLIENTS_COUNTED (UINT64_C(1) << 32)

static bool is_number(uint64_t most)
{
    return most != PLAN_NONE && most != PLAN_UNTOLD;
}

/* Appends a limit of which the clients need nothing. recipe: NULL if it is the same for all. */
static struct plan_limit *add(struct plan_limits *limits, const char *name, const char *setting,
                              const char *unit, const struct recipe *recipe, uint64_t most)
{
    struct plan_limit *limit = &limits->list[limits->count++];
    *limit = (struct plan_limit){.name = name,
                                 .setting = setting,
                                 .unit = unit,
                                 .recipe = recipe,
                                 .most = most,
                                 .need = PLAN_NONE,
                                 .most_clients = PLAN_NONE};
    return limit;
}

/* ------------------------------------------------------------------ messages */

static void add_names(struct plan_limits *limits, const struct plan_given *given,
                      const struct recipe *recipe)
{
    if (recipe->names.listed == NULL)
        return;
    struct plan_limit *limit = add(limits, "names in a list", "jute.maxbuffer", "names", recipe,
                                   footprint_listed_clients(recipe, given->jute_maxbuffer_bytes));
    limit->most_clients = limit->most;
    if (given->clients > 0)
        limit->need = given->clients;
    snprintf(limit->formula, sizeof limit->formula, "(B-%llu)/(4+%zu)",
             (unsigned long long)footprint_list_bytes(recipe, 0), footprint_name_length(recipe));
}

/* The watches that a session of the C client sets again after it has lost its connection. */
static void add_watches_again(struct plan_limits *limits, const struct plan_given *given,
                              const struct recipe *recipe)
{
    size_t length = footprint_watched_length(recipe, given->lock_length);
    if (length == 0)
        return;
    struct plan_limit *limit = add(limits, "watches again", "jute.maxbuffer", "watches", recipe,
                                   maxbuffer_watches(given->jute_maxbuffer_bytes, length));
    if (recipe->names.watches_left)
        limit->most_clients = limit->most + 1;
    if (given->clients > 0)
        limit->need = footprint_own_watches(recipe, given->clients);
    snprintf(limit->formula, sizeof limit->formula, "(B-28)/(4+%zu)", length);
}

/* The path of a znode without a value; the value of the lock's znode, which a Java client reads. */
static void add_bytes(struct plan_limits *limits, const struct plan_given *given)
{
    uint64_t bytes = given->jute_maxbuffer_bytes;
    const struct {
        const char *name, *formula;
        uint64_t most;
    } rows[] = {
        {"path, bytes", "B-47", maxbuffer_created_value(bytes, 0)},
        {"value created", "B-47-P", maxbuffer_created_value(bytes, given->lock_length)},
        {"value set", "B-20-P", maxbuffer_set_value(bytes, given->lock_length)},
        {"value read", "B-88", maxbuffer_read_value(bytes)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        strcpy(add(limits, rows[i].name, "jute.maxbuffer", "bytes", NULL, rows[i].most)->formula,
               rows[i].formula);
}

/* ------------------------------------------------------------------ sessions */

static uint64_t of_servers(const struct plan_given *given, uint64_t each)
{
    return is_number(each) ? given->servers * each : each;
}

static uint64_t told(uint64_t setting)
{
    return setting == FOUR_LETTER_UNTOLD ? PLAN_UNTOLD : setting;
}

/* Each client has a session, all on this host. */
static void add_sessions(struct plan_limits *limits, const struct plan_given *given)
{
    const struct server_limits *lowest = &given->lowest;
    uint64_t connections = lowest->connections == 0 ? PLAN_NONE : told(lowest->connections);
    const struct {
        const char *name, *setting, *formula;
        uint64_t most;
    } rows[] = {
        {"connections", "maxClientCnxns", "S*C", of_servers(given, connections)},
        {"descriptors", "server ulimit", "S*F", of_servers(given, told(lowest->descriptors))},
        {"descriptors", "client ulimit", "D", given->descriptors},
        {"local ports", "port range", "S*L", of_servers(given, given->local_ports)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct plan_limit *limit =
            add(limits, rows[i].name, rows[i].setting, "sessions", NULL, rows[i].most);
        limit->most_clients = limit->most;
        if (given->clients > 0)
            limit->need = given->clients;
        strcpy(limit->formula, rows[i].formula);
    }
}

/* ------------------------------------------------------------------ watches */

/* The most clients that together have at most so many watches. */
static uint64_t clients_with(const struct recipe *recipe, uint64_t watches)
{
    uint64_t most = 0, too_many = CLIENTS_COUNTED;
    while (too_many - most > 1) {
        uint64_t between = most + (too_many - most) / 2;
        if (footprint_all_watches(recipe, between) <= watches)
            most = between;
        else
            too_many = between;
    }
    return most;
}

/* Each session's watches are in the heap of the server that the session is connected to. */
static void add_watches(struct plan_limits *limits, const struct plan_given *given,
                        const struct recipe *recipe)
{
    uint64_t heap = given->lowest.heap_bytes;
    size_t length = footprint_watched_length(recipe, given->lock_length);
    if (length == 0)
        return;
    struct plan_limit *limit = add(limits, "watches", "heap", "watches", recipe, PLAN_UNTOLD);
    limit->most_clients = PLAN_UNTOLD;
    if (heap != FOUR_LETTER_UNTOLD) {
        limit->most = given->servers * (heap / (WATCH_BYTES + length));
        limit->most_clients = clients_with(recipe, limit->most);
    }
    if (given->clients > 0)
        limit->need = footprint_all_watches(recipe, given->clients);
    snprintf(limit->formula, sizeof limit->formula, "S*H/(%d+%zu)", WATCH_BYTES, length);
}

/* ------------------------------------------------------------------ all */

void plan_limits_compute(const struct recipe *const *recipes, size_t count,
                         const struct plan_given *given, struct plan_limits *limits)
{
    limits->count = 0;
    for (size_t i = 0; i < count; i++)
        add_names(limits, given, recipes[i]);
    for (size_t i = 0; i < count; i++)
        add_watches_again(limits, given, recipes[i]);
    add_bytes(limits, given);
    add_sessions(limits, given);
    for (size_t i = 0; i < count; i++)
        add_watches(limits, given, recipes[i]);
}

bool plan_limits_passed(const struct plan_limit *limit)
{
    return is_number(limit->need) && is_number(limit->most) && limit->need > limit->most;
}

const struct plan_limit *plan_limits_first(const struct plan_limits *limits,
                                           const struct recipe *recipe)
{
    const struct plan_limit *first = NULL;
    for (size_t i = 0; i < limits->count; i++) {
        const struct plan_limit *limit = &limits->list[i];
        if ((limit->recipe == NULL || limit->recipe == recipe) && is_number(limit->most_clients) &&
            (first == NULL || limit->most_clients < first->most_clients))
            first = limit;
    }
    return first;
}

/* Whether it is the same limit, perhaps for another recipe. */
static bool is_same(const struct plan_limit *one, const struct plan_limit *other)
{
    return strcmp(one->name, other->name) == 0 && strcmp(one->setting, other->setting) == 0;
}

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

#define ASK_NS (5 * NS_PER_S)

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

/* The limits of the servers of this name. */
struct target_limits {
    const struct limits_options *options;
    const char *name;
    struct plan_given given;
    struct plan_limits all;
};

/* ------------------------------------------------------------------ the table */

static const char *word_most(uint64_t most, char text[32])
{
    if (is_number(most))
        return text_format_count(most, text, 32);
    return most == PLAN_NONE ? "no limit" : "not told";
}

static void put_share(struct grid *grid, const struct plan_limit *limit)
{
    if (!is_number(limit->need) || !is_number(limit->most)) {
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
static void write_table(const struct target_limits *of)
{
    char count[32], clients[48], most[32];
    const char *setting = "";
    uint64_t asked = of->given.clients;
    snprintf(clients, sizeof clients, "n = %s", text_format_count(asked, count, sizeof count));
    const struct grid_column columns[] = {
        {.title = "limit"},
        {.title = "set by", .below = true},
        {.title = "recipe"},
        {.title = "formula"},
        {.title = "at most", .right = true},
        {.title = clients, .right = true},
    };
    struct grid grid;
    grid_init(&grid, columns, asked > 0 ? 6 : 5, 2);
    for (size_t i = 0; i < of->all.count; i++) {
        const struct plan_limit *limit = &of->all.list[i];
        grid_put(&grid, "%s", i > 0 && is_same(limit - 1, limit) ? "" : limit->name);
        grid_put(&grid, "%s", strcmp(setting, limit->setting) == 0 ? "" : limit->setting);
        grid_put(&grid, "%s", limit->recipe == NULL ? "" : limit->recipe->name);
        grid_put(&grid, "%s", limit->formula);
        grid_put(&grid, "%s", word_most(limit->most, most));
        if (asked > 0)
            put_share(&grid, limit);
        setting = limit->setting;
    }
    if (grid_width(&grid) > TERMINAL_COLUMNS)
        grid.gap = 1;
    grid_write(&grid, TERMINAL_COLUMNS, stdout);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ what stands around it */

static void write_settings(const struct target_limits *of)
{
    char maxbuffer[32], heap[32], connections[32], files[32], own[32], ports[32];
    const struct plan_given *given = &of->given;
    const struct server_limits *lowest = &given->lowest;
    snprintf(heap, sizeof heap, "%llu MiB", (unsigned long long)lowest->heap_bytes >> 20);
    wrap_sentence(
        stdout,
        "%s: S = %llu; of each server: jute.maxbuffer B = %s bytes, maxClientCnxns C = %s, free "
        "descriptors F = %s, heap H = %s. This host: descriptors D = %s, local ports L = %s. The "
        "lock: %s%s, P = %zu bytes.",
        of->name, (unsigned long long)given->servers,
        text_format_count(given->jute_maxbuffer_bytes, maxbuffer, sizeof maxbuffer),
        word_most(told(lowest->connections), connections),
        word_most(told(lowest->descriptors), files),
        lowest->heap_bytes == FOUR_LETTER_UNTOLD ? "not told" : heap,
        word_most(given->descriptors, own),
        text_format_count(given->local_ports, ports, sizeof ports),
        of->options->target.servers.chroot, of->options->lock, given->lock_length);
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

/* Recipes that meet the same limit first, at the same number of clients, are told together, where
 * the first of them stands. */
static void write_first(const struct target_limits *of)
{
    struct growing_text text = {NULL, 0};
    size_t count = of->options->recipe_count;
    const struct plan_limit *first[OPTIONS_RECIPES_MAX];
    for (size_t i = 0; i < count; i++)
        first[i] = plan_limits_first(&of->all, of->options->recipes[i]);
    for (size_t i = 0; i < count; i++) {
        const struct plan_limit *limit = first[i];
        char clients[32];
        if (limit == NULL)
            continue;
        growing_text_add(&text, "%s%s (%s) at %s clients of ", text.length > 0 ? "; " : "",
                         limit->name, limit->setting,
                         text_format_count(limit->most_clients, clients, sizeof clients));
        for (size_t j = i; j < count; j++) {
            if (first[j] == NULL || !is_same(first[j], limit) ||
                first[j]->most_clients != limit->most_clients)
                continue;
            growing_text_add(&text, "%s%s", j > i ? ", " : "", of->options->recipes[j]->name);
            first[j] = NULL;
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
    return is_number(count) ? json_integer((json_int_t)count) : json_null();
}

static json_t *describe_limit(const struct plan_limit *limit)
{
    return json_pack(
        "{s:s, s:s, s:s?, s:s, s:s, s:o, s:b, s:o, s:o, s:b}", "limit", limit->name, "setting",
        limit->setting, "recipe", limit->recipe != NULL ? limit->recipe->name : NULL, "formula",
        limit->formula, "unit", limit->unit, "most", count_or_null(limit->most), "told",
        (int)(limit->most != PLAN_UNTOLD), "need", count_or_null(limit->need), "most_clients",
        count_or_null(limit->most_clients), "passed", (int)plan_limits_passed(limit));
}

static json_t *describe(const struct target_limits *of)
{
    const struct plan_given *given = &of->given;
    const struct limits_options *options = of->options;
    json_t *limits = json_array(), *list = json_array();
    for (size_t i = 0; i < of->all.count; i++)
        json_array_append_new(limits, describe_limit(&of->all.list[i]));
    for (size_t i = 0; i < options->recipe_count; i++) {
        const struct plan_limit *first = plan_limits_first(&of->all, options->recipes[i]);
        if (first != NULL)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "recipe",
                                                  options->recipes[i]->name, "limit", first->name,
                                                  "setting", first->setting, "most_clients",
                                                  (json_int_t)first->most_clients));
    }
    return json_pack("{s:o, s:I, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o, s:I}, s:o, s:o}", "target",
                     json_text(of->name), "servers", (json_int_t)given->servers, "lock",
                     json_sprintf("%s%s", options->target.servers.chroot, options->lock), "clients",
                     given->clients > 0 ? json_integer((json_int_t)given->clients) : json_null(),
                     "settings", "jute_maxbuffer_bytes", (json_int_t)given->jute_maxbuffer_bytes,
                     "max_client_connections", count_or_null(told(given->lowest.connections)),
                     "server_descriptors", count_or_null(told(given->lowest.descriptors)),
                     "heap_bytes", count_or_null(told(given->lowest.heap_bytes)), "descriptors",
                     count_or_null(given->descriptors), "local_ports",
                     (json_int_t)given->local_ports, "limits", limits, "first", list);
}

/* ------------------------------------------------------------------ the whole */

/* Complains about each limit that the clients pass; whether there is one. */
static bool complain_of_passed(const struct target_limits *of)
{
    bool passes = false;
    for (size_t i = 0; i < of->all.count; i++) {
        const struct plan_limit *limit = &of->all.list[i];
        char clients[32], need[32], most[32];
        if (!plan_limits_passed(limit))
            continue;
        passes = true;
        complain_plainly("%s: %s clients%s%s: %s: %s needed, %s at most (%s)", of->name,
                         text_format_count(of->given.clients, clients, sizeof clients),
                         limit->recipe != NULL ? " of " : "",
                         limit->recipe != NULL ? limit->recipe->name : "", limit->name,
                         text_format_count(limit->need, need, sizeof need),
                         text_format_count(limit->most, most, sizeof most), limit->setting);
    }
    return passes;
}

/* Prints a target's limits, or appends them to the results of --json; returns the exit status. */
static int tell(const struct limits_options *options, const char *name,
                const struct plan_given *given, json_t *results)
{
    struct target_limits of = {.options = options, .name = name, .given = *given};
    plan_limits_compute(options->recipes, options->recipe_count, given, &of.all);
    if (options->output.json) {
        json_array_append_new(results, describe(&of));
    } else if (!options->output.quiet) {
        write_settings(&of);
        fputc('\n', stdout);
        write_table(&of);
        fputc('\n', stdout);
        write_notes(options);
        fputc('\n', stdout);
        write_first(&of);
    }
    return complain_of_passed(&of) ? 1 : 0;
}

static int tell_private(const struct limits_options *options, json_t *results)
{
    int status = 0;
    for (size_t i = 0; i < options->target.topology_count; i++) {
        char name[32];
        uint64_t count = options->target.server_counts[i];
        struct plan_given given = give(options, count);
        /* As lib/servers/server.c configures them: any number of connections, the descriptors of
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

static int tell_all(struct limits_options *options)
{
    struct connect_string *servers = &options->target.servers;
    struct plan_given given = give(options, servers->count);
    struct error error;
    char name[CONNECT_TEXT_SIZE];
    int status;
    json_t *results = json_array();
    if (!options->target.connect)
        status = tell_private(options, results);
    else if (ask_servers(servers, &given.lowest, &error) != ERROR_NONE)
        status = complain(&error);
    else
        status = tell(options, connect_format(servers, false, name, sizeof name), &given, results);
    if (options->output.json && json_array_size(results) > 0)
        json_result_write(json_pack("{s:s, s:O}", "verdict",
                                    verdict_word(verdict_of_status(status)), "results", results),
                          stdout);
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
