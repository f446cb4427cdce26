// SPDX-License-Identifier: Apache-2.0
#include "servers/detached.h"

#include "base/clock.h"
#include "base/text.h"
#include "servers/internal.h"
#include "servers/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILE_NAME "ensemble"
#define TEXT_SIZE (CONNECT_TEXT_SIZE + PATH_MAX + 256)
/* With room for the file's name behind it. */
#define FOLDER_SIZE (PATH_MAX - sizeof "/" FILE_NAME)
/* Another program that looks for the ensemble holds the lock for a moment. */
#define LOCK_TRIES    5
#define LOCK_PAUSE_NS (20 * NS_PER_MS)

/* Makes the folder first if `make`; else a missing folder is ERROR_NO_ENSEMBLE. *folder is the
 * caller's to close. */
static enum error_kind open_folder(bool make, char path[FOLDER_SIZE], int *folder,
                                   struct error *error)
{
    const char *run_time = getenv("XDG_RUNTIME_DIR");
    struct stat status;
    if (run_time != NULL && run_time[0] == '/')
        snprintf(path, FOLDER_SIZE, "%s/zkherd", run_time);
    else
        snprintf(path, FOLDER_SIZE, "/tmp/zkherd-%u", (unsigned)geteuid());
    bool failed = make && mkdir(path, 0700) != 0 && errno != EEXIST;
    int opened = failed ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 && errno == ENOENT && !make)
        return error_raise(error, ERROR_NO_ENSEMBLE, 0, "ensemble", "%s", "");
    if (opened < 0 || fstat(opened, &status) != 0)
        return error_from_errno(error, errno, path, "to remember a private ensemble in");
    *folder = opened;
    if (status.st_uid == geteuid() && (status.st_mode & 077) == 0)
        return ERROR_NONE;
    close(opened); /* in /tmp any user may have made it */
    return error_raise(error, ERROR_DENIED, 0, path,
                       "it must belong to this user, with mode 700, but belongs to user %u, with "
                       "mode %o",
                       (unsigned)status.st_uid, (unsigned)status.st_mode & 0777);
}

/* The lock ends with the program, or when the folder is closed. */
static bool lock_folder(int folder)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(folder, LOCK_EX | LOCK_NB) == 0)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
    }
    return false;
}

