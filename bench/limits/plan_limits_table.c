// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/plan_limits_table.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/grid.h"
#include "bench/cli/terminal.h"
#include "recipes/footprint.h"

#include <math.h>
#include <string.h>

#define COLUMNS    6
#define GAP        2
#define NARROW_GAP 1
#define TEXT_SIZE  1024

void plan_limits_table_visit(const struct plan_limits_options *options,
                             const struct plan_given *given,
                             void (*each)(void *context, const struct plan_limit *limit),
                             void *context)
{
    for (unsigned kind = 0; kind < PLAN_LIMIT_KINDS; kind++) {
        bool varies = plan_limits_vary((enum plan_limit_kind)kind);
        for (size_t i = 0; i < (varies ? options->recipe_count : 1); i++) {
            struct plan_limit limit;
            if (plan_limits_compute((enum plan_limit_kind)kind, varies ? options->recipes[i] : NULL,
                                    given, &limit))
                each(context, &limit);
        }
    }
}

/* ------------------------------------------------------------------ the table */

static const char *word_most(uint64_t most, char *text, size_t size)
{
    if (most == PLAN_NO_LIMIT)
        snprintf(text, size, "no limit");
    else if (most == PLAN_UNTOLD)
        snprintf(text, size, "not told");
    else
        text_format_count(most, text, size);
    return text;
}

static void put_share(struct grid *grid, const struct plan_limit *limit)
{
    if (!limit->is_needed || limit->most == PLAN_UNTOLD || limit->most == PLAN_NO_LIMIT) {
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

/* The grid that is filled, and what its last row has. A limit and a setting stand in the first of
 * their rows alone. */
struct filling {
    struct grid grid;
    int last; /* the kind; -1: no row yet */
    const char *setting;
};

static void add_row(void *context, const struct plan_limit *limit)
{
    struct filling *filling = context;
    struct grid *grid = &filling->grid;
    char most[32];
    const char *setting = plan_limits_setting(limit->kind);
    grid_put(grid, "%s", filling->last == (int)limit->kind ? "" : plan_limits_name(limit->kind));
    grid_put(grid, "%s", strcmp(filling->setting, setting) == 0 ? "" : setting);
    grid_put(grid, "%s", limit->recipe == NULL ? "" : limit->recipe->name);
    grid_put(grid, "%s", limit->formula);
    grid_put(grid, "%s", word_most(limit->most, most, sizeof most));
    if (grid->column_count == COLUMNS)
        put_share(grid, limit);
    filling->last = (int)limit->kind;
    filling->setting = setting;
}

static enum error_kind write_table(const struct plan_limits_options *options,
                                   const struct plan_given *given, FILE *stream,
                                   struct error *error)
{
    char count[32], clients[48];
    snprintf(clients, sizeof clients, "n = %s",
             text_format_count(given->clients, count, sizeof count));
    const struct grid_column columns[COLUMNS] = {
        {.title = "limit"},
        {.title = "set by", .below = true},
        {.title = "recipe"},
        {.title = "formula"},
        {.title = "at most", .right = true},
        {.title = clients, .right = true},
    };
    struct filling filling = {.last = -1, .setting = ""};
    grid_init(&filling.grid, columns, given->clients > 0 ? COLUMNS : COLUMNS - 1, GAP);
    plan_limits_table_visit(options, given, add_row, &filling);
    if (grid_width(&filling.grid) > TERMINAL_COLUMNS)
        filling.grid.gap = NARROW_GAP;
    enum error_kind kind = grid_write(&filling.grid, TERMINAL_COLUMNS, stream, error);
    grid_deinit(&filling.grid);
    return kind;
}

/* ------------------------------------------------------------------ what stands around it */

static void write_settings(const struct plan_limits_options *options, const char *name,
                           const struct plan_given *given, FILE *stream)
{
    char maxbuffer[32], heap[48], connections[32], files[32], own[32], ports[32];
    const struct server_limits *lowest = &given->lowest;
    if (lowest->heap_bytes == FOUR_LETTER_UNTOLD)
        snprintf(heap, sizeof heap, "not told");
    else
        snprintf(heap, sizeof heap, "%llu MiB", (unsigned long long)lowest->heap_bytes >> 20);
    wrap_sentence(
        stream,
        "%s: S = %llu; of each server: jute.maxbuffer B = %s bytes, maxClientCnxns C = %s, free "
        "descriptors F = %s, heap H = %s. This host: descriptors D = %s, local ports L = %s. The "
        "lock: %s%s, P = %zu bytes.",
        name, (unsigned long long)given->servers,
        text_format_count(given->jute_maxbuffer_bytes, maxbuffer, sizeof maxbuffer),
        lowest->connections == FOUR_LETTER_UNTOLD
            ? "not told"
            : text_format_count(lowest->connections, connections, sizeof connections),
        lowest->descriptors == FOUR_LETTER_UNTOLD
            ? "not told"
            : text_format_count(lowest->descriptors, files, sizeof files),
        heap, word_most(given->descriptors, own, sizeof own),
        text_format_count(given->local_ports, ports, sizeof ports), options->target.servers.chroot,
        options->lock, given->lock_length);
}

static void list_rare_listers(const struct plan_limits_options *options, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < options->recipe_count && length < size; i++) {
        const struct recipe *recipe = options->recipes[i];
        if (recipe->names.listed != NULL && !footprint_lists_always(recipe))
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       recipe->name);
    }
}

