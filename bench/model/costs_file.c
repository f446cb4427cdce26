// SPDX-License-Identifier: Apache-2.0
#include "bench/model/costs_file.h"

#include "base/cores.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "bench/cli/arguments.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/output/json_result.h"
#include "recipes/registry.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT         "zkherd costs"
#define FORMAT_VERSION 2 /* 1: without turns */

/* A calibration estimates no cost with a larger deviation than its prior's, and draws of such costs
 * are far from the largest number of nanoseconds. */
#define COST_SD_MAX 1.5

/* The intervals are those of a normal distribution: two standard deviations, nearly. */
#define NORMAL_95 1.959964

/* ------------------------------------------------------------------ the costs */

static const char *const names[] = {
#define X(name) #name,
    SIM_COST_LIST(X)
#undef X
};

const char *cost_list_name(size_t index)
{
    return names[index];
}

void cost_list_take(const struct sim_costs *costs, double *list_ns)
{
#define X(name) list_ns[COST_LIST_##name] = (double)costs->name##_ns;
    SIM_COST_LIST(X)
#undef X
}

struct sim_costs cost_list_give(const double *list_ns)
{
    return (struct sim_costs){
#define X(name) .name##_ns = (uint64_t)llround(list_ns[COST_LIST_##name]),
        SIM_COST_LIST(X)
#undef X
    };
}

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

/* ------------------------------------------------------------------ the keys of the file */

enum field_kind { TEXT, COUNT, SHARE, REAL, TIME, FLAG, OBJECT, LIST };

struct reader;

/* A key of a JSON object and a member of a struct. A value is checked where it is read: numbers lie
 * between the least and the most; null is a SHARE of 0, and a TIME that there was not. */
struct field {
    enum field_kind kind;
    const char *key;
    size_t offset;
    double least, most;
    const char *words;        /* for it, where other servers are refused */
    const struct field *part; /* the fields of an OBJECT, up to one without a key */
    json_t *(*describe)(const struct costs_file *costs); /* a LIST */
    void (*take)(struct reader *reader, const json_t *list, struct costs_file *costs);
};

