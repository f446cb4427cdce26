// SPDX-License-Identifier: Apache-2.0
#include "servers/server_limits.h"

#include "base/text.h"

#include <string.h>

/* The answer to a word; "" if the whitelist refuses the word. */
static enum error_kind ask(const struct endpoint *endpoint, const char *word, uint64_t timeout_ns,
                           char *answer, size_t size, struct error *error)
{
    struct error found;
    enum error_kind kind = four_letter_ask(endpoint, word, timeout_ns, answer, size, &found);
    if (kind == ERROR_NONE)
        return kind;
    answer[0] = '\0';
    if (kind == ERROR_NOT_WHITELISTED)
        return ERROR_NONE;
    *error = found;
    return kind;
}

/* The number in the line that begins so, before this unit. */
static uint64_t number_in(const char *answer, const char *beginning, const char *unit)
{
    char text[64];
    uint64_t number = FOUR_LETTER_UNTOLD;
    four_letter_line(answer, beginning, text, sizeof text);
    char *end = text + strspn(text, "0123456789");
    if (strcmp(end, unit) != 0)
        return FOUR_LETTER_UNTOLD;
    *end = '\0';
    return text_parse_number(text, 0, UINT64_MAX - 1, &number) ? number : FOUR_LETTER_UNTOLD;
}

static uint64_t free_descriptors(const char *answer)
{
    uint64_t most = number_in(answer, "\nzk_max_file_descriptor_count\t", "");
    uint64_t open = number_in(answer, "\nzk_open_file_descriptor_count\t", "");
    if (most == FOUR_LETTER_UNTOLD || open == FOUR_LETTER_UNTOLD)
        return FOUR_LETTER_UNTOLD;
    return most > open ? most - open : 0;
}

void server_limits_read(const char *conf, const char *mntr, const char *envi,
                        struct server_limits *limits)
{
    uint64_t heap_mib = number_in(envi, "\nos.memory.max=", "MB");
    limits->connections = number_in(conf, "\nmaxClientCnxns=", "");
    limits->descriptors = free_descriptors(mntr);
    limits->heap_bytes = heap_mib > UINT64_MAX >> 20 ? FOUR_LETTER_UNTOLD : heap_mib << 20;
}

uint64_t server_limits_connections(const struct endpoint *endpoint, uint64_t timeout_ns)
{
    char conf[8192];
    struct error ignored;
    if (four_letter_ask(endpoint, "conf", timeout_ns, conf, sizeof conf, &ignored) != ERROR_NONE)
        return FOUR_LETTER_UNTOLD;
    return number_in(conf, "\nmaxClientCnxns=", "");
}

enum error_kind server_limits_ask(const struct endpoint *endpoint, uint64_t timeout_ns,
                                  struct server_limits *limits, struct error *error)
{
    char conf[FOUR_LETTER_MNTR_SIZE], mntr[FOUR_LETTER_MNTR_SIZE], envi[FOUR_LETTER_MNTR_SIZE];
    enum error_kind kind = ask(endpoint, "conf", timeout_ns, conf, sizeof conf, error);
    if (kind == ERROR_NONE)
        kind = ask(endpoint, "mntr", timeout_ns, mntr, sizeof mntr, error);
    if (kind == ERROR_NONE)
        kind = ask(endpoint, "envi", timeout_ns, envi, sizeof envi, error);
    if (kind == ERROR_NONE)
        server_limits_read(conf, mntr, envi, limits);
    return kind;
}

/* No limit is the highest. */
static uint64_t lower(uint64_t one, uint64_t other, uint64_t no_limit)
{
    if (one == FOUR_LETTER_UNTOLD || other == FOUR_LETTER_UNTOLD)
        return FOUR_LETTER_UNTOLD;
    if (one == no_limit || other == no_limit)
        return one == no_limit ? other : one;
    return one < other ? one : other;
}

void server_limits_heed(struct server_limits *limits, const struct server_limits *other)
{
    limits->connections = lower(limits->connections, other->connections, 0);
    limits->descriptors = lower(limits->descriptors, other->descriptors, FOUR_LETTER_UNTOLD);
    limits->heap_bytes = lower(limits->heap_bytes, other->heap_bytes, FOUR_LETTER_UNTOLD);
}
