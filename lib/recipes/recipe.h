// SPDX-License-Identifier: Apache-2.0
/*
 * recipe: what a lock recipe is, and the words that it is written in. Layer: recipes.
 *
 * A recipe is two stackless coroutines, acquire and release, written step for step as the paper
 * writes them, and beside them its law: what each step costs. A third, work, is what is done under
 * the lock, if that is of interest. It runs on any client: whoever owns the session resumes it when
 * a reply or a notification has come. It knows no driver, no file and no clock.
 *
 * To add a recipe: one file that defines `const struct recipe recipe_NAME`, and one line in
 * registry.h.
 *
 * Invariant: between two steps everything that a recipe remembers is in its struct contender; local
 * variables do not survive an AWAIT.
 */
#ifndef RECIPES_RECIPE_H
#define RECIPES_RECIPE_H

#include "client/client.h"
#include "measure/tally.h"
#include "recipes/death.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest path of a znode that a recipe handles, with its terminator. */
#define RECIPE_PATH_MAX 160

/* For AWAIT_ANY_WATCH: no event of its own. */
#define EVENT_ANY ((enum client_event)0)

/* What a step of a recipe has come to. */
enum recipe_step {
    STEP_REPLY,  /* a request is out: resume when its reply has come */
    STEP_WATCH,  /* parked on an armed watch: resume when it fires */
    STEP_TURN,   /* waits for nothing: resume at once, or with all the others that rest so */
    STEP_PAUSE,  /* wants no answer: resume when pause_ns have passed */
    STEP_DONE,   /* acquire: the lock is held; work: it is done; release: the lock is not held */
    STEP_FAILED, /* an answer that the recipe cannot go on from */
    STEP_CRASHED /* the session is to end without a word to the servers */
};

/* A GUID as text, with its terminator. */
#define CONTENDER_GUID_SIZE 37

/* A session that contends for a lock. */
struct contender {
    struct client *client;
    const char *lock;                 /* the folder znode that the lock lives in */
    uint32_t number;                  /* of this client among the clients of its lock, from 0 */
    uint32_t clients;                 /* of the lock, in all */
    int resume_at;                    /* where the coroutine goes on; 0 is its beginning */
    enum zk_status status;            /* of the last reply */
    const struct client_reply *reply; /* the last reply, while the step that it resumed runs */
    enum client_event awaited;        /* parked: the event that the recipe waits for */
    char watched[RECIPE_PATH_MAX];    /* parked: the znode on which the event is to happen */
    enum client_event happened;       /* woken: the event that came, which may be another */
    uint64_t pause_ns;                /* the length of the recipe's pause */
    char node[RECIPE_PATH_MAX];       /* the znode that stands for this session in the lock */
    int32_t sequence;                 /* of that znode, if the lock is a queue */
    int32_t predecessor;              /* sequence of the znode before its own, as last seen */
    int32_t first;                    /* sequence of the first znode in line, as once seen */
    int32_t version;                  /* of the data that was read last */
    int64_t value;                    /* the number in the data that was read last */
    char prefix[64]; /* of the names of its znodes, if the session has one of its own */
    char guid[CONTENDER_GUID_SIZE]; /* of this session alone */
    bool has_place;                 /* the session is in line, and `node` is known */
    bool has_folder;                /* the lock's folder is known to exist */
    uint32_t attempts;              /* failed so far, of the present operation */
    uint32_t holds;                 /* of a re-entrant lock: acquires less releases */
    bool doomed;                    /* work: the session is to crash half-way */
    uint32_t repairs;               /* work: how often the traces of a crash were found */
    uint32_t tasks_done;            /* work: tasks run to their end */
};

/* The state of a lock at which one more client arrives, or its holder releases. Under lockstep
 * everything has come to rest before. */
struct law_view {
    bool held;
    uint64_t holders; /* more than one if they share the lock */
    uint64_t waiters;
    uint64_t arrivals_since_grant; /* clients that arrived while the present holder held */
    uint64_t releases;             /* so far */
    uint64_t next_found;           /* release: how many were in line when the next waiter arrived */
    bool shares;              /* whether the client that arrives or releases may share the lock */
    uint64_t sharing;         /* other clients in line that may share the lock */
    uint64_t granted;         /* clients to which the step grants the lock */
    uint64_t granted_sharing; /* those of them that may share the lock */
};

