// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const char *const words[] = {
#define X(name, word) [LOAD_MARK_##name] = word,
    LOAD_MARK_LIST(X)
#undef X
};

/* Which marks give way to others: snapshots first, and those of faults never, except to each other.
 */
static int rank_of(enum load_mark_kind kind)
{
    if (kind == LOAD_MARK_SNAPSHOT)
        return 0;
    return kind == LOAD_MARK_KILLED || kind == LOAD_MARK_RESTARTED ? 2 : 1;
}

/* Leaves one mark out of a full list: the latest of those that give way first. Returns false if
 * that is the one that is to be added. */
static bool make_room(struct load_marks *marks, enum load_mark_kind kind)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < marks->count; i++) {
        if (rank_of(marks->list[i].kind) <= rank_of(marks->list[least].kind))
            least = i;
    }
    marks->left_out++;
    if (rank_of(kind) <= rank_of(marks->list[least].kind))
        return false;
    marks->count--;
    memmove(&marks->list[least], &marks->list[least + 1],
            (marks->count - least) * sizeof marks->list[0]);
    return true;
}

void load_marks_add(struct load_marks *marks, uint64_t time_ns, enum load_mark_kind kind,
                    uint32_t server)
{
    if (marks->count == LOAD_MARKS_MAX && !make_room(marks, kind))
        return;
    uint32_t place = marks->count++;
    for (; place > 0 && marks->list[place - 1].time_ns > time_ns; place--)
        marks->list[place] = marks->list[place - 1];
    marks->list[place] = (struct load_mark){time_ns, kind, server};
}

const char *load_marks_format(const struct load_marks *marks, uint32_t second, char *text,
                              size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < marks->count; i++) {
        const struct load_mark *mark = &marks->list[i];
        const char *between = length > 0 ? ";" : "";
        if ((mark->time_ns == 0 ? 0 : (mark->time_ns - 1) / NS_PER_S) != second)
            continue;
        if (mark->kind == LOAD_MARK_NO_LEADER)
            snprintf(text + length, size - length, "%s%s", between, words[mark->kind]);
        else
            snprintf(text + length, size - length, "%sserver %u %s", between, mark->server + 1,
                     words[mark->kind]);
        length += strlen(text + length);
    }
    return text;
}

/* Of a result: the lag; all, first and last notifications; service, response and lag of the
 * contended time; both of every kind and of all; and again for every role. */
#define KINDS_AND_ALL (LOAD_KINDS + 1)
#define HISTOGRAMS    (7 + 2 * (1 + ROLES) * KINDS_AND_ALL)

/* ------------------------------------------------------------------ memory */

