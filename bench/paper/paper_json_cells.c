// SPDX-License-Identifier: Apache-2.0
#include "bench/paper/paper_json_cells.h"

#include "bench/output/json_result.h"
#include "bench/paper/figure8.h"
#include "bench/paper/published.h"
#include "bench/paper/table1.h"
#include "bench/paper/table2.h"
#include "bench/paper/table3.h"

static json_t *describe_trials(uint64_t servers, size_t trials, size_t valid)
{
    return json_pack("{s:I, s:I, s:I}", "servers", (json_int_t)servers, "trials_complete",
                     (json_int_t)trials, "trials_valid", (json_int_t)valid);
}

static void set_count(json_t *cell, const char *key, uint64_t count)
{
    json_object_set_new(cell, key, json_integer((json_int_t)count));
}

json_t *paper_json_cells_table1(const void *context, size_t topology)
{
    const struct table1 *table = context;
    json_t *cells = json_array();
    for (size_t share = 0; share < table->shares; share++) {
        const struct table1_cell *cell = table1_at(table, topology, share);
        json_t *json = describe_trials(cell->servers, cell->trials, cell->valid);
        set_count(json, "trials_starved", cell->starved);
        set_count(json, "reads_percent", cell->reads);
        json_result_set_interval(json, "achieved_per_s", &cell->per_s);
        json_result_set_real(json, "paper_per_s", published_table1(cell->servers, cell->reads));
        json_array_append_new(cells, json);
    }
    return cells;
}

json_t *paper_json_cells_table2(const void *context, size_t topology)
{
    const struct table2 *table = context;
    json_t *cells = json_array();
    for (size_t level = 0; level < table->levels; level++) {
        const struct table2_cell *cell = table2_at(table, topology, level);
        json_t *json = describe_trials(cell->servers, cell->trials, cell->valid);
        set_count(json, "workers", cell->workers);
        json_result_set_interval(json, "creates_per_s", &cell->per_s);
        json_result_set_interval(json, "latency_mean_ms", &cell->latency_ms);
        json_result_set_real(json, "paper_per_s", published_table2(cell->servers, cell->workers));
        json_result_set_real(json, "paper_latency_ms",
                             published_latency_ms(cell->servers, cell->workers));
        json_array_append_new(cells, json);
    }
    return cells;
}

static json_t *describe_barriers(const struct table3_cell *cell)
{
    json_t *json = describe_trials(cell->servers, cell->trials, cell->valid);
    set_count(json, "clients", cell->clients);
    set_count(json, "barriers", cell->barriers);
    json_result_set_interval(json, "seconds", &cell->seconds);
    json_result_set_real(json, "barrier_operations_per_s", cell->passages_per_s);
    json_result_set_real(json, "zookeeper_operations_per_s", cell->requests_per_s);
    json_result_set_real(json, "reads_to_writes", cell->reads_to_writes);
    json_result_set_real(json, "paper_seconds", published_table3(cell->clients, cell->barriers));
    return json;
}

json_t *paper_json_cells_table3(const void *context, size_t topology)
{
    const struct table3 *table = context;
    json_t *cells = json_array();
    for (size_t i = 0; i < table->clients; i++) {
        for (size_t j = 0; j < table->barriers; j++)
            json_array_append_new(cells, describe_barriers(table3_at(table, topology, i, j)));
    }
    return cells;
}

json_t *paper_json_cells_figure8(const void *context, size_t topology)
{
    const struct figure8 *figure = context;
    json_t *events = json_array();
    (void)topology;
    for (uint32_t event = 0; event < figure->plan.events; event++) {
        uint32_t kill = 2 * event;
        json_t *json = describe_trials(figure->servers, figure->count, figure8_valid(figure));
        json_object_set_new(json, "event", json_string(figure8_plan_word(&figure->plan, event)));
        json_result_set_real(json, "before_per_s",
                             figure8_median(figure, kill, figure8_before_per_s));
        json_result_set_real(json, "down_per_s", figure8_median(figure, kill, figure8_down_per_s));
        json_result_set_real(json, "after_per_s",
                             figure8_median(figure, kill, figure8_after_per_s));
        json_result_set_real(json, "first_write_ms",
                             figure8_median(figure, kill, figure8_first_write_ms));
        json_result_set_real(json, "longest_silence_ms",
                             figure8_median(figure, kill, figure8_silence_ms));
        json_result_set_real(json, "new_leader_ms",
                             figure8_median(figure, kill, figure8_leader_ms));
        json_result_set_real(json, "serves_ms",
                             figure8_median(figure, kill + 1, figure8_served_ms));
        json_array_append_new(events, json);
    }
    return events;
}
