// SPDX-License-Identifier: Apache-2.0
/*
 * figure8: the schedule of Figure 8, the rows of its faults, and its judgements. Layer:
 * bench/paper.
 *
 * The paper's events in their order: a follower, another follower, the leader, two followers at
 * once, the leader. Each event is a kill and a start. With three servers the two followers are left
 * out: no quorum would stay. A trial is equal parts: two before the first kill; and for each event
 * one from the kill to the start, and two from the start to the next kill, or to the end.
 */
#ifndef BENCH_PAPER_FIGURE8_H
#define BENCH_PAPER_FIGURE8_H

#include "bench/paper/internal.h"
#include "load/load.h"

#define FIGURE8_EVENTS_MAX 5
#define FIGURE8_FAULTS_MAX (2 * FIGURE8_EVENTS_MAX)

#define FIGURE8_FAULT_COLUMNS(X, T)                                                                \
    X(T, trial, COUNT, "", 0, KEY, "the trial")                                                    \
    X(T, valid, FLAG, "", 0, NONE, "whether it is valid")                                          \
    X(T, fault, COUNT, "", 0, KEY, "its number, from 1")                                           \
    X(T, event, TEXT, "", 0, NONE, "what the event kills")                                         \
    X(T, action, TEXT, "", 0, NONE, "`kill` or `restart`")                                         \
    X(T, servers, TEXT, "", 0, NONE, "the servers, from 1, with plus signs between")               \
    X(T, role, TEXT, "", 0, NONE, "what the first of them was just before its kill")               \
    X(T, at_s, REAL, "s", 3, NONE, "when it was carried out, since the measured time began")       \
    X(T, took_ms, REAL, "ms", 1, NONE, "until the processes had ended or were started")            \
    X(T, first_operation_ms, REAL, "ms", 1, NONE,                                                  \
      "until the completion of the first operation that was sent after the fault")                 \
    X(T, first_write_ms, REAL, "ms", 1, MEDIAN, "the same of the first write")                     \
    X(T, longest_silence_ms, REAL, "ms", 0, MEDIAN,                                                \
      "the longest time until the next fault in which no operation was completed")                 \
    X(T, longest_write_silence_ms, REAL, "ms", 0, NONE, "in which no write was completed")         \
    X(T, seconds_at_zero, COUNT, "s", 0, SUM,                                                      \
      "whole seconds, ending before the next fault, without a completed operation")                \
    X(T, new_leader_ms, REAL, "ms", 1, MEDIAN,                                                     \
      "of a leader's death: until another server was seen to lead and serve")                      \
    X(T, new_leader_sooner_ms, REAL, "ms", 1, NONE, "by so much sooner that may have been")        \
    X(T, new_leader, COUNT, "", 0, NONE, "which one")                                              \
    X(T, serves_ms, REAL, "ms", 1, MEDIAN,                                                         \
      "of a start: until the last of its servers was seen to serve")                               \
    X(T, serves_sooner_ms, REAL, "ms", 1, NONE, "by so much sooner that may have been")            \
    X(T, before_per_s, REAL, "1/s", 1, MEDIAN,                                                     \
      "of a kill: operations a second in the part before")                                         \
    X(T, down_per_s, REAL, "1/s", 1, MEDIAN, "from the kill to the start")                         \
    X(T, after_per_s, REAL, "1/s", 1, MEDIAN, "in the part that begins a part after the start")    \
    X(T, reason, TEXT, "", 0, NONE, "why the fault was not carried out")                           \
    X(T, killed, COUNT, "", 0, PRIVATE, "of a kill: how many servers")                             \
    X(T, of_leader, FLAG, "", 0, PRIVATE, "whether the event kills the leader")
TABLE_DECLARE(figure8_fault, FIGURE8_FAULT_COLUMNS);

/* Medians over the valid trials, or over all if none is; the columns from before_per_s on are those
 * of the faults. */
#define FIGURE8_EVENT_COLUMNS(X, T)                                                                \
    X(T, servers, COUNT, "", 0, KEY, "")                                                           \
    X(T, trials, COUNT, "", 0, NONE, "")                                                           \
    X(T, valid, COUNT, "", 0, NONE, "")                                                            \
    X(T, event, TEXT, "", 0, NONE, "")                                                             \
    X(T, before_per_s, REAL, "1/s", 1, MEDIAN, "")                                                 \
    X(T, down_per_s, REAL, "1/s", 1, MEDIAN, "")                                                   \
    X(T, after_per_s, REAL, "1/s", 1, MEDIAN, "")                                                  \
    X(T, first_write_ms, REAL, "ms", 1, MEDIAN, "")                                                \
    X(T, longest_silence_ms, REAL, "ms", 0, MEDIAN, "")                                            \
    X(T, new_leader_ms, REAL, "ms", 1, MEDIAN, "")                                                 \
    X(T, serves_ms, REAL, "ms", 1, MEDIAN, "of the start")
TABLE_DECLARE(figure8_event, FIGURE8_EVENT_COLUMNS);

/* Operations completed in a tenth of a second. */
struct figure8_operations {
    uint64_t reads, writes;
};

struct figure8 {
    struct paper *paper; /* gets the events and the judgements */
    uint64_t servers;
    uint64_t end_ns; /* of a trial */
    uint64_t part_ns;
    uint32_t events;
    struct load_fault schedule[FIGURE8_FAULTS_MAX]; /* of each event the kill, and the start */
    struct table faults;                            /* a row for each fault of each trial */
    struct table samples;                           /* a row for each 300 ms of each trial */
    /* The present trial: */
    const struct load_fault_result *results;
    const struct figure8_operations *operations;
};

/* The equal parts of a trial's time. */
uint64_t figure8_parts(uint64_t servers);

/* servers: 3 or more. */
void figure8_init(struct figure8 *figure, struct paper *paper, uint64_t servers,
                  uint64_t duration_ns);
void figure8_deinit(struct figure8 *figure);

/* Keeps a trial: what became of its faults, and the tenths of its measured time. */
void figure8_add(struct figure8 *figure, uint64_t number, bool valid,
                 const struct load_fault_result *results,
                 const struct figure8_operations *operations);

/* Sums the trials up by event, and judges them. cannot_show: why these servers cannot show what one
 * of them costs, or NULL. */
void figure8_judge(struct figure8 *figure, const char *cannot_show);

#endif
