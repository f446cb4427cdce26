// SPDX-License-Identifier: Apache-2.0
#include "bench/model/costs_file.h"

#include "base/output.h"
#include "base/text.h"
#include "bench/output/json_text.h"
#include "recipes/registry.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT         "zkherd costs"
#define FORMAT_VERSION 2 /* 1: without turns */

/* A calibration estimates no cost with a larger deviation than its prior's, and draws of such costs
 * are far from the largest number of nanoseconds. */
#define COST_SD_MAX 1.5

/* The intervals are those of a normal distribution: two standard deviations, nearly. */
#define NORMAL_95 1.959964

struct interval costs_file_cost(const struct costs_file *costs, size_t index)
{
    const struct calibration_cost *cost = &costs->fit.costs[index];
    double width = exp(NORMAL_95 * cost->sd);
    if (cost->sd == 0)
        return (struct interval){cost->value, NAN, NAN};
    return (struct interval){cost->value, cost->value / width, cost->value * width};
}

struct sim_options costs_file_simulation(const struct costs_file *costs, unsigned servers)
{
    double list_ns[COST_LIST_COUNT];
    for (size_t i = 0; i < COST_LIST_COUNT; i++)
        list_ns[i] = costs->fit.costs[i].value;
    return (struct sim_options){
        .servers = servers, .cores = costs->shared_cores, .costs = cost_list_give(list_ns)};
}

bool costs_file_has(const struct costs_file *costs, const struct drain_cell *cell)
{
    for (size_t i = 0; i < costs->cell_count; i++) {
        if (drain_same_cell(&costs->cells[i].drain, cell))
            return true;
    }
    return false;
}

uint32_t costs_file_most_clients(const struct costs_file *costs)
{
    uint32_t most = 0;
    for (size_t i = 0; i < costs->cell_count; i++) {
        if (costs->cells[i].drain.clients > most)
            most = costs->cells[i].drain.clients;
    }
    return most;
}

/* ------------------------------------------------------------------ other servers */

struct differences {
    char text[400];
};

