// SPDX-License-Identifier: Apache-2.0
#include "client/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool identity_is_known(const struct identity *identity)
{
    return identity != NULL && identity->credentials[0] != '\0';
}

static const char unread[] = "it cannot be read";

/* Nothing is left of what is refused. */
static enum error_kind refuse(struct identity *identity, int os_error, const char *source,
                              const char *why, struct error *error)
{
    explicit_bzero(identity->credentials, sizeof identity->credentials);
    return error_raise(error, ERROR_NOT_CREDENTIALS, os_error, source, "%s", why);
}

/* The credentials are `length` bytes, without a terminator; if no room is left there were more. */
static enum error_kind check(struct identity *identity, size_t length, const char *source,
                             struct error *error)
{
    char *text = identity->credentials;
    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (length > IDENTITY_CREDENTIALS_MAX)
        return refuse(identity, 0, source, "it has more than 255 characters", error);
    text[length] = '\0';
    if (length == 0)
        return refuse(identity, 0, source, "it is empty", error);
    if (strlen(text) != length || strpbrk(text, "\r\n") != NULL)
        return refuse(identity, 0, source, "it has more than one line", error);
    if (strchr(text, ':') == NULL || text[0] == ':')
        return refuse(identity, 0, source, "there is no colon behind a name", error);
    return ERROR_NONE;
}

/* Reads by read(), and not by a stream, whose buffer would keep a copy. */
static enum error_kind read_all(int descriptor, struct identity *identity, const char *path,
                                struct error *error)
{
    size_t length = 0;
    ssize_t got = 1;
    while (got != 0 && length < sizeof identity->credentials) {
        got =
            read(descriptor, identity->credentials + length, sizeof identity->credentials - length);
        if (got < 0 && errno != EINTR)
            return refuse(identity, errno, path, unread, error);
        length += got > 0 ? (size_t)got : 0;
    }
    return check(identity, length, path, error);
}

enum error_kind identity_read(const char *path, struct identity *identity, struct error *error)
{
    struct stat stat;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return refuse(identity, errno, path, unread, error);
    prctl(PR_SET_DUMPABLE, 0);
    enum error_kind kind;
    if (fstat(descriptor, &stat) != 0)
        kind = refuse(identity, errno, path, unread, error);
    else if (stat.st_uid != geteuid() || (stat.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        kind = refuse(identity, 0, path, "it is not this user's alone", error);
    else
        kind = read_all(descriptor, identity, path, error);
    close(descriptor);
    return kind;
}

/* What execve has put on the stack is what /proc/PID/environ shows, so it is overwritten there. */
enum error_kind identity_read_variable(const char *variable, struct identity *identity,
                                       struct error *error)
{
    char *value = getenv(variable);
    if (value == NULL)
        return ERROR_NONE;
    prctl(PR_SET_DUMPABLE, 0);
    size_t length = strlen(value), room = sizeof identity->credentials;
    memcpy(identity->credentials, value, length < room ? length : room);
    enum error_kind kind = check(identity, length < room ? length : room, variable, error);
    explicit_bzero(value, length);
    unsetenv(variable);
    return kind;
}

void identity_free(struct identity *identity)
{
    if (identity != NULL)
        explicit_bzero(identity, sizeof *identity);
    free(identity);
}
