// SPDX-License-Identifier: Apache-2.0
#include "servers/detached.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILE_NAME "ensemble"
#define TEXT_SIZE (CONNECT_TEXT_SIZE + 256)
#define END_MS    10000

/* ------------------------------------------------------------------ the state file */

/* With room for the file's name behind it. */
#define FOLDER_SIZE (PATH_MAX - sizeof "/" FILE_NAME)

static const char *folder_path(char path[FOLDER_SIZE])
{
    const char *run_time = getenv("XDG_RUNTIME_DIR");
    if (run_time != NULL && run_time[0] == '/')
        snprintf(path, FOLDER_SIZE, "%s/zkherd", run_time);
    else
        snprintf(path, FOLDER_SIZE, "/tmp/zkherd-%u", (unsigned)geteuid());
    return path;
}

/* *folder is the caller's to close. */
static enum error_kind open_folder(const char *path, int *folder, struct error *error)
{
    struct stat status;
    *folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*folder < 0 && errno == ENOENT)
        return error_raise(error, ERROR_NO_ENSEMBLE, 0, "ensemble", "%s", "");
    if (*folder < 0 || fstat(*folder, &status) != 0)
        return error_from_errno(error, errno, path, "to remember a private ensemble in");
    if (status.st_uid == geteuid() && (status.st_mode & 077) == 0)
        return ERROR_NONE;
    close(*folder); /* in /tmp any user may have made it */
    return error_raise(error, ERROR_DENIED, 0, path,
                       "it must belong to this user, with mode 700, but belongs to user %u, with "
                       "mode %o",
                       (unsigned)status.st_uid, (unsigned)status.st_mode & 0777);
}

/* The process of the supervisor that holds the lock on this open file; 0 if there is none, -1 if it
 * is in another PID namespace. The kernel answers, so a process number that is in use again does
 * not mislead. */
static pid_t holder_of(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_GETLK, &whole) != 0 || whole.l_type == F_UNLCK)
        return 0;
    return whole.l_pid > 0 ? whole.l_pid : -1;
}

/* Opens the file; -1 unless a supervisor has locked it. */
static int open_locked(int folder)
{
    int file = openat(folder, FILE_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0 || holder_of(file) != 0)
        return file;
    close(file);
    return -1;
}

/* The two lines: the connect string, and the processes. */
static bool read_file(int file, struct detached_ensemble *detached)
{
    char text[TEXT_SIZE], *rest = text;
    struct error ignored = {0};
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    char *connect = strsep(&rest, "\n");
    if (rest == NULL || connect_parse(connect, &detached->connect, &ignored) != ERROR_NONE ||
        detached->connect.count > ENSEMBLE_SERVERS_MAX)
        return false;
    for (size_t i = 0; i < detached->connect.count; i++)
        detached->pids[i] = (pid_t)strtol(rest, &rest, 10);
    return detached->pids[detached->connect.count - 1] > 0;
}

/* ------------------------------------------------------------------ the start */

enum error_kind detached_lock(int *folder, struct error *error)
{
    struct detached_ensemble detached;
    char path[FOLDER_SIZE], text[CONNECT_TEXT_SIZE] = "ensemble";
    if (mkdir(folder_path(path), 0700) != 0 && errno != EEXIST)
        return error_from_errno(error, errno, path, "to remember a private ensemble in");
    if (open_folder(path, folder, error))
        return error->kind;
    bool locked = flock(*folder, LOCK_EX | LOCK_NB) == 0;
    int file = open_locked(*folder);
    if (locked && file < 0)
        return ERROR_NONE;
    if (file >= 0 && read_file(file, &detached))
        connect_format(&detached.connect, false, text, sizeof text);
    if (file >= 0)
        close(file);
    close(*folder);
    return error_raise(error, ERROR_STANDS, 0, text, "%s",
                       locked ? "" : "it is just being started");
}

/* A file that a supervisor has left which was killed is written anew. */
enum error_kind detached_leave(int folder, struct ensemble *ensemble, struct error *error)
{
    char path[FOLDER_SIZE], file_path[PATH_MAX], text[CONNECT_TEXT_SIZE];
    int descriptor =
        openat(folder, FILE_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    snprintf(file_path, sizeof file_path, "%s/" FILE_NAME, folder_path(path));
    if (file != NULL)
        fprintf(file, "%s\n", connect_format(&ensemble->connect, false, text, sizeof text));
    for (size_t i = 0; file != NULL && i < ensemble->connect.count; i++)
        fprintf(file, "%d ", (int)ensemble->servers[i].pid);
    enum error_kind kind =
        file == NULL || fclose(file) != 0
            ? error_from_errno(error, errno, file_path, "while remembering the ensemble")
            : ensemble_detach(ensemble, file_path, error);
    if (kind != ERROR_NONE)
        unlinkat(folder, FILE_NAME, 0);
    return kind;
}

/* ------------------------------------------------------------------ an ensemble that runs */

/* Opens the file that a supervisor has locked; *file is the caller's to close. */
static enum error_kind find(int *file, char path[FOLDER_SIZE], struct error *error)
{
    int folder;
    if (open_folder(folder_path(path), &folder, error))
        return error->kind;
    *file = open_locked(folder);
    close(folder);
    return *file >= 0 ? ERROR_NONE : error_raise(error, ERROR_NO_ENSEMBLE, 0, "ensemble", "%s", "");
}

enum error_kind detached_find(struct detached_ensemble *detached, struct error *error)
{
    char path[FOLDER_SIZE];
    int file = -1;
    if (find(&file, path, error))
        return error->kind;
    bool is_read = read_file(file, detached);
    close(file);
    return is_read ? ERROR_NONE
                   : error_raise(error, ERROR_MALFORMED, 0, path, "in the file " FILE_NAME);
}

enum error_kind detached_stop(struct error *error)
{
    char path[FOLDER_SIZE];
    int file = -1;
    if (find(&file, path, error))
        return error->kind;
    enum error_kind kind = ERROR_NONE;
    pid_t pid = holder_of(file);
    struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    if (wait.fd < 0)
        kind = error_from_errno(error, errno, path, "while looking for its supervisor");
    else if (holder_of(file) != pid)
        kind = ERROR_NONE; /* it has ended, and the number may be a later process's */
    else if (syscall(SYS_pidfd_send_signal, wait.fd, SIGTERM, NULL, 0) != 0)
        kind = error_from_errno(error, errno, path, "while ending its supervisor");
    else if (poll(&wait, 1, END_MS) != 1)
        kind = error_raise(error, ERROR_SYSTEM, 0, path,
                           "its supervisor, process %d, has not ended within %d s", (int)pid,
                           END_MS / 1000);
    if (wait.fd >= 0)
        close(wait.fd);
    close(file);
    return kind;
}
