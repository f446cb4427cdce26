// SPDX-License-Identifier: Apache-2.0
#include "load/load_watches.h"

#include <stdlib.h>
#include <string.h>

void load_watches_init(struct load_watches *watches, struct load_shared *load, uint32_t session)
{
    *watches = (struct load_watches){.load = load, .session = session};
}

/* The place of the operation of this number. */
static struct load_sent *sent_at(const struct load_watches *watches, uint64_t number)
{
    size_t depth = fleet_plan_depth(&watches->load->plan->fleet);
    return &watches->load->sent[watches->session * depth + number % depth];
}

void load_watches_sent(struct load_watches *watches, struct load_sent sent)
{
    if (watches->load->fan_out != NULL)
        *sent_at(watches, watches->sent++) = sent;
}

void load_watches_replied(struct load_watches *watches, const struct client_reply *reply,
                          bool measured)
{
    struct fan_out *fan_out = watches->load->fan_out;
    if (fan_out == NULL)
        return;
    const struct load_sent *sent = sent_at(watches, watches->replied++);
    if (reply->status == ZK_OK && sent->watch)
        fan_out_watch(fan_out, watches->session, sent->znode, reply->version);
    if (reply->status == ZK_OK && reply->operation == OP_SET)
        fan_out_publish(fan_out, watches->session, sent->znode, reply->version, sent->sent_ns,
                        measured);
    fan_out_retry(fan_out, watches->session);
}

/* The paths of data znodes end in their numbers. */
static uint32_t znode_of(const char *path)
{
    return (uint32_t)strtoul(strrchr(path, '/') + 1, NULL, 10);
}

void load_watches_notified(const struct load_watches *watches, enum client_event event,
                           const char *path, uint64_t now_ns)
{
    struct fan_out *fan_out = watches->load->fan_out;
    if (fan_out == NULL)
        return;
    if (event == EVENT_CHANGED)
        fan_out_notify(fan_out, watches->session, znode_of(path), now_ns);
    else
        fan_out_notify_other(fan_out, watches->session);
    fan_out_retry(fan_out, watches->session);
}

void load_watches_lost(const struct load_watches *watches)
{
    if (watches->load->fan_out != NULL)
        fan_out_forget(watches->load->fan_out, watches->session);
}

void load_watches_settle(const struct load_watches *watches)
{
    if (watches->load->fan_out != NULL)
        fan_out_settle(watches->load->fan_out, watches->session);
}
