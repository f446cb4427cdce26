// SPDX-License-Identifier: Apache-2.0
/* The root znode of a run. */
#include "bench/target/target.h"

#include "base/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "zkherd-"

/* How long a write may take to reach all servers of an ensemble, and how often it is looked for. */
#define SPREAD_NS (5 * NS_PER_S)
#define LOOK_US   20000

#define SESSION_NS (10 * NS_PER_S)

bool target_root_is_name(const char *name)
{
    /* 0 stands for a digit, any other character for itself. */
    const char *shape = PREFIX "00000000T000000Z-0000000";
    for (; *shape != '\0'; name++, shape++) {
        if (*shape == '0' ? !isdigit((unsigned char)*name) : *name != *shape)
            return false;
    }
    return *name == '\0';
}

/* Private servers end with the run: their root needs no record and no mark. On others an ACL may
 * allow to create what only somebody else can delete: this is tried with a znode whose name is not
 * that of a root, for it may be seen. */
static enum error_kind create_root(const struct target *target, struct error *error)
{
    char host[65] = "", record[TARGET_ROOT_RECORD_SIZE],
         trial[sizeof "/try-" + sizeof target->root],
         mark[sizeof target->root + sizeof "/" TARGET_ROOT_MARK];
    if (target->ensemble != NULL)
        return setup_session_create(target->setup, target->root, "", error);
    gethostname(host, sizeof host - 1);
    snprintf(record, sizeof record, TARGET_ROOT_RECORD "process %d on %s", (int)getpid(), host);
    snprintf(trial, sizeof trial, "/try-%s", target->root + 1);
    snprintf(mark, sizeof mark, "%s/" TARGET_ROOT_MARK, target->root);
    if (setup_session_try(target->setup, trial, error))
        return error->kind;
    return setup_session_create_marked(target->setup, target->root, record, mark, error);
}

/* What belongs to one ensemble sees what was created through another of its servers: true of every
 * version, and without a four-letter word. Each is asked in a session with it alone. */
static enum error_kind check_one_ensemble(const struct target *target, int interrupts,
                                          struct error *error)
{
    struct connect_string alone = target->servers;
    char through[CLIENT_SERVER_SIZE], text[ENDPOINT_TEXT_SIZE];
    client_server(target->setup->client, through, sizeof through);
    enum error_kind kind = ERROR_NONE;
    alone.count = 1;
    for (size_t i = 0; i < target->servers.count && kind == ERROR_NONE; i++) {
        struct setup_session *witness = NULL;
        bool found = false;
        alone.endpoints[0] = target->servers.endpoints[i];
        if (strcmp(endpoint_address(&alone.endpoints[0], text, sizeof text), through) == 0)
            continue;
        kind = setup_session_new(&alone, NULL, SESSION_NS, interrupts, &witness, error);
        const uint64_t until_ns = clock_now_ns() + SPREAD_NS;
        while (kind == ERROR_NONE && !found && clock_now_ns() < until_ns) {
            kind = setup_session_exists(witness, target->root, &found, error);
            if (!found)
                usleep(LOOK_US);
        }
        setup_session_free(witness);
        if (kind == ERROR_NONE && !found)
            kind = error_raise(error, ERROR_OTHER_ENSEMBLE, 0,
                               endpoint_format(&alone.endpoints[0], text, sizeof text),
                               "a znode created through %s is not visible there within %d s",
                               through, (int)(SPREAD_NS / NS_PER_S));
    }
    return kind;
}

enum error_kind target_make_root(struct target *target, int interrupts, struct error *error)
{
    char time[32];
    clock_format_utc(clock_utc_ns(), 1, time, sizeof time);
    /* As long in every run: a path's length is paid for in bytes. */
    snprintf(target->root, sizeof target->root, "/" PREFIX "%s-%07d", time, (int)getpid());
    if (target->setup == NULL)
        return ERROR_NONE;
    if (create_root(target, error)) {
        target->root[0] = '\0'; /* it is not ours to remove */
        return error->kind;
    }
    return target->ensemble == NULL && target->servers.count > 1
               ? check_one_ensemble(target, interrupts, error)
               : ERROR_NONE;
}

/* A private server takes its znodes with it. */
enum error_kind target_delete_root(const struct target *target, struct error *error)
{
    struct error why;
    char server[ENDPOINT_TEXT_SIZE], path[sizeof target->servers.chroot + sizeof target->root];
    if (target->ensemble != NULL || target->setup == NULL || target->root[0] == '\0')
        return ERROR_NONE;
    target->setup->interrupts = -1;
    enum error_kind kind = setup_session_delete_tree(target->setup, target->root, &why);
    if (kind == ERROR_NONE)
        return kind;
    snprintf(path, sizeof path, "%s%s", target->servers.chroot, target->root);
    return error_raise(error, ERROR_LEFT_BEHIND, 0, path,
                       "%s%s%s; remove them: zkCli.sh -server %s deleteall %s%s", error_words(kind),
                       why.detail[0] != '\0' ? ": " : "", why.detail,
                       endpoint_typed(&target->servers.endpoints[0], server, sizeof server), path,
                       identity_is_known(target->servers.identity) ? ", after addauth" : "");
}