static const struct field record_fields[] = {
#define X(kind, name, words, least, most)                                                          \
    {kind, #name, offsetof(struct costs_record, name), least, most, words, NULL, NULL, NULL},
    COSTS_RECORD(X)
#undef X
        {.key = NULL}};

static const struct field scatter_fields[] = {
    {.kind = REAL, .key = "drain", .offset = DRAIN_TOTAL * sizeof(double), .most = 100},
    {.kind = REAL, .key = "handoff_p50", .offset = DRAIN_HANDOFF * sizeof(double), .most = 100},
    {.key = NULL}};

#define CELL_COUNT(key_, member)                                                                   \
    {                                                                                              \
        .kind = COUNT, .key = key_, .offset = offsetof(struct costs_cell, member), .least = 1,     \
        .most = 100000                                                                             \
    }
#define CELL_TIME(key_, member)                                                                    \
    {                                                                                              \
        .kind = TIME, .key = key_, .offset = offsetof(struct costs_cell, member), .least = 1e-9,   \
        .most = 1e9                                                                                \
    }
static const struct field cell_fields[] = {
    CELL_COUNT("clients", drain.clients),
    CELL_COUNT("locks", drain.locks),
    CELL_COUNT("trials", trials),
    CELL_TIME("drain_s", measured_s[DRAIN_TOTAL]),
    CELL_TIME("drain_fitted_s", fitted_s[DRAIN_TOTAL]),
    CELL_TIME("handoff_p50_s", measured_s[DRAIN_HANDOFF]),
    CELL_TIME("handoff_p50_fitted_s", fitted_s[DRAIN_HANDOFF]),
    {.key = NULL}};

static const void *place_of(const struct field *field, const void *object)
{
    return (const char *)object + field->offset;
}

/* ------------------------------------------------------------------ other servers */

struct costs_record costs_file_record(const struct target_options *options,
                                      const struct target *target, uint32_t processes)
{
    const struct four_letter_identity *identity = &target->identities[0];
    char servers[CONNECT_TEXT_SIZE];
    struct costs_record record = {.server_count = (uint32_t)target->servers.count,
                                  .processes = processes,
                                  .server_cpu_percent = options->cpu_percent,
                                  .cores = cores_allowed()};
    machine_names(record.host, sizeof record.host, record.cpu, sizeof record.cpu);
    snprintf(record.servers, sizeof record.servers, "%s",
             options->connect ? connect_typed(&options->servers, servers, sizeof servers)
                              : "private");
    snprintf(record.zookeeper, sizeof record.zookeeper, "%s",
             identity->talks ? identity->version : "unknown");
    snprintf(record.fsync, sizeof record.fsync, "%s",
             options->connect ? "unknown" : option_row_no_yes[options->fsync]);
    snprintf(record.driver, sizeof record.driver, "%s", options_drivers[options->driver]);
    return record;
}

static bool is_same(const struct field *field, const void *one, const void *other)
{
    if (field->kind == TEXT)
        return strcmp(one, other) == 0;
    if (field->kind == REAL)
        return *(const double *)one == *(const double *)other;
    return *(const uint32_t *)one == *(const uint32_t *)other;
}

static const char *word(const struct field *field, const void *value, char text[64])
{
    uint32_t number = field->kind == COUNT || field->kind == SHARE ? *(const uint32_t *)value : 0;
    if (field->kind == TEXT)
        snprintf(text, 64, "%.60s", (const char *)value);
    else if (field->kind == REAL)
        snprintf(text, 64, "%g", *(const double *)value);
    else if (field->kind == COUNT)
        snprintf(text, 64, "%u", number);
    else if (number == 0)
        snprintf(text, 64, "no limit");
    else
        snprintf(text, 64, "%u.%02u", number / 100, number % 100);
    return text;
}

enum error_kind costs_file_check_holds(const struct costs_file *costs, const char *path,
                                       const struct costs_record *servers, struct error *error)
{
    char differences[400] = "", its[64], ours[64];
    size_t length = 0;
    for (const struct field *field = record_fields; field->key != NULL; field++) {
        const void *theirs = place_of(field, &costs->holds_for), *here = place_of(field, servers);
        if (!is_same(field, theirs, here) && length < sizeof differences)
            length += (size_t)snprintf(differences + length, sizeof differences - length,
                                       "%s%s: %s, here %s", length > 0 ? "; " : "", field->words,
                                       word(field, theirs, its), word(field, here, ours));
    }
    return length == 0 ? ERROR_NONE
                       : error_raise(error, ERROR_OTHER_COSTS, 0, path, "%s", differences);
}

/* ------------------------------------------------------------------ writing */

static json_t *describe_fields(const struct field *fields, const void *object);

static json_t *describe(const struct field *field, const void *object)
{
    const void *place = place_of(field, object);
    switch (field->kind) {
    case TEXT:
        return json_text(place);
    case COUNT:
        return json_integer(*(const uint32_t *)place);
    case SHARE:
        return *(const uint32_t *)place > 0 ? json_integer(*(const uint32_t *)place) : json_null();
    case REAL:
    case TIME:
        return json_result_real(*(const double *)place);
    case FLAG:
        return json_boolean(*(const bool *)place);
    case OBJECT:
        return describe_fields(field->part, place);
    case LIST:
        break;
    }
    return field->describe(object);
}

/* Each key in the order of the list. NULL without memory. */
static json_t *add_fields(json_t *json, const struct field *fields, const void *object)
{
    for (const struct field *field = fields; field->key != NULL; field++) {
        if (json_object_set_new(json, field->key, describe(field, object)) != 0) {
            json_decref(json);
            return NULL;
        }
    }
    return json;
}

static json_t *describe_fields(const struct field *fields, const void *object)
{
    return add_fields(json_object(), fields, object);
}

static json_t *describe_costs(const struct costs_file *costs)
{
    json_t *list = json_array();
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        const struct calibration_cost *cost = &costs->fit.costs[i];
        const struct interval interval = costs_file_cost(costs, i);
        json_array_append_new(list, json_pack("{s:s, s:f, s:o, s:o, s:f, s:b}", "name",
                                              cost_list_name(i), "value_ns", cost->value, "low_ns",
                                              json_result_real(interval.low), "high_ns",
                                              json_result_real(interval.high), "sd_of_log",
                                              cost->sd, "determined", cost->determined));
    }
    return list;
}