static void write_notes(const struct plan_limits_options *options, FILE *stream)
{
    char rare[TEXT_SIZE];
    wrap_hanging("names in a list, value read: over a longer reply a Java client loses its "
                 "connection; the server sends it, and the C client reads it",
                 stream);
    wrap_hanging("watches again: of one session of the C client; with more, after a lost "
                 "connection, the server closes each new connection of the session",
                 stream);
    wrap_hanging("path, value created, value set: over a longer request the server closes the "
                 "connection",
                 stream);
    list_rare_listers(options, rare, sizeof rare);
    if (rare[0] != '\0')
        wrap_sentence(stream, "names in a list of %s: only after another client has given up",
                      rare);
}

/* Whether two recipes meet the same limit at the same number of clients. */
static bool is_same(const struct plan_limit *one, const struct plan_limit *other)
{
    return one->kind == other->kind && one->most_clients == other->most_clients;
}

/* The recipes that meet this limit first. */
static void append_recipes(const struct plan_limits_options *options,
                           const struct plan_given *given, const struct plan_limit *first,
                           char *text, size_t size)
{
    size_t length = strlen(text), count = 0;
    for (size_t i = 0; i < options->recipe_count && length < size; i++) {
        struct plan_limit other;
        if (plan_limits_first(options->recipes[i], given, &other) && is_same(first, &other))
            length += (size_t)snprintf(text + length, size - length, "%s%s",
                                       count++ > 0 ? ", " : " of ", options->recipes[i]->name);
    }
}

/* Whether a recipe before this one meets the same limit first. */
static bool is_told(const struct plan_limits_options *options, const struct plan_given *given,
                    size_t index, const struct plan_limit *first)
{
    for (size_t i = 0; i < index; i++) {
        struct plan_limit other;
        if (plan_limits_first(options->recipes[i], given, &other) && is_same(first, &other))
            return true;
    }
    return false;
}

static void write_first(const struct plan_limits_options *options, const struct plan_given *given,
                        FILE *stream)
{
    char text[TEXT_SIZE] = "", count[32];
    for (size_t i = 0; i < options->recipe_count; i++) {
        struct plan_limit first;
        size_t length = strlen(text);
        if (!plan_limits_first(options->recipes[i], given, &first) ||
            is_told(options, given, i, &first))
            continue;
        snprintf(text + length, sizeof text - length, "%s%s (%s) at %s clients",
                 length > 0 ? "; " : "", plan_limits_name(first.kind),
                 plan_limits_setting(first.kind),
                 text_format_count(first.most_clients, count, sizeof count));
        append_recipes(options, given, &first, text, sizeof text);
    }
    wrap_sentence(stream,
                  "Met first, as clients of one lock are added, all on this host, with a session "
                  "each: %s.",
                  text);
}

enum error_kind plan_limits_table_write(const struct plan_limits_options *options, const char *name,
                                        const struct plan_given *given, FILE *stream,
                                        struct error *error)
{
    write_settings(options, name, given, stream);
    fputc('\n', stream);
    enum error_kind kind = write_table(options, given, stream, error);
    if (kind != ERROR_NONE)
        return kind;
    fputc('\n', stream);
    write_notes(options, stream);
    fputc('\n', stream);
    write_first(options, given, stream);
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ limits that are passed */

struct complaints {
    const char *name;
    uint64_t clients;
    unsigned count;
};

static void complain_of(void *context, const struct plan_limit *limit)
{
    struct complaints *complaints = context;
    char clients[32], need[32], most[32];
    if (!plan_limits_passed(limit))
        return;
    complaints->count++;
    complain_plainly(
        "%s: %s clients%s%s: %s: %s needed, %s at most (%s)", complaints->name,
        text_format_count(complaints->clients, clients, sizeof clients),
        limit->recipe != NULL ? " of " : "", limit->recipe != NULL ? limit->recipe->name : "",
        plan_limits_name(limit->kind), text_format_count(limit->need, need, sizeof need),
        text_format_count(limit->most, most, sizeof most), plan_limits_setting(limit->kind));
}

unsigned plan_limits_table_complain(const struct plan_limits_options *options, const char *name,
                                    const struct plan_given *given)
{
    struct complaints complaints = {.name = name, .clients = given->clients};
    plan_limits_table_visit(options, given, complain_of, &complaints);
    return complaints.count;
}
