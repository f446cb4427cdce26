// SPDX-License-Identifier: Apache-2.0
#include "bench/output/folder.h"

#include "base/clock.h"
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of those without a name of their own. */
#define RESULTS "results"

/* Whether this program has made it. */
static bool made_results;

void folder_trim(char *folder)
{
    for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/';)
        folder[--end] = '\0';
}

static enum error_kind make_named(const char *out, char folder[PATH_MAX], struct error *error)
{
    snprintf(folder, PATH_MAX, "%s", out);
    folder_trim(folder);
    if (mkdir(folder, 0777) == 0)
        return ERROR_NONE;
    return error_from_errno(
        error, errno, folder, "cannot make the folder%s",
        errno == ENOENT || errno == ENOTDIR ? "; name it inside a folder that exists" : "");
}

enum error_kind folder_check(const char *out, struct error *error)
{
    char folder[PATH_MAX];
    if (out != NULL && strcmp(out, OUTPUT_NOWHERE) == 0)
        return ERROR_NONE;
    if (out == NULL) { /* other runs may be making theirs in it: nothing is tried */
        if (access(RESULTS, W_OK | X_OK) == 0 || (errno == ENOENT && access(".", W_OK | X_OK) == 0))
            return ERROR_NONE;
        return error_from_errno(error, errno, RESULTS, "cannot make a folder in it");
    }
    if (access(out, F_OK) == 0)
        return error_raise(error, ERROR_EXISTS, 0, out, "%s", "");
    enum error_kind kind = make_named(out, folder, error);
    if (kind == ERROR_NONE)
        rmdir(folder);
    return kind;
}

enum error_kind folder_make(const char *out, uint64_t utc_ns, const char *name,
                            char folder[PATH_MAX], struct error *error)
{
    char time[32];
    if (out != NULL && strcmp(out, OUTPUT_NOWHERE) == 0) {
        folder[0] = '\0';
        return ERROR_NONE;
    }
    if (out != NULL)
        return make_named(out, folder, error);
    if (mkdir(RESULTS, 0777) == 0)
        made_results = true;
    else if (errno != EEXIST)
        return error_from_errno(error, errno, RESULTS, "cannot make the folder");
    clock_format_utc(utc_ns, 1, time, sizeof time);
    snprintf(folder, PATH_MAX, RESULTS "/%s-%s", time, name);
    for (unsigned again = 2; mkdir(folder, 0777) != 0; again++) {
        if (errno != EEXIST)
            return error_from_errno(error, errno, folder, "cannot make the folder");
        snprintf(folder, PATH_MAX, RESULTS "/%s-%s-%u", time, name, again);
    }
    return ERROR_NONE;
}

void folder_discard(const char *folder)
{
    rmdir(folder);
    if (made_results)
        rmdir(RESULTS);
}

const char *folder_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

enum error_kind folder_find(const char *folder, const char *name, char path[FOLDER_FILE_SIZE],
                            struct error *error)
{
    snprintf(path, FOLDER_FILE_SIZE, "%s/%s", folder, name);
    if (access(path, F_OK) == 0)
        return ERROR_NONE;
    if (access(folder, F_OK) != 0)
        return error_raise(error, ERROR_NOT_A_RUN, 0, folder, "there is no such folder");
    return error_raise(error, ERROR_NOT_A_RUN, 0, folder, "there is no %s in it", name);
}

bool folder_has(const char *folder, const char *name)
{
    char path[FOLDER_FILE_SIZE];
    struct error error;
    return folder_find(folder, name, path, &error) == ERROR_NONE;
}

json_t *folder_manifest(const char *folder, struct error *error)
{
    char path[FOLDER_FILE_SIZE];
    json_error_t place;
    if (folder_find(folder, "manifest.json", path, error))
        return NULL;
    json_t *manifest = json_load_file(path, 0, &place);
    if (manifest == NULL)
        error_raise(error, ERROR_MALFORMED, 0, path, "line %d: %s", place.line > 0 ? place.line : 1,
                    place.text);
    return manifest;
}

enum error_kind folder_each(const char *folder,
                            enum error_kind (*add)(void *context, const char *path,
                                                   struct error *error),
                            void *context, struct error *error)
{
    struct dirent **entries = NULL;
    enum error_kind kind = ERROR_NONE;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[FOLDER_FILE_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (kind == ERROR_NONE && entries[i]->d_name[0] != '.')
            kind = add(context, path, error);
        free(entries[i]);
    }
    free(entries);
    return kind;
}

/* ------------------------------------------------------------------ kinds of results */

/* Tables of subcommands, by name alone: their columns say what is compared. */
extern const struct table_type trial_row_table, load_row_table, table3_row_table;

/* If a folder has files of several kinds, the first decides: an experiment of the paper has the
 * files of a load, too, and a run has cells. Each table that is compared has a time among its
 * columns that are medians or geometric means. */
static const struct result_kind kinds[] = {
    {"barriers.csv", "evaluation", "operations", &table3_row_table},
    {"shape.csv", "evaluation", "operations", &load_row_table},
    {"answers.csv", "plan", "locks", NULL},
    {"trials.csv", "run", "locks", &trial_row_table},
    {"load.csv", "load", "operations", &load_row_table},
    {"cells.csv", "load", "operations", NULL},
    {"traffic.csv", "tap", "tap", NULL},
    {"periods.csv", "autopsy", "locks", NULL},
    {"compare.csv", NULL, NULL, NULL},
};

const struct result_kind *result_kind_of(const char *folder)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (folder_has(folder, kinds[i].file))
            return &kinds[i];
    }
    return NULL;
}
