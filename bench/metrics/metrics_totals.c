// SPDX-License-Identifier: Apache-2.0
#include "bench/metrics/metrics_totals.h"

#include "bench/cli/machine.h"
#include "bench/metrics/metrics_text.h"

void metrics_totals_add_servers(struct metrics_totals *totals,
                                const struct server_counters_count *servers)
{
    if (!servers->known)
        return;
    totals->server_writes += servers->writes;
    totals->server_notifications += servers->notifications;
    totals->server_packets += servers->packets_received;
}

/* A load has no recipe, and its labels end there. */
struct metrics_labels metrics_totals_labels(const struct metrics_totals *totals)
{
    return (struct metrics_labels){
        {{"target", totals->target}, {totals->recipe == NULL ? NULL : "recipe", totals->recipe}}};
}

/* The same behind another label. */
static struct metrics_labels labels_with(const char *name, const char *value,
                                         const struct metrics_totals *totals)
{
    const char *recipe = totals->recipe == NULL ? NULL : "recipe";
    return (struct metrics_labels){
        {{name, value}, {"target", totals->target}, {recipe, totals->recipe}}};
}

void metrics_totals_write_counter(FILE *stream, const struct metrics_counter *counter,
                                  const struct metrics_totals *list, size_t count,
                                  const void *first, size_t stride)
{
    const char *place = (const char *)first + counter->offset;
    metrics_text_family(stream, counter->name, "counter", counter->help);
    for (size_t i = 0; i < count; i++) {
        const struct metrics_labels labels = metrics_totals_labels(&list[i]);
        metrics_text_count(stream, counter->name,
                           *(const uint64_t *)(const void *)(place + i * stride), &labels);
    }
}

static void write_trials(FILE *stream, const struct metrics_totals *list, size_t count)
{
    static const char *const verdicts[] = {"valid", "not_valid", "failed"};
    metrics_text_family(stream, "zkherd_trials_total", "counter", "Finished trials.");
    for (size_t i = 0; i < count; i++) {
        for (int verdict = 0; verdict < METRICS_VERDICTS; verdict++) {
            const struct metrics_labels labels =
                labels_with("verdict", verdicts[verdict], &list[i]);
            metrics_text_count(stream, "zkherd_trials_total", list[i].trials[verdict], &labels);
        }
    }
}

/* The type of a request is the name of its column in the files. */
static void write_kinds(FILE *stream, const char *name, const enum tally_kind *kinds,
                        size_t kind_count, const struct metrics_totals *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < kind_count; k++) {
            const struct metrics_labels labels =
                labels_with("type", tally_column(kinds[k]), &list[i]);
            metrics_text_count(stream, name, list[i].counted.of[kinds[k]], &labels);
        }
    }
}

static void write_requests(FILE *stream, const struct metrics_totals *list, size_t count)
{
    static const enum tally_kind requests[] = {TALLY_CREATE,       TALLY_EXISTS, TALLY_GET,
                                               TALLY_GET_CHILDREN, TALLY_SET,    TALLY_DELETE,
                                               TALLY_MULTI},
                                 failed[] = {TALLY_CREATE_FAILED, TALLY_DELETE_FAILED};
    metrics_text_family(stream, "zkherd_rpcs_total", "counter",
                        "Requests sent, in the warm-up of a load too.");
    write_kinds(stream, "zkherd_rpcs_total", requests, sizeof requests / sizeof requests[0], list,
                count);
    metrics_text_family(stream, "zkherd_rpcs_failed_total", "counter",
                        "Creates and deletes that were answered with an error.");
    write_kinds(stream, "zkherd_rpcs_failed_total", failed, 2, list, count);
}

void metrics_totals_write(FILE *stream, const struct metrics_totals *list, size_t count)
{
#define COUNTED(kind) offsetof(struct metrics_totals, counted.of[TALLY_##kind])
    static const struct metrics_counter counters[] = {
        {"zkherd_notifications_total", "Watch notifications received.", COUNTED(NOTIFICATION)},
        {"zkherd_reconnects_total", "Connections made again, of finished trials.",
         offsetof(struct metrics_totals, reconnects)},
        {"zkherd_server_writes_total",
         "Writes that the servers counted, of finished trials where that is known.",
         offsetof(struct metrics_totals, server_writes)},
        {"zkherd_server_notifications_total",
         "Notifications that the servers counted, of finished trials where that is known.",
         offsetof(struct metrics_totals, server_notifications)},
        {"zkherd_server_packets_received_total",
         "Packets that the servers counted, of finished trials where that is known.",
         offsetof(struct metrics_totals, server_packets)},
    };
    write_trials(stream, list, count);
    write_requests(stream, list, count);
    for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
        metrics_totals_write_counter(stream, &counters[i], list, count, list, sizeof *list);
}

void metrics_totals_write_whole(FILE *stream, const struct metrics_whole *whole)
{
    metrics_text_family(stream, "zkherd_build_info", "gauge", "The version of zkherd; always 1.");
    metrics_text_count(stream, "zkherd_build_info", 1, METRICS_LABELS({"version", version_text}));
    metrics_text_family(stream, "zkherd_trials_planned", "gauge", "Trials of the whole plan.");
    metrics_text_count(stream, "zkherd_trials_planned", whole->planned, METRICS_NO_LABELS);
    metrics_text_family(stream, "zkherd_trial_number", "gauge",
                        "The number of the running trial of the plan; 0: none runs.");
    metrics_text_count(stream, "zkherd_trial_number", whole->number, METRICS_NO_LABELS);
    metrics_text_family(stream, "zkherd_sessions", "gauge",
                        "Sessions of the running trial that are established.");
    metrics_text_count(stream, "zkherd_sessions", whole->sessions, METRICS_NO_LABELS);
    if (whole->left_ns == 0)
        return;
    metrics_text_family(stream, "zkherd_time_left_seconds", "gauge",
                        "Estimated time to the end of the last trial.");
    metrics_text_real(stream, "zkherd_time_left_seconds", (double)whole->left_ns / 1e9,
                      METRICS_NO_LABELS);
}
