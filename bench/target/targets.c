// SPDX-License-Identifier: Apache-2.0
#include "bench/target/targets.h"

#include "bench/cli/signals.h"

#include <stdio.h>
#include <unistd.h>

enum error_kind targets_open(struct targets *targets, const struct target_options *options,
                             uint64_t most_sessions, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *targets = (struct targets){.count = options->topology_count, .signals = -1};
    for (size_t i = 0; kind == ERROR_NONE && i < targets->count; i++)
        kind = target_open(options, i, most_sessions, &targets->list[i], error);
    if (kind != ERROR_NONE)
        return kind;
    targets->signals = signals_block();
    for (size_t i = 0; kind == ERROR_NONE && i < targets->count; i++)
        kind = target_make_root(&targets->list[i], targets->signals, error);
    return kind;
}

void targets_close(struct targets *targets, struct error *left)
{
    for (size_t i = 0; i < targets->count; i++)
        (void)!target_close(&targets->list[i], left);
    if (targets->signals >= 0)
        close(targets->signals);
    targets->signals = -1;
    targets->count = 0;
}

enum error_kind targets_find_cause(const struct targets *targets, enum error_kind kind,
                                   struct error *error)
{
    for (size_t i = 0; i < targets->count; i++)
        kind = target_find_cause(&targets->list[i], kind, error);
    return kind;
}

const char *targets_folder(const struct targets *targets, size_t topology, const char *out,
                           char folder[PATH_MAX])
{
    if (out == NULL || targets->count == 1)
        return out;
    snprintf(folder, PATH_MAX, "%s/%s", out, targets->list[topology].name);
    return folder;
}
