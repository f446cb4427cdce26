// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

void load_meter_init(struct load_meter *meter, struct load_shared *load, uint32_t session)
{
    uint32_t process = session % load->plan->fleet.processes;
    *meter =
        (struct load_meter){.load = load, .worker = &load->workers[process], .process = process};
}

/* ------------------------------------------------------------------ replies */

/* A reply, and what is known of its operation. */
struct answer {
    const struct client_reply *reply;
    enum load_kind kind;
    enum role role;
    bool foreseen; /* by the mix: it succeeded, or its failure is part of it */
    uint64_t due_ns, now_ns;
};

static void count_reply(const struct load_meter *meter, const struct client_reply *reply)
{
    struct tally *total = &meter->worker->total;
    atomic_fetch_add(&meter->worker->replied, 1);
    if (reply->status != ZK_OK && reply->operation == OP_CREATE)
        tally_add_shared(total, TALLY_CREATE_FAILED, 1);
    if (reply->status != ZK_OK && reply->operation == OP_DELETE)
        tally_add_shared(total, TALLY_DELETE_FAILED, 1);
    if (reply->name_count > 0)
        tally_add_shared(total, TALLY_NAMES_LISTED, reply->name_count);
}

/* What follows from another operation is none of those that were asked for, if it succeeds. */
static bool is_asked_for(const struct answer *answer)
{
    return answer->kind < MIX_KINDS || answer->reply->status != ZK_OK;
}

static void record_answer(const struct load_meter *meter, const struct answer *answer)
{
    struct load_worker *worker = meter->worker;
    struct load_second *second = load_shared_second(meter->load, meter->process, answer->now_ns);
    bool foreseen = answer->foreseen;
    if (second != NULL) {
        atomic_fetch_add(foreseen ? &second->answered : &second->errors, 1);
        if (foreseen)
            histogram_record(load_kind_reads(answer->kind) ? &second->reads : &second->writes,
                             answer->now_ns - answer->due_ns);
        if (foreseen && meter->load->outages != NULL) {
            uint64_t measures_ns = atomic_load(&meter->load->measures_ns),
                     sent_ns = answer->now_ns - answer->reply->latency_ns;
            outages_record(meter->load->outages, meter->process, load_kind_reads(answer->kind),
                           sent_ns > measures_ns ? sent_ns - measures_ns : 0,
                           answer->now_ns - measures_ns);
        }
    }
    if (load_shared_is_measured(meter->load, answer->now_ns))
        atomic_fetch_add(foreseen ? &worker->answered : &worker->errors, 1);
}

static void record_measured(const struct load_meter *meter, const struct answer *answer)
{
    struct load_worker *worker = meter->worker;
    uint64_t response_ns = answer->now_ns - answer->due_ns;
    if (is_asked_for(answer))
        record_answer(meter, answer);
    if (!load_shared_is_measured(meter->load, answer->due_ns))
        return;
    atomic_fetch_add(&worker->replies[answer->kind][answer->reply->status], 1);
    if (answer->foreseen) {
        histogram_record(&worker->service[answer->role][answer->kind], answer->reply->latency_ns);
        histogram_record(&worker->response[answer->role][answer->kind], response_ns);
    }
}

/* The limit is compared with the exact time: a histogram rounds it. */
static void record_contended(const struct load_meter *meter, const struct answer *answer)
{
    struct load_contended *contended = &meter->worker->contended;
    uint64_t limit_ns = meter->load->plan->limit_ns, response_ns = answer->now_ns - answer->due_ns;
    if (!is_asked_for(answer))
        return;
    if (load_shared_is_contended(meter->load, answer->now_ns))
        atomic_fetch_add(answer->foreseen ? &contended->answered : &contended->errors, 1);
    if (!load_shared_is_contended(meter->load, answer->due_ns))
        return;
    if (!answer->foreseen) {
        atomic_fetch_add(&contended->failed, 1);
        return;
    }
    histogram_record(&contended->service, answer->reply->latency_ns);
    histogram_record(&contended->response, response_ns);
    if (limit_ns > 0 && response_ns >= limit_ns)
        atomic_fetch_add(&contended->over, 1);
}

void load_meter_replied(struct load_meter *meter, const struct client_reply *reply, enum role role,
                        uint64_t now_ns)
{
    enum load_kind kind = load_tag_kind(reply->tag);
    const struct answer answer = {.reply = reply,
                                  .kind = kind,
                                  .role = role,
                                  .foreseen = load_shared_is_foreseen(kind, reply->status),
                                  .due_ns = load_tag_due_ns(meter->load, reply->tag),
                                  .now_ns = now_ns};
    count_reply(meter, reply);
    record_measured(meter, &answer);
    record_contended(meter, &answer);
}

/* ------------------------------------------------------------------ lateness */

/* Whether an operation that was due then counts. */
static bool is_counted(const struct load_meter *meter, uint64_t due_ns)
{
    return load_shared_is_contended(meter->load, due_ns) ||
           load_shared_is_measured(meter->load, due_ns);
}

void load_meter_late(struct load_meter *meter, uint64_t due_ns, uint64_t looked_ns, uint64_t now_ns)
{
    struct load_worker *worker = meter->worker;
    struct load_second *second = load_shared_second(meter->load, meter->process, now_ns);
    bool contended = load_shared_is_contended(meter->load, due_ns);
    if (!is_counted(meter, due_ns))
        return;
    histogram_record(contended ? &worker->contended.lag : &worker->lag, looked_ns - due_ns);
    if (second != NULL)
        shared_raise(&second->lag_ns, looked_ns - due_ns);
}

void load_meter_delayed(struct load_meter *meter, uint64_t due_ns)
{
    struct load_worker *worker = meter->worker;
    bool contended = load_shared_is_contended(meter->load, due_ns);
    if (is_counted(meter, due_ns))
        atomic_fetch_add(contended ? &worker->contended.delayed : &worker->delayed, 1);
}
