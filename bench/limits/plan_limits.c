// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/plan_limits.h"

#include "recipes/footprint.h"
#include "wire/maxbuffer.h"

#include <stdarg.h>
#include <stdio.h>

/* No lock has so many clients; of so many, no count below overflows. */
#define CLIENTS_MAX (UINT64_C(1) << 32)

static void word_formula(struct plan_limit *limit, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void word_formula(struct plan_limit *limit, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(limit->formula, sizeof limit->formula, format, arguments);
    va_end(arguments);
}

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
    word_formula(limit, "(B-%llu)/(4+%zu)", (unsigned long long)footprint_list_bytes(recipe, 0),
                 footprint_name_length(recipe));
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
    word_formula(limit, "(B-28)/(4+%zu)", length);
    return true;
}

static bool compute_path(const struct plan_given *given, struct plan_limit *limit)
{
    limit->most = maxbuffer_created_value(given->jute_maxbuffer_bytes, 0);
    word_formula(limit, "B-47");
    return true;
}

static bool compute_created(const struct plan_given *given, struct plan_limit *limit)
{
    limit->most = maxbuffer_created_value(given->jute_maxbuffer_bytes, given->lock_length);
    word_formula(limit, "B-47-P");
    return true;
}

static bool compute_set(const struct plan_given *given, struct plan_limit *limit)
{
    limit->most = maxbuffer_set_value(given->jute_maxbuffer_bytes, given->lock_length);
    word_formula(limit, "B-20-P");
    return true;
}

static bool compute_read(const struct plan_given *given, struct plan_limit *limit)
{
    limit->most = maxbuffer_read_value(given->jute_maxbuffer_bytes);
    word_formula(limit, "B-88");
    return true;
}

/* ------------------------------------------------------------------ sessions */

/* So many for each of the servers, for one session of each client. */
static bool compute_sessions(const struct plan_given *given, uint64_t each, uint64_t times,
                             struct plan_limit *limit)
{
    limit->most = limit->most_clients = is_number(each) ? each * times : each;
    limit->is_needed = true;
    limit->need = given->clients;
    return true;
}

static bool compute_connections(const struct plan_given *given, struct plan_limit *limit)
{
    uint64_t each = given->lowest.connections;
    each = each == 0 ? PLAN_NO_LIMIT : each == FOUR_LETTER_UNTOLD ? PLAN_UNTOLD : each;
    word_formula(limit, "S*C");
    return compute_sessions(given, each, given->servers, limit);
}

static bool compute_server_descriptors(const struct plan_given *given, struct plan_limit *limit)
{
    uint64_t each = given->lowest.descriptors;
    word_formula(limit, "S*F");
    return compute_sessions(given, each == FOUR_LETTER_UNTOLD ? PLAN_UNTOLD : each, given->servers,
                            limit);
}

static bool compute_descriptors(const struct plan_given *given, struct plan_limit *limit)
{
    word_formula(limit, "D");
    return compute_sessions(given, given->descriptors, 1, limit);
}

static bool compute_ports(const struct plan_given *given, struct plan_limit *limit)
{
    word_formula(limit, "S*L");
    return compute_sessions(given, given->local_ports, given->servers, limit);
}

/* ------------------------------------------------------------------ watches */

/* The most clients that together have at most so many watches. */
static uint64_t clients_with(const struct recipe *recipe, uint64_t watches)
{
    uint64_t most = 0, too_many = CLIENTS_MAX;
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
    word_formula(limit, "S*H/(%d+%zu)", PLAN_WATCH_BYTES, length);
    limit->is_needed = true;
    limit->need = given->clients > 0 ? footprint_all_watches(limit->recipe, given->clients) : 0;
    limit->most = limit->most_clients = PLAN_UNTOLD;
    if (heap != FOUR_LETTER_UNTOLD) {
        limit->most = given->servers * (heap / (PLAN_WATCH_BYTES + length));
        limit->most_clients = clients_with(limit->recipe, limit->most);
    }
    return true;
}

/* ------------------------------------------------------------------ all */

static const struct {
    const char *name;
    const char *setting;
    bool varies; /* with the recipe */
    bool (*compute)(const struct plan_given *given, struct plan_limit *limit);
} kinds[PLAN_LIMIT_KINDS] = {
    [PLAN_NAMES] = {"names in a list", "jute.maxbuffer", true, compute_names},
    [PLAN_WATCHES_AGAIN] = {"watches again", "jute.maxbuffer", true, compute_watches_again},
    [PLAN_PATH] = {"path, bytes", "jute.maxbuffer", false, compute_path},
    [PLAN_VALUE_CREATED] = {"value created", "jute.maxbuffer", false, compute_created},
    [PLAN_VALUE_SET] = {"value set", "jute.maxbuffer", false, compute_set},
    [PLAN_VALUE_READ] = {"value read", "jute.maxbuffer", false, compute_read},
    [PLAN_CONNECTIONS] = {"connections", "maxClientCnxns", false, compute_connections},
    [PLAN_SERVER_DESCRIPTORS] = {"descriptors", "server ulimit", false, compute_server_descriptors},
    [PLAN_DESCRIPTORS] = {"descriptors", "client ulimit", false, compute_descriptors},
    [PLAN_PORTS] = {"local ports", "port range", false, compute_ports},
    [PLAN_WATCHES] = {"watches", "heap", true, compute_watches},
};

bool plan_limits_vary(enum plan_limit_kind kind)
{
    return kinds[kind].varies;
}

const char *plan_limits_name(enum plan_limit_kind kind)
{
    return kinds[kind].name;
}

const char *plan_limits_setting(enum plan_limit_kind kind)
{
    return kinds[kind].setting;
}

bool plan_limits_compute(enum plan_limit_kind kind, const struct recipe *recipe,
                         const struct plan_given *given, struct plan_limit *limit)
{
    struct plan_limit computed = {.kind = kind, .recipe = recipe, .most_clients = PLAN_NO_LIMIT};
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
