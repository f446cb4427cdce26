// SPDX-License-Identifier: Apache-2.0
/*
 * load meter: counts and times the operations of a load session, into the counters of its worker
 * (load/load_shared.h). Layer: load.
 *
 * Invariant: rates are of what was answered in the measured time, and latencies of what was due in
 * it; likewise for the contended time.
 */
#ifndef LOAD_LOAD_METER_H
#define LOAD_LOAD_METER_H

#include "client/client.h"
#include "load/load_shared.h"

struct load_meter {
    struct load_shared *load;
    struct load_worker *worker;
    uint32_t process; /* the worker's number */
};

/* Of the session with this number. load must outlive the meter. */
void load_meter_init(struct load_meter *meter, struct load_shared *load, uint32_t session);

/* A reply to an operation of the load, whose tag is a load_tag, has come from a server of this
 * role. */
void load_meter_replied(struct load_meter *meter, const struct client_reply *reply, enum role role,
                        uint64_t now_ns);

/* An operation that was due at due_ns is sent now. The driver is late by the time until it looked;
 * or the servers have delayed the operation. */
void load_meter_late(struct load_meter *meter, uint64_t due_ns, uint64_t looked_ns,
                     uint64_t now_ns);
void load_meter_delayed(struct load_meter *meter, uint64_t due_ns);

#endif
