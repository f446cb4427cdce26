// SPDX-License-Identifier: Apache-2.0
/* costs.json: what is written is read again; what is no such file, or cannot be, is refused. */
#include <jansson.h>

#include "bench/model/costs_file.h"
#include "recipes/registry.h"

#include "tests/support/test.h"

#include <math.h>
#include <unistd.h>

static char folder[64], path[80];
static struct costs_file costs, again;
static struct error error;

/* With a covariance between the first two costs, and a jitter that is known. */
static void fill_fit(struct calibration *fit)
{
    fit->cost_count = COST_LIST_COUNT;
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        double sd = i == COST_LIST_network_jitter ? 0 : 0.1 + 0.01 * (double)i;
        fit->costs[i] = (struct calibration_cost){1000.5 + (double)i, sd, i % 2 == 0};
        fit->covariance[i][i] = sd * sd;
    }
    fit->covariance[COST_LIST_network][COST_LIST_read] =
        fit->covariance[COST_LIST_read][COST_LIST_network] = -0.004;
    fit->model_sd = 0.125;
    fit->converged = true;
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, P_tmpdir "/test_costs.XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/c.json", folder);
    costs = (struct costs_file){
        .zkherd = "v1",
        .date = "2026-11-22T22:00:00Z",
        .holds_for = {.servers = "private",
                      .server_count = 3,
                      .zookeeper = "3.8.0",
                      .server_cpu_percent = 25,
                      .fsync = "yes",
                      .driver = "events",
                      .processes = 2,
                      .host = "h",
                      .cpu = "c",
                      .cores = 1.5},
        .shared_cores = 2,
        .trial_sd = {0.25, 0.5},
        .cell_count = 2,
        .cells = {{{&recipe_scalable, 8, 1}, 5, {0.5, 0.25}, {0.75, NAN}},
                  {{&recipe_nonscalable, 16, 2}, 4, {1.5, NAN}, {1.25, 0.125}}},
    };
    fill_fit(&costs.fit);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static void assert_same_cells(void)
{
    assert_int_equal(again.cell_count, costs.cell_count);
    for (size_t i = 0; i < costs.cell_count; i++) {
        assert_memory_equal(&again.cells[i].drain, &costs.cells[i].drain,
                            sizeof costs.cells[i].drain);
        assert_int_equal(again.cells[i].trials, costs.cells[i].trials);
        for (size_t time = 0; time < DRAIN_TIMES; time++) {
            assert_true(is_same(again.cells[i].measured_s[time], costs.cells[i].measured_s[time]));
            assert_true(is_same(again.cells[i].fitted_s[time], costs.cells[i].fitted_s[time]));
        }
    }
}

TEST_BETWEEN(what_is_written_is_read_again, set_up, tear_down)
{
    assert_int_equal(costs_file_write(&costs, path, &error), ERROR_NONE);
    assert_int_equal(costs_file_read(path, &again, &error), ERROR_NONE);
    assert_string_equal(again.zkherd, costs.zkherd);
    assert_string_equal(again.date, costs.date);
    assert_int_equal(costs_file_check_holds(&again, path, &costs.holds_for, &error), ERROR_NONE);
    assert_int_equal(again.shared_cores, 2);
    assert_true(again.fit.model_sd == 0.125 && again.fit.converged);
    assert_int_equal(again.fit.cost_count, COST_LIST_COUNT);
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        assert_true(again.fit.costs[i].value == costs.fit.costs[i].value);
        assert_true(again.fit.costs[i].sd == costs.fit.costs[i].sd);
        assert_int_equal(again.fit.costs[i].determined, costs.fit.costs[i].determined);
    }
    assert_memory_equal(again.fit.covariance, costs.fit.covariance, sizeof costs.fit.covariance);
    assert_true(again.trial_sd[DRAIN_TOTAL] == 0.25 && again.trial_sd[DRAIN_HANDOFF] == 0.5);
    assert_same_cells();
}

TEST_BETWEEN(intervals_are_two_standard_deviations, set_up, tear_down)
{
    struct interval known = costs_file_cost(&costs, COST_LIST_network_jitter);
    struct interval fitted = costs_file_cost(&costs, COST_LIST_network);
    assert_true(known.value == 1001.5 && isnan(known.low) && isnan(known.high));
    assert_true(fabs(log(fitted.high / fitted.value) - 0.196) < 1e-4);
    assert_true(fabs(log(fitted.value / fitted.low) - 0.196) < 1e-4);
}

TEST_BETWEEN(a_simulation_gets_the_costs, set_up, tear_down)
{
    const struct sim_options options = costs_file_simulation(&costs, 5);
    assert_int_equal(options.servers, 5);
    assert_int_equal(options.cores, 2);
    assert_int_equal(options.costs.network_ns, 1001); /* 1000.5, rounded */
    assert_int_equal(options.costs.network_jitter_ns, 1002);
}

/* ------------------------------------------------------------------ other servers */

static void assert_other(const struct costs_record *servers, const char *words)
{
    assert_int_equal(costs_file_check_holds(&costs, path, servers, &error), ERROR_OTHER_COSTS);
    assert_string_equal(error.detail, words);
}

