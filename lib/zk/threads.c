// SPDX-License-Identifier: Apache-2.0
#include "zk/threads.h"

#include "zk/solo.h"

#include <errno.h>
#include <stdlib.h>

struct threads {
    struct solo_common common;
    size_t capacity;
    size_t opened;
    struct solo *sessions;
};

enum fault_kind threads_new(size_t capacity, const struct threads_hooks *hooks,
                            struct threads **threads, struct fault *fault)
{
    struct library library;
    enum fault_kind kind = library_load(LIBRARY_MT, &library, fault);
    if (kind != FAULT_NONE)
        return kind;
    struct threads *made = calloc(1, sizeof *made);
    struct solo *sessions = calloc(capacity, sizeof *sessions);
    if (made == NULL || sessions == NULL) {
        free(made);
        free(sessions);
        return fault_from_errno(fault, ENOMEM, "threads", "for %zu sessions", capacity);
    }
    *made = (struct threads){.common = {.library = library, .hooks = *hooks},
                             .capacity = capacity,
                             .sessions = sessions};
    claims_init(&made->common.claims);
    *threads = made;
    return FAULT_NONE;
}

enum fault_kind threads_open(struct threads *threads, const char *hosts,
                             uint32_t session_timeout_ms, const struct client_listener *listener,
                             void *owner, struct client **client, struct fault *fault)
{
    if (threads->opened == threads->capacity)
        return fault_raise(fault, FAULT_NO_MEMORY, 0, "threads", "all %zu sessions are open",
                           threads->capacity);
    struct solo *session = &threads->sessions[threads->opened];
    *client = &session->client;
    enum fault_kind kind =
        solo_open(session, &threads->common, hosts, session_timeout_ms, listener, owner, fault);
    if (kind == FAULT_NONE)
        threads->opened++;
    return kind;
}

static struct solo *of_client(struct client *client)
{
    return (struct solo *)client;
}

void threads_order(struct client *client, int order)
{
    struct solo *session = of_client(client);
    mailbox_post_or_call(&session->mailbox, LETTER_ORDER, order, session->common->hooks.order,
                         client->owner);
}

void threads_alarm(struct client *client, uint64_t due_ns)
{
    of_client(client)->alarm_ns = due_ns;
}

size_t threads_close(struct threads *threads, uint64_t until_ns)
{
    size_t left = 0;
    for (size_t i = 0; i < threads->opened; i++)
        solo_end(&threads->sessions[i]);
    for (size_t i = 0; i < threads->opened; i++)
        left += !solo_await_end(&threads->sessions[i], until_ns);
    if (left > 0)
        return left;
    for (size_t i = 0; i < threads->opened; i++)
        solo_close(&threads->sessions[i]);
    threads->opened = 0;
    return 0;
}

void threads_free(struct threads *threads)
{
    if (threads == NULL)
        return;
    claims_deinit(&threads->common.claims);
    free(threads->sessions);
    free(threads);
}