/* What a recipe costs under lockstep pace: the messages that one arrival and one release set off,
 * on all sessions together. *cost is zeroed before the call. Totals are summed from these (law.h).
 * Without a law both functions are NULL: see recipe_has_law. */
struct recipe_law {
    void (*arrival)(const struct law_view *view, struct tally *cost);
    void (*release)(const struct law_view *view, struct tally *cost);
    const char *rpcs; /* the totals of a drain of n clients, for people: "n^2 + n" */
    const char *notifications;
};

/* A recipe's texts for people. */
struct recipe_about {
    const char *description; /* sentences */
    const char *pseudo_code; /* lines of at most 78 characters, the last without its end */
    const char *source;      /* where it is described */
    const char *shipped_by;  /* who ships it; NULL: nobody */
};

/* A znode in the lock's folder that is there before anybody arrives, and stays. */
struct recipe_znode {
    const char *name;  /* NULL: behind the last */
    const char *value; /* NULL: it is not there before, clients make it */
};

struct recipe {
    const char *name;
    const char *summary; /* a line */
    struct recipe_about about;
    bool fifo; /* promises to grant in the order of its sequence numbers, but for those who share */
    /* Whether the client of this number may hold beside others that may. NULL: nobody may. Under
     * lockstep those who share release in the order of their arrival. */
    bool (*shares)(uint32_t number);
    /* A barrier: nobody is granted before all have arrived, no release ends before all have begun
     * theirs. It can be passed once. All share. */
    bool barrier;
    bool recovers;    /* goes on when its connection was lost: is told of ZK_CONNECTION_LOSS */
    uint32_t nesting; /* how often its holder acquires and releases it, nested; 0: once */
    const struct recipe_znode *laid_out; /* NULL: none */
    const char
        *counter_znode; /* the znode whose number must in the end be that of the grants, or NULL */
    bool every_lock; /* in a drain a client goes on to the next lock until it has held each once */
    /* On purpose: under lockstep the checker is to catch it wherever so many clients contend for a
     * lock. 0: it is not broken. */
    uint32_t broken;
    struct death death; /* that all its trials have; none where clients share: they would wait for
                           the dead */
    enum recipe_step (*acquire)(struct contender *s);
    enum recipe_step (*release)(struct contender *s);
    enum recipe_step (*work)(struct contender *s); /* behind each grant; no watches; or NULL */
    struct recipe_law law; /* what the work costs is part of the step that grants */
    /* The law's texts are those of every n that this number divides; 0: of all. */
    uint32_t law_texts_every;
    /* Its law has a third step if it has an AWAIT_TURN: nobody holds, all who wait rest there, they
     * go on together, and one is granted. Else NULL. */
    void (*turn_law)(const struct law_view *view, struct tally *cost);
    /* What each step costs, where it takes more than the number of waiters to say it: lines of at
     * most 78 characters. NULL: it is told in formulas. */
    const char *law_in_words;
};

/* For recipes whose clients all share. */
bool recipe_all_share(uint32_t number);

static inline bool recipe_shares(const struct recipe *recipe, uint32_t number)
{
    return recipe->shares != NULL && recipe->shares(number);
}

/* Whether a recipe has a law: one that never comes to rest has none, and cannot be run under
 * lockstep. */
static inline bool recipe_has_law(const struct recipe *recipe)
{
    return recipe->law.arrival != NULL;
}

/* ------------------------------------------------------------------ the words of a recipe */

#define ACQUIRE(name) static enum recipe_step name##_acquire(struct contender *s)
#define WORK(name)    static enum recipe_step name##_work(struct contender *s)
#define RELEASE(name) static enum recipe_step name##_release(struct contender *s)

/* The coroutine is a switch over the line on which it stopped, as in protothreads and PuTTY. */
#define BEGIN                                                                                      \
    switch (s->resume_at) {                                                                        \
    case 0:

#define END                                                                                        \
    }                                                                                              \
    return STEP_FAILED

