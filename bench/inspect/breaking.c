// SPDX-License-Identifier: Apache-2.0
#include "bench/inspect/breaking.h"

#include "base/printable.h"
#include "bench/cli/complain.h"
#include "bench/target/consent.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* So many holders are named; it can be many readers. */
#define NAMED_MAX 3

/* "lock-0000000004 of session 0x1000…". A znode that is not ephemeral is no session's. */
static void write_holder(const struct lock_view *view, size_t place, FILE *stream)
{
    char name[512];
    fputs(printable_text(view->places[place].name, name, sizeof name), stream);
    if (view->entries[place].stat.owner != 0)
        fprintf(stream, " of session 0x%" PRIx64, (uint64_t)view->entries[place].stat.owner);
}

static void ask(const struct lock_view *view)
{
    complain_mildly("the holder is not notified and may continue as if it still held the lock");
    fputs("break the lock held by ", stderr);
    for (size_t i = 0; i < view->holders && i < NAMED_MAX; i++) {
        fputs(i > 0 ? ", " : "", stderr);
        write_holder(view, i, stderr);
    }
    if (view->holders > NAMED_MAX)
        fprintf(stderr, " and %zu more", view->holders - NAMED_MAX);
    fputc('?', stderr);
}

enum error_kind breaking_ask(struct browser *browser, const struct lock_view *view, bool *agreed,
                             struct error *error)
{
    ask(view);
    return consent_await(browser, agreed, error);
}

void breaking_tell(const struct lock_view *view, size_t deleted)
{
    for (size_t i = 0; i < deleted; i++) {
        fputs("deleted ", stdout);
        write_holder(view, i, stdout);
        putchar('\n');
    }
}

static enum error_kind is_as_seen(struct browser *browser, const char *znode,
                                  const struct browser_stat *seen, bool *as_seen,
                                  struct error *error)
{
    struct browser_stat stat;
    bool there = false;
    enum error_kind kind = browser_look(browser, znode, NO_WATCH, &there, &stat, error);
    *as_seen = kind == ERROR_NONE && there && stat.owner == seen->owner &&
               stat.created_ms == seen->created_ms && stat.version == seen->version;
    return kind;
}

static enum error_kind delete_znode(struct browser *browser, const char *znode,
                                    const struct browser_stat *seen, bool *done,
                                    struct error *error)
{
    return browser_delete(browser, znode, seen->version, done, error);
}

/* Does one of the two above with each holder, until it is not done. */
static enum error_kind each(enum error_kind (*act)(struct browser *browser, const char *znode,
                                                   const struct browser_stat *seen, bool *done,
                                                   struct error *error),
                            struct browser *browser, const char *path, const struct lock_view *view,
                            size_t *count, struct error *error)
{
    for (*count = 0; *count < view->holders; ++*count) {
        bool done = false;
        char *znode = lock_view_znode(view, path, *count);
        if (znode == NULL)
            return error_from_errno(error, ENOMEM, path, "%s", "");
        enum error_kind kind = act(browser, znode, &view->entries[*count].stat, &done, error);
        free(znode);
        if (kind != ERROR_NONE || !done)
            return kind;
    }
    return ERROR_NONE;
}

enum error_kind breaking_delete(struct browser *browser, const char *path,
                                const struct lock_view *view, size_t *deleted, size_t *unlike,
                                struct error *error)
{
    *deleted = 0;
    enum error_kind kind = each(is_as_seen, browser, path, view, unlike, error);
    if (kind != ERROR_NONE || *unlike < view->holders)
        return kind;
    kind = each(delete_znode, browser, path, view, deleted, error);
    *unlike = *deleted;
    return kind;
}
