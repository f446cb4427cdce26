// SPDX-License-Identifier: Apache-2.0
#include "client/thread_sessions.h"

#include <errno.h>
#include <stdlib.h>

struct thread_sessions {
    struct thread_session_common common;
    size_t capacity;
    size_t opened;
    struct thread_session sessions[];
};

enum error_kind thread_sessions_new(size_t capacity, const struct thread_session_hooks *hooks,
                                    struct thread_sessions **sessions, struct error *error)
{
    struct library library;
    enum error_kind kind = library_load(LIBRARY_MT, &library, error);
    if (kind != ERROR_NONE)
        return kind;
    struct thread_sessions *made = calloc(1, sizeof *made + capacity * sizeof made->sessions[0]);
    if (made == NULL)
        return error_from_errno(error, ENOMEM, "threads", "for %zu sessions", capacity);
    made->common = (struct thread_session_common){.library = library, .hooks = *hooks};
    made->capacity = capacity;
    socket_owners_init(&made->common.owners);
    *sessions = made;
    return ERROR_NONE;
}

enum error_kind thread_sessions_open(struct thread_sessions *sessions, const char *hosts,
                                     uint32_t session_timeout_ms, uint32_t depth,
                                     const struct client_listener *listener, void *owner,
                                     struct client **client, struct error *error)
{
    if (sessions->opened == sessions->capacity)
        return error_raise(error, ERROR_NO_MEMORY, 0, "threads", "all %zu sessions are open",
                           sessions->capacity);
    struct thread_session *session = &sessions->sessions[sessions->opened];
    *client = &session->client;
    enum error_kind kind = thread_session_open(session, &sessions->common, hosts,
                                               session_timeout_ms, depth, listener, owner, error);
    if (kind == ERROR_NONE)
        sessions->opened++;
    return kind;
}

size_t thread_sessions_close(struct thread_sessions *sessions, uint64_t until_ns)
{
    size_t left = 0;
    for (size_t i = 0; i < sessions->opened; i++)
        thread_session_end(&sessions->sessions[i]);
    for (size_t i = 0; i < sessions->opened; i++)
        left += !thread_session_await_end(&sessions->sessions[i], until_ns);
    if (left > 0)
        return left;
    for (size_t i = 0; i < sessions->opened; i++)
        thread_session_close(&sessions->sessions[i]);
    sessions->opened = 0;
    return 0;
}

void thread_sessions_free(struct thread_sessions *sessions)
{
    if (sessions == NULL)
        return;
    socket_owners_deinit(&sessions->common.owners);
    free(sessions);
}
