// SPDX-License-Identifier: Apache-2.0
/* Folders of results: their CSV files, manifests and findings. */
#include "base/memory.h"
#include "bench/output/folder.h"
#include "bench/page/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_PATH_SIZE (PATH_MAX + 2 * NAME_MAX + 8)

/* The CSV files that a page shows. */
static const char *const names[] = {
    "trials.csv",  "fits.csv",   "waiters.csv",  "trace.csv",   "background.csv", "load.csv",
    "cells.csv",   "table1.csv", "timeline.csv", "table2.csv",  "table3.csv",     "figure8.csv",
    "samples.csv", "shape.csv",  "barriers.csv", "answers.csv", "plan.csv",       "traffic.csv",
    "watches.csv", "causes.csv", "locks.csv",    "expired.csv", "flaws.csv",      "periods.csv"};

#define NAMES (sizeof names / sizeof names[0])

/* The file that decides the kind: the first that the folder has. An experiment of the paper has the
 * files of a load, too, and a run has cells. */
static const struct {
    const char *file;
    enum page_kind kind;
} deciders[] = {{"shape.csv", PAGE_PAPER},    {"answers.csv", PAGE_PLAN}, {"trials.csv", PAGE_RUN},
                {"cells.csv", PAGE_LOAD},     {"load.csv", PAGE_LOAD},    {"traffic.csv", PAGE_TAP},
                {"periods.csv", PAGE_AUTOPSY}};

#define DECIDERS (sizeof deciders / sizeof deciders[0])

/* ------------------------------------------------------------------ records */

/* name: "" for the folder of the source itself. A folder in it counts if it has a manifest; its
 * findings do, if the source has none of its own. */
static enum error_kind read_record(struct page_source *source, const char *folder, const char *name,
                                   struct error *error)
{
    char path[FILE_PATH_SIZE];
    json_error_t place;
    const struct page_record *own = &source->records[0];
    bool is_known = own->name[0] == '\0' && own->findings.rows > 0,
         has_manifest = folder_has(folder, "manifest.json"),
         has_findings = !is_known && folder_has(folder, "findings.csv");
    if (source->record_count == PAGE_RECORDS_MAX ||
        (!has_manifest && (name[0] != '\0' || !has_findings)))
        return ERROR_NONE;
    struct page_record *record = &source->records[source->record_count++];
    snprintf(record->name, sizeof record->name, "%s", name);
    snprintf(path, sizeof path, "%s/manifest.json", folder);
    if (has_manifest && (record->manifest = json_load_file(path, 0, &place)) == NULL)
        return error_raise(error, ERROR_MALFORMED, 0, path, "line %d: %s",
                           place.line > 0 ? place.line : 1, place.text);
    snprintf(path, sizeof path, "%s/findings.csv", folder);
    return has_findings ? csv_reader_open(path, &record->findings, error) : ERROR_NONE;
}

static enum error_kind read_inner(void *source, const char *folder, struct error *error)
{
    return read_record(source, folder, folder_name(folder), error);
}

/* Its own manifest, or those of the topologies in it: of a load on several of them, and of the
 * paper's tables. */
static enum error_kind read_records(struct page_source *source, struct error *error)
{
    bool has_manifest = folder_has(source->path, "manifest.json");
    enum error_kind kind = read_record(source, source->path, "", error);
    if (kind == ERROR_NONE && !has_manifest)
        kind = folder_each(source->path, read_inner, source, error);
    for (size_t i = 0; i < source->record_count; i++)
        has_manifest = has_manifest || source->records[i].manifest != NULL;
    return kind != ERROR_NONE || has_manifest || source->kind == PAGE_AUTOPSY
               ? kind
               : error_raise(error, ERROR_NOT_A_RUN, 0, source->folder,
                             "there is no manifest.json in it");
}

json_t *page_json(const struct page_record *record, const char *object, const char *key)
{
    return json_object_get(json_object_get(record->manifest, object), key);
}

const char *page_json_text(const json_t *text)
{
    return json_is_string(text) ? json_string_value(text) : "";
}

const char *page_record_label(const struct page_source *source, size_t record,
                              char label[PAGE_LABEL_SIZE])
{
    const char *name = source->records[record].name;
    bool alone = source->record_count == 1;
    snprintf(label, PAGE_LABEL_SIZE, "%s%s%s", source->label, alone || name[0] == '\0' ? "" : "/",
             alone ? "" : name);
    return label;
}

/* ------------------------------------------------------------------ CSV files */

