// SPDX-License-Identifier: Apache-2.0
#include "client/drop_connection.h"

#include "wire/frame.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for the notifications that may precede a reply; of the reply the head is enough. */
#define LOOK_BYTES 65536

static enum drop_connection_view look_through(const char *bytes, size_t count)
{
    struct frame frame;
    size_t at = 0;
    enum frame_state state;
    while ((state = frame_read(bytes + at, count - at, &frame)) >= FRAME_PARTIAL) {
        if (frame.xid >= 0)
            return DROP_CONNECTION_REPLY;
        if (state == FRAME_PARTIAL)
            break;
        at += frame.bytes;
    }
    /* If no frame begins here, the library has read a part of one, and must read the rest. */
    return at > 0 || state == FRAME_INVALID ? DROP_CONNECTION_OTHER : DROP_CONNECTION_NOTHING;
}

enum drop_connection_view drop_connection_look(int descriptor)
{
    char bytes[LOOK_BYTES];
    ssize_t count = recv(descriptor, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR ? DROP_CONNECTION_NOTHING : DROP_CONNECTION_OTHER;
    return count == 0 ? DROP_CONNECTION_OTHER : look_through(bytes, (size_t)count);
}

void drop_connection_hold(int descriptor)
{
    const int bytes = INT_MAX;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}

/* Corked bytes leave with the end of the connection (tcp(7)). */
static bool send_last(int connection, const void *last, size_t length)
{
    return length == 0 ||
           send(connection, last, length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)length;
}

bool drop_connection_off(int descriptor, const void *last, size_t length, int *other_end)
{
    int ends[2];
    int connection = dup(descriptor);
    if (connection < 0)
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
        close(connection);
        return false;
    }
    if (!send_last(connection, last, length)) {
        close(connection);
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    if (other_end != NULL) {
        *other_end = ends[1];
    } else {
        shutdown(ends[0], SHUT_WR);
        close(ends[1]);
    }
    dup2(ends[0], descriptor);
    close(ends[0]);
    /* A thread that polls the connection keeps it open, so that close alone would not end it. The
     * shutdown wakes the thread, which then looks at the descriptor once more: the other socket
     * must be there by now. */
    shutdown(connection, SHUT_RDWR);
    close(connection);
    return true;
}

bool drop_connection_drain(int descriptor)
{
    char unread[4096];
    ssize_t length;
    do
        length = recv(descriptor, unread, sizeof unread, MSG_DONTWAIT);
    while (length > 0);
    return length == 0 || (errno != EAGAIN && errno != EINTR);
}

/* The library would wait for room in a socket that is full. */
void drop_connection_end(int other_end)
{
    shutdown(other_end, SHUT_RD);
    drop_connection_drain(other_end);
}
