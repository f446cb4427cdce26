// SPDX-License-Identifier: Apache-2.0
/*
 * error: what went wrong, as facts. Layer: base.
 *
 * All errors of the project are in one list. A function that can fail returns an error's kind
 * (ERROR_NONE, zero, on success) and fills the caller's struct error with the facts: the subject (a
 * path, a host, an option), errno, and a detail. Only bench/cli/complain.h makes a sentence and an
 * exit status of them.
 *
 * Invariant: a struct error is written when, and only when, the function returns anything but
 * ERROR_NONE.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

/* Marks functions whose result must not be ignored. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* X(name, exit status, what happened, what to do about it) */
#define ERROR_LIST(X)                                                                              \
    X(NONE, 0, "success", "")                                                                      \
    X(USAGE, 2, "invalid", "see zkherd --help")                                                    \
    X(EXISTS, 2, "already exists", "choose a name that is not in use")                             \
    X(NOT_EMPTY, 2, "the folder is not empty",                                                     \
      "name an empty folder, or one that does not exist yet")                                      \
    X(NOT_A_RUN, 2, "not the folder of a run", "name a folder that zkherd run wrote")              \
    X(NO_JOURNAL, 2, "no transaction log of ZooKeeper",                                            \
      "name a server's dataDir or dataLogDir, or the folder version-2 in it")                      \
    X(NOT_DRAWN, 3, "the plots cannot be drawn", "")                                               \
    X(MALFORMED, 2, "malformed file", "use the file as zkherd wrote it")                           \
    X(NOT_A_CAPTURE, 2, "not a capture that can be read", "name a file that tcpdump -w wrote")     \
    X(OTHER_PLAN, 2, "the plans of the runs differ", "compare runs of the same plan")              \
    X(OTHER_ENSEMBLE, 2, "not a server of the same ensemble",                                      \
      "name the servers of one ensemble only")                                                     \
    X(SYSTEM, 3, "system error", "")                                                               \
    X(NO_MEMORY, 3, "out of memory", "run fewer clients, or use a machine with more memory")       \
    X(NO_SPACE, 3, "no space left", "free some space, or write elsewhere")                         \
    X(UNREAD, 3, "the reader has closed the pipe", "")                                             \
    X(NO_OUTPUT, 3, "cannot be written to", "redirect it to a file, or to /dev/null")              \
    X(NO_DESCRIPTORS, 3, "too few file descriptors",                                               \
      "raise the limit (ulimit -n), or run fewer clients")                                         \
    X(NO_JAVA, 3, "no Java found", "install default-jre-headless, or set JAVA_HOME")               \
    X(NO_ZOOKEEPER, 3, "no ZooKeeper server found",                                                \
      "install the package libzookeeper-java, or set ZOOKEEPER_HOME to an Apache release")         \
    X(NO_CLIENT_LIBRARY, 3, "the ZooKeeper client library cannot be loaded",                       \
      "install that package")                                                                      \
    X(NOT_A_RECIPE, 2, "not a recipe that can be run", "docs/recipes.md shows one")                \
    X(NO_COMPILER, 3, "no C compiler found", "install the package gcc, or set CC")                 \
    X(NO_HEADERS, 3, "the headers that a recipe is compiled with are not installed",               \
      "install zkherd whole (make install), or run build/zkherd in its sources")                   \
    X(NO_CPU_SHARE, 3, "the CPU of a server cannot be limited",                                    \
      "run as root, or in a cgroup in which this user may create others, or leave out "            \
      "--server-cpus")                                                                             \
    X(SERVER_DIED, 3, "the server exited unexpectedly",                                            \
      "if it lacked memory, give a larger --heap; if it never served, see whether its release "    \
      "runs with this Java (JAVA_HOME)")                                                           \
    X(STANDS, 3, "a private ensemble is already running",                                          \
      "use that one, or end it first: zkherd ensemble stop")                                       \
    X(NO_ENSEMBLE, 3, "no private ensemble is running", "start one: zkherd ensemble start")        \
    X(PORT_TAKEN, 3, "the port is in use", "stop what listens there, or choose another port")      \
    X(UNRESOLVED, 3, "unknown host name", "check the name")                                        \
    X(REFUSED, 3, "the connection was refused",                                                    \
      "start a ZooKeeper server there, or check the host and the port")                            \
    X(NO_ANSWER, 3, "no answer in time", "check that a ZooKeeper server listens there")            \
    X(NOT_ZOOKEEPER, 3, "what answers there is not ZooKeeper", "check the host and the port")      \
    X(CLOSED, 3, "the server closed the connection at once",                                       \
      "raise its maxClientCnxns (0: no limit), or check that the port is not for TLS")             \
    X(CONNECTION_LIMIT, 3, "too few connections from this host are allowed",                       \
      "set maxClientCnxns=0 in zoo.cfg and restart the server, or name more servers of its "       \
      "ensemble")                                                                                  \
    X(NOT_SERVING, 3, "the server is not serving requests",                                        \
      "wait until its ensemble has a quorum")                                                      \
    X(READ_ONLY, 3, "the server is read-only", "bring its ensemble back to a quorum")              \
    X(NOT_WHITELISTED, 3, "the server refuses the four-letter word",                               \
      "add it to 4lw.commands.whitelist")                                                          \
    X(NO_LOCK, 2, "not a lock", "name the folder of a queue, or the znode that is the lock")       \
    X(NO_CHROOT, 3, "the chroot does not exist", "create it first, or leave it out")               \
    X(DENIED, 3, "permission denied", "use an account or a path that has the permission")          \
    X(FORBIDDEN, 3, "the ACL of the znode forbids it",                                             \
      "give credentials that the ACL admits (--auth FILE), or choose a place that admits "         \
      "world:anyone")                                                                              \
    X(NO_TLS, 3, "zkherd opens no connection with TLS",                                            \
      "connect through a tunnel, such as stunnel: docs/operators.md says how")                     \
    X(NOT_CREDENTIALS, 2, "not credentials that can be used",                                      \
      "write one line, name:password, to a file that only you may read (chmod 600)")               \
    X(REFUSED_IDENTITY, 3, "the servers do not take a session with such credentials, or without",  \
      "give those of a user of this ensemble: --auth FILE")                                        \
    X(LEFT_BEHIND, 3, "znodes of this run remain", "")                                             \
    X(SESSION_LOST, 4, "a session was lost",                                                       \
      "run fewer clients, or give a longer --session-timeout")                                     \
    X(WORKER_DIED, 4, "a worker process exited unexpectedly",                                      \
      "look for the kernel's reason in dmesg")                                                     \
    X(WORKER_ABORTED, 4, "a worker process aborted",                                               \
      "an assertion failed, for example the client library's when it gets no memory or no "        \
      "thread: run fewer clients, use --driver events, or raise ulimit -u and -v")                 \
    X(WORKER_HANGS, 4, "a worker process hangs", "find out what stops it, and run again")          \
    X(NOT_VALID, 4, "the measurement is not valid", "")                                            \
    X(NOT_MET, 3, "the hosts have not met",                                                        \
      "start the same command on as many hosts as --hosts says")                                   \
    X(APART, 4, "the hosts are no longer together", "")                                            \
    X(INTERRUPTED, 4, "interrupted", "")                                                           \
    X(ZOOKEEPER, 3, "ZooKeeper answered with an error", "")