static int open_file(int folder)
{
    return openat(folder, FILE_NAME, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

/* The three lines: the connect string, the processes, the folder. */
static void write_file(FILE *file, const struct ensemble *ensemble)
{
    char text[CONNECT_TEXT_SIZE];
    fprintf(file, "%s\n", connect_format(&ensemble->connect, false, text, sizeof text));
    for (size_t i = 0; i < ensemble->connect.count; i++)
        fprintf(file, "%s%d", i > 0 ? " " : "", (int)ensemble->servers[i].pid);
    fprintf(file, "\n%s\n", ensemble->folder);
}

static bool read_file(int file, struct detached_ensemble *detached)
{
    char text[TEXT_SIZE], *rest = text;
    struct error ignored = {0};
    size_t count = 0;
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    char *connect = strsep(&rest, "\n"), *pids = strsep(&rest, "\n"), *folder = strsep(&rest, "\n");
    if (rest == NULL || folder[0] == '\0' ||
        connect_parse(connect, &detached->connect, &ignored) != ERROR_NONE)
        return false;
    snprintf(detached->folder, sizeof detached->folder, "%s", folder);
    for (char *word; (word = strsep(&pids, " ")) != NULL; count++) {
        if (count == ENSEMBLE_SERVERS_MAX)
            return false;
        detached->pids[count] = (pid_t)atoi(word);
    }
    return count == detached->connect.count;
}

/* After the death of a supervisor by SIGKILL. The folder is locked. */
static void clear_leftovers(int folder, int file)
{
    struct detached_ensemble left;
    if (read_file(file, &left))
        supervisor_remove_leftovers(left.folder);
    unlinkat(folder, FILE_NAME, 0);
}

/* Names the ensemble that stands, or clears away what a dead one has left. */
static enum error_kind check_place(int folder, struct error *error)
{
    struct detached_ensemble detached;
    char text[CONNECT_TEXT_SIZE] = "ensemble";
    int file = open_file(folder);
    enum error_kind kind = ERROR_NONE;
    if (file < 0)
        return errno == ENOENT ? ERROR_NONE : error_from_errno(error, errno, FILE_NAME, "%s", "");
    if (supervisor_holder(file) == 0) {
        clear_leftovers(folder, file);
    } else {
        if (read_file(file, &detached))
            connect_format(&detached.connect, false, text, sizeof text);
        kind = error_raise(error, ERROR_STANDS, 0, text, "%s", "");
    }
    close(file);
    return kind;
}

enum error_kind detached_lock(struct detached_lock *lock, struct error *error)
{
    char path[FOLDER_SIZE];
    enum error_kind kind = open_folder(true, path, &lock->folder, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = lock_folder(lock->folder)
               ? check_place(lock->folder, error)
               : error_raise(error, ERROR_STANDS, 0, "ensemble", "it is just being started");
    if (kind != ERROR_NONE)
        detached_release(lock);
    snprintf(lock->path, sizeof lock->path, "%s/" FILE_NAME, path);
    return kind;
}

void detached_release(struct detached_lock *lock)
{
    close(lock->folder);
}

enum error_kind detached_leave(const struct detached_lock *lock, struct ensemble *ensemble,
                               struct error *error)
{
    int descriptor =
        openat(lock->folder, FILE_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file != NULL)
        write_file(file, ensemble);
    if (file == NULL || fclose(file) != 0) {
        enum error_kind kind =
            error_from_errno(error, errno, lock->path, "while remembering the ensemble");
        if (file != NULL)
            unlinkat(lock->folder, FILE_NAME, 0);
        return kind;
    }
    enum error_kind kind = ensemble_detach(ensemble, lock->path, error);
    if (kind != ERROR_NONE)
        unlinkat(lock->folder, FILE_NAME, 0);
    return kind;
}

/* Opens the file that a supervisor has locked; *file is the caller's to close. */
static enum error_kind find(int *file, char path[FOLDER_SIZE], struct error *error)
{
    const char *why = "";
    int folder = -1;
    enum error_kind kind = open_folder(false, path, &folder, error);
    if (kind != ERROR_NONE)
        return kind;
    *file = open_file(folder);
    if (*file < 0 && errno != ENOENT) {
        kind = error_from_errno(error, errno, FILE_NAME, "%s", "");
    } else if (*file < 0 || supervisor_holder(*file) == 0) {
        if (!lock_folder(folder) || (*file >= 0 && supervisor_holder(*file) != 0)) {
            why = "one is being started";
        } else if (*file >= 0) {
            clear_leftovers(folder, *file);
            why = "that which was started has been killed, and what it left is cleared away";
        }
        kind = error_raise(error, ERROR_NO_ENSEMBLE, 0, "ensemble", "%s", why);
        if (*file >= 0)
            close(*file);
    }
    close(folder);
    return kind;
}

enum error_kind detached_find(struct detached_ensemble *detached, struct error *error)
{
    char path[FOLDER_SIZE];
    int file = -1;
    enum error_kind kind = find(&file, path, error);
    if (kind != ERROR_NONE)
        return kind;
    if (!read_file(file, detached))
        kind = error_raise(error, ERROR_MALFORMED, 0, path, "in the file " FILE_NAME);
    close(file);
    return kind;
}

enum error_kind detached_stop(struct error *error)
{
    char path[FOLDER_SIZE];
    int file = -1;
    enum error_kind kind = find(&file, path, error);
    if (kind != ERROR_NONE)
        return kind;
    kind = supervisor_end_detached(file, path, error);
    close(file);
    return kind;
}

int detached_index_of(const struct detached_ensemble *detached, const struct endpoint *endpoint)
{
    char text[ENDPOINT_TEXT_SIZE], its[ENDPOINT_TEXT_SIZE];
    endpoint_address(endpoint, text, sizeof text);
    for (size_t i = 0; i < detached->connect.count; i++) {
        if (strcmp(text, endpoint_address(&detached->connect.endpoints[i], its, sizeof its)) == 0)
            return (int)i;
    }
    return -1;
}

void detached_look_at(const struct detached_ensemble *detached, unsigned index,
                      struct server_start *start)
{
    char path[PATH_MAX + 64], *words = start->command_line;
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)detached->pids[index]);
    FILE *file = fopen(path, "re");
    size_t length = file == NULL ? 0 : fread(words, 1, sizeof start->command_line - 1, file);
    words[length] = '\0';
    for (size_t i = 0; i + 1 < length; i++)
        words[i] = words[i] == '\0' ? ' ' : words[i];
    if (file != NULL)
        fclose(file);
    snprintf(path, sizeof path, "%s/server.%u/zoo.cfg", detached->folder, index + 1);
    text_read(path, start->settings, sizeof start->settings);
    snprintf(path, sizeof path, "%s/server.%u/server.log", detached->folder, index + 1);
    server_log_find_java_version(path, start->java_version, sizeof start->java_version);
    start->home[0] = '\0';
}
