// SPDX-License-Identifier: Apache-2.0
/*
 * place: a meeting place of workers, as a test sees it, and the workers that meet there. `at`:
 * HOST:PORT/CHROOT.
 */
#ifndef TESTS_PLACE_H
#define TESTS_PLACE_H

#include "fleet/meeting.h"
#include "tests/support/outcome.h"

/* Fails with the error, unless kind is ERROR_NONE. */
void place_expect(enum error_kind kind, const struct error *error);

/* A session there, for the caller to meeting_free soon: nothing is sent but by the test, and
 * servers end a session of which they have heard nothing for 15 s. */
struct meeting *place_open(const char *at);

/* Finishes a command, and meanwhile keeps the session. */
void place_finish(struct meeting *meeting, struct command *command);

/* How many znodes there are below this one; `last`, which may be NULL, is the last of their names
 * by order, or "". */
size_t place_children(struct meeting *meeting, const char *path, char last[MEETING_PATH_SIZE]);

bool place_is_led(struct meeting *meeting);

/* How many workers wait for a job. */
size_t place_waiting(struct meeting *meeting);

/* How long a test waits for others there: longer than a session that nobody closes. */
#define PLACE_NS (40 * NS_PER_S)

/* Waits for the job of a trial: that is not the first job of a run, which has no trial yet. */
void place_await_job(struct meeting *meeting, char job[MEETING_PATH_SIZE]);

/* These wait until so many workers wait; until a run leads them, or none; until so many workers
 * have told how far their part of a job is; and until there are only the folders. */
void place_await_waiting(const char *at, size_t wanted);
void place_await_led(const char *at, bool led);
void place_await_working(const char *at, size_t wanted);
void place_assert_empty(const char *at);

/* A worker with one more option. */
void place_start_worker(struct command *worker, const char *at, const char *option,
                        const char *value);

void place_end_worker(struct command *worker);

/* A worker that waits, for the test to play; it joins with meeting_join. */
struct meeting_member place_fake_member(void);

#endif