TEST_BETWEEN(costs_of_other_servers_are_refused, set_up, tear_down)
{
    struct costs_record here = costs.holds_for;
    here.server_count = 1;
    assert_other(&here, "servers: 3, here 1");
    here = costs.holds_for;
    here.server_cpu_percent = 0;
    assert_other(&here, "--server-cpus: 0.25, here no limit");
    here = costs.holds_for;
    strcpy(here.zookeeper, "3.9.2");
    assert_other(&here, "ZooKeeper: 3.8.0, here 3.9.2");
    here = costs.holds_for;
    strcpy(here.servers, "zk1:2181");
    strcpy(here.fsync, "unknown");
    assert_other(&here, "ensemble: private, here zk1:2181; fsync: yes, here unknown");
    here = costs.holds_for;
    strcpy(here.driver, "threads");
    here.processes = 1;
    assert_other(&here, "driver: events, here threads; --processes: 2, here 1");
    here = costs.holds_for;
    strcpy(here.host, "other");
    strcpy(here.cpu, "other");
    here.cores = 4;
    assert_other(&here, "host: h, here other; CPU: c, here other; cores: 1.5, here 4");
}

/* ------------------------------------------------------------------ what is no such file */

static void put(const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_refused(enum error_kind kind, const char *words)
{
    assert_int_equal(costs_file_read(path, &again, &error), kind);
    assert_string_equal(error.subject, path);
    if (strstr(error.detail, words) == NULL)
        fail_msg("'%s' instead of '%s'", error.detail, words);
}

TEST_BETWEEN(what_is_no_file_of_costs_is_refused, set_up, tear_down)
{
    assert_refused(ERROR_NOT_COSTS, "there is no such file");
    put("");
    assert_refused(ERROR_NOT_COSTS, "line 1: ");
    put("{\n\"format\": \n}");
    assert_refused(ERROR_NOT_COSTS, "line 3: ");
    put("[]");
    assert_refused(ERROR_NOT_COSTS, "its 'format' is not 'zkherd costs'");
    put("{\"plan\": {}}");
    assert_refused(ERROR_NOT_COSTS, "its 'format' is not 'zkherd costs'");
    put("{\"format\": \"zkherd costs\", \"format_version\": 1}");
    assert_refused(ERROR_NOT_COSTS,
                   "its format is version 1, and this zkherd reads version 2: calibrate again");
}

/* Writes the costs, changes a member (NULL: removes it) and reads them. */
static void assert_spoiled(const char *object, const char *key, json_t *value, const char *words)
{
    json_error_t place;
    assert_int_equal(costs_file_write(&costs, path, &error), ERROR_NONE);
    json_t *json = json_load_file(path, 0, &place);
    json_t *within = object != NULL ? json_object_get(json, object) : json;
    if (json_is_array(within))
        within = json_array_get(within, 0);
    if (value == NULL)
        json_object_del(within, key);
    else
        json_object_set_new(within, key, value);
    assert_int_equal(json_dump_file(json, path, 0), 0);
    json_decref(json);
    assert_refused(ERROR_MALFORMED, words);
}

TEST_BETWEEN(values_that_cannot_be_are_refused, set_up, tear_down)
{
    assert_spoiled(NULL, "date", NULL, "'date' is not a text");
    assert_spoiled("holds_for", "zookeeper", NULL, "'zookeeper' is not a text");
    assert_spoiled("holds_for", "server_count", json_integer(0), "'server_count' is not a number");
    assert_spoiled("holds_for", "server_count", json_real(1.5), "'server_count' is not a whole");
    assert_spoiled("costs", "value_ns", json_integer(0), "'value_ns' is not a number, or one that");
    assert_spoiled("costs", "name", json_string("hurry"), "'costs' does not have the costs of");
    assert_spoiled(NULL, "costs", json_array(), "'costs' does not have the costs of this version");
    assert_spoiled("costs", "sd_of_log", json_real(1.6), "is more than 1.5");
    assert_spoiled("costs", "sd_of_log", json_real(0.2),
                   "'covariance_of_logs' does not agree with the costs");
    assert_spoiled(NULL, "covariance_of_logs", json_array(), "a number for each pair of costs");
    assert_spoiled(NULL, "model_sd", json_real(-0.1), "'model_sd' is not a number");
    assert_spoiled("cells", "recipe", json_string("nope"), "'recipe' is not the name of a recipe");
    assert_spoiled("cells", "drain_s", json_real(-1), "'drain_s' is not a number");
    assert_spoiled(NULL, "cells", json_array(), "'cells' has no cell");
}

/* No costs are drawn from it, so that no prediction ends in an assertion. */
TEST_BETWEEN(a_covariance_is_positive_definite, set_up, tear_down)
{
    costs.fit.covariance[COST_LIST_network][COST_LIST_read] =
        costs.fit.covariance[COST_LIST_read][COST_LIST_network] = 4;
    assert_int_equal(costs_file_write(&costs, path, &error), ERROR_NONE);
    assert_refused(ERROR_MALFORMED, "'covariance_of_logs' cannot be that of any costs");
}

TEST_BETWEEN(a_cost_that_is_known_varies_with_no_other, set_up, tear_down)
{
    costs.fit.covariance[COST_LIST_network][COST_LIST_network_jitter] =
        costs.fit.covariance[COST_LIST_network_jitter][COST_LIST_network] = 1e-6;
    assert_int_equal(costs_file_write(&costs, path, &error), ERROR_NONE);
    assert_refused(ERROR_MALFORMED, "'covariance_of_logs' cannot be that of any costs");
}
