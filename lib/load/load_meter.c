// SPDX-License-Identifier: Apache-2.0
#include "load/load_session.h"

/* Where what is of this time counts; NULL: nowhere. */
static struct load_window *window_at(const struct load_session *session, uint64_t time_ns)
{
    enum load_window_kind kind = load_shared_window(session->load, time_ns);
    return kind < LOAD_WINDOWS ? &session->worker->windows[kind] : NULL;
}

/* ------------------------------------------------------------------ replies */

static void count_reply(struct load_worker *worker, const struct client_reply *reply)
{
    atomic_fetch_add(&worker->replied, 1);
    if (reply->status != ZK_OK && reply->operation == OP_CREATE)
        tally_add_shared(&worker->total, TALLY_CREATE_FAILED, 1);
    if (reply->status != ZK_OK && reply->operation == OP_DELETE)
        tally_add_shared(&worker->total, TALLY_DELETE_FAILED, 1);
    if (reply->name_count > 0)
        tally_add_shared(&worker->total, TALLY_NAMES_LISTED, reply->name_count);
}

/* In the window and the second of the answer. */
static void record_answer(const struct load_session *session, const struct client_reply *reply,
                          bool foreseen, uint64_t response_ns, uint64_t now_ns)
{
    const struct load_shared *load = session->load;
    struct load_window *window = window_at(session, now_ns);
    struct load_second *second = load_shared_second(load, session->process, now_ns);
    bool reads = load_kind_reads(load_tag_kind(reply->tag));
    if (window != NULL)
        atomic_fetch_add(foreseen ? &window->answered : &window->errors, 1);
    if (second == NULL)
        return;
    atomic_fetch_add(foreseen ? &second->answered : &second->errors, 1);
    if (foreseen) {
        struct load_times *times = load_shared_times(load, session->process, now_ns);
        histogram_record(reads ? &times->reads : &times->writes, response_ns);
    }
    if (foreseen && load->outages != NULL) {
        uint64_t measures_ns = atomic_load(&load->measures_ns),
                 sent_ns = now_ns - reply->latency_ns;
        outages_record(load->outages, reads, sent_ns > measures_ns ? sent_ns - measures_ns : 0,
                       now_ns - measures_ns);
    }
}

/* In the window in which it was due. The limit is compared with the exact time: a histogram rounds
 * it. */
static void record_due(const struct load_session *session, const struct client_reply *reply,
                       bool foreseen, bool asked_for, uint64_t response_ns, uint64_t now_ns)
{
    enum load_kind kind = load_tag_kind(reply->tag);
    enum role role = session->actor.role;
    uint64_t limit_ns = session->load->plan->limit_ns;
    struct load_window *window = window_at(session, now_ns - response_ns);
    if (window == NULL)
        return;
    atomic_fetch_add(&window->replies[kind][reply->status], 1);
    if (asked_for)
        atomic_fetch_add(&window->replied, 1);
    if (!foreseen) {
        atomic_fetch_add(&window->failed, 1);
        return;
    }
    histogram_record(&window->service[role][kind], reply->latency_ns);
    histogram_record(&window->response[role][kind], response_ns);
    if (asked_for && limit_ns > 0 && response_ns >= limit_ns)
        atomic_fetch_add(&window->over, 1);
}

/* What follows from another operation is none of those that were asked for, if it succeeds. */
void load_meter_replied(const struct load_session *session, const struct client_reply *reply,
                        uint64_t now_ns)
{
    enum load_kind kind = load_tag_kind(reply->tag);
    bool foreseen = load_shared_is_foreseen(kind, reply->status),
         asked_for = kind < MIX_KINDS || reply->status != ZK_OK;
    uint64_t response_ns = now_ns - load_tag_due_ns(session->load, reply->tag);
    count_reply(session->worker, reply);
    if (asked_for)
        record_answer(session, reply, foreseen, response_ns, now_ns);
    record_due(session, reply, foreseen, asked_for, response_ns, now_ns);
}

/* ------------------------------------------------------------------ lateness */

void load_meter_late(const struct load_session *session, uint64_t due_ns, uint64_t looked_ns,
                     uint64_t now_ns)
{
    struct load_window *window = window_at(session, due_ns);
    struct load_second *second = load_shared_second(session->load, session->process, now_ns);
    if (window == NULL)
        return;
    histogram_record(&window->lag, looked_ns - due_ns);
    if (second != NULL)
        shared_raise(&second->lag_ns, looked_ns - due_ns);
}

void load_meter_delayed(const struct load_session *session, uint64_t due_ns)
{
    struct load_window *window = window_at(session, due_ns);
    if (window != NULL)
        atomic_fetch_add(&window->delayed, 1);
}
