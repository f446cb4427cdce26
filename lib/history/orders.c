// SPDX-License-Identifier: Apache-2.0
#include "history/orders.h"

#include "base/id_tree.h"

#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct session {
    int64_t id;     /* the key */
    bool releasing; /* its next request is the release */
    bool notified;  /* the sequence began with a notification */
    struct orders_sequence now;
};

static struct session *session_of(struct orders *orders, int64_t id)
{
    return id_tree_take(&orders->sessions, id, sizeof(struct session));
}

static bool is_same(const struct orders_sequence *one, const struct orders_sequence *other)
{
    return one->length == other->length &&
           memcmp(one->requests, other->requests, one->length * sizeof one->requests[0]) == 0;
}

static void end_sequence(struct orders *orders, struct session *session, enum orders_kind kind)
{
    struct orders_sequence *of = orders->sequences[kind];
    size_t i = 0;
    while (i < orders->counts[kind] && !is_same(&of[i], &session->now))
        i++;
    if (i == orders->counts[kind] && i < ORDERS_MOST) {
        of[orders->counts[kind]++] = session->now;
        of[i].times = 0;
    }
    if (i < ORDERS_MOST)
        of[i].times++;
    session->now.length = 0;
}

void orders_ask(struct orders *orders, int64_t id, enum tally_kind request)
{
    struct session *session = session_of(orders, id);
    if (!session->releasing && session->now.length < ORDERS_LENGTH)
        session->now.requests[session->now.length++] = request;
    session->releasing = false;
}

void orders_notify(struct orders *orders, int64_t id)
{
    struct session *session = session_of(orders, id);
    end_sequence(orders, session, session->notified ? ORDERS_IN_VAIN : ORDERS_ARRIVAL);
    session->notified = true;
}

void orders_release(struct orders *orders, int64_t id)
{
    struct session *session = session_of(orders, id);
    end_sequence(orders, session, session->notified ? ORDERS_GRANTED : ORDERS_ARRIVAL);
    session->notified = false;
    session->releasing = true;
}

const struct orders_sequence *orders_most(const struct orders *orders, enum orders_kind kind)
{
    const struct orders_sequence *most = NULL;
    for (size_t i = 0; i < orders->counts[kind]; i++)
        if (most == NULL || orders->sequences[kind][i].times > most->times)
            most = &orders->sequences[kind][i];
    return most;
}

void orders_deinit(struct orders *orders)
{
    tdestroy(orders->sessions, free);
    *orders = (struct orders){0};
}
