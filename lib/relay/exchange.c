// SPDX-License-Identifier: Apache-2.0
#include "relay/exchange.h"

#include "base/memory.h"
#include "relay/rename.h"

#include <stdlib.h>
#include <string.h>

#define RUNTIME_INCONSISTENCY (-2) /* of a part: another has failed */

/* The error of a reply; of a transaction that of the first part that failed by itself. The paths of
 * the znodes that it has made go to *made, which is the caller's to free. */
static int32_t judge(enum opcode opcode, const struct message_reply *reply, char **made)
{
    struct jute parts = reply->record.parts;
    struct message_record part;
    struct growing_text paths = {0};
    int32_t code = reply->error;
    if (code == 0 && opcode_creates(opcode))
        growing_text_add(&paths, "%.*s\n", (int)reply->record.path.length,
                         reply->record.path.bytes);
    while (message_next_part(&parts, true, &opcode, &part)) {
        if (opcode == OPCODE_OTHER && code == 0 && part.number != RUNTIME_INCONSISTENCY)
            code = part.number;
        else if (opcode_creates(opcode))
            growing_text_add(&paths, "%.*s\n", (int)part.path.length, part.path.bytes);
    }
    *made = paths.text;
    return code;
}

/* The names that a recorded request has given are those that it has given now; or stay. */
static void settle_names(struct exchanges *exchanges, const struct exchange *exchange)
{
    const char *recorded = exchange->made[EXCHANGE_RECORDED],
               *now = exchange->made[EXCHANGE_REPLAYED];
    size_t root = strlen(exchanges->root);
    for (size_t length; recorded != NULL && *recorded != '\0'; recorded += length + 1) {
        size_t length_now = now != NULL ? strcspn(now, "\n") : 0;
        length = strcspn(recorded, "\n");
        rename_settle(exchanges->names, recorded, length, length_now > root ? now + root : NULL,
                      length_now - root);
        now = length_now > 0 ? now + length_now + 1 : NULL;
    }
}

static void list(struct exchanges *exchanges, struct exchange *exchange,
                 const struct message_request *request)
{
    exchange->listed = true;
    exchange->order.asked = ++exchanges->moment;
    order_add(&exchanges->places, &exchange->order, request);
    exchange->older = exchanges->newest;
    *(exchanges->newest != NULL ? &exchanges->newest->newer : &exchanges->oldest) = exchange;
    exchanges->newest = exchange;
}

void exchange_give_up(struct exchanges *exchanges, struct exchange *exchange)
{
    if (!exchange->listed)
        return;
    order_remove(&exchange->order);
    *(exchange->older != NULL ? &exchange->older->newer : &exchanges->oldest) = exchange->newer;
    *(exchange->newer != NULL ? &exchange->newer->older : &exchanges->newest) = exchange->older;
    exchange->listed = false;
}

void exchange_find_active(struct exchanges *exchanges)
{
    const struct exchange *oldest = exchanges->oldest;
    while (oldest != NULL && oldest->waits)
        oldest = oldest->newer;
    exchanges->active = oldest != NULL ? oldest->order.asked : UINT64_MAX;
}

struct exchange *exchange_add(struct exchanges *exchanges, struct exchange **of_connection,
                              const struct exchange *facts, const struct message_request *request)
{
    struct exchange *exchange = memory_new(1, sizeof *exchange);
    *exchange = *facts;
    exchange->list = of_connection;
    exchange->next = *of_connection;
    if (exchange->next != NULL)
        exchange->next->previous = exchange;
    *of_connection = exchange;
    if (request != NULL)
        list(exchanges, exchange, request);
    return exchange;
}

bool exchange_end(struct exchanges *exchanges, struct exchange *exchange)
{
    bool unanswered = exchange->order.sent && exchange->answered[EXCHANGE_RECORDED] &&
                      !exchange->answered[EXCHANGE_REPLAYED];
    exchange_give_up(exchanges, exchange);
    settle_names(exchanges, exchange);
    *(exchange->previous != NULL ? &exchange->previous->next : exchange->list) = exchange->next;
    if (exchange->next != NULL)
        exchange->next->previous = exchange->previous;
    free(exchange->made[EXCHANGE_RECORDED]);
    free(exchange->made[EXCHANGE_REPLAYED]);
    free(exchange);
    return unanswered;
}

/* Both replies are known. path: as it was recorded. */
static void compare(struct exchange_comparison *comparison, const struct exchange *exchange,
                    struct jute_bytes path)
{
    int32_t recorded = exchange->code[EXCHANGE_RECORDED],
            replayed = exchange->code[EXCHANGE_REPLAYED];
    if (recorded == replayed) {
        comparison->operations[exchange->opcode].equal++;
        return;
    }
    comparison->operations[exchange->opcode].differ++;
    if (comparison->difference_count == EXCHANGE_DIFFERENCES_MOST)
        return;
    comparison->differences = memory_grow(comparison->differences, comparison->difference_count,
                                          sizeof *comparison->differences);
    comparison->differences[comparison->difference_count++] =
        (struct exchange_difference){exchange->opcode,
                                     recorded,
                                     replayed,
                                     exchange->at_ns,
                                     exchange->connection,
                                     memory_copy(path.length > 0 ? path.bytes : "", path.length)};
}

void exchange_reply(struct exchanges *exchanges, struct exchange *exchange, enum exchange_side side,
                    const struct message_reply *reply, struct jute_bytes path)
{
    exchange->answered[side] = true;
    exchange->code[side] = judge(exchange->opcode, reply, &exchange->made[side]);
    if (side == EXCHANGE_RECORDED)
        exchange->order.answered = ++exchanges->moment;
    else {
        size_t root = path.length > 0 ? strlen(exchanges->root) : 0;
        exchange_give_up(exchanges, exchange);
        path = (struct jute_bytes){path.bytes + root, path.length - root};
    }
    if (exchange->answered[EXCHANGE_RECORDED] && exchange->answered[EXCHANGE_REPLAYED])
        compare(exchanges->comparison, exchange, path);
}

void exchange_forget(struct exchange_comparison *comparison)
{
    for (size_t i = 0; i < comparison->difference_count; i++)
        free(comparison->differences[i].path);
    free(comparison->differences);
    *comparison = (struct exchange_comparison){0};
}
