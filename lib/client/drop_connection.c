// SPDX-License-Identifier: Apache-2.0
#include "client/drop_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* As many notifications as may lie before a reply; a reply's own length does not matter. */
#define LOOK_BYTES 65536

/* A message's length, and the xid at the head of what is so long: of a request its own, of
 * everything else negative. */
#define LENGTH_BYTES 4
#define HEAD_BYTES   8
/* ReplyHeader: xid, zxid, error. */
#define MESSAGE_MIN 16

static int32_t number_at(const char *bytes)
{
    uint32_t number;
    memcpy(&number, bytes, sizeof number);
    return (int32_t)ntohl(number);
}

static enum drop_connection_view look_through(const char *bytes, size_t count)
{
    size_t at = 0;
    while (count - at >= HEAD_BYTES) {
        int32_t length = number_at(bytes + at);
        /* The library is in the middle of a message: it is to read on. */
        if (length < MESSAGE_MIN)
            return DROP_CONNECTION_OTHER;
        if (number_at(bytes + at + LENGTH_BYTES) >= 0)
            return DROP_CONNECTION_REPLY;
        if ((size_t)length > count - at - LENGTH_BYTES)
            break;
        at += LENGTH_BYTES + (size_t)length;
    }
    return at > 0 ? DROP_CONNECTION_OTHER : DROP_CONNECTION_NOTHING;
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

bool drop_connection_off(int descriptor, int *other_end)
{
    int ends[2];
    int connection = dup(descriptor);
    if (connection < 0)
        return false;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
        close(connection);
        return false;
    }
    shutdown(ends[0], SHUT_WR);
    if (other_end != NULL)
        *other_end = ends[1];
    else
        close(ends[1]);
    dup2(ends[0], descriptor);
    close(ends[0]);
    /* Wakes up a thread that waits for the connection, and keeps it open, so that closing would
     * not end it. The thread then looks at the descriptor once more, and once only: what it is to
     * find must be there by now. */
    shutdown(connection, SHUT_RDWR);
    close(connection);
    return true;
}