/* Sends a request, and goes on when its reply is there. */
#define AWAIT(operation)                                                                           \
    do {                                                                                           \
        return (void)(s->resume_at = __LINE__), operation, STEP_REPLY;                             \
    case __LINE__:;                                                                                \
    } while (0)

/* Parks until this event happens to this znode. The watch is armed already, by the reply just seen.
 * A watch fires once: an event of another kind uses it up as well, and ends the wait. So a recipe
 * looks again, or asks s->happened. */
#define AWAIT_WATCH(event, path)                                                                   \
    do {                                                                                           \
        return (void)(s->resume_at = __LINE__), contender_park(s, event, path), STEP_WATCH;        \
    case __LINE__:;                                                                                \
    } while (0)

/* Parks until anything is told of anything watched. A second event may come before the first has
 * been acted on: it finds the session awake, and wakes nobody. path: what is waited for. */
#define AWAIT_ANY_WATCH(path) AWAIT_WATCH(EVENT_ANY, path)

/* Goes on at once; under lockstep only when all who wait have come to such a rest, and with them.
 */
#define AWAIT_TURN                                                                                 \
    do {                                                                                           \
        s->resume_at = __LINE__;                                                                   \
        return STEP_TURN;                                                                          \
    case __LINE__:;                                                                                \
    } while (0)

/* Goes on after a while. A recipe that waits so never comes to rest. */
#define AWAIT_PAUSE(nanoseconds)                                                                   \
    do {                                                                                           \
        return (void)(s->resume_at = __LINE__), (void)(s->pause_ns = nanoseconds), STEP_PAUSE;     \
    case __LINE__:;                                                                                \
    } while (0)

#define GRANTED  return STEP_DONE
#define WORKED   return STEP_DONE
#define RELEASED return STEP_DONE
#define FAILED   return STEP_FAILED
#define CRASHED  return STEP_CRASHED

/* ------------------------------------------------------------------ its operations */

static inline void create(struct contender *s, const char *path, enum create_mode mode)
{
    client_create(s->client, path, NULL, 0, mode);
}

static inline void exists(struct contender *s, const char *path, enum watch_flag watch)
{
    client_exists(s->client, path, watch);
}

static inline void get_data(struct contender *s, const char *path, enum watch_flag watch)
{
    client_get(s->client, path, watch);
}

static inline void get_children(struct contender *s, const char *path, enum watch_flag watch)
{
    client_get_children(s->client, path, watch);
}

/* version: the one that the data must have, or REQUEST_ANY_VERSION. */
static inline void set_data(struct contender *s, const char *path, const void *value, size_t length,
                            int32_t version)
{
    client_set(s->client, path, value, length, version);
}

static inline void delete_znode(struct contender *s, const char *path)
{
    client_delete(s->client, path);
}

/* One transaction, all or none: multi(s, request_set(turn, value, length, REQUEST_ANY_VERSION),
 * request_delete(s->node)). Its parts are requests of client.h. */
#define multi(s, ...)                                                                              \
    client_multi((s)->client, (const struct request[]){__VA_ARGS__},                               \
                 sizeof((const struct request[]){__VA_ARGS__}) / sizeof(struct request))

/* exists or get_data, where a recipe comes with either. */
typedef void look_function(struct contender *s, const char *path, enum watch_flag watch);

/* The release of every lock that is held by a znode of one's own: 1 delete(n). */
enum recipe_step contender_delete_own(struct contender *s);

/* Makes a GUID of 122 of these 128 random bits. */
void contender_set_guid(struct contender *s, uint64_t high, uint64_t low);

/* Writes lock/child into path (RECIPE_PATH_MAX bytes), and returns that. */
const char *contender_child(const struct contender *s, const char *child, char *path);

/* The same path for the operation at hand, which takes a copy. */
#define CHILD(child) contender_child(s, child, (char[RECIPE_PATH_MAX]){0})

void contender_park(struct contender *s, enum client_event event, const char *path);

/* Whether this notification ends the wait of a parked session, with s->happened set if it does: it
 * has used up the watch. That is so of every event of the znode but a change of its children, which
 * is another watch's. A session that has lost its connection may be told of another event than the
 * one that happened first: of a znode that was deleted and made again, that it has changed. */
bool contender_wakes(struct contender *s, enum client_event event, const char *path);

#endif
