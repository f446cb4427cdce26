// SPDX-License-Identifier: Apache-2.0
#include "bench/target.h"

#include "base/clock.h"
#include "bench/data.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ASK_NS     (5 * NS_PER_S)
#define SESSION_NS (10 * NS_PER_S)

static enum fault_kind start_private(const struct options *options, size_t topology,
                                     struct target *target, struct fault *fault)
{
    struct ensemble_options wanted = ensemble_options_default();
    char folder[PATH_MAX];
    wanted.servers = (unsigned)options->server_counts[topology];
    wanted.heap_mib = options->heap_mib;
    wanted.fsync = options->fsync;
    if (wanted.servers == 1)
        snprintf(target->name, sizeof target->name, "standalone");
    else
        snprintf(target->name, sizeof target->name, "ensemble%u", wanted.servers);
    wanted.data_folder = data_folder_of(options, target->name, folder);
    enum fault_kind kind = ensemble_start(&wanted, &target->ensemble, fault);
    if (kind != FAULT_NONE)
        return kind;
    target->servers = *ensemble_connect(target->ensemble);
    return FAULT_NONE;
}

/* A folder's name from the first host: letters, digits, dots and dashes stay. */
static void name_after_host(struct target *target)
{
    char host[ENDPOINT_TEXT_SIZE];
    endpoint_format(&target->servers.endpoints[0], host, sizeof host);
    size_t at = 0;
    for (size_t i = 0; host[i] != '\0' && at + 1 < sizeof target->name; i++)
        target->name[at++] = isalnum((unsigned char)host[i]) || host[i] == '.' ? host[i] : '-';
    target->name[at] = '\0';
}

static enum fault_kind look_at_servers(struct target *target, struct fault *fault)
{
    for (size_t i = 0; i < target->servers.count; i++) {
        const struct endpoint *endpoint = &target->servers.endpoints[i];
        enum fault_kind kind = admin_identify(endpoint, ASK_NS, &target->identities[i], fault);
        if (kind != FAULT_NONE)
            return kind;
        if (strcmp(target->identities[i].mode, "read-only") == 0) {
            char text[ENDPOINT_TEXT_SIZE];
            return fault_raise(fault, FAULT_READ_ONLY, 0,
                               endpoint_format(endpoint, text, sizeof text), "%s", "");
        }
    }
    return FAULT_NONE;
}

/* A standalone server is its own leader. */
static bool has_place(enum placement placement, const char *mode)
{
    bool follows = strcmp(mode, "follower") == 0;
    bool leads = strcmp(mode, "leader") == 0 || strcmp(mode, "standalone") == 0;
    return placement == PLACEMENT_SPREAD || (placement == PLACEMENT_LEADER ? leads : follows);
}

static enum fault_kind place(enum placement placement, struct target *target, struct fault *fault)
{
    struct connect_string *chosen = &target->placement;
    *chosen = target->servers;
    chosen->count = 0;
    for (size_t i = 0; i < target->servers.count; i++) {
        if (has_place(placement, target->identities[i].mode))
            chosen->endpoints[chosen->count++] = target->servers.endpoints[i];
    }
    if (chosen->count == 0)
        return fault_raise(fault, FAULT_USAGE, 0, "--placement", "no server says that it is a %s",
                           placement == PLACEMENT_LEADER ? "leader" : "follower");
    return FAULT_NONE;
}

/* The root of a chrooted session is the chroot itself: the server says whether it is there. */
static enum fault_kind check_chroot(struct target *target, struct fault *fault)
{
    bool exists = false;
    if (target->servers.chroot[0] == '\0')
        return FAULT_NONE;
    enum fault_kind kind = steward_exists(target->steward, "/", &exists, fault);
    if (kind == FAULT_NONE && !exists)
        kind = fault_raise(fault, FAULT_NO_CHROOT, 0, target->servers.chroot, "%s", "");
    return kind;
}

enum fault_kind target_open(const struct options *options, size_t topology, struct target *target,
                            struct fault *fault)
{
    enum fault_kind kind = FAULT_NONE;
    *target = (struct target){0};
    if (options->connect) {
        target->servers = options->servers;
        name_after_host(target);
    } else {
        kind = start_private(options, topology, target, fault);
    }
    if (kind == FAULT_NONE)
        kind = look_at_servers(target, fault);
    if (kind == FAULT_NONE)
        kind = place(options->placement, target, fault);
    if (kind == FAULT_NONE)
        kind = steward_new(&target->servers, SESSION_NS, &target->steward, fault);
    if (kind == FAULT_NONE)
        kind = check_chroot(target, fault);
    if (kind != FAULT_NONE)
        target_close(target);
    return kind;
}

enum fault_kind target_make_root(struct target *target, struct fault *fault)
{
    char time[32];
    clock_format_utc(clock_utc_ns(), 1, time, sizeof time);
    snprintf(target->root, sizeof target->root, "/zkherd-%s-%d", time, (int)getpid());
    enum fault_kind kind = steward_create(target->steward, target->root, fault);
    if (kind != FAULT_NONE)
        target->root[0] = '\0'; /* it is not ours to remove */
    return kind;
}

void target_close(struct target *target)
{
    struct fault fault;
    /* A private server takes its znodes with it. Elsewhere the best is tried: there is nobody left
     * to tell. */
    if (target->ensemble == NULL && target->steward != NULL && target->root[0] != '\0')
        (void)!steward_delete_tree(target->steward, target->root, &fault);
    steward_free(target->steward);
    ensemble_stop(target->ensemble);
    *target = (struct target){0};
}
