// SPDX-License-Identifier: Apache-2.0
/*
 * probe: a session on a real server, with either driver, that makes single requests and records the
 * callbacks. A test's session is new, and the znodes below ROOT are gone after it.
 */
#ifndef TESTS_PROBE_H
#define TESTS_PROBE_H

#include "tests/support/live.h"
#include "tests/support/pause.h"
#include "tests/support/test.h"

#include <pthread.h>

#define A ROOT "/a"
#define B ROOT "/b"
#define C ROOT "/c"

/* The driver of the group of tests that is running. */
extern enum driver driver;

/* What a session does in do_turn. */
enum turn { TURN_REQUEST, TURN_CUT_REQUEST, TURN_CRASH, TURN_CRASH_IN_REQUEST };

/* A session under test, and its callbacks so far. */
struct probe {
    struct event_loop *events;
    struct thread_sessions *threads;
    struct client *client;
    const struct request *request; /* threads: to be made on the session's thread */
    bool turn_done;
    bool injected; /* the turn's error, if it had one */
    pthread_mutex_t mutex;
    pthread_cond_t heard;
    unsigned callbacks;
    unsigned connections, connections_awaited;
    bool replied;
    struct client_reply reply;
    char path[RECIPE_PATH_MAX];
    char value[2048];
    unsigned deleted, changed, created;
    struct tally sent;
};

extern struct probe probe;

/* ------------------------------------------------------------------ what the session hears */

void probe_sent(void *owner, enum operation operation);

void probe_replied(void *owner, const struct client_reply *reply);

void probe_notified(void *owner, enum client_event event, const char *path);

/* Of a session that sets no alarm and waits for nothing. */
void probe_no_alarm(void *owner, uint64_t late_ns);
void probe_no_wait(void *owner);

/* ------------------------------------------------------------------ driving it */

bool is_established(void);

bool is_answered(void);

bool is_notified(void);

void await(bool (*holds)(void), const char *what);

void do_turn(enum turn turn);

enum zk_status ask_on(enum turn turn, const struct request *request);

/* Makes a request, waits for its reply, and returns its status; the rest is in probe.reply. */
enum zk_status ask(struct request request);

struct request get(const char *path, enum watch_flag watch);

struct request exists_request(const char *path, enum watch_flag watch);

int open_session(void **state);

/* A session with a short timeout: it reconnects a sixtieth of that after the loss of its only
 * server, and expires soon. */
int open_short_session(void **state);

int close_session(void **state);

#define PROBE_TEST(test)       TEST_BETWEEN(test, open_session, close_session)
#define PROBE_TEST_SHORT(test) TEST_BETWEEN(test, open_short_session, close_session)

/* For a group of tests with this driver: live_stop ends it. */
int probe_start_on_events(void **state);

int probe_start_on_threads(void **state);

/* Makes a request through the function of client/client.h for its operation. */
void perform(struct client *client, const struct request *request);

#endif
