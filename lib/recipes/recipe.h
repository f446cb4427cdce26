// SPDX-License-Identifier: Apache-2.0
/*
 * recipe: what a lock recipe is, and the macros that it is written with. Layer: recipes.
 *
 * A recipe is two stackless coroutines, acquire and release, written step for step as the paper
 * writes them, and a law: the cost of each step. A third coroutine, work, is optional and runs
 * under the lock. The owner of the session resumes a coroutine when a reply or a notification
 * arrives. A recipe knows no driver, no file and no clock.
 *
 * Invariant: a recipe keeps its state in its struct contender; local variables do not survive an
 * AWAIT.
 *
 * docs/recipes.md goes from the code of a lock to a recipe.
 */
#ifndef RECIPES_RECIPE_H
#define RECIPES_RECIPE_H

#include "base/error.h"
#include "base/sha256.h"
#include "client/client.h"
#include "measure/tally.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest path of a znode that a recipe handles, with its terminator. */
#define RECIPE_PATH_MAX 160

#define EVENT_ANY ((enum client_event)0) /* for AWAIT_ANY_WATCH: stands for every event */

/* Why a coroutine has stopped. */
enum recipe_step {
    STEP_REPLY,  /* a request is outstanding: resume on its reply */
    STEP_WATCH,  /* waits for an armed watch: resume when it fires */
    STEP_TURN,   /* waits for no event: resume at once; under lockstep with all who wait so */
    STEP_PAUSE,  /* resume after pause_ns */
    STEP_DONE,   /* acquire: the lock is held; work: done; release: the lock is released */
    STEP_FAILED, /* an answer after which the recipe cannot continue */
    STEP_CRASHED /* the session must end without a message to the servers */
};

#define CONTENDER_GUID_SIZE 37 /* a GUID as text, with its terminator */

/* A session that contends for a lock. All members but resume_at keep their values from one acquire
 * to the next; those that nothing else sets are for a recipe's own use. */
struct contender {
    struct client *client;
    const char *lock;      /* path of the znode whose children the lock uses */
    uint32_t number;       /* index among the clients of its lock, from 0 */
    uint32_t clients;      /* number of clients of the lock */
    const char *file;      /* of the coroutine */
    int resume_at;         /* line at which it continues, or has ended; 0: its beginning */
    enum zk_status status; /* status of the last reply */
    const struct client_reply *reply; /* the last reply; valid in the step that it resumed */
    enum client_event awaited;        /* waiting: the event that the recipe waits for */
    char watched[RECIPE_PATH_MAX];    /* waiting: path of the znode of that event */
    enum client_event happened;       /* woken: the event that came; may differ from awaited */
    uint64_t pause_ns;                /* length of the recipe's pause */
    char node[RECIPE_PATH_MAX];       /* path of this session's znode in the lock */
    int32_t sequence;                 /* queue: sequence number of that znode */
    int32_t predecessor;              /* queue: sequence number before its own, as last seen */
    int32_t first;                    /* queue: lowest sequence number when last looked for */
    int32_t version;                  /* version of the data that was read last */
    int64_t value;                    /* number in the data that was read last */
    char prefix[64];                  /* prefix of this session's znode names, if it has its own */
    char guid[CONTENDER_GUID_SIZE];   /* unique to this session */
    bool has_place;                   /* the session is in the queue, and `node` is known */
    bool has_folder;                  /* the lock's folder is known to exist */
    uint32_t attempts;                /* failed attempts of the present operation */
    uint32_t holds;                   /* re-entrant lock: acquires minus releases */
    bool doomed;                      /* work: the session must crash in the middle */
    uint32_t repairs;                 /* work: times that half-written data were repaired */
    uint32_t tasks_done;              /* work: tasks that were completed */
};

/* The state of a lock, at rest, before one more client arrives, or a holder releases. */
struct law_view {
    bool held;
    uint64_t holders; /* more than one only if they share the lock */
    uint64_t waiters;
    uint64_t arrivals_since_grant; /* clients that arrived since the last grant */
    uint64_t releases;             /* so far */
    uint64_t releases_since_grant; /* releases since the last grant */
    uint64_t next_found;           /* release: length of the queue when the next waiter arrived */
    bool shares;                   /* whether the client that arrives or releases may share */
    uint64_t sharing;              /* other clients in the queue that may share */
    uint64_t granted;              /* clients to which the step grants the lock */
    uint64_t granted_sharing;      /* of `granted`, the clients that may share */
    enum tally_kind look;          /* the request with which a client watches: recipe_look */
};