/* Mapped, not allocated: what is never touched costs nothing. */
static bool map_histograms(struct load_result *result)
{
    struct histogram *histograms =
        mmap(NULL, HISTOGRAMS * sizeof *histograms, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (histograms == MAP_FAILED)
        return false;
    result->lag = histograms;
    result->notification = histograms + 1;
    result->first_notification = histograms + 2;
    result->last_notification = histograms + 3;
    result->contended.service = histograms + 4;
    result->contended.response = histograms + 5;
    result->contended.lag = histograms + 6;
    result->service = histograms + 7;
    result->response = result->service + KINDS_AND_ALL;
    result->service_of = (struct histogram(*)[KINDS_AND_ALL])(result->response + KINDS_AND_ALL);
    result->response_of = result->service_of + ROLES;
    return true;
}

enum error_kind load_result_new(const struct load_plan *plan, struct load_result **result,
                                struct error *error)
{
    struct load_result *made = memory_new(1, sizeof *made);
    made->usage = memory_new(plan->seconds + 1, sizeof *made->usage); /* one more: never nothing */
    made->server_seconds = memory_new(plan->seconds + 1, sizeof *made->server_seconds);
    made->faults = memory_new(plan->fault_count + 1, sizeof *made->faults);
    enum error_kind kind = map_histograms(made)
                               ? load_shared_new(plan, &made->load, error)
                               : error_raise(error, ERROR_NO_MEMORY, 0, "load", "%s", "");
    if (kind == ERROR_NONE)
        *result = made;
    else
        load_result_free(made);
    return kind;
}

void load_result_free(struct load_result *result)
{
    if (result == NULL)
        return;
    load_shared_free(result->load);
    if (result->lag != NULL)
        munmap(result->lag, HISTOGRAMS * sizeof *result->lag);
    free(result->usage);
    free(result->server_seconds);
    free(result->faults);
    free(result);
}

/* ------------------------------------------------------------------ adding up */

/* What follows from another operation comes on top of what was asked for: nobody has offered it,
 * and it is in no sum over the kinds. */
static void add_replies(const struct load_worker *worker, struct load_result *result)
{
    for (int kind = 0; kind < LOAD_KINDS; kind++) {
        for (int status = 0; status < LOAD_STATUSES; status++) {
            uint64_t count = atomic_load(&worker->replies[kind][status]);
            result->replies[kind][status] += count;
            result->offered += kind < (int)MIX_KINDS ? count : 0;
        }
    }
}

static void add_latencies(const struct load_worker *worker, struct load_result *result)
{
    histogram_add(result->lag, &worker->lag);
    for (int role = 0; role < ROLES; role++) {
        for (int kind = 0; kind < LOAD_KINDS; kind++) {
            const struct histogram *service = &worker->service[role][kind],
                                   *response = &worker->response[role][kind];
            histogram_add(&result->service_of[role][kind], service);
            histogram_add(&result->service[kind], service);
            histogram_add(&result->response_of[role][kind], response);
            histogram_add(&result->response[kind], response);
            if (kind >= (int)MIX_KINDS)
                continue;
            histogram_add(&result->service_of[role][LOAD_KINDS], service);
            histogram_add(&result->response_of[role][LOAD_KINDS], response);
            histogram_add(&result->service[LOAD_KINDS], service);
            histogram_add(&result->response[LOAD_KINDS], response);
        }
    }
}

static void add_contended(const struct load_contended *contended, struct load_result *result)
{
#define X(counter) result->contended.counter += atomic_load(&contended->counter);
    LOAD_CONTENDED_COUNTERS(X)
#undef X
#define X(times) histogram_add(result->contended.times, &contended->times);
    LOAD_CONTENDED_TIMES(X)
#undef X
}

static void add_fan_out(struct fan_out *fan_out, struct load_result *result)
{
    fan_out_close(fan_out);
    for (uint32_t i = 0; i < fan_out->shape.workers; i++) {
        const struct fan_out_counts *counts = &fan_out->counts[i];
        uint64_t most = atomic_load(&counts->most);
        result->timed += atomic_load(&counts->timed);
        result->untimed += atomic_load(&counts->untimed);
        result->fired += atomic_load(&counts->writes);
        result->fan_out_max = most > result->fan_out_max ? most : result->fan_out_max;
        histogram_add(result->notification, &counts->notification);
        histogram_add(result->first_notification, &counts->first);
        histogram_add(result->last_notification, &counts->last);
    }
}

void load_result_add_up(struct load_result *result)
{
    const struct load_shared *load = result->load;
    for (uint32_t i = 0; i < load->plan->fleet.processes; i++) {
        const struct load_worker *worker = &load->workers[i];
        tally_sum(&result->total, &worker->total);
        add_replies(worker, result);
        add_latencies(worker, result);
        add_contended(&worker->contended, result);
        result->answered += atomic_load(&worker->answered);
        result->errors += atomic_load(&worker->errors);
        result->delayed += atomic_load(&worker->delayed);
        result->unsent += atomic_load(&worker->unsent);
        result->reconnects += atomic_load(&load->shared->workers[i].reconnects);
    }
    if (load->fan_out != NULL)
        add_fan_out(load->fan_out, result);
    for (uint32_t second = 0; second < load->plan->seconds; second++) {
        const struct load_usage *usage = &result->usage[second];
        result->client_cpu_ns += usage->client_cpu_ns;
        result->server_cpu_known = usage->server_cpu_known;
        result->server_cpu_ns += usage->server_cpu_ns;
    }
    result->offered += result->unsent;
    result->contended.length_ns =
        atomic_load(&load->contends_ns) == UINT64_MAX
            ? 0
            : atomic_load(&load->ends_ns) - atomic_load(&load->contends_ns);
    result->losses = atomic_load(&load->shared->losses);
    for (uint32_t i = 0; i < load->plan->fleet.sessions; i++)
        result->apart += load->shared->sessions[i].apart;
}
