// SPDX-License-Identifier: Apache-2.0
/*
 * fault: what went wrong, as facts. Layer: base.
 *
 * The one list of errors of the project. A function that can fail returns its kind (FAULT_NONE,
 * zero, on success) and fills the caller's struct fault with the facts: the subject (a path, a
 * host, an option), the operating system's error number, and a detail that only the failing place
 * knows. The words for a person and the exit status are put together once, at the edge of the
 * program (bench/complain.h).
 *
 * Invariant: a struct fault is written when, and only when, the function returns anything but
 * FAULT_NONE.
 */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

/* Marks functions whose result must not be ignored. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* X(name, exit status, what happened, what to do about it) */
#define FAULT_LIST(X)                                                                              \
    X(NONE, 0, "success", "")                                                                      \
    X(USAGE, 2, "not understood", "see --help")                                                    \
    X(EXISTS, 2, "it exists already", "name a folder that does not exist yet, or remove it")       \
    X(NOT_A_RUN, 2, "it is no run", "name a folder that zkherd run has written")                   \
    X(MALFORMED, 2, "the file is malformed", "take it as zkherd wrote it")                         \
    X(OTHER_PLAN, 2, "its plan is another", "compare runs of one plan")                            \
    X(OTHER_ENSEMBLE, 2, "it is of another ensemble", "name the servers of one ensemble only")     \
    X(SYSTEM, 3, "the system refused", "")                                                         \
    X(NO_MEMORY, 3, "out of memory", "run fewer clients, or on a machine with more memory")        \
    X(NO_SPACE, 3, "no space left", "free some space, or write elsewhere")                         \
    X(UNREAD, 3, "nobody reads it", "")                                                            \
    X(NO_DESCRIPTORS, 3, "too few file descriptors",                                               \
      "raise the limit (ulimit -n), or run fewer clients")                                         \
    X(NO_JAVA, 3, "no Java found", "install default-jre-headless, or set JAVA_HOME")               \
    X(NO_ZOOKEEPER, 3, "no ZooKeeper server found",                                                \
      "install the package libzookeeper-java, or set ZOOKEEPER_HOME to an Apache release")         \
    X(NO_CLIENT_LIBRARY, 3, "the ZooKeeper client library cannot be loaded",                       \
      "install that package")                                                                      \
    X(SERVER_DIED, 3, "the server ended by itself", "its last log lines say why")                  \
    X(STANDS, 3, "a private ensemble is there already",                                            \
      "use that one, or end it first: zkherd ensemble stop")                                       \
    X(NO_ENSEMBLE, 3, "no private ensemble is running", "start one: zkherd ensemble start")        \
    X(PORT_TAKEN, 3, "the port is taken", "stop what listens there, or choose another port")       \
    X(UNRESOLVED, 3, "the host name is not known", "check the name")                               \
    X(REFUSED, 3, "the connection was refused",                                                    \
      "start a ZooKeeper server there, or check the host and the port")                            \
    X(NO_ANSWER, 3, "no answer in time", "check that a ZooKeeper server listens there")            \
    X(NOT_ZOOKEEPER, 3, "what answers there is not ZooKeeper", "check the host and the port")      \
    X(NOT_SERVING, 3, "the server is not serving requests",                                        \
      "wait until its ensemble has a quorum")                                                      \
    X(READ_ONLY, 3, "the server is read-only", "bring its ensemble back to a quorum")              \
    X(NOT_WHITELISTED, 3, "the server refuses the four-letter word",                               \
      "add it to 4lw.commands.whitelist")                                                          \
    X(NO_LOCK, 2, "it is no lock", "name the folder of a queue, or the znode that is the lock")    \
    X(NO_CHROOT, 3, "the chroot does not exist", "create it first, or leave it out")               \
    X(DENIED, 3, "permission denied", "use an account or a path that has the permission")          \
    X(SESSION_LOST, 4, "a session was lost",                                                       \
      "run fewer clients, or give a longer --session-timeout")                                     \
    X(WORKER_DIED, 4, "a worker process ended by itself", "look for the kernel's reason in dmesg") \
    X(WORKER_HANGS, 4, "a worker process hangs", "look for what stops it, and run again")          \
    X(INTERRUPTED, 4, "interrupted", "")                                                           \
    X(ZOOKEEPER, 3, "ZooKeeper answered with an error", "")

enum fault_kind {
#define X(name, status, words, advice) FAULT_##name,
    FAULT_LIST(X)
#undef X
};

struct fault {
    enum fault_kind kind;
    int os_error;      /* errno, or 0 where the operating system has no say */
    char subject[256]; /* on what: a path, host:port, an option with its value */
    char detail[512];  /* what only the failing place knows; may be empty */
};

/*
 * Fills *fault and returns kind. The subject and the detail (a printf format) are cut to fit.
 * os_error is an errno value or 0.
 */
enum fault_kind fault_raise(struct fault *fault, enum fault_kind kind, int os_error,
                            const char *subject, const char *detail, ...)
    __attribute__((format(printf, 5, 6)));

/*
 * Fills *fault from errno: ENOSPC, EDQUOT and EFBIG become FAULT_NO_SPACE, EACCES, EPERM and EROFS
 * FAULT_DENIED, ENOMEM FAULT_NO_MEMORY, EMFILE and ENFILE FAULT_NO_DESCRIPTORS, EEXIST
 * FAULT_EXISTS, everything else FAULT_SYSTEM. Returns the kind, never FAULT_NONE.
 */
enum fault_kind fault_from_errno(struct fault *fault, int os_error, const char *subject,
                                 const char *detail, ...) __attribute__((format(printf, 4, 5)));

/* What happened, and what to do about it ("" where nothing general can be said). Static strings. */
const char *fault_words(enum fault_kind kind);
const char *fault_advice(enum fault_kind kind);

/* The exit status of the program for a fault of this kind: 2, 3 or 4, and 0 for FAULT_NONE. */
int fault_exit_status(enum fault_kind kind);

#endif
