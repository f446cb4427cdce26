// SPDX-License-Identifier: Apache-2.0
/*
 * load_marks: what happened to the servers during the measured time of a load, and when. Layer:
 * load, below load_result.
 *
 * A fixed list, part of the result: only the process of the coordinator writes it. The plot of the
 * timeline (plots/load_timeline.gp) knows the words.
 *
 * Invariant: every mark is in the list, or counted in left_out.
 */
#ifndef LOAD_LOAD_MARKS_H
#define LOAD_LOAD_MARKS_H

#include "base/clock.h"

#include <stddef.h>
#include <stdint.h>

#define LOAD_MARKS_MAX 512

/* X(name, word): "server 2 " stands before the word, except that of NO_LEADER. */
#define LOAD_MARK_LIST(X)                                                                          \
    X(KILLED, "killed")       /* by zkherd */                                                      \
    X(RESTARTED, "restarted") /* by zkherd */                                                      \
    X(LOST, "lost")           /* refuses connections, or does not answer for a second */           \
    X(BACK, "back")           /* answers again */                                                  \
    X(LEADS, "leads")         /* and did not at the end of the second before */                    \
    X(NO_LEADER, "no server leads")                                                                \
    X(SNAPSHOT, "snapshot") /* the server has written one */

enum load_mark_kind {
#define X(name, word) LOAD_MARK_##name,
    LOAD_MARK_LIST(X)
#undef X
};

struct load_mark {
    uint64_t time_ns; /* since the measured time began */
    enum load_mark_kind kind;
    uint32_t server; /* from 0, in the order of struct load_host; of NO_LEADER: 0 */
};

struct load_marks {
    uint32_t count;
    uint32_t left_out;                     /* for want of room */
    struct load_mark list[LOAD_MARKS_MAX]; /* in the order of their times */
};

/* Marks of the same time stand in the order in which they are added. When the list is full, the
 * latest snapshot is left out; if there is none, the latest mark that is not of zkherd's own
 * faults. The new mark is left out itself if none gives way to it. Allocates nothing. */
void load_marks_add(struct load_marks *marks, uint64_t time_ns, enum load_mark_kind kind,
                    uint32_t server);

/* Enough for the words of all marks of a second. */
#define LOAD_MARKS_TEXT_SIZE (LOAD_MARKS_MAX * 32)

/* Writes the words of the marks of a second of the measured time, from 0, with semicolons between:
 * "server 3 lost;no server leads". Servers are numbered from 1 there. What happens at the very end
 * of a second belongs to that second. size >= LOAD_MARKS_TEXT_SIZE. Returns text. */
const char *load_marks_format(const struct load_marks *marks, uint32_t second, char *text,
                              size_t size);

#endif
