// SPDX-License-Identifier: Apache-2.0
#include "load/fan_out.h"

#include <sched.h>
#include <string.h>

/* Writes that all rings together keep, about; and those that one keeps. */
#define WRITES   (1U << 20)
#define RING_MIN 4
#define RING_MAX 4096

/* ------------------------------------------------------------------ its memory */

struct fan_out *fan_out_lay_out(const struct load_plan *plan, struct fan_out_counts *counts,
                                struct shared_layout *layout)
{
    const struct fleet_plan *fleet = &plan->fleet;
    struct fan_out *fan_out = shared_reserve(layout, sizeof *fan_out);
    struct fan_out parts = {.znodes = load_plan_znodes(plan),
                            .watchable = plan->znodes > 0 ? plan->znodes : 1,
                            .ring = RING_MAX};
    while (parts.ring > RING_MIN && parts.ring > WRITES / parts.znodes)
        parts.ring /= 2;
    parts.sessions = shared_reserve(layout, fleet->sessions * sizeof *parts.sessions);
    int32_t *watched =
        shared_reserve(layout, (size_t)fleet->sessions * parts.watchable * sizeof *watched);
    parts.writes = shared_reserve(layout, (size_t)parts.znodes * parts.ring * sizeof *parts.writes);
    parts.written = shared_reserve(layout, parts.znodes * sizeof *parts.written);
    if (fan_out == NULL)
        return NULL;
    *fan_out = parts;
    for (uint32_t i = 0; i < fleet->sessions; i++) {
        fan_out->sessions[i].counts = &counts[i % fleet->processes];
        fan_out->sessions[i].watched = watched + (size_t)i * parts.watchable;
    }
    return fan_out;
}

/* ------------------------------------------------------------------ writes */

/* Where the write that makes this version has its place. */
static struct fan_out_write *place_of(const struct fan_out *fan_out, uint32_t znode,
                                      int32_t version)
{
    uint32_t index = (uint32_t)version & (fan_out->ring - 1);
    return &fan_out->writes[(size_t)znode * fan_out->ring + index];
}

/* No other session changes the write until its version is stored again, within nanoseconds unless
 * the system takes the core away meanwhile. */
static int32_t lock_write(struct fan_out_write *write)
{
    int32_t version;
    while ((version = atomic_exchange(&write->version, FAN_OUT_TAKEN)) == FAN_OUT_TAKEN)
        sched_yield();
    return version;
}

/* The same without taking the write: a look at one that others use disturbs them little. */
static int32_t version_of(const struct fan_out_write *write)
{
    int32_t version;
    while ((version = atomic_load(&write->version)) == FAN_OUT_TAKEN)
        sched_yield();
    return version;
}

/* No more notifications are added to the write. */
static void finish(const struct fan_out_write *write, struct fan_out_counts *counts)
{
    if (write->fan_out == 0 || !write->measured)
        return;
    atomic_fetch_add(&counts->writes, 1);
    shared_raise(&counts->most, write->fan_out);
    histogram_record(&counts->first, write->first_ns - write->sent_ns);
    histogram_record(&counts->last, write->last_ns - write->sent_ns);
}

void fan_out_publish(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version,
                     uint64_t sent_ns, bool measured)
{
    struct fan_out_write *write = place_of(fan_out, znode, version);
    int32_t before = lock_write(write);
    if (before > version) {
        atomic_store(&write->version, before);
        return;
    }
    finish(write, fan_out->sessions[session].counts);
    write->fan_out = 0;
    write->measured = measured;
    write->sent_ns = sent_ns;
    write->first_ns = UINT64_MAX;
    write->last_ns = sent_ns;
    atomic_store(&write->version, version);
    atomic_store(&fan_out->written[znode], true);
}

/* ------------------------------------------------------------------ notifications */

static void add(struct fan_out_write *write, struct fan_out_counts *counts, uint64_t come_ns)
{
    atomic_fetch_add(&counts->timed, 1);
    write->fan_out++;
    if (come_ns < write->first_ns)
        write->first_ns = come_ns;
    if (come_ns > write->last_ns)
        write->last_ns = come_ns;
    if (write->measured)
        histogram_record(&counts->notification, come_ns - write->sent_ns);
}