enum error_kind {
#define X(name, status, words, advice) ERROR_##name,
    ERROR_LIST(X)
#undef X
};

struct error {
    enum error_kind kind;
    int os_error;      /* errno; 0: not an error of the operating system */
    char subject[256]; /* a path, host:port, an option with its value */
    char detail[512];  /* what was attempted, or why it failed; may be empty */
};

/* Fills *error and returns its kind. The subject and the detail (a printf format) are cut to fit.
 */
enum error_kind error_raise(struct error *error, enum error_kind kind, int os_error,
                            const char *subject, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));

/* Calls a function that may set *error, unless that is set: of several calls in a row the first
 * error stays. One that succeeds may have written to it all the same. */
#define ERROR_FIRST(error, call)                                                                   \
    do {                                                                                           \
        if ((error)->kind == ERROR_NONE && (call) == ERROR_NONE)                                   \
            (error)->kind = ERROR_NONE;                                                            \
    } while (0)

/* Raises the kind that the errno has, ERROR_NO_SPACE of ENOSPC, or else ERROR_SYSTEM:
 * error_from_errno(error, errno, subject, detail, ...). */
#define error_from_errno(error, os_error, ...)                                                     \
    error_raise(error, ERROR_SYSTEM, os_error, __VA_ARGS__)

/* By kind: the exit status of the program, what happened, and what to do about it ("" if that
 * depends on the case). */
extern const struct error_row {
    int exit_status;
    const char *words, *advice;
} error_rows[];
#define error_exit_status(kind) (error_rows[kind].exit_status)
#define error_words(kind)       (error_rows[kind].words)
#define error_advice(kind)      (error_rows[kind].advice)

#endif