/* The cost of a recipe under lockstep: the messages of all sessions that one arrival or one release
 * causes. *cost is zeroed before the call. Totals are sums of these (law.h). A recipe without a law
 * has NULL for both functions (recipe_has_law). */
struct recipe_law {
    void (*arrival)(const struct law_view *view, struct tally *cost);
    void (*release)(const struct law_view *view, struct tally *cost);
    const char *rpcs;          /* total of a drain of n clients, for people: "n^2 + n" */
    const char *notifications; /* the same for notifications */
};

/* The injected failure of one session of lock 0, by a plan, or by a recipe in all its trials. */
enum death_how {
    DEATH_NONE,
    DEATH_EXIT,      /* the session is closed: its ephemeral znodes are deleted at once */
    DEATH_CRASH,     /* the connection is cut: the servers expire the session at its timeout */
    DEATH_LOST_REPLY /* the reply to a CREATE is lost, and the session continues */
};

enum death_who {
    DEATH_HOLDER, /* lost reply: the first client that arrives */
    DEATH_WAITER, /* the waiter in the middle, of two the first; lost reply: the middle arrival */
    DEATH_WORKER, /* crash: the next client granted (handoff 0: the first), in its work */
};

struct death {
    enum death_how how;
    enum death_who who;
    /* After this many releases; 0: after all arrivals, before the first release. */
    uint64_t handoff;
};

/* A recipe's texts for people. */
struct recipe_about {
    const char *description; /* sentences */
    const char *pseudo_code; /* lines of at most 78 characters, the last without its end */
    const char *source;      /* where it is described */
    const char *shipped_by;  /* libraries that contain it; NULL: none */
};

/* A znode in the lock's folder that outlives the clients' sessions. */
struct recipe_znode {
    const char *name;  /* NULL: end of the list */
    const char *value; /* its value before the first arrival; NULL: a client creates the znode */
};

/* The file that a recipe of its own file was read from. */
struct recipe_file {
    const char *path; /* as it was named */
    char sha256[SHA256_TEXT_SIZE];
};

struct recipe {
    const char *name;
    const char *summary; /* one line */
    struct recipe_about about;
    bool fifo; /* grants in the order of the sequence numbers; clients that share may overtake */
    /* Whether the client with this number may hold beside other such clients. NULL: none may. Under
     * lockstep, clients that share release in the order of their arrival. */
    bool (*shares)(uint32_t number);
    /* Most clients that share and hold at once, as the leases of a semaphore; 0: any number. */
    uint32_t leases;
    /* No client is granted before all have arrived; no release ends before all have begun. A
     * barrier is passed once, and all its clients share. */
    bool barrier;
    bool recovers;                       /* receives ZK_CONNECTION_LOSS, and continues */
    uint32_t nesting;                    /* nested acquires and releases per grant; 0: one */
    const struct recipe_znode *laid_out; /* NULL: none */
    const char *counter_znode; /* its number must equal the grants at the end; NULL: none */
    bool every_lock;           /* drain: each client holds every lock once, in turn */
    /* The smallest number of clients of a lock with which the checker must report a violation under
     * lockstep; 0: the recipe is correct. */
    uint32_t broken;
    /* The death of all its trials. None where clients share, because they would wait for it. */
    struct death death;
    enum recipe_step (*acquire)(struct contender *s);
    enum recipe_step (*release)(struct contender *s);
    enum recipe_step (*work)(struct contender *s); /* after each grant; uses no watch; or NULL */
    bool watches_data;     /* a client watches the one before it with getData; else with exists */
    struct recipe_law law; /* the cost of work is part of the step that grants */
    uint32_t law_texts_every; /* the law's texts hold for the multiples of this; 0: for every n */
    /* The cost of a turn, for a recipe with AWAIT_TURN: no client holds, all waiters continue
     * together, and one is granted. Else NULL. */
    void (*turn_law)(const struct law_view *view, struct tally *cost);
    /* The cost of each step in words, lines of at most 78 characters, where it is not a sum of
     * terms in the number of waiters, in next_found, and of a constant each for no arrival since
     * the grant and for a lock that was released before. NULL: formulas are printed. */
    const char *law_in_words;
    const struct recipe_file *file; /* set by own_load (own.h); NULL: one of zkherd's recipes */
};

