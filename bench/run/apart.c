// SPDX-License-Identifier: Apache-2.0
/* The handoffs from one worker of --meet to another, a row each in hosts_handoffs.csv. */
#include "bench/run/internal.h"

#include "bench/cli/terminal.h"

#include <math.h>

static const char *host_of(const struct crew *crew, uint32_t first)
{
    const struct crew_seat *seat;
    for (uint32_t i = 0; (seat = crew_seat(crew, i)) != NULL; i++) {
        if (seat->first == first)
            return seat->member.name;
    }
    return NULL;
}

#define APART_COLUMNS(X)                                                                           \
    X(run, csv_text(csv, of[trial_row_run].text))                                                  \
    X(recipe, csv_text(csv, of[trial_row_recipe].text))                                            \
    X(clients, csv_count(csv, of[trial_row_clients].count))                                        \
    X(trial, csv_count(csv, of[trial_row_trial].count))                                            \
    X(handoff, csv_count(csv, handoff))                                                            \
    X(released_at, csv_text(csv, host_of(crew, ends.released_at)))                                 \
    X(granted_at, csv_text(csv, host_of(crew, ends.granted_at)))                                   \
    X(least_us, csv_real(csv, (double)ends.low_ns / 1e3, 1))                                       \
    X(most_us, csv_real(csv, (double)ends.high_ns / 1e3, 1))

enum error_kind apart_open(struct apart *apart, struct file_set *set, struct error *error)
{
    return file_set_add_csv(set, "hosts_handoffs.csv", APART_COLUMNS(CSV_NAME), &apart->csv, error);
}

void apart_add(struct apart *apart, const struct table_value *of, const struct trial_memory *memory)
{
    struct csv *csv = &apart->csv;
    const struct crew *crew = memory->plan->fleet.crew;
    uint64_t grants = of[trial_row_handoffs].count, spread_ns = crew_spread_ns(crew);
    apart->spread_ns = spread_ns > apart->spread_ns ? spread_ns : apart->spread_ns;
    for (size_t handoff = 1; handoff < grants && handoff < memory->ledger.rows_per_lock;
         handoff++) {
        struct trial_apart ends;
        apart->inside += ledger_row(&memory->ledger, 0, handoff)->handoff_ns > 0;
        if (!trial_apart(memory, handoff, &ends))
            continue;
        APART_COLUMNS(CSV_WRITE) csv_end_row(csv);
        histogram_record(&apart->least, ends.low_ns);
        histogram_record(&apart->most, ends.high_ns);
    }
}

/* A median lies between those of the bounds. */
static void write_others(const struct apart *apart, FILE *stream)
{
    wrap_sentence(stream,
                  "The others took %.2f to %.2f ms at the median, and %.2f to %.2f ms at the "
                  "99th percentile: that is how exactly the clocks of the hosts were compared.",
                  histogram_percentile_us(&apart->least, 50) / 1e3,
                  histogram_percentile_us(&apart->most, 50) / 1e3,
                  histogram_percentile_us(&apart->least, 99) / 1e3,
                  histogram_percentile_us(&apart->most, 99) / 1e3);
}

void apart_write(const struct apart *apart, FILE *stream)
{
    uint64_t between = histogram_recorded(&apart->least), all = apart->inside + between;
    if (all == 0)
        wrap_sentence(stream, "\nworkers: no handoff has a time.");
    else
        wrap_sentence(stream,
                      "\nworkers: %llu of %llu timed handoffs stayed on one host, and have the "
                      "times above.",
                      (unsigned long long)apart->inside, (unsigned long long)all);
    if (between > 0)
        write_others(apart, stream);
    if (apart->spread_ns > 0)
        wrap_sentence(stream,
                      "In free pace only sequence numbers tell who followed whom on several hosts. "
                      "In no trial did a host let its clients go more than %.2f ms after another.",
                      (double)apart->spread_ns / 1e6);
}
