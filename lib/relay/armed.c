// SPDX-License-Identifier: Apache-2.0
#include "relay/armed.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define REMOVE_ANY 3 /* of removeWatches (WatcherType); from 3.9 on 4 and 5 are those that stay */

/* The tables of a server. */
enum { IN_DATA = 1, IN_CHILDREN = 2, IN_BOTH = IN_DATA | IN_CHILDREN };

static const unsigned tables_of[WATCHES_KINDS] = {
    [WATCHES_STAYING] = IN_BOTH, [WATCHES_CHILDREN] = IN_CHILDREN, [WATCHES_DATA] = IN_DATA};

struct watch {
    char *path; /* the key */
    bool recursive;
    unsigned tables; /* that have it, before 3.9 */
    struct watches_figures *figures;
};

static void take_out(struct armed *armed, enum watches_kind kind, struct watch *watch)
{
    armed->once -= kind != WATCHES_STAYING;
    path_tree_remove(&armed->of[kind], watch);
}

void armed_set(struct armed_counts *counts, struct armed *armed, enum watches_kind kind,
               const char *path, bool recursive)
{
    struct watch *watch = path_tree_find(&armed->of[kind], path),
                 *staying = path_tree_find(&armed->of[WATCHES_STAYING], path);
    if (staying != NULL)
        staying->tables &= ~tables_of[kind];
    if (watch != NULL)
        watch->figures->again++;
    else {
        struct armed_kind *of_kind =
            patterns_find_or_add(&counts->kinds, kind, path, strlen(path), sizeof *of_kind);
        watch = path_tree_find_or_add(&armed->of[kind], path, sizeof *watch);
        watch->figures = &of_kind->figures;
        watch->figures->set++;
        armed->once += kind != WATCHES_STAYING;
    }
    watch->recursive = recursive;
    watch->tables = tables_of[kind];
}

void armed_set_again(struct armed_counts *counts, struct armed *armed, struct jute lists)
{
    static const enum watches_kind kinds[] = {WATCHES_DATA, WATCHES_DATA, WATCHES_CHILDREN,
                                              WATCHES_STAYING, WATCHES_STAYING};
    const size_t count = sizeof kinds / sizeof kinds[0];
    armed->resets++;
    for (size_t i = 0; i < count && lists.left > 0; i++)
        for (size_t left = jute_vector(&lists); left > 0; left--) {
            const struct jute_bytes bytes = jute_bytes(&lists);
            char *path = memory_copy(bytes.bytes, bytes.length);
            if (path != NULL)
                armed_set(counts, armed, kinds[i], path, i == count - 1);
            free(path);
        }
}

void armed_remove(struct armed *armed, int32_t type, const char *path)
{
    const unsigned from = type == WATCHES_CHILDREN ? IN_CHILDREN
                          : type == WATCHES_DATA   ? IN_DATA
                                                   : IN_BOTH;
    for (enum watches_kind kind = 0; kind < WATCHES_KINDS; kind++) {
        struct watch *watch = path_tree_find(&armed->of[kind], path);
        if (watch == NULL || (type > REMOVE_ANY && kind != WATCHES_STAYING))
            continue;
        watch->tables &= ~from;
        if (watch->tables > 0)
            continue;
        watch->figures->removed++;
        take_out(armed, kind, watch);
    }
}

/* Those that stay, on the path and, if they are recursive, above it. Returns the tables of the
 * server that have them. */
static unsigned fire_staying(const struct armed *armed, bool from_3_9, const char *path,
                             unsigned event_tables)
{
    char *at = memory_text(path), *name = at;
    unsigned tables = 0;
    for (bool is_above = false; armed->of[WATCHES_STAYING] != NULL && name != NULL;
         is_above = true) {
        const struct watch *watch = path_tree_find(&armed->of[WATCHES_STAYING], at);
        unsigned in = watch == NULL ? 0 : !from_3_9 ? watch->tables : tables_of[WATCHES_STAYING];
        if (watch != NULL && watch->recursive && (from_3_9 || event_tables == IN_CHILDREN))
            in &= ~(unsigned)IN_CHILDREN; /* it is notified of no change of children */
        if ((in & event_tables) != 0 && (!is_above || watch->recursive)) {
            watch->figures->fired++;
            tables |= in;
        }
        name = strrchr(at, '/');
        name = name != NULL && name[1] != '\0' ? name : NULL;
        if (name != NULL)
            name[name == at] = '\0';
    }
    free(at);
    return tables;
}

void armed_fire(struct armed_counts *counts, struct armed *armed,
                const struct message_notification *notification, const char *path)
{
    const bool deleted = notification->event == MESSAGE_EVENT_DELETED;
    const unsigned event_tables = deleted                                         ? IN_BOTH
                                  : notification->event == MESSAGE_EVENT_CHILDREN ? IN_CHILDREN
                                                                                  : IN_DATA;
    unsigned tables = fire_staying(armed, notification->zxid > 0, path, event_tables);
    for (enum watches_kind kind = WATCHES_CHILDREN; kind <= WATCHES_DATA; kind++) {
        struct watch *watch = path_tree_find(&armed->of[kind], path);
        if (watch == NULL || (tables_of[kind] & event_tables) == 0)
            continue;
        watch->figures->fired++;
        tables |= tables_of[kind];
        take_out(armed, kind, watch);
    }
    counts->uncounted += armed->resets > 0;
    counts->both += armed->resets == 0 && deleted && tables == IN_BOTH;
}

void armed_lose(struct armed_counts *counts, const struct armed *armed)
{
    if (counts->unsent < ARMED_UNBOUNDED)
        counts->unsent += armed->of[WATCHES_STAYING] != NULL ? ARMED_UNBOUNDED : armed->once;
}

void armed_end(struct armed *armed, bool left)
{
    for (enum watches_kind kind = 0; kind < WATCHES_KINDS; kind++)
        while (armed->of[kind] != NULL) {
            struct watch *watch = *(struct watch **)armed->of[kind];
            *(left ? &watch->figures->left : &watch->figures->armed) += 1;
            take_out(armed, kind, watch);
        }
    armed->resets = 0;
}