/* What a recipe is compiled with. A program whose own is different loads no such recipe (own.h).
 * The number rises when anything of the headers that a recipe uses gets another meaning. */
#define RECIPE_INTERFACE 3
struct recipe_interface {
    uint32_t number, recipe_bytes, contender_bytes, view_bytes, reply_bytes, request_bytes, kinds;
};
#define RECIPE_INTERFACE_HERE                                                                      \
    {                                                                                              \
        RECIPE_INTERFACE, sizeof(struct recipe), sizeof(struct contender),                         \
            sizeof(struct law_view), sizeof(struct client_reply), sizeof(struct request),          \
            TALLY_KINDS                                                                            \
    }

/* What is looked for in the shared library of a recipe's own file. */
struct recipe_export {
    struct recipe_interface interface;
    const struct recipe *recipe;
};

/* Defines recipe_NAME: RECIPE(mylock) = {.name = "mylock", …}; once in a file. As part of zkherd
 * the recipe is found by the registry instead. */
#define RECIPE(name)                                                                               \
    extern const struct recipe recipe_##name;                                                      \
    extern const struct recipe_export recipe_exported;                                             \
    __attribute__((weak))                                                                          \
    const struct recipe_export recipe_exported = {RECIPE_INTERFACE_HERE, &recipe_##name};          \
    const struct recipe recipe_##name

/* `shares` of a recipe whose clients all share. */
bool recipe_all_share(uint32_t number);

static inline bool recipe_shares(const struct recipe *recipe, uint32_t number)
{
    return recipe->shares != NULL && recipe->shares(number);
}

/* A recipe whose steps never complete, such as one that polls, has no law and no lockstep. */
static inline bool recipe_has_law(const struct recipe *recipe)
{
    return recipe->law.arrival != NULL;
}

/* The request with which a client watches the one before it: TALLY_GET or TALLY_EXISTS. */
static inline enum tally_kind recipe_look(const struct recipe *recipe)
{
    return recipe->watches_data ? TALLY_GET : TALLY_EXISTS;
}

/* ------------------------------------------------------------------ the macros of a recipe */

#define ACQUIRE(name) static enum recipe_step name##_acquire(struct contender *s)
#define WORK(name)    static enum recipe_step name##_work(struct contender *s)
#define RELEASE(name) static enum recipe_step name##_release(struct contender *s)

/* The coroutine is a switch over the line on which it stopped, as in protothreads and PuTTY. So a
 * line has one AWAIT at most, and a switch of the recipe none. What stands before BEGIN runs at
 * every resumption. A recipe that reaches END has failed. */
#define BEGIN                                                                                      \
    s->file = __FILE__;                                                                            \
    switch (s->resume_at) {                                                                        \
    case 0:

#define END                                                                                        \
    }                                                                                              \
    return STEP_FAILED

#define AWAIT_STEP(step)                                                                           \
    do {                                                                                           \
        return (void)(s->resume_at = __LINE__), step;                                              \
    case __LINE__:;                                                                                \
    } while (0)

/* Sends a request; continues on its reply, with s->status and s->reply. */
#define AWAIT(operation) AWAIT_STEP((operation).step)

/* Waits until this event happens to this znode; the request just answered has armed the watch.
 * Another event of the znode also consumes the watch and ends the wait, so a recipe must look
 * again, or read s->happened. */
#define AWAIT_WATCH(event, path) AWAIT_STEP((contender_park(s, event, path), STEP_WATCH))

/* Waits until any watch of the session fires. A later notification finds the session awake and has
 * no effect. path: the znode that the recipe waits for. */
#define AWAIT_ANY_WATCH(path) AWAIT_WATCH(EVENT_ANY, path)

/* Continues at once; under lockstep together with all waiters, when each has reached a turn. */
#define AWAIT_TURN AWAIT_STEP(STEP_TURN)

/* Continues after this time. Under lockstep a recipe may pause only after a lost connection. */
#define AWAIT_PAUSE(nanoseconds) AWAIT_STEP(((void)(s->pause_ns = nanoseconds), STEP_PAUSE))

/* The ends of an acquire, of the work, of a release, of the trial, of the session. */
#define GRANTED  return (void)(s->resume_at = __LINE__), STEP_DONE
#define WORKED   GRANTED
#define RELEASED GRANTED
#define FAILED   return STEP_FAILED
#define CRASHED  return STEP_CRASHED

/* ------------------------------------------------------------------ its operations */

/* Each is the operation of one AWAIT, and copies what its arguments point to. AWAIT alone takes the
 * value, and a value that is not used is an error of the compiler: so no AWAIT is forgotten. */
struct recipe_sent {
    enum recipe_step step; /* STEP_REPLY */
};

#define OPERATION MUST_CHECK struct recipe_sent

static inline OPERATION recipe_submit(struct contender *s, struct request request)
{
    client_submit(s->client, &request, 0);
    return (struct recipe_sent){STEP_REPLY};
}

static inline OPERATION create_with_data(struct contender *s, const char *path, const void *value,
                                         size_t length, enum create_mode mode)
{
    return recipe_submit(s, request_create(path, value, length, mode));
}

static inline OPERATION create(struct contender *s, const char *path, enum create_mode mode)
{
    return create_with_data(s, path, NULL, 0, mode);
}

/* WATCH is set for the end or change of a znode that exists, or else for its creation. */
static inline OPERATION exists(struct contender *s, const char *path, enum watch_flag watch)
{
    return recipe_submit(s, request_read(OP_EXISTS, path, watch));
}

/* WATCH is set only if the znode exists. */
static inline OPERATION get_data(struct contender *s, const char *path, enum watch_flag watch)
{
    return recipe_submit(s, request_read(OP_GET, path, watch));
}

/* WATCH is set for the znode's children, if it exists. */
static inline OPERATION get_children(struct contender *s, const char *path, enum watch_flag watch)
{
    return recipe_submit(s, request_read(OP_GET_CHILDREN, path, watch));
}

/* version: the version that the data must have, or REQUEST_ANY_VERSION. */
static inline OPERATION set_data(struct contender *s, const char *path, const void *value,
                                 size_t length, int32_t version)
{
    return recipe_submit(s, request_set(path, value, length, version));
}

/* Whatever the version. */
static inline OPERATION delete_znode(struct contender *s, const char *path)
{
    return recipe_submit(s, request_delete(path));
}

/* Answered when the session's server has carried out all that was committed before. The path may be
 * that of any znode, also of one that does not exist. */
static inline OPERATION sync_server(struct contender *s, const char *path)
{
    return recipe_submit(s, request_read(OP_SYNC, path, NO_WATCH));
}

/* One transaction of several requests (wire.h): multi(s, request_set(turn, value, length,
 * REQUEST_ANY_VERSION), request_delete(s->node)). */
#define multi(s, ...)                                                                              \
    recipe_submit((s), request_multi((const struct request[]){__VA_ARGS__},                        \
                                     sizeof((const struct request[]){__VA_ARGS__}) /               \
                                         sizeof(struct request)))

/* exists or get_data, for recipes that exist with either. */
typedef struct recipe_sent look_function(struct contender *s, const char *path,
                                         enum watch_flag watch) MUST_CHECK;

/* The release of every lock whose holder has a znode of its own: 1 delete(n). */
enum recipe_step contender_delete_own(struct contender *s);

/* Sets s->guid from 122 of these 128 random bits. */
void contender_set_guid(struct contender *s, uint64_t high, uint64_t low);

/* Writes lock/child to path (RECIPE_PATH_MAX bytes). Returns path. */
const char *contender_child(const struct contender *s, const char *child, char *path);

/* The same path for the current operation, which copies it. */
#define CHILD(child) contender_child(s, child, (char[RECIPE_PATH_MAX]){0})

/* Sets what the session waits for. */
void contender_park(struct contender *s, enum client_event event, const char *path);

/* Whether this notification ends the wait of the session; if so, s->happened is set. Every event of
 * the watched znode does, except a change of its children, which another watch reports. After a
 * lost connection the event may differ from what happened first: a znode that was deleted and
 * created again is reported as changed. */
bool contender_wakes(struct contender *s, enum client_event event, const char *path);

#endif
