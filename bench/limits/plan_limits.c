// SPDX-License-Identifier: Apache-2.0
#include "bench/limits/internal.h"

#include "recipes/footprint.h"
#include "wire/maxbuffer.h"

#include <stdio.h>

/* No lock has so many clients; of so many, no count below overflows. */
#define CLIENTS_MAX (UINT64_C(1) << 32)

bool plan_limits_is_number(uint64_t most)
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
    if (plan_limits_is_number(each) && limit->kind != PLAN_DESCRIPTORS)
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
    snprintf(limit->formula, sizeof limit->formula, "S*H/(%d+%zu)", PLAN_WATCH_BYTES, length);
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
    struct plan_limit_words words;
    const char *formula; /* NULL: depends on the recipe */
    bool (*compute)(const struct plan_given *given, struct plan_limit *limit);
} kinds[PLAN_LIMIT_KINDS] = {
    [PLAN_NAMES] = {{"names in a list", "jute.maxbuffer", "names", true}, NULL, compute_names},
    [PLAN_WATCHES_AGAIN] = {{"watches again", "jute.maxbuffer", "watches", true},
                            NULL,
                            compute_watches_again},
    [PLAN_PATH] = {{"path, bytes", "jute.maxbuffer", "bytes", false}, "B-47", compute_bytes},
    [PLAN_VALUE_CREATED] = {{"value created", "jute.maxbuffer", "bytes", false},
                            "B-47-P",
                            compute_bytes},
    [PLAN_VALUE_SET] = {{"value set", "jute.maxbuffer", "bytes", false}, "B-20-P", compute_bytes},
    [PLAN_VALUE_READ] = {{"value read", "jute.maxbuffer", "bytes", false}, "B-88", compute_bytes},
    [PLAN_CONNECTIONS] = {{"connections", "maxClientCnxns", "sessions", false},
                          "S*C",
                          compute_sessions},
    [PLAN_SERVER_DESCRIPTORS] = {{"descriptors", "server ulimit", "sessions", false},
                                 "S*F",
                                 compute_sessions},
    [PLAN_DESCRIPTORS] = {{"descriptors", "client ulimit", "sessions", false},
                          "D",
                          compute_sessions},
    [PLAN_PORTS] = {{"local ports", "port range", "sessions", false}, "S*L", compute_sessions},
    [PLAN_WATCHES] = {{"watches", "heap", "watches", true}, NULL, compute_watches},
};

const struct plan_limit_words *plan_limits_words(enum plan_limit_kind kind)
{
    return &kinds[kind].words;
}

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
    return limit->is_needed && plan_limits_is_number(limit->most) && limit->need > limit->most;
}

bool plan_limits_first(const struct recipe *recipe, const struct plan_given *given,
                       struct plan_limit *first)
{
    uint64_t lowest = PLAN_NO_LIMIT;
    for (unsigned kind = 0; kind < PLAN_LIMIT_KINDS; kind++) {
        struct plan_limit limit;
        if (!plan_limits_compute((enum plan_limit_kind)kind,
                                 kinds[kind].words.varies ? recipe : NULL, given, &limit) ||
            !plan_limits_is_number(limit.most_clients) || limit.most_clients >= lowest)
            continue;
        lowest = limit.most_clients;
        *first = limit;
    }
    return lowest != PLAN_NO_LIMIT;
}
