// SPDX-License-Identifier: Apache-2.0
#include "bench/target/data.h"

#include "servers/ensemble.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum error_kind data_prepare(const struct target_options *options, bool *made, struct error *error)
{
    *made = false;
    if (options->data == NULL)
        return ERROR_NONE;
    enum error_kind kind = ensemble_check_data_folder(options->data, error);
    if (kind != ERROR_NONE || options->topology_count == 1)
        return kind;
    *made = mkdir(options->data, 0700) == 0;
    if (!*made && errno != EEXIST)
        return error_from_errno(error, errno, options->data, "cannot make the folder");
    return ERROR_NONE;
}

void data_remove(const struct target_options *options, bool made)
{
    if (made)
        rmdir(options->data);
}

const char *data_folder_of(const struct target_options *options, const char *target,
                           char folder[PATH_MAX])
{
    if (options->data == NULL || options->topology_count == 1)
        return options->data;
    snprintf(folder, PATH_MAX, "%s/%s", options->data, target);
    return folder;
}