static enum error_kind read_files(struct page_source *source, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    source->files = memory_new(NAMES, sizeof *source->files);
    for (size_t i = 0; kind == ERROR_NONE && i < NAMES; i++) {
        char path[FILE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", source->folder, names[i]);
        if (folder_has(source->folder, names[i]))
            kind = csv_reader_open(path, &source->files[i], error);
    }
    return kind;
}

const struct csv_reader *page_file(const struct page_source *source, const char *name)
{
    size_t i = 0;
    while (i + 1 < NAMES && strcmp(names[i], name) != 0)
        i++;
    return &source->files[i];
}

/* Where a field is; false if there is no such row or column. */
static bool find_field(const struct csv_reader *file, size_t row, const char *column, size_t *place)
{
    struct error error;
    return row < file->rows && csv_reader_column(file, column, place, &error) == ERROR_NONE;
}

const char *page_text(const struct csv_reader *file, size_t row, const char *column)
{
    size_t place;
    return find_field(file, row, column, &place) ? csv_reader_text(file, row, place) : "";
}

double page_number(const struct csv_reader *file, size_t row, const char *column)
{
    struct error error;
    size_t place;
    double number = NAN;
    if (find_field(file, row, column, &place))
        (void)!csv_reader_number(file, row, place, &number, &error); /* NaN stays */
    return number;
}

/* ------------------------------------------------------------------ sources */

/* By their last names, if these all differ; else as the folders were named. */
static void label_sources(struct page_sources *sources)
{
    bool differ = true;
    for (size_t i = 0; i < sources->count; i++) {
        for (size_t j = 0; j < i; j++)
            differ = differ && strcmp(folder_name(sources->list[i].path),
                                      folder_name(sources->list[j].path)) != 0;
    }
    for (size_t i = 0; i < sources->count; i++)
        sources->list[i].label =
            differ ? folder_name(sources->list[i].path) : sources->list[i].folder;
}

/* Adds a folder with results of its own; any other one is left out. */
static enum error_kind add_source(void *context, const char *folder, struct error *error)
{
    struct page_sources *sources = context;
    size_t decider = 0;
    while (decider < DECIDERS && !folder_has(folder, deciders[decider].file))
        decider++;
    if (decider == DECIDERS)
        return ERROR_NONE;
    if (sources->count == PAGE_SOURCES_MAX)
        return error_raise(error, ERROR_USAGE, 0, folder, "more than %d folders in all",
                           PAGE_SOURCES_MAX);
    struct page_source *source = &sources->list[sources->count++];
    *source = (struct page_source){.kind = deciders[decider].kind};
    snprintf(source->folder, sizeof source->folder, "%s", folder);
    if (realpath(folder, source->path) == NULL)
        snprintf(source->path, sizeof source->path, "%s", folder);
    for (size_t i = 0; i + 1 < sources->count; i++) {
        if (strcmp(sources->list[i].path, source->path) == 0)
            return error_raise(error, ERROR_USAGE, 0, folder, "this folder is named twice");
    }
    enum error_kind kind = read_records(source, error);
    if (kind == ERROR_NONE)
        kind = read_files(source, error);
    return kind != ERROR_NONE || page_file(source, deciders[decider].file)->rows > 0
               ? kind
               : error_raise(error, ERROR_NOT_A_RUN, 0, folder, "its %s has no row",
                             deciders[decider].file);
}

enum error_kind page_sources_add(struct page_sources *sources, const char *named,
                                 struct error *error)
{
    char folder[PATH_MAX];
    size_t before = sources->count;
    snprintf(folder, sizeof folder, "%s", named);
    folder_trim(folder);
    if (access(folder, F_OK) != 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, folder, "there is no such folder");
    enum error_kind kind = add_source(sources, folder, error);
    if (kind == ERROR_NONE && sources->count == before)
        kind = folder_each(folder, add_source, sources, error);
    if (kind == ERROR_NONE && sources->count == before)
        return error_raise(error, ERROR_NOT_A_RUN, 0, folder,
                           "there are no results in it: no trials.csv, load.csv, cells.csv, "
                           "shape.csv, answers.csv");
    label_sources(sources);
    return kind;
}

void page_sources_deinit(struct page_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        struct page_source *source = &sources->list[i];
        for (size_t j = 0; source->files != NULL && j < NAMES; j++)
            csv_reader_deinit(&source->files[j]);
        free(source->files);
        for (size_t j = 0; j < source->record_count; j++) {
            json_decref(source->records[j].manifest);
            csv_reader_deinit(&source->records[j].findings);
        }
    }
    sources->count = 0;
}
