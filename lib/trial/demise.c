// SPDX-License-Identifier: Apache-2.0
#include "trial/demise.h"

#include "base/clock.h"
#include "trial/checker.h"
#include "trial/death.h"

/* A server that was told ends the session at once; how soon others follow is not known. */
#define EXIT_NS (2 * NS_PER_S)

/* The lock loses its holder. A server ends a session no earlier than its timeout after the last
 * that it heard of it. */
static void bereave(struct seat *seat, enum death_how how, uint64_t timeout_ns, uint64_t now_ns)
{
    if (how == DEATH_EXIT)
        checker_released(seat_board(seat), seat->meter.lock, seat->session);
    else
        checker_crashed(seat_board(seat), seat->meter.lock,
                        seat->contender.client->sent_ns + timeout_ns);
    meter_bereaved(&seat->meter, now_ns);
}

static void note_death(struct seat *seat, enum death_how how, uint64_t timeout_ns, uint64_t now_ns)
{
    struct board *board = seat_board(seat);
    uint32_t lock = seat->meter.lock;
    death_note(board, lock, now_ns);
    if (seat->state == SEAT_HOLDING || seat->state == SEAT_WORKING)
        bereave(seat, how, timeout_ns, now_ns);
    else if (seat->state == SEAT_RELEASING)
        checker_deserted(board, lock, seat->session);
    else
        atomic_fetch_add(&seat_lock(seat)->abandoned, 1);
    /* The servers round a timeout up to their next tick, which is half of the least timeout. */
    death_bury(board, seat->session, now_ns + (how == DEATH_EXIT ? EXIT_NS : 2 * timeout_ns));
}

bool demise_die(struct seat *seat, enum death_how how)
{
    struct client *client = seat->contender.client;
    uint64_t timeout_ns = client_timeout_ms(client) * NS_PER_MS;
    meter_read_bytes(&seat->meter, client);
    seat_report(seat);
    note_death(seat, how, timeout_ns, client_now_ns(client));
    if (how == DEATH_EXIT)
        atomic_fetch_add(&seat_board(seat)->exits, 1);
    return how == DEATH_EXIT ? client_leave(client) : client_crash(client);
}

bool demise_lose_reply(struct seat *seat)
{
    struct client *client = seat->contender.client;
    death_note(seat_board(seat), seat->meter.lock, client_now_ns(client));
    return client_cut(client);
}
