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
    return most != PLAN_NO_LIMIT && most != PLAN_UNTOLD;
}

/* ------------------------------------------------------------------ messages */

static bool compute_names(const struct plan_given *given, struct plan_limit *limit)
{
    const struct recipe *recipe = limit->recipe;
    if (recipe->names.listed == NULL)
        return false;
    limit->most = limit->most_clients =
        footprint_listed_clients(recipe, given->jute_maxbuffer_bytes);
    limit->is_needed = true;
    limit->need = given->clients;
    snprintf(limit->formula, sizeof limit->formula, "(B-%llu)/(4+%zu)",
             (unsigned long long)footprint_list_bytes(recipe, 0), footprint_name_length(recipe));
    return true;
}

static bool compute_watches_again(const struct plan_given *given, struct plan_limit *limit)
{
    const struct recipe *recipe = limit->recipe;
    size_t length = footprint_watched_length(recipe, given->lock_length);
    if (length == 0)
        return false;
    limit->most = maxbuffer_watches(given->jute_maxbuffer_bytes, length);
    if (recipe->names.watches_left)
        limit->most_clients = limit->most + 1;
    limit->is_needed = true;
    limit->need = given->clients > 0 ? footprint_own_watches(recipe, given->clients) : 0;
    snprintf(limit->formula, sizeof limit->formula, "(B-28)/(4+%zu)", length);
    return true;
}

/* The longest path of a znode without a value, or the longest value of the lock's znode. */
static bool compute_bytes(const struct plan_given *given, struct plan_limit *limit)
{
    uint64_t bytes = given->jute_maxbuffer_bytes;
    if (limit->kind == PLAN_PATH)
        limit->most = maxbuffer_created_value(bytes, 0);
    else if (limit->kind == PLAN_VALUE_CREATED)
        limit->most = maxbuffer_created_value(bytes, given->lock_length);
    else if (limit->kind == PLAN_VALUE_SET)
        limit->most = maxbuffer_set_value(bytes, given->lock_length);
    else
        limit->most = maxbuffer_read_value(bytes);
    return true;
}

/* ------------------------------------------------------------------ sessions */

