// SPDX-License-Identifier: Apache-2.0
/* Several targets, the folders of their data and results, and the options that exclude others. */
#include "bench/target/target.h"

#include "base/text.h"
#include "bench/cli/complain.h"
#include "bench/cli/machine.h"
#include "bench/cli/rows.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool targets_rest(const struct targets *targets, int most_ms)
{
    struct pollfd signals = {.fd = targets->signals, .events = POLLIN};
    return poll(&signals, 1, most_ms) > 0;
}

enum error_kind targets_open(struct targets *targets, const struct target_options *options,
                             uint64_t most_sessions, struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    *targets = (struct targets){.count = options->topology_count, .signals = signals_block()};
    if (options->connect)
        kind = target_find(options, most_sessions, targets->signals, &targets->list[0], error);
    for (size_t i = 0; kind == ERROR_NONE && i < targets->count; i++)
        kind = target_open(options, i, targets->signals, &targets->list[i], error);
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

void targets_describe_versions(const struct target *target, char *text, size_t size)
{
    const char *last = NULL;
    bool differ = false;
    text[0] = '\0';
    for (size_t i = 0; i < target->servers.count; i++) {
        const struct four_letter_identity *identity = &target->identities[i];
        char server[ENDPOINT_TEXT_SIZE];
        if (!identity->talks)
            continue;
        text_append_clause(text, size, "%s runs %s",
                           endpoint_format(&target->servers.endpoints[i], server, sizeof server),
                           identity->version);
        differ = differ || (last != NULL && strcmp(last, identity->version) != 0);
        last = identity->version;
    }
    if (!differ)
        text[0] = '\0';
}

/* ------------------------------------------------------------------ folders */

enum error_kind targets_folder(struct targets *targets, size_t topology, const char *out,
                               char folder[PATH_MAX], const char **path, struct error *error)
{
    *path = out;
    if (out == NULL || out[0] == '\0' || targets->count == 1)
        return ERROR_NONE;
    if (topology == 0 && mkdir(out, 0777) != 0)
        return error_from_errno(error, errno, out, "cannot make the folder");
    targets->made_out = true;
    snprintf(folder, PATH_MAX, "%s/%s", out, targets->list[topology].name);
    *path = folder;
    return ERROR_NONE;
}

enum error_kind target_prepare_data(const struct target_options *options, bool *made,
                                    struct error *error)
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

/* ------------------------------------------------------------------ options */

const char *target_private_option(const struct target_options *target)
{
    return target->home != NULL      ? "--zookeeper"
           : target->heap_given      ? "--heap"
           : target->cpu_percent > 0 ? "--server-cpus"
           : target->fsync_given     ? "--fsync"
           : target->data != NULL    ? "--data"
                                     : NULL;
}

bool target_conflicts(const char *subcommand, const struct target_options *target,
                      uint32_t processes)
{
    bool simulated = target->driver == DRIVER_SIMULATED, connect = target->connect;
    const char *given = target_private_option(target);
    const char *lacks = rows_acl_lacks(&target->servers);
    bool is_closed = target->servers.identity != NULL && target->servers.identity->creator;
    const struct conflict conflicts[] = {
        {simulated && connect, "--driver simulated", "with --connect",
         "a simulation has servers of its own"},
        {simulated && processes > 1, "--driver simulated", "with --processes",
         "a simulation runs in one process"},
        {connect && target->servers_given, "--servers", "with --connect",
         "give existing servers, or have private ones started"},
        {!connect && target->placement == PLACEMENT_FOLLOWERS && target->server_counts[0] == 1,
         "--placement", "followers", "a standalone server has no followers"},
        {target->auth_given && !connect, "--auth", "without --connect",
         "private servers ask for no credentials"},
        {is_closed && !connect, "--acl", "creator", "private servers have no other users"},
        {lacks != NULL, "--acl", "creator", lacks},
        {given != NULL && connect, given, "with --connect",
         "only private servers are configured by zkherd"},
        {given != NULL && simulated, given, "with --driver simulated",
         "a simulation has no server process"},
    };
    return complain_conflict(subcommand, conflicts, sizeof conflicts / sizeof conflicts[0]);
}