static void differ(struct differences *differences, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void differ(struct differences *differences, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_append_clause(differences->text, sizeof differences->text, format, arguments);
    va_end(arguments);
}

static void compare_texts(struct differences *differences, const char *what, const char *theirs,
                          const char *here)
{
    if (strcmp(theirs, here) != 0)
        differ(differences, "%s: %.60s, here %.60s", what, theirs, here);
}

static const char *put_share(uint32_t percent, char text[32])
{
    if (percent == 0)
        snprintf(text, 32, "no limit");
    else
        snprintf(text, 32, "%u.%02u", percent / 100, percent % 100);
    return text;
}

static void compare_numbers(struct differences *differences, const struct costs_record *theirs,
                            const struct costs_record *here)
{
    char its[32], ours[32];
    if (theirs->server_count != here->server_count)
        differ(differences, "servers: %u, here %u", theirs->server_count, here->server_count);
    if (theirs->cpu_percent != here->cpu_percent)
        differ(differences, "--server-cpus: %s, here %s", put_share(theirs->cpu_percent, its),
               put_share(here->cpu_percent, ours));
    if (theirs->processes != here->processes)
        differ(differences, "--processes: %u, here %u", theirs->processes, here->processes);
    if (theirs->cores != here->cores)
        differ(differences, "cores: %g, here %g", theirs->cores, here->cores);
}

enum error_kind costs_file_check_holds(const struct costs_file *costs, const char *path,
                                       const struct costs_record *servers, struct error *error)
{
    const struct costs_record *theirs = &costs->holds_for;
    struct differences differences = {""};
    compare_texts(&differences, "ensemble", theirs->servers, servers->servers);
    compare_numbers(&differences, theirs, servers);
    compare_texts(&differences, "ZooKeeper", theirs->zookeeper, servers->zookeeper);
    compare_texts(&differences, "fsync", theirs->fsync, servers->fsync);
    compare_texts(&differences, "driver", theirs->driver, servers->driver);
    compare_texts(&differences, "host", theirs->host, servers->host);
    compare_texts(&differences, "CPU", theirs->cpu, servers->cpu);
    if (differences.text[0] == '\0')
        return ERROR_NONE;
    return error_raise(error, ERROR_OTHER_COSTS, 0, path, "%s", differences.text);
}

/* ------------------------------------------------------------------ writing */

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_record(const struct costs_record *record)
{
    return json_pack("{s:o, s:I, s:o, s:o, s:s, s:s, s:I, s:o, s:o, s:f}", "servers",
                     json_text(record->servers), "server_count", (json_int_t)record->server_count,
                     "zookeeper", json_text(record->zookeeper), "server_cpu_percent",
                     record->cpu_percent > 0 ? json_integer(record->cpu_percent) : json_null(),
                     "fsync", record->fsync, "driver", record->driver, "processes",
                     (json_int_t)record->processes, "host", json_text(record->host), "cpu",
                     json_text(record->cpu), "cores", record->cores);
}

static json_t *describe_cost(const struct costs_file *costs, size_t index)
{
    const struct calibration_cost *cost = &costs->fit.costs[index];
    const struct interval interval = costs_file_cost(costs, index);
    return json_pack("{s:s, s:f, s:o, s:o, s:f, s:b}", "name", cost_list_name(index), "value_ns",
                     cost->value, "low_ns", real_or_null(interval.low), "high_ns",
                     real_or_null(interval.high), "sd_of_log", cost->sd, "determined",
                     cost->determined);
}

static json_t *describe_costs(const struct costs_file *costs)
{
    json_t *list = json_array();
    for (size_t i = 0; i < COST_LIST_COUNT; i++)
        json_array_append_new(list, describe_cost(costs, i));
    return list;
}

static json_t *describe_covariance(const struct calibration *fit)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < COST_LIST_COUNT; j++)
            json_array_append_new(row, json_real(fit->covariance[i][j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *describe_cell(const struct costs_cell *cell)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "recipe", cell->drain.recipe->name,
                     "clients", (json_int_t)cell->drain.clients, "locks",
                     (json_int_t)cell->drain.locks, "trials", (json_int_t)cell->trials, "drain_s",
                     real_or_null(cell->measured_s[DRAIN_TOTAL]), "drain_fitted_s",
                     real_or_null(cell->fitted_s[DRAIN_TOTAL]), "handoff_p50_s",
                     real_or_null(cell->measured_s[DRAIN_HANDOFF]), "handoff_p50_fitted_s",
                     real_or_null(cell->fitted_s[DRAIN_HANDOFF]));
}

static json_t *describe_cells(const struct costs_file *costs)
{
    json_t *list = json_array();
    for (size_t i = 0; i < costs->cell_count; i++)
        json_array_append_new(list, describe_cell(&costs->cells[i]));
    return list;
}

json_t *costs_file_describe(const struct costs_file *costs)
{
    return json_pack(
        "{s:s, s:i, s:o, s:s, s:o, s:I, s:o, s:o, s:f, s:b, s:{s:f, s:f}, s:o}", "format", FORMAT,
        "format_version", FORMAT_VERSION, "zkherd", json_text(costs->zkherd), "date", costs->date,
        "holds_for", describe_record(&costs->holds_for), "shared_cores",
        (json_int_t)costs->shared_cores, "costs", describe_costs(costs), "covariance_of_logs",
        describe_covariance(&costs->fit), "model_sd", costs->fit.model_sd, "converged",
        costs->fit.converged, "trial_sd", "drain", costs->trial_sd[DRAIN_TOTAL], "handoff_p50",
        costs->trial_sd[DRAIN_HANDOFF], "cells", describe_cells(costs));
}

/* A path as its folder, "." if it has none, and its last name. */
static const char *split_path(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        snprintf(folder, PATH_MAX, ".");
    else
        snprintf(folder, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return slash == NULL ? path : slash + 1;
}

enum error_kind costs_file_write(const struct costs_file *costs, const char *path,
                                 struct error *error)
{
    char folder[PATH_MAX];
    struct output file = {0};
    const char *name = split_path(path, folder);
    json_t *json = costs_file_describe(costs);
    if (json == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, path, "%s", "");
    enum error_kind kind = output_open(&file, folder, name, error);
    if (kind == ERROR_NONE) {
        bool whole = json_dumpf(json, file.stream, JSON_INDENT(2)) == 0;
        fputc('\n', file.stream);
        kind = output_commit(&file, error);
        /* All of it can be put as JSON: what is not the file's error is a lack of memory. */
        if (kind == ERROR_NONE && !whole)
            kind = error_raise(error, ERROR_NO_MEMORY, 0, path, "%s", "");
    }
    if (kind == ERROR_NONE)
        kind = output_finish(&file, error);
    output_abandon(&file);
    json_decref(json);
    return kind;
}

/* ------------------------------------------------------------------ reading */

/* After its first error nothing more is read. */
struct reader {
    const char *path;
    enum error_kind kind;
    struct error *error;
};

static void malform(struct reader *reader, const char *key, const char *why)
{
    if (reader->kind == ERROR_NONE)
        reader->kind =
            error_raise(reader->error, ERROR_MALFORMED, 0, reader->path, "'%s' %s", key, why);
}

static void take_text(struct reader *reader, const json_t *object, const char *key, char *text,
                      size_t size)
{
    const char *value = json_string_value(json_object_get(object, key));
    if (value == NULL)
        malform(reader, key, "is not a text");
    else
        snprintf(text, size, "%s", value);
}

static double take_number(struct reader *reader, const json_t *object, const char *key,
                          double least, double most)
{
    const json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    if (json_is_number(value) && number >= least && number <= most)
        return number;
    malform(reader, key, "is not a number, or one that cannot be");
    return least;
}

static uint32_t take_count(struct reader *reader, const json_t *object, const char *key,
                           uint32_t least, uint32_t most)
{
    if (!json_is_integer(json_object_get(object, key)))
        malform(reader, key, "is not a whole number");
    return (uint32_t)take_number(reader, object, key, least, most);
}

static double take_time(struct reader *reader, const json_t *object, const char *key)
{
    if (json_is_null(json_object_get(object, key)))
        return NAN;
    return take_number(reader, object, key, 1e-9, 1e9);
}

static void take_record(struct reader *reader, const json_t *json, struct costs_record *record)
{
    take_text(reader, json, "servers", record->servers, sizeof record->servers);
    take_text(reader, json, "zookeeper", record->zookeeper, sizeof record->zookeeper);
    take_text(reader, json, "fsync", record->fsync, sizeof record->fsync);
    take_text(reader, json, "driver", record->driver, sizeof record->driver);
    take_text(reader, json, "host", record->host, sizeof record->host);
    take_text(reader, json, "cpu", record->cpu, sizeof record->cpu);
    record->server_count = take_count(reader, json, "server_count", 1, SIM_SERVERS_MAX);
    record->processes = take_count(reader, json, "processes", 1, 1000);
    record->cores = take_number(reader, json, "cores", 0.001, 1e6);
    if (!json_is_null(json_object_get(json, "server_cpu_percent")))
        record->cpu_percent = take_count(reader, json, "server_cpu_percent", 1, 1000000);
}

static void take_costs(struct reader *reader, const json_t *list, struct calibration *fit)
{
    if (json_array_size(list) != COST_LIST_COUNT)
        malform(reader, "costs", "does not have the costs of this version");
    for (size_t i = 0; reader->kind == ERROR_NONE && i < COST_LIST_COUNT; i++) {
        const json_t *cost = json_array_get(list, i);
        char name[64] = "";
        take_text(reader, cost, "name", name, sizeof name);
        if (cost_list_find(name) != i)
            malform(reader, "costs", "does not have the costs of this version");
        fit->costs[i].value = take_number(reader, cost, "value_ns", 1e-6, 1e12);
        fit->costs[i].sd = take_number(reader, cost, "sd_of_log", 0, INFINITY);
        if (fit->costs[i].sd > COST_SD_MAX)
            malform(reader, "sd_of_log", "is more than 1.5: no calibration is as uncertain");
        fit->costs[i].determined = json_is_true(json_object_get(cost, "determined"));
    }
    fit->cost_count = COST_LIST_COUNT;
}

static void take_row(struct reader *reader, const json_t *row, double *covariance)
{
    if (json_array_size(row) != COST_LIST_COUNT)
        malform(reader, "covariance_of_logs", "does not have a number for each pair of costs");
    for (size_t i = 0; reader->kind == ERROR_NONE && i < COST_LIST_COUNT; i++) {
        const json_t *value = json_array_get(row, i);
        if (!json_is_number(value))
            malform(reader, "covariance_of_logs", "has something that is not a number");
        covariance[i] = json_number_value(value);
    }
}

/* The intervals and the draws come from different members: they must tell the same. */
static void take_covariance(struct reader *reader, const json_t *rows, struct calibration *fit)
{
    if (json_array_size(rows) != COST_LIST_COUNT)
        malform(reader, "covariance_of_logs", "does not have a number for each pair of costs");
    for (size_t i = 0; reader->kind == ERROR_NONE && i < COST_LIST_COUNT; i++)
        take_row(reader, json_array_get(rows, i), fit->covariance[i]);
    for (size_t i = 0; reader->kind == ERROR_NONE && i < COST_LIST_COUNT; i++) {
        double variance = fit->costs[i].sd * fit->costs[i].sd;
        if (fabs(fit->covariance[i][i] - variance) > 1e-6 * (variance + 1e-6))
            malform(reader, "covariance_of_logs", "does not agree with the costs");
        for (size_t j = 0; j < i; j++) {
            if (fabs(fit->covariance[i][j] - fit->covariance[j][i]) > 1e-9)
                malform(reader, "covariance_of_logs", "is not symmetric");
        }
    }
    if (reader->kind == ERROR_NONE && !calibration_can_draw(fit))
        malform(reader, "covariance_of_logs", "cannot be that of any costs");
}

static void take_cell(struct reader *reader, const json_t *json, struct costs_cell *cell)
{
    char recipe[64] = "";
    take_text(reader, json, "recipe", recipe, sizeof recipe);
    cell->drain.recipe = registry_find(recipe);
    if (cell->drain.recipe == NULL)
        malform(reader, "recipe", "is not the name of a recipe");
    cell->drain.clients = take_count(reader, json, "clients", 1, 100000);
    cell->drain.locks = take_count(reader, json, "locks", 1, 100000);
    cell->trials = take_count(reader, json, "trials", 1, 100000);
    cell->measured_s[DRAIN_TOTAL] = take_time(reader, json, "drain_s");
    cell->fitted_s[DRAIN_TOTAL] = take_time(reader, json, "drain_fitted_s");
    cell->measured_s[DRAIN_HANDOFF] = take_time(reader, json, "handoff_p50_s");
    cell->fitted_s[DRAIN_HANDOFF] = take_time(reader, json, "handoff_p50_fitted_s");
}

static void take_cells(struct reader *reader, const json_t *list, struct costs_file *costs)
{
    costs->cell_count = json_array_size(list);
    if (costs->cell_count < 1 || costs->cell_count > COSTS_FILE_CELLS_MAX) {
        costs->cell_count = 0;
        malform(reader, "cells", "has no cell, or too many");
    }
    for (size_t i = 0; i < costs->cell_count; i++)
        take_cell(reader, json_array_get(list, i), &costs->cells[i]);
}

static void take_all(struct reader *reader, const json_t *json, struct costs_file *costs)
{
    const json_t *scatter = json_object_get(json, "trial_sd");
    take_text(reader, json, "zkherd", costs->zkherd, sizeof costs->zkherd);
    take_text(reader, json, "date", costs->date, sizeof costs->date);
    take_record(reader, json_object_get(json, "holds_for"), &costs->holds_for);
    costs->shared_cores = take_count(reader, json, "shared_cores", 0, 100000);
    take_costs(reader, json_object_get(json, "costs"), &costs->fit);
    take_covariance(reader, json_object_get(json, "covariance_of_logs"), &costs->fit);
    costs->fit.model_sd = take_number(reader, json, "model_sd", 0, 100);
    costs->fit.converged = json_is_true(json_object_get(json, "converged"));
    costs->trial_sd[DRAIN_TOTAL] = take_number(reader, scatter, "drain", 0, 100);
    costs->trial_sd[DRAIN_HANDOFF] = take_number(reader, scatter, "handoff_p50", 0, 100);
    take_cells(reader, json_object_get(json, "cells"), costs);
}

static void check_format(struct reader *reader, const json_t *json)
{
    const char *format = json_string_value(json_object_get(json, "format"));
    const json_t *version = json_object_get(json, "format_version");
    if (format == NULL || strcmp(format, FORMAT) != 0)
        reader->kind = error_raise(reader->error, ERROR_NOT_COSTS, 0, reader->path,
                                   "its 'format' is not '%s'", FORMAT);
    else if (json_integer_value(version) != FORMAT_VERSION)
        reader->kind = error_raise(
            reader->error, ERROR_NOT_COSTS, 0, reader->path,
            "its format is version %lld, and this zkherd reads version %d: calibrate again",
            (long long)json_integer_value(version), FORMAT_VERSION);
}

static enum error_kind load(const char *path, json_t **json, struct error *error)
{
    json_error_t place;
    FILE *file = fopen(path, "re");
    if (file == NULL && errno == ENOENT)
        return error_raise(error, ERROR_NOT_COSTS, 0, path, "there is no such file");
    if (file == NULL)
        return error_from_errno(error, errno, path, "cannot be opened");
    *json = json_loadf(file, 0, &place);
    fclose(file);
    if (*json == NULL)
        return error_raise(error, ERROR_NOT_COSTS, 0, path, "line %d: %s",
                           place.line > 0 ? place.line : 1, place.text);
    return ERROR_NONE;
}

enum error_kind costs_file_read(const char *path, struct costs_file *costs, struct error *error)
{
    struct reader reader = {path, ERROR_NONE, error};
    json_t *json = NULL;
    *costs = (struct costs_file){0};
    enum error_kind kind = load(path, &json, error);
    if (kind != ERROR_NONE)
        return kind;
    check_format(&reader, json);
    if (reader.kind == ERROR_NONE)
        take_all(&reader, json, costs);
    json_decref(json);
    return reader.kind;
}
