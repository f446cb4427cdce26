// SPDX-License-Identifier: Apache-2.0
#include "bench/output/file_set.h"

#include "base/clock.h"
#include "bench/cli/machine.h"
#include "bench/output/folder.h"
#include "measure/hlog.h"

#include <assert.h>
#include <stdio.h>

/* A manifest of nine servers takes less. */
#define MANIFEST_BYTES 32768

enum error_kind file_set_open(struct file_set *set, const char *out, const char *name,
                              struct error *error)
{
    *set = (struct file_set){.started_utc_ns = clock_utc_ns(), .started_ns = clock_now_ns()};
    enum error_kind kind = folder_make(out, set->started_utc_ns, name, set->folder, error);
    if (kind != ERROR_NONE)
        set->folder[0] = '\0';
    else
        output_reserve(set->folder, "manifest.json", MANIFEST_BYTES);
    snprintf(set->run, sizeof set->run, "%.*s", NAME_MAX, folder_name(set->folder));
    return kind;
}

/* The next file, open; NULL, with *error, if there is none. */
static struct output *add(struct file_set *set, const char *name, struct error *error)
{
    struct output *file = &set->files[set->count];
    assert(set->count < FILE_SET_FILES_MAX);
    if (error->kind != ERROR_NONE || output_open(file, set->folder, name, error))
        return NULL;
    set->count++;
    return file;
}

void file_set_add_csv(struct file_set *set, const char *name, const char *columns, struct csv *csv,
                      struct error *error)
{
    struct output *file = add(set, name, error);
    if (file == NULL)
        return;
    *csv = (struct csv){.stream = file->stream};
    csv_header(csv, columns);
    ERROR_FIRST(error, output_commit(file, error));
}

void file_set_add_table(struct file_set *set, const struct table_type *type, struct csv *csv,
                        struct error *error)
{
    struct output *file = add(set, type->file, error);
    if (file == NULL)
        return;
    *csv = (struct csv){.stream = file->stream};
    table_write_header(type, csv);
    ERROR_FIRST(error, output_commit(file, error));
}

void file_set_add_hlog(struct file_set *set, const char *name, FILE **stream, struct error *error)
{
    char comment[160];
    struct output *file = add(set, name, error);
    if (file == NULL)
        return;
    *stream = file->stream;
    snprintf(comment, sizeof comment, "[zkherd %s, values in nanoseconds]", version_text);
    hlog_write_header(file->stream, set->started_utc_ns, comment);
    ERROR_FIRST(error, output_commit(file, error));
}

static void write_table(FILE *stream, const void *context)
{
    const struct table *table = context;
    struct csv csv = {.stream = stream};
    table_write_header(table->type, &csv);
    table_write_rows(table, &csv);
}

enum error_kind file_set_save_table(const char *folder, const struct table *table, const char *name,
                                    struct error *error)
{
    return output_write(folder, name != NULL ? name : table->type->file, write_table, table, error);
}

enum error_kind file_set_commit(struct file_set *set, struct error *error)
{
    uint64_t before_bytes[FILE_SET_FILES_MAX] = {0};
    enum error_kind kind = ERROR_NONE;
    assert(set->count > 0);
    for (size_t i = 0; i < set->count; i++)
        before_bytes[i] = set->files[i].committed_bytes;
    for (size_t i = 1; kind == ERROR_NONE && i <= set->count; i++) /* the first file last */
        kind = output_commit(&set->files[i % set->count], error);
    for (size_t i = 0; kind != ERROR_NONE && i < set->count; i++)
        set->files[i].committed_bytes = before_bytes[i];
    set->broken = kind != ERROR_NONE;
    set->trials += kind == ERROR_NONE;
    return kind;
}

enum error_kind file_set_close(struct file_set *set, struct error *error)
{
    enum error_kind worst = ERROR_NONE;
    for (size_t i = 0; i < set->count; i++) {
        struct error why;
        if (set->trials == 0) {
            output_abandon(&set->files[i]);
            continue;
        }
        if (!set->broken) {
            if (output_finish(&set->files[i], &why) == ERROR_NONE)
                continue;
            worst = why.kind;
            *error = why;
        }
        (void)!output_keep(&set->files[i], &why);
    }
    if (set->trials == 0 && set->folder[0] != '\0') {
        output_unreserve(set->folder, "manifest.json");
        folder_discard(set->folder);
    }
    set->count = 0;
    return worst;
}
