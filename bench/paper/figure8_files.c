// SPDX-License-Identifier: Apache-2.0
/* The files of Figure 8. */
#include "bench/paper/figure8.h"

#include <math.h>
#include <stdio.h>

/* As many samples as the paper counts together: 300 ms. */
#define SAMPLES_A_ROW 3

/* A fault of a trial, on its way into the file. */
struct row {
    const struct figure8 *figure;
    const struct figure8_trial *trial;
    uint32_t fault;
    const struct load_fault_result *result;
    const char *servers, *role;
};

/* Rates are told once an event, with its kill. */
static double rate(const struct row *row, double rate)
{
    return row->fault % 2 == 0 ? rate : NAN;
}

static double if_carried_out(const struct row *row, double value)
{
    return row->result->carried_out ? value : NAN;
}

/* A time of the fault, in milliseconds; a time that did not come within the trial is not known. */
static double since_ms(const struct row *row, uint64_t time_ns)
{
    return if_carried_out(row, time_ns == UINT64_MAX ? NAN : (double)time_ns / 1e6);
}

#define COLUMNS(X)                                                                                 \
    X(trial, csv_count(csv, row->trial->number))                                                   \
    X(valid, csv_text(csv, row->trial->valid ? "yes" : "no"))                                      \
    X(fault, csv_count(csv, row->fault + 1))                                                       \
    X(event, csv_text(csv, figure8_plan_word(&row->figure->plan, row->fault / 2)))                 \
    X(action, csv_text(csv, load_fault_word(row->figure->plan.faults[row->fault].action)))         \
    X(servers, csv_text(csv, row->servers))                                                        \
    X(role, csv_text(csv, row->role))                                                              \
    X(at_s, csv_real(csv, if_carried_out(row, (double)result->at_ns / 1e9), 3))                    \
    X(took_ms, csv_real(csv, if_carried_out(row, (double)result->took_ns / 1e6), 1))               \
    X(first_operation_ms, csv_real(csv, since_ms(row, result->first_operation_ns), 1))             \
    X(first_write_ms, csv_real(csv, since_ms(row, result->first_write_ns), 1))                     \
    X(longest_silence_ms, csv_real(csv, since_ms(row, result->silence_ns), 0))                     \
    X(longest_write_silence_ms, csv_real(csv, since_ms(row, result->write_silence_ns), 0))         \
    X(seconds_at_zero,                                                                             \
      csv_count_if(csv, result->carried_out, row->trial->zero_seconds[row->fault]))                \
    X(new_leader_ms, csv_real(csv, since_ms(row, result->led_ns), 1))                              \
    X(new_leader_sooner_ms,                                                                        \
      csv_real(csv, result->led_ns == UINT64_MAX ? NAN : since_ms(row, result->led_within_ns), 1)) \
    X(new_leader, csv_count_if(csv, result->led_ns != UINT64_MAX, result->leader + UINT64_C(1)))   \
    X(serves_ms, csv_real(csv, since_ms(row, result->served_ns), 1))                               \
    X(serves_sooner_ms,                                                                            \
      csv_real(csv,                                                                                \
               result->served_ns == UINT64_MAX ? NAN : since_ms(row, result->served_within_ns),    \
               1))                                                                                 \
    X(before_per_s, csv_real(csv, rate(row, rates->before), 1))                                    \
    X(down_per_s, csv_real(csv, rate(row, rates->down), 1))                                        \
    X(after_per_s, csv_real(csv, rate(row, rates->after), 1))                                      \
    X(reason, csv_text(csv, result->why))

static void write_row(const struct row *row, struct csv *csv)
{
    const struct load_fault_result *result = row->result;
    const struct figure8_rates *rates = &row->trial->rates[row->fault / 2];
    COLUMNS(CSV_WRITE) csv_end_row(csv);
}

/* The numbers of the servers, from 1, with a plus sign between. */
static const char *format_servers(const struct load_fault_result *result, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; result->carried_out && i < result->count && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%u", i > 0 ? "+" : "",
                                   result->servers[i] + 1);
    return text;
}

void figure8_write(const struct figure8 *figure, struct csv *csv)
{
    csv_header(csv, COLUMNS(CSV_NAME));
    for (size_t i = 0; i < figure->count; i++) {
        for (uint32_t fault = 0; fault < 2 * figure->plan.events; fault++) {
            const struct load_fault_result *result = &figure->trials[i].faults[fault];
            char servers[32];
            const struct row row = {
                .figure = figure,
                .trial = &figure->trials[i],
                .fault = fault,
                .result = result,
                .servers = format_servers(result, servers, sizeof servers),
                .role = result->carried_out && fault % 2 == 0 ? role_word(result->roles[0]) : "",
            };
            write_row(&row, csv);
        }
    }
}

#define SAMPLE_COLUMNS(X)                                                                          \
    X(trial, csv_count(csv, trial->number))                                                        \
    X(from_s, csv_real(csv, (double)first / OUTAGES_SAMPLES_PER_S, 1))                             \
    X(reads, csv_count(csv, sum.reads))                                                            \
    X(writes, csv_count(csv, sum.writes))                                                          \
    X(operations_per_s,                                                                            \
      csv_real(csv, (double)(sum.reads + sum.writes) * OUTAGES_SAMPLES_PER_S / SAMPLES_A_ROW, 1))

static void write_sample(const struct figure8_trial *trial, uint32_t first, struct csv *csv)
{
    struct figure8_sample sum = {0};
    for (uint32_t i = first; i < first + SAMPLES_A_ROW; i++) {
        sum.reads += trial->samples[i].reads;
        sum.writes += trial->samples[i].writes;
    }
    SAMPLE_COLUMNS(CSV_WRITE) csv_end_row(csv);
}

void figure8_write_samples(const struct figure8 *figure, struct csv *csv)
{
    uint32_t count = figure->seconds * OUTAGES_SAMPLES_PER_S;
    csv_header(csv, SAMPLE_COLUMNS(CSV_NAME));
    for (size_t i = 0; i < figure->count; i++) {
        for (uint32_t first = 0; first + SAMPLES_A_ROW <= count; first += SAMPLES_A_ROW)
            write_sample(&figure->trials[i], first, csv);
    }
}