static json_t *describe_covariance(const struct costs_file *costs)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < COST_LIST_COUNT; j++)
            json_array_append_new(row, json_real(costs->fit.covariance[i][j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *describe_cells(const struct costs_file *costs)
{
    json_t *list = json_array();
    for (const struct costs_cell *cell = costs->cells; cell < costs->cells + costs->cell_count;
         cell++)
        json_array_append_new(
            list,
            add_fields(json_pack("{s:s}", "recipe", cell->drain.recipe->name), cell_fields, cell));
    return list;
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

static void take_fields(struct reader *reader, const json_t *json, const struct field *fields,
                        void *object);

static void take(struct reader *reader, const json_t *json, const struct field *field, void *object)
{
    const json_t *value = json_object_get(json, field->key);
    void *place = (char *)object + field->offset;
    switch (field->kind) {
    case TEXT:
        if (!json_is_string(value))
            malform(reader, field->key, "is not a text");
        else
            snprintf(place, COSTS_FILE_TEXT, "%s", json_string_value(value));
        break;
    case COUNT:
    case SHARE:
        if (field->kind == SHARE && json_is_null(value))
            break;
        if (!json_is_integer(value))
            malform(reader, field->key, "is not a whole number");
        *(uint32_t *)place =
            (uint32_t)take_number(reader, json, field->key, field->least, field->most);
        break;
    case REAL:
    case TIME:
        *(double *)place = field->kind == TIME && json_is_null(value)
                               ? (double)NAN
                               : take_number(reader, json, field->key, field->least, field->most);
        break;
    case FLAG:
        *(bool *)place = json_is_true(value);
        break;
    case OBJECT:
        take_fields(reader, value, field->part, place);
        break;
    case LIST:
        field->take(reader, value, object);
        break;
    }
}

static void take_fields(struct reader *reader, const json_t *json, const struct field *fields,
                        void *object)
{
    for (const struct field *field = fields; reader->kind == ERROR_NONE && field->key != NULL;
         field++)
        take(reader, json, field, object);
}

static void take_costs(struct reader *reader, const json_t *list, struct costs_file *costs)
{
    struct calibration *fit = &costs->fit;
    if (json_array_size(list) != COST_LIST_COUNT)
        malform(reader, "costs", "does not have the costs of this version");
    for (size_t i = 0; reader->kind == ERROR_NONE && i < COST_LIST_COUNT; i++) {
        const json_t *cost = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(cost, "name"));
        if (name == NULL)
            malform(reader, "name", "is not a text");
        else if (strcmp(name, names[i]) != 0)
            malform(reader, "costs", "does not have the costs of this version");
        fit->costs[i].value = take_number(reader, cost, "value_ns", 1e-6, 1e12);
        fit->costs[i].sd = take_number(reader, cost, "sd_of_log", 0, INFINITY);
        if (fit->costs[i].sd > COST_SD_MAX)
            malform(reader, "sd_of_log", "is more than 1.5: no calibration is as uncertain");
        fit->costs[i].determined = json_is_true(json_object_get(cost, "determined"));
    }
    fit->cost_count = COST_LIST_COUNT;
}

/* The intervals and the draws come from different members: they must tell the same. */
static void take_covariance(struct reader *reader, const json_t *rows, struct costs_file *costs)
{
    static const char key[] = "covariance_of_logs";
    struct calibration *fit = &costs->fit;
    for (size_t i = 0; i < COST_LIST_COUNT; i++) {
        const json_t *row = json_array_get(rows, i);
        if (json_array_size(rows) != COST_LIST_COUNT || json_array_size(row) != COST_LIST_COUNT)
            malform(reader, key, "does not have a number for each pair of costs");
        for (size_t j = 0; reader->kind == ERROR_NONE && j < COST_LIST_COUNT; j++) {
            const json_t *value = json_array_get(row, j);
            if (!json_is_number(value))
                malform(reader, key, "has something that is not a number");
            fit->covariance[i][j] = json_number_value(value);
        }
    }
    for (size_t i = 0; reader->kind == ERROR_NONE && i < COST_LIST_COUNT; i++) {
        double variance = fit->costs[i].sd * fit->costs[i].sd;
        if (fabs(fit->covariance[i][i] - variance) > 1e-6 * (variance + 1e-6))
            malform(reader, key, "does not agree with the costs");
    }
    if (reader->kind == ERROR_NONE && !calibration_can_draw(fit))
        malform(reader, key, "cannot be that of any costs");
}

static void take_cells(struct reader *reader, const json_t *list, struct costs_file *costs)
{
    size_t count = json_array_size(list);
    if (count < 1 || count > COSTS_FILE_CELLS_MAX) {
        malform(reader, "cells", "has no cell, or too many");
        return;
    }
    for (costs->cell_count = 0; costs->cell_count < count; costs->cell_count++) {
        const json_t *json = json_array_get(list, costs->cell_count);
        struct costs_cell *cell = &costs->cells[costs->cell_count];
        const char *recipe = json_string_value(json_object_get(json, "recipe"));
        cell->drain.recipe = recipe == NULL ? NULL : registry_find(recipe);
        if (cell->drain.recipe == NULL)
            malform(reader, "recipe", "is not the name of a recipe");
        take_fields(reader, json, cell_fields, cell);
    }
}

/* ------------------------------------------------------------------ the file */

#define FILE_FIELD(kind_, key_, member, ...)                                                       \
    {                                                                                              \
        .kind = kind_, .key = key_, .offset = offsetof(struct costs_file, member), __VA_ARGS__     \
    }
static const struct field file_fields[] = {
    FILE_FIELD(TEXT, "zkherd", zkherd, .least = 0),
    FILE_FIELD(TEXT, "date", date, .least = 0),
    FILE_FIELD(OBJECT, "holds_for", holds_for, .part = record_fields),
    FILE_FIELD(COUNT, "shared_cores", shared_cores, .most = 100000),
    {.kind = LIST, .key = "costs", .describe = describe_costs, .take = take_costs},
    {.kind = LIST,
     .key = "covariance_of_logs",
     .describe = describe_covariance,
     .take = take_covariance},
    FILE_FIELD(REAL, "model_sd", fit.model_sd, .most = 100),
    FILE_FIELD(FLAG, "converged", fit.converged, .least = 0),
    FILE_FIELD(OBJECT, "trial_sd", trial_sd, .part = scatter_fields),
    {.kind = LIST, .key = "cells", .describe = describe_cells, .take = take_cells},
    {.key = NULL}};

json_t *costs_file_describe(const struct costs_file *costs)
{
    return add_fields(json_pack("{s:s, s:i}", "format", FORMAT, "format_version", FORMAT_VERSION),
                      file_fields, costs);
}

static void write_text(FILE *stream, const void *text)
{
    fprintf(stream, "%s\n", (const char *)text);
}

enum error_kind costs_file_write(const struct costs_file *costs, const char *path,
                                 struct error *error)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    json_t *json = costs_file_describe(costs);
    char *text = json == NULL ? NULL : json_dumps(json, JSON_INDENT(2));
    json_decref(json);
    if (text == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, path, "%s", "");
    if (slash != NULL)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    enum error_kind kind =
        output_write(folder, slash == NULL ? path : slash + 1, write_text, text, error);
    free(text);
    return kind;
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

enum error_kind costs_file_read(const char *path, struct costs_file *costs, struct error *error)
{
    struct reader reader = {path, ERROR_NONE, error};
    json_error_t place;
    FILE *file = fopen(path, "re");
    *costs = (struct costs_file){0};
    if (file == NULL && errno == ENOENT)
        return error_raise(error, ERROR_NOT_COSTS, 0, path, "there is no such file");
    if (file == NULL)
        return error_from_errno(error, errno, path, "cannot be opened");
    json_t *json = json_loadf(file, 0, &place);
    fclose(file);
    if (json == NULL)
        return error_raise(error, ERROR_NOT_COSTS, 0, path, "line %d: %s",
                           place.line > 0 ? place.line : 1, place.text);
    check_format(&reader, json);
    take_fields(&reader, json, file_fields, costs);
    json_decref(json);
    return reader.kind;
}

/* ------------------------------------------------------------------ the option */

int costs_file_take_option(const char *subcommand, struct target_options *target, bool quiet)
{
    struct error error = {0};
    if (target->costs == NULL)
        return ARGUMENTS_GO;
    if (target->driver != DRIVER_SIMULATED)
        return complain_usage(subcommand, "--costs",
                              "only --driver simulated has costs that can be given");
    struct costs_file *costs = memory_new(1, sizeof *costs);
    if (costs_file_read(target->costs, costs, &error) != ERROR_NONE) {
        free(costs);
        return complain_about(subcommand, &error);
    }
    const struct sim_options options = costs_file_simulation(costs, 1);
    uint32_t measured = costs->holds_for.server_count;
    free(costs);
    target->simulated_costs = options.costs;
    target->simulated_cores = options.cores;
    for (size_t i = 0; !quiet && i < target->topology_count; i++) {
        if (target->server_counts[i] != measured)
            complain_mildly("%s: the costs were measured on %u server%s: whether they hold for "
                            "%llu is not known",
                            target->costs, measured, measured == 1 ? "" : "s",
                            (unsigned long long)target->server_counts[i]);
    }
    return ARGUMENTS_GO;
}
