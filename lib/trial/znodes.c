// SPDX-License-Identifier: Apache-2.0
#include "trial/internal.h"

#include <stdio.h>
#include <stdlib.h>

#define EXPIRY_STEP_NS (20 * NS_PER_MS)       /* between looks for znodes of dead sessions */
#define ZNODE_PATH_MAX (RECIPE_PATH_MAX + 32) /* for a znode that was laid out */

/* The first of a recipe's znodes in the folder of a lock. */
static const struct recipe_znode *laid_out(const struct trial_memory *memory)
{
    static const struct recipe_znode none = {NULL, NULL};
    return memory->plan->recipe->laid_out == NULL ? &none : memory->plan->recipe->laid_out;
}

/* The folders of several barriers are in that of their lock. */
static enum error_kind lay_out_lock(const struct trial_memory *memory, struct setup_session *setup,
                                    uint32_t lock, struct error *error)
{
    char path[ZNODE_PATH_MAX];
    snprintf(path, sizeof path, "%s/l%u", memory->plan->root, lock);
    enum error_kind kind = setup_session_create(setup, path, "", error);
    if (kind == ERROR_NONE && memory->plan->barriers > 1) {
        snprintf(path, sizeof path, "%s/l%u/b", memory->plan->root, lock);
        kind = setup_session_create_numbered(setup, path, memory->plan->barriers, error);
    }
    for (uint32_t i = 0; kind == ERROR_NONE && i < plan_folders(memory->plan); i++) {
        for (const struct recipe_znode *znode = laid_out(memory);
             kind == ERROR_NONE && znode->name != NULL; znode++) {
            snprintf(path, sizeof path, "%s/%s", trial_memory_folder(memory, lock, i), znode->name);
            if (znode->value != NULL)
                kind = setup_session_create(setup, path, znode->value, error);
        }
    }
    return kind;
}

enum error_kind znodes_lay_out(const struct trial_memory *memory, struct setup_session *setup,
                               struct error *error)
{
    enum error_kind kind = ERROR_NONE;
    for (uint32_t lock = 0; kind == ERROR_NONE && lock < memory->plan->locks; lock++)
        kind = lay_out_lock(memory, setup, lock, error);
    return kind;
}

/* Adds the znodes in a folder, and in those that were laid out in it, without these. */
static enum error_kind count_in_folder(const struct trial_memory *memory,
                                       struct setup_session *setup, const char *folder,
                                       size_t *count, struct error *error)
{
    size_t here = 0;
    enum error_kind kind = setup_session_list_children(setup, folder, NULL, &here, error);
    *count += here;
    for (const struct recipe_znode *znode = laid_out(memory);
         kind == ERROR_NONE && znode->name != NULL; znode++) {
        size_t below = 0;
        char path[ZNODE_PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, znode->name);
        /* It may be missing after a crash (a flag, say), or before the first client has come. */
        bool there = false;
        kind = setup_session_exists(setup, path, &there, error);
        if (kind == ERROR_NONE && there)
            kind = setup_session_list_children(setup, path, NULL, &below, error);
        *count += below;
        *count -= there;
    }
    return kind;
}

/* The znodes of sessions that died go when the servers end these. */
static enum error_kind count_lasting(const struct trial_memory *memory, struct setup_session *setup,
                                     uint32_t lock, size_t *count, struct error *error)
{
    const struct loop *loop = &setup->loop;
    enum error_kind kind = ERROR_NONE;
    while (kind == ERROR_NONE) {
        uint64_t now_ns = loop_now_ns(loop);
        *count = 0;
        for (uint32_t i = 0; kind == ERROR_NONE && i < plan_folders(memory->plan); i++)
            kind =
                count_in_folder(memory, setup, trial_memory_folder(memory, lock, i), count, error);
        if (*count == 0 || now_ns >= atomic_load(&memory->fleet->expires_ns))
            break;
        uint64_t until_ns = loop_now_ns(loop) + EXPIRY_STEP_NS;
        while (kind == ERROR_NONE && loop_now_ns(loop) < until_ns)
            kind = loop_turn(loop, until_ns, error);
    }
    return kind;
}

static void check(struct trial_memory *memory, enum violation_kind kind, uint32_t lock,
                  int64_t expected, int64_t found)
{
    if (found != expected)
        trial_memory_violate(
            memory, lock, handoff_number(memory, lock),
            (struct violation){.kind = kind, .expected = expected, .found = found});
}

enum error_kind znodes_check_end(struct trial_memory *memory, struct setup_session *setup,
                                 struct error *error)
{
    const char *counter = memory->plan->recipe->counter_znode;
    for (uint32_t lock = 0; lock < memory->plan->locks; lock++) {
        char path[ZNODE_PATH_MAX];
        size_t left = 0;
        if (count_lasting(memory, setup, lock, &left, error) != ERROR_NONE)
            return error->kind;
        check(memory, VIOLATION_LEFTOVER, lock, 0, (int64_t)left);
        if (counter == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", trial_memory_folder(memory, lock, 0), counter);
        if (setup_session_read(setup, OP_GET, path, error) != ERROR_NONE)
            return error->kind;
        check(memory, VIOLATION_COUNTER, lock, (int64_t)atomic_load(&memory->locks[lock].grants),
              strtoll(setup->value, NULL, 10));
    }
    return ERROR_NONE;
}

enum error_kind znodes_check_wakeups(struct trial_memory *memory, struct setup_session *setup,
                                     struct error *error)
{
    for (uint32_t i = 0; i < memory->plan->fleet.sessions; i++) {
        const struct trial_session_report *session = &memory->sessions[i];
        bool awaits_creation = session->awaited == EVENT_CREATED, exists = !awaits_creation;
        if (!session->parked || session->missed)
            continue;
        enum error_kind kind = setup_session_exists(setup, session->waits_for, &exists, error);
        if (kind != ERROR_NONE)
            return kind;
        if (exists != awaits_creation)
            continue;
        trial_memory_violate(memory, session->lock, handoff_number(memory, session->lock),
                             (struct violation){VIOLATION_MISSED_EVENT, .session = i + 1});
    }
    return ERROR_NONE;
}
