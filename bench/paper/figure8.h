// SPDX-License-Identifier: Apache-2.0
/*
 * figure8: throughput while servers are killed and started again, and whether its shape is that of
 * Figure 8 of the paper. Layer: bench/paper.
 *
 * What is judged is what the paper says of the figure: no second of a trial is without a completed
 * operation, while a follower is down and when the leader is lost; a follower costs about its share
 * of the throughput, not more; throughput recovers. In the paper, too, it does not recover in full:
 * sessions stay where they are when a server is back. So a ratio holds if its interval is above
 * what is left without one server more than were killed, and the paper's is what is left without
 * those.
 *
 * Invariant: a verdict counts valid trials alone.
 */
#ifndef BENCH_PAPER_FIGURE8_H
#define BENCH_PAPER_FIGURE8_H

#include "bench/output/load_rows.h"
#include "bench/paper/figure8_plan.h"
#include "bench/paper/judgement.h"
#include "load/load.h"
#include "measure/csv.h"

#include <stddef.h>
#include <stdint.h>

/* Operations completed in a tenth of a second. */
struct figure8_sample {
    uint64_t reads;
    uint64_t writes;
};

/* Operations a second, by the event of a trial; NaN: not known. */
struct figure8_rates {
    double before; /* in the part before the kill */
    double down;   /* from the kill to the start */
    double after;  /* in the part that begins a part after the start */
};

struct figure8_trial {
    uint32_t number;
    bool valid;
    struct load_fault_result faults[FIGURE8_FAULTS_MAX];
    uint32_t zero_seconds[FIGURE8_FAULTS_MAX]; /* from the fault until the next one */
    struct figure8_rates rates[FIGURE8_EVENTS_MAX];
    struct figure8_sample *samples; /* of the measured time */
};

struct figure8 {
    struct figure8_plan plan;
    uint64_t servers;
    uint32_t seconds;
    struct figure8_trial *trials;
    size_t count;
    struct judgements judgements;
};

void figure8_init(struct figure8 *figure, uint64_t servers, uint64_t duration_ns);
void figure8_deinit(struct figure8 *figure);

/* Keeps a trial. ERROR_NO_MEMORY, and the figure is as it was. */
MUST_CHECK enum error_kind figure8_add(struct figure8 *figure, const struct table_value *row,
                                       const struct load_result *result, struct error *error);

/* Computes the rates and the seconds without an operation of a trial with its faults and samples.
 */
void figure8_measure(const struct figure8 *figure, struct figure8_trial *trial);

/* Judges what was kept. cannot_show: why these servers cannot show what one of them costs, or NULL.
 * ERROR_NO_MEMORY. */
MUST_CHECK enum error_kind figure8_judge(struct figure8 *figure, const char *cannot_show,
                                         struct error *error);

/* How many trials are valid. */
size_t figure8_valid(const struct figure8 *figure);

/* The median over the valid trials, or over all if none is valid, of what `value` says of a fault;
 * NaN without a value that is known. */
double figure8_median(const struct figure8 *figure, uint32_t fault,
                      double (*value)(const struct figure8_trial *trial, uint32_t fault));

/* What is told of a fault: the rates of its event, operations a second; milliseconds. NaN if not
 * known. */
double figure8_before_per_s(const struct figure8_trial *trial, uint32_t fault);
double figure8_down_per_s(const struct figure8_trial *trial, uint32_t fault);
double figure8_after_per_s(const struct figure8_trial *trial, uint32_t fault);
double figure8_first_write_ms(const struct figure8_trial *trial, uint32_t fault);
double figure8_silence_ms(const struct figure8_trial *trial, uint32_t fault);
double figure8_leader_ms(const struct figure8_trial *trial, uint32_t fault);
double figure8_served_ms(const struct figure8_trial *trial, uint32_t fault);

/* The files figure8.csv and samples.csv. */
void figure8_write(const struct figure8 *figure, struct csv *csv);
void figure8_write_samples(const struct figure8 *figure, struct csv *csv);

#endif