/* So many of each of the servers, or of this process, for one session of each client. */
static bool compute_sessions(const struct plan_given *given, struct plan_limit *limit)
{
    uint64_t each = limit->kind == PLAN_CONNECTIONS          ? given->lowest.connections
                    : limit->kind == PLAN_SERVER_DESCRIPTORS ? given->lowest.descriptors
                    : limit->kind == PLAN_DESCRIPTORS        ? given->descriptors
                                                             : given->local_ports;
    bool is_told = limit->kind == PLAN_CONNECTIONS || limit->kind == PLAN_SERVER_DESCRIPTORS;
    if (limit->kind == PLAN_CONNECTIONS && each == 0)
        each = PLAN_NO_LIMIT;
    else if (is_told && each == FOUR_LETTER_UNTOLD)
        each = PLAN_UNTOLD;
    if (is_number(each) && limit->kind != PLAN_DESCRIPTORS)
        each *= given->servers;
    limit->most = limit->most_clients = each;
    limit->is_needed = true;
    limit->need = given->clients;
    return true;
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

/* Each session's watches are on the server that the session is connected to. */
static bool compute_watches(const struct plan_given *given, struct plan_limit *limit)
{
    uint64_t heap = given->lowest.heap_bytes;
    size_t length = footprint_watched_length(limit->recipe, given->lock_length);
    if (length == 0)
        return false;
    snprintf(limit->formula, sizeof limit->formula, "S*H/(%d+%zu)", WATCH_BYTES, length);
    limit->is_needed = true;
    limit->need = given->clients > 0 ? footprint_all_watches(limit->recipe, given->clients) : 0;
    limit->most = limit->most_clients = PLAN_UNTOLD;
    if (heap != FOUR_LETTER_UNTOLD) {
        limit->most = given->servers * (heap / (WATCH_BYTES + length));
        limit->most_clients = clients_with(limit->recipe, limit->most);
    }
    return true;
}

/* ------------------------------------------------------------------ all */

/* What is limited, the setting that limits it, the unit; whether it varies with the recipe; the
 * formula, NULL if it depends on the recipe. */
static const struct kind {
    const char *name, *setting, *unit;
    bool varies;
    const char *formula;
    bool (*compute)(const struct plan_given *given, struct plan_limit *limit);
} kinds[PLAN_LIMIT_KINDS] = {
    [PLAN_NAMES] = {"names in a list", "jute.maxbuffer", "names", true, NULL, compute_names},
    [PLAN_WATCHES_AGAIN] = {"watches again", "jute.maxbuffer", "watches", true, NULL,
                            compute_watches_again},
    [PLAN_PATH] = {"path, bytes", "jute.maxbuffer", "bytes", false, "B-47", compute_bytes},
    [PLAN_VALUE_CREATED] = {"value created", "jute.maxbuffer", "bytes", false, "B-47-P",
                            compute_bytes},
    [PLAN_VALUE_SET] = {"value set", "jute.maxbuffer", "bytes", false, "B-20-P", compute_bytes},
    [PLAN_VALUE_READ] = {"value read", "jute.maxbuffer", "bytes", false, "B-88", compute_bytes},
    [PLAN_CONNECTIONS] = {"connections", "maxClientCnxns", "sessions", false, "S*C",
                          compute_sessions},
    [PLAN_SERVER_DESCRIPTORS] = {"descriptors", "server ulimit", "sessions", false, "S*F",
                                 compute_sessions},
    [PLAN_DESCRIPTORS] = {"descriptors", "client ulimit", "sessions", false, "D", compute_sessions},
    [PLAN_PORTS] = {"local ports", "port range", "sessions", false, "S*L", compute_sessions},
    [PLAN_WATCHES] = {"watches", "heap", "watches", true, NULL, compute_watches},
};

bool plan_limits_compute(enum plan_limit_kind kind, const struct recipe *recipe,
                         const struct plan_given *given, struct plan_limit *limit)
{
    struct plan_limit computed = {.kind = kind, .recipe = recipe, .most_clients = PLAN_NO_LIMIT};
    if (kinds[kind].formula != NULL)
        snprintf(computed.formula, sizeof computed.formula, "%s", kinds[kind].formula);
    if (!kinds[kind].compute(given, &computed))
        return false;
    computed.is_needed = computed.is_needed && given->clients > 0;
    *limit = computed;
    return true;
}

bool plan_limits_passed(const struct plan_limit *limit)
{
    return limit->is_needed && is_number(limit->most) && limit->need > limit->most;
}

bool plan_limits_first(const struct recipe *recipe, const struct plan_given *given,
                       struct plan_limit *first)
{
    uint64_t lowest = PLAN_NO_LIMIT;
    for (unsigned kind = 0; kind < PLAN_LIMIT_KINDS; kind++) {
        struct plan_limit limit;
        if (!plan_limits_compute((enum plan_limit_kind)kind, kinds[kind].varies ? recipe : NULL,
                                 given, &limit) ||
            !is_number(limit.most_clients) || limit.most_clients >= lowest)
            continue;
        lowest = limit.most_clients;
        *first = limit;
    }
    return lowest != PLAN_NO_LIMIT;
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

/* ------------------------------------------------------------------ the limits of a target */

/* All limits, in the order of the table, and for each recipe the one that is met first: kind
 * PLAN_LIMIT_KINDS if none is told. */
struct told {
    const struct limits_options *options;
    const char *name;
    struct plan_given given;
    struct plan_limit limits[PLAN_LIMIT_KINDS * OPTIONS_RECIPES_MAX];
    size_t count;
    struct plan_limit first[OPTIONS_RECIPES_MAX];
};

static void compute(struct told *told)
{
    const struct limits_options *options = told->options;
    for (enum plan_limit_kind kind = 0; kind < PLAN_LIMIT_KINDS; kind++) {
        bool varies = kinds[kind].varies;
        for (size_t i = 0; i < (varies ? options->recipe_count : 1); i++)
            told->count += plan_limits_compute(kind, varies ? options->recipes[i] : NULL,
                                               &told->given, &told->limits[told->count]);
    }
    for (size_t i = 0; i < options->recipe_count; i++) {
        told->first[i].kind = PLAN_LIMIT_KINDS;
        plan_limits_first(options->recipes[i], &told->given, &told->first[i]);
    }
}

/* ------------------------------------------------------------------ the table */

static const char *word_most(uint64_t most, char text[32])
{
    if (is_number(most))
        return text_format_count(most, text, 32);
    return most == PLAN_NO_LIMIT ? "no limit" : "not told";
}

static void put_share(struct grid *grid, const struct plan_limit *limit)
{
    if (!limit->is_needed || !is_number(limit->most)) {
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
static void write_table(const struct told *told)
{
    char count[32], clients[48], most[32];
    const char *setting = "";
    uint64_t asked = told->given.clients;
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
    for (size_t i = 0; i < told->count; i++) {
        const struct plan_limit *limit = &told->limits[i];
        const struct kind *words = &kinds[limit->kind];
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
        grid.gap = 1;
    grid_write(&grid, TERMINAL_COLUMNS, stdout);
    grid_deinit(&grid);
}

/* ------------------------------------------------------------------ what stands around it */

static const char *word_told(uint64_t setting, char text[32])
{
    return setting == FOUR_LETTER_UNTOLD ? "not told" : text_format_count(setting, text, 32);
}

static void write_settings(const struct told *told)
{
    char maxbuffer[32], heap[32], connections[32], files[32], own[32], ports[32];
    const struct plan_given *given = &told->given;
    const struct server_limits *lowest = &given->lowest;
    snprintf(heap, sizeof heap, "%llu MiB", (unsigned long long)lowest->heap_bytes >> 20);
    wrap_sentence(
        stdout,
        "%s: S = %llu; of each server: jute.maxbuffer B = %s bytes, maxClientCnxns C = %s, free "
        "descriptors F = %s, heap H = %s. This host: descriptors D = %s, local ports L = %s. The "
        "lock: %s%s, P = %zu bytes.",
        told->name, (unsigned long long)given->servers,
        text_format_count(given->jute_maxbuffer_bytes, maxbuffer, sizeof maxbuffer),
        word_told(lowest->connections, connections), word_told(lowest->descriptors, files),
        lowest->heap_bytes == FOUR_LETTER_UNTOLD ? "not told" : heap,
        word_most(given->descriptors, own),
        text_format_count(given->local_ports, ports, sizeof ports),
        told->options->target.servers.chroot, told->options->lock, given->lock_length);
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
static void write_first(const struct told *told)
{
    struct growing_text text = {NULL, 0};
    size_t recipes = told->options->recipe_count;
    for (size_t i = 0; i < recipes; i++) {
        const struct plan_limit *first = &told->first[i];
        char count[32];
        bool is_told = first->kind == PLAN_LIMIT_KINDS;
        for (size_t j = 0; j < i; j++)
            is_told |= is_same(&told->first[j], first);
        if (is_told)
            continue;
        growing_text_add(&text, "%s%s (%s) at %s clients of ", text.length > 0 ? "; " : "",
                         kinds[first->kind].name, kinds[first->kind].setting,
                         text_format_count(first->most_clients, count, sizeof count));
        for (size_t j = i; j < recipes; j++) {
            if (is_same(&told->first[j], first))
                growing_text_add(&text, "%s%s", j > i ? ", " : "", told->options->recipes[j]->name);
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

static json_t *told_or_null(uint64_t setting)
{
    return setting == FOUR_LETTER_UNTOLD ? json_null() : json_integer((json_int_t)setting);
}

static json_t *describe_limit(const struct plan_limit *limit)
{
    const struct kind *words = &kinds[limit->kind];
    return json_pack(
        "{s:s, s:s, s:s?, s:s, s:s, s:o, s:b, s:o, s:o, s:b}", "limit", words->name, "setting",
        words->setting, "recipe", limit->recipe != NULL ? limit->recipe->name : NULL, "formula",
        limit->formula, "unit", words->unit, "most", count_or_null(limit->most), "told",
        (int)(limit->most != PLAN_UNTOLD), "need",
        limit->is_needed ? json_integer((json_int_t)limit->need) : json_null(), "most_clients",
        count_or_null(limit->most_clients), "passed", (int)plan_limits_passed(limit));
}

static json_t *describe(const struct told *told)
{
    const struct plan_given *given = &told->given;
    const struct limits_options *options = told->options;
    json_t *limits = json_array(), *list = json_array();
    for (size_t i = 0; i < told->count; i++)
        json_array_append_new(limits, describe_limit(&told->limits[i]));
    for (size_t i = 0; i < options->recipe_count; i++) {
        const struct plan_limit *first = &told->first[i];
        if (first->kind != PLAN_LIMIT_KINDS)
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I}", "recipe",
                                                  options->recipes[i]->name, "limit",
                                                  kinds[first->kind].name, "setting",
                                                  kinds[first->kind].setting, "most_clients",
                                                  (json_int_t)first->most_clients));
    }
    return json_pack("{s:o, s:I, s:o, s:o, s:{s:I, s:o, s:o, s:o, s:o, s:I}, s:o, s:o}", "target",
                     json_text(told->name), "servers", (json_int_t)given->servers, "lock",
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

/* Complains about each limit that the clients pass; whether there is one. */
static bool complain_of_passed(const struct told *told)
{
    bool passes = false;
    for (size_t i = 0; i < told->count; i++) {
        const struct plan_limit *limit = &told->limits[i];
        char clients[32], need[32], most[32];
        if (!plan_limits_passed(limit))
            continue;
        passes = true;
        complain_plainly(
            "%s: %s clients%s%s: %s: %s needed, %s at most (%s)", told->name,
            text_format_count(told->given.clients, clients, sizeof clients),
            limit->recipe != NULL ? " of " : "", limit->recipe != NULL ? limit->recipe->name : "",
            kinds[limit->kind].name, text_format_count(limit->need, need, sizeof need),
            text_format_count(limit->most, most, sizeof most), kinds[limit->kind].setting);
    }
    return passes;
}

/* Prints a target's limits, or appends them to the results of --json; returns the exit status. */
static int tell(const struct limits_options *options, const char *name,
                const struct plan_given *given, json_t *results)
{
    struct told told = {.options = options, .name = name, .given = *given};
    compute(&told);
    if (options->output.json) {
        json_array_append_new(results, describe(&told));
    } else if (!options->output.quiet) {
        write_settings(&told);
        fputc('\n', stdout);
        write_table(&told);
        fputc('\n', stdout);
        write_notes(options);
        fputc('\n', stdout);
        write_first(&told);
    }
    return complain_of_passed(&told) ? 1 : 0;
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
