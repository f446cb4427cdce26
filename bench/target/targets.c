// SPDX-License-Identifier: Apache-2.0
#include "bench/target/targets.h"

#include "bench/cli/machine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum error_kind targets_open(struct targets *targets, const struct target_options *options,
                             uint64_t most_sessions, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *targets = (struct targets){.count = options->topology_count, .signals = -1};
    if (options->connect)
        kind = target_find(options, most_sessions, &targets->list[0], error);
    targets->signals = signals_block();
    for (size_t i = 0; kind == ERROR_NONE && i < targets->count; i++)
        kind = target_open(options, i, targets->signals, &targets->list[i], error);
    for (size_t i = 0; kind == ERROR_NONE && i < targets->count; i++)
        kind = target_make_root(&targets->list[i], targets->signals, error);
    return kind;
}

void targets_close(struct targets *targets, struct error *left)
{
    for (size_t i = 0; i < targets->count; i++)
        (void)!target_close(&targets->list[i], left);
}

void targets_deinit(struct targets *targets, const char *out)
{
    if (targets->made_out)
        rmdir(out);
    if (targets->signals >= 0)
        close(targets->signals);
    *targets = (struct targets){.signals = -1};
}

enum error_kind targets_find_cause(const struct targets *targets, enum error_kind kind,
                                   struct error *error)
{
    for (size_t i = 0; i < targets->count; i++)
        kind = target_find_cause(&targets->list[i], kind, error);
    return kind;
}

enum error_kind targets_folder(struct targets *targets, size_t topology, const char *out,
                               char folder[PATH_MAX], const char **path, struct error *error)
{
    *path = out;
    if (out == NULL || targets->count == 1)
        return ERROR_NONE;
    if (topology == 0 && mkdir(out, 0777) != 0)
        return error_from_errno(error, errno, out, "cannot make the folder");
    targets->made_out = true;
    snprintf(folder, PATH_MAX, "%s/%s", out, targets->list[topology].name);
    *path = folder;
    return ERROR_NONE;
}

void targets_describe_versions(const struct target *target, char *text, size_t size)
{
    size_t length = 0;
    const char *first = NULL;
    bool differ = false;
    for (size_t i = 0; i < target->servers.count && length < size; i++) {
        const char *version = target->identities[i].version;
        char server[ENDPOINT_TEXT_SIZE];
        if (!target->identities[i].talks)
            continue;
        length += (size_t)snprintf(
            text + length, size - length, "%s%s runs %s", first == NULL ? "" : ", ",
            endpoint_format(&target->servers.endpoints[i], server, sizeof server), version);
        differ = differ || (first != NULL && strcmp(first, version) != 0);
        first = first == NULL ? version : first;
    }
    if (!differ)
        text[0] = '\0';
}