/* False if the write has yet to be published. */
static bool attribute(const struct fan_out *fan_out, struct fan_out_counts *counts,
                      const struct fan_out_notification *notification)
{
    int32_t wanted = notification->version;
    struct fan_out_write *write = place_of(fan_out, notification->znode, wanted);
    int32_t found = version_of(write);
    if (found == wanted) {
        found = lock_write(write);
        if (found == wanted)
            add(write, counts, notification->come_ns);
        atomic_store(&write->version, found);
    }
    if (found > wanted)
        atomic_fetch_add(&counts->untimed, 1);
    return found >= wanted;
}

/* The oldest that has come has waited for longest: it makes room. False, and the session
 * has lost track for good, if all that is in the list is expected. */
static bool append(struct fan_out_session *session, struct fan_out_notification notification)
{
    if (!session->lost_track && session->waiting == FAN_OUT_WAITING_MAX) {
        uint32_t oldest = 0;
        while (oldest < session->waiting && session->list[oldest].come_ns == 0)
            oldest++;
        session->lost_track = oldest == session->waiting;
        if (!session->lost_track) {
            atomic_fetch_add(&session->counts->untimed, 1);
            session->waiting--;
            memmove(&session->list[oldest], &session->list[oldest + 1],
                    (session->waiting - oldest) * sizeof *session->list);
        }
    }
    if (!session->lost_track)
        session->list[session->waiting++] = notification;
    return !session->lost_track;
}

static int32_t *watched(const struct fan_out *fan_out, uint32_t session, uint32_t znode)
{
    return &fan_out->sessions[session].watched[fan_out->watchable == 1 ? 0 : znode];
}

void fan_out_watch(struct fan_out *fan_out, uint32_t session, uint32_t znode, int32_t version)
{
    int32_t *fires = watched(fan_out, session, znode);
    /* The watch of a version that is past has fired; its notification has yet to come. */
    if (*fires != 0 && *fires <= version)
        (void)!append(&fan_out->sessions[session],
                      (struct fan_out_notification){.znode = znode, .version = *fires});
    *fires = version + 1;
}

void fan_out_notify(struct fan_out *fan_out, uint32_t session, uint32_t znode, uint64_t come_ns)
{
    struct fan_out_session *notified = &fan_out->sessions[session];
    uint32_t expected = 0;
    while (expected < notified->waiting &&
           (notified->list[expected].come_ns != 0 || notified->list[expected].znode != znode))
        expected++;
    if (expected < notified->waiting) {
        notified->list[expected].come_ns = come_ns;
        fan_out_retry(fan_out, session);
        return;
    }
    int32_t *fires = watched(fan_out, session, znode);
    const struct fan_out_notification notification = {znode, *fires, come_ns};
    *fires = 0;
    if (notification.version == 0 || notified->lost_track ||
        (!attribute(fan_out, notified->counts, &notification) && !append(notified, notification)))
        fan_out_notify_other(fan_out, session);
}

void fan_out_notify_other(struct fan_out *fan_out, uint32_t session)
{
    atomic_fetch_add(&fan_out->sessions[session].counts->untimed, 1);
}

/* Leaves those whose writes have yet to be published and, if more are to come, those expected. */
static void retry(struct fan_out *fan_out, struct fan_out_session *session, bool expects)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < session->waiting; i++) {
        const struct fan_out_notification notification = session->list[i];
        if (notification.come_ns == 0 ? expects
                                      : !attribute(fan_out, session->counts, &notification))
            session->list[left++] = notification;
    }
    session->waiting = left;
}

void fan_out_retry(struct fan_out *fan_out, uint32_t session)
{
    retry(fan_out, &fan_out->sessions[session], true);
}

void fan_out_forget(struct fan_out *fan_out, uint32_t session)
{
    struct fan_out_session *forgetful = &fan_out->sessions[session];
    retry(fan_out, forgetful, false);
    memset(forgetful->watched, 0, fan_out->watchable * sizeof *forgetful->watched);
}

/* ------------------------------------------------------------------ the end */

void fan_out_end(struct fan_out *fan_out, uint32_t session)
{
    struct fan_out_session *ended = &fan_out->sessions[session];
    retry(fan_out, ended, false);
    atomic_fetch_add(&ended->counts->untimed, ended->waiting);
    ended->waiting = 0;
}

void fan_out_close(struct fan_out *fan_out, struct fan_out_counts *counts)
{
    for (uint32_t znode = 0; znode < fan_out->znodes; znode++) {
        const struct fan_out_write *ring = &fan_out->writes[(size_t)znode * fan_out->ring];
        for (uint32_t i = 0; i < fan_out->ring && atomic_load(&fan_out->written[znode]); i++)
            finish(&ring[i], counts);
    }
}
