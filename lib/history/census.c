// SPDX-License-Identifier: Apache-2.0
#include "history/census.h"

#include "base/clock.h"
#include "base/id_tree.h"
#include "base/memory.h"
#include "recipes/line.h"
#include "recipes/queue.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#define LIVES          4     /* of a znode: the last ones are remembered */
#define REFUSALS       8     /* of a session, likewise */
#define COMPARED       256   /* znodes that are there, with a refused session, at most */
#define COMPARED_LOCKS 1024  /* the first of these, if they are locks */
#define OWN            8     /* of these its own */
#define KEPT           32768 /* znodes that are gone are remembered although no create was refused */

/* A folder with places. */
struct folder {
    char *path;   /* the key */
    char place[]; /* the name of the first */
};

struct life {
    int64_t owner;
    int64_t from, until; /* zxids; until 0: it is there */
};

/* An ephemeral znode without a number. */
struct name {
    char *path;               /* the key */
    struct life lives[LIVES]; /* the present one is `lived` % LIVES */
    size_t lived;
    bool is_there, is_lock;
    LIST_ENTRY(name) there;
    uint64_t refusals, sessions; /* that may be its */
    unsigned repeated;           /* weights of the sessions whose refusals go on for long */
};

/* The only znode that a session can have wanted since its `count` last refusals. */
struct suspect {
    struct name *name; /* NULL: there is none */
    int64_t born;
    unsigned weight; /* as of the znodes of others */
    uint64_t count, first_ns, last_ns;
};

/* Refusals up to a create, of consecutive creates of the same lock. */
struct run {
    struct name *name;   /* NULL: parents were made */
    int64_t from, until; /* zxids; `from` only of parents */
};

/* A session that was refused a create. */
struct refused {
    int64_t id; /* the key */
    int64_t zxids[REFUSALS];
    size_t count;
    int32_t cxid; /* of the last one */
    size_t chain; /* refusals up to the last one with successive numbers */
    struct suspect suspect;
    struct run *runs;
    size_t run_count;
    size_t at;        /* the second time: the runs before are over */
    bool wants_other; /* the second time: than what is there, for it was refused without that */
};

/* A znode that was there at a census_begin and is known by its deletion alone. */
struct early {
    char *path;
    int64_t session; /* that deleted it, or with which it ended */
    int64_t zxid;    /* of that census_begin */
};

struct census {
    struct locks *locks;
    path_tree names, folders;
    path_tree places; /* the paths that look like places and were created since the beginning */
    id_tree refused;
    LIST_HEAD(, name) there; /* the names that are there, the newest first */
    size_t there_count;
    int64_t refused_zxid; /* of the last refused create */
    size_t kept;
    int64_t begun_zxid; /* of census_begin */
    int64_t known_zxid; /* up to there znodes may be unknown */
    struct early *early;
    size_t early_count, early_next;
    bool is_known; /* the changes come for the second time */
    census_doubt *doubt;
    void *context;
};

/* ------------------------------------------------------------------ names that are there */

static struct life *life_of(struct name *name)
{
    return &name->lives[name->lived % LIVES];
}

static void begin_life(struct census *census, struct name *name, int64_t owner, int64_t zxid)
{
    name->lived++;
    *life_of(name) = (struct life){.owner = owner, .from = zxid};
    name->is_there = true;
    LIST_INSERT_HEAD(&census->there, name, there);
    census->there_count++;
}

static void end_life(struct census *census, struct name *name, int64_t zxid)
{
    life_of(name)->until = zxid;
    name->is_there = false;
    LIST_REMOVE(name, there);
    census->there_count--;
}

static bool was_owned(const struct name *name, int64_t session)
{
    for (size_t i = 0; i < LIVES; i++)
        if (name->lives[i].owner == session)
            return true;
    return false;
}

/* Whether one of a session's own znodes is in the folder of this one. */
static bool has_beside(struct name *const *own, size_t count, const struct name *name)
{
    const size_t length = (size_t)(strrchr(name->path, '/') + 1 - name->path);
    for (size_t i = 0; i < count; i++)
        if (strncmp(own[i]->path, name->path, length) == 0 &&
            strchr(own[i]->path + length, '/') == NULL)
            return true;
    return false;
}

/* The znodes of other sessions, for a session that is refused a create. */
struct others {
    struct name *only;  /* that it can have wanted; NULL: there is none, or are several */
    unsigned weight;    /* 2: no others were there; 1: beside these the session has its own, as
                           among registrations; 0: beside the only one, too */
    struct name *again; /* that it has had before; NULL: none */
    struct name *lock;  /* the newest of the locks */
    size_t locks;
};

/* One of several may be the only one beside which the session has none of its own, as it has among
 * registrations. */
static struct others find_others(const struct census *census, int64_t session)
{
    struct others others = {0};
    struct name *name, *last = NULL, *apart = NULL, *own[OWN];
    size_t count = 0, count_apart = 0, count_own = 0, compared = 0;
    const size_t most = census->is_known ? COMPARED_LOCKS : COMPARED;
    const bool are_few = census->there_count <= COMPARED;
    LIST_FOREACH(name, &census->there, there)
    if (are_few && count_own < OWN && life_of(name)->owner == session)
        own[count_own++] = name;
    LIST_FOREACH(name, &census->there, there)
    {
        if (compared++ == most)
            break;
        if (life_of(name)->owner == session)
            continue;
        if (name->is_lock && others.locks++ == 0)
            others.lock = name;
        if (others.again == NULL && was_owned(name, session))
            others.again = name;
        if (count_apart < 2 && !has_beside(own, count_own, name) && count_apart++ == 0)
            apart = name;
        last = name;
        count++;
    }
    if (are_few && (count == 1 || count_apart == 1)) {
        others.only = count == 1 ? last : apart;
        others.weight = count == 1 ? 2 * (unsigned)count_apart : 1;
    }
    return others;
}

/* ------------------------------------------------------------------ refused sessions */

/* Whether a request is the next one behind the refused create. */
static bool follows(const struct refused *session, int32_t cxid)
{
    return (uint32_t)cxid == (uint32_t)session->cxid + 1;
}

/* Adds what is known of the only znode that a session can have wanted to that. */
static void weigh(struct refused *session)
{
    const struct suspect *suspect = &session->suspect;
    if (suspect->count > 0) {
        suspect->name->refusals += suspect->count;
        suspect->name->sessions++;
        if (suspect->count > 1 &&
            suspect->last_ns >= suspect->first_ns + CENSUS_REPEATED_MS * NS_PER_MS)
            suspect->name->repeated += suspect->weight;
    }
    session->suspect = (struct suspect){0};
}

static void add_run(struct refused *session, struct name *name, int64_t from, int64_t until)
{
    struct run *last = session->run_count > 0 ? &session->runs[session->run_count - 1] : NULL;
    if (last == NULL || last->name != name) {
        session->runs = memory_grow(session->runs, session->run_count, sizeof *session->runs);
        last = &session->runs[session->run_count++];
        *last = (struct run){name, from, 0};
    }
    last->until = until;
}

/* The second time: the lock that the session gets next, or else the only one. Who was refused while
 * there was none wants something else. */
static const char *blame(struct refused *session, int64_t zxid, const struct others *others,
                         bool *inferred)
{
    const struct run *runs = session->runs, *end = runs + session->run_count;
    while (session->at < session->run_count && runs[session->at].until < zxid)
        session->at++;
    const struct run *next = runs + session->at;
    if (next < end && next->name == NULL && zxid >= next->from)
        return NULL; /* the making of a parent */
    while (next < end && next->name == NULL)
        next++;
    struct name *name = next < end ? next->name : NULL;
    session->wants_other |= others->locks == 0;
    if (name == NULL || !name->is_there || life_of(name)->owner == session->id)
        name = others->locks == 1 && !session->wants_other ? others->lock : NULL;
    *inferred = name != others->only || others->weight < 2;
    return name != NULL ? name->path : NULL;
}

const char *census_refuse(struct census *census, const struct census_create *refused,
                          bool *inferred)
{
    struct refused *session =
        id_tree_find_or_add(&census->refused, refused->session, sizeof *session);
    struct others others = find_others(census, refused->session);
    struct suspect *suspect = &session->suspect;
    if (census->is_known)
        return blame(session, refused->zxid, &others, inferred);
    session->chain = follows(session, refused->cxid) ? session->chain + 1 : 1;
    session->cxid = refused->cxid;
    session->zxids[session->count++ % REFUSALS] = refused->zxid;
    census->refused_zxid = refused->zxid;
    if (others.again != NULL)
        others.again->is_lock = true;
    if (others.again != NULL || others.only == NULL || refused->zxid <= census->known_zxid)
        return NULL;
    int64_t born = life_of(others.only)->from;
    if (others.only != suspect->name || born != suspect->born || others.weight != suspect->weight) {
        weigh(session);
        *suspect = (struct suspect){others.only, born, others.weight, 0, refused->at_ns, 0};
    }
    suspect->count++;
    suspect->last_ns = refused->at_ns;
    return NULL;
}

/* The refused creates just before one that is done were of the folders above it. */
static void explain(struct refused *session, const struct census_create *create)
{
    size_t folders = 0;
    for (const char *at = strchr(create->path + 1, '/'); at != NULL; at = strchr(at + 1, '/'))
        folders++;
    size_t count = session->chain < folders ? session->chain : folders;
    if (!follows(session, create->cxid) || count == 0)
        return;
    size_t oldest = session->count - (count < REFUSALS ? count : REFUSALS);
    add_run(session, NULL, session->zxids[oldest % REFUSALS], create->zxid);
    session->suspect.count -= count < session->suspect.count ? count : session->suspect.count;
    session->chain = 0;
}

/* Whether the znode was another session's at a refusal of this one. */
static bool has_wanted(const struct refused *session, const struct name *name)
{
    for (size_t i = 0; i < REFUSALS && i < session->count; i++)
        for (const struct life *life = name->lives; life < name->lives + LIVES; life++)
            if (life->owner != session->id && life->from < session->zxids[i] &&
                life->until > session->zxids[i])
                return true;
    return false;
}

/* ------------------------------------------------------------------ places */

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* What a znode's name makes it: a lease of kazoo's, or numbered by a server, if that number is of
 * the cversion of its parent, which a server raises by one, up to 2^31. */
enum shape { PLAIN, LEASE, NUMBERED };

static enum shape shape_of(const char *path, int32_t cversion, bool was_there)
{
    int32_t sequence;
    if (line_is_kazoo_lease(name_of(path)))
        return LEASE;
    if (!queue_sequence(path, &sequence))
        return PLAIN;
    const uint32_t made = (uint32_t)sequence + 1, most = (uint32_t)cversion;
    return cversion == CENSUS_NO_CVERSION || made == most ||
                   (was_there && (made < most || most >= INT32_MAX))
               ? NUMBERED
               : PLAIN;
}

/* The folder of a place; NULL if it is not to be added and is not known. */
static struct folder *folder_of(struct census *census, const char *path, bool is_added)
{
    const char *name = name_of(path);
    const size_t size = sizeof(struct folder) + strlen(name) + 1;
    char *text = memory_copy(path, (size_t)(name - 1 - path));
    struct folder *folder = is_added ? path_tree_find_or_add(&census->folders, text, size)
                                     : path_tree_find(&census->folders, text);
    free(text);
    if (folder != NULL && folder->place[0] == '\0')
        strcpy(folder->place, name);
    return folder;
}

/* ------------------------------------------------------------------ changes */

/* The name at a path that is no queue's folder now; NULL: there is none. */
static struct name *find_name(const struct census *census, const struct census_create *create)
{
    bool is_folder = !create->ephemeral && path_tree_find(&census->folders, create->path) != NULL;
    return is_folder ? NULL : path_tree_find(&census->names, create->path);
}

static void note_create(struct census *census, const struct census_create *create, enum shape shape)
{
    struct refused *session = id_tree_find(&census->refused, create->session);
    struct name *name = NULL;
    if (census->known_zxid > 0 && shape_of(create->path, CENSUS_NO_CVERSION, false) != PLAIN)
        (void)path_tree_find_or_add(&census->places, create->path, sizeof(char *));
    if (create->ephemeral && shape != PLAIN)
        (void)folder_of(census, create->path, true);
    else if (create->ephemeral)
        name = path_tree_find_or_add(&census->names, create->path, sizeof *name);
    else
        name = find_name(census, create);
    if (name != NULL) {
        if (name->is_there) /* its end was not seen */
            end_life(census, name, create->zxid);
        name->is_lock |= session != NULL && !census->is_known && has_wanted(session, name);
        begin_life(census, name, create->ephemeral ? create->session : 0, create->zxid);
    }
    if (session == NULL)
        return;
    session->wants_other = false;
    if (census->is_known)
        return;
    if (name != NULL && name->is_lock) {
        add_run(session, name, 0, create->zxid);
        session->suspect.count = 0; /* it wanted this one */
    } else {
        explain(session, create);
    }
}

/* Whether a znode is of a lock; of none the first time. */
static bool is_lock(struct census *census, const struct census_create *create, enum shape shape)
{
    if (!census->is_known || (create->ephemeral && shape != PLAIN))
        return census->is_known;
    const struct name *name = find_name(census, create);
    if (name != NULL || shape == PLAIN)
        return name != NULL && name->is_lock;
    const struct folder *folder = folder_of(census, create->path, false);
    return line_is_place(name_of(create->path), folder != NULL ? folder->place : NULL);
}

void census_create(struct census *census, const struct census_create *create)
{
    enum shape shape = shape_of(create->path, create->cversion, create->was_there);
    note_create(census, create, shape);
    if (is_lock(census, create, shape))
        locks_create(census->locks, create->ephemeral ? create->session : 0, create->path,
                     shape == NUMBERED, create->at_ns);
}

void census_create_early(struct census *census, uint64_t at_ns)
{
    for (; census->early_next < census->early_count; census->early_next++) {
        const struct early *early = &census->early[census->early_next];
        if (early->zxid > census->begun_zxid)
            return;
        struct census_create create = {.session = early->session,
                                       .zxid = early->zxid - 1,
                                       .at_ns = at_ns,
                                       .path = early->path,
                                       .cversion = CENSUS_NO_CVERSION};
        create.ephemeral =
            early->zxid == census->begun_zxid &&
            is_lock(census, &create, shape_of(early->path, CENSUS_NO_CVERSION, true));
        if (create.ephemeral)
            census_create(census, &create);
    }
}

/* Notes a znode that is deleted, and was not created since the beginning. One without a number need
 * only be known if a session was refused during its life. */
static void note_early(struct census *census, const char *path, int64_t session, int64_t zxid)
{
    if (shape_of(path, CENSUS_NO_CVERSION, true) == PLAIN) {
        if (census->refused_zxid < census->begun_zxid)
            return;
        struct name *name = path_tree_find_or_add(&census->names, path, sizeof *name);
        name->lived++;
        *life_of(name) = (struct life){session, census->begun_zxid - 1, zxid};
    }
    census->early = memory_grow(census->early, census->early_count, sizeof *census->early);
    census->early[census->early_count++] =
        (struct early){memory_text(path), session, census->begun_zxid};
}

void census_delete(struct census *census, const char *path, int64_t session, int64_t zxid)
{
    struct name *name = path_tree_find(&census->names, path);
    char **place = path_tree_find(&census->places, path);
    if (place != NULL)
        path_tree_remove(&census->places, place);
    else if (census->known_zxid > 0 && name == NULL && !census->is_known)
        note_early(census, path, session, zxid);
    if (name == NULL || !name->is_there)
        return;
    end_life(census, name, zxid);
    /* No session was refused since it was there first: it was no lock, unless its session wants it
     * again. */
    bool may_be = census->is_known ? name->refusals > 0
                                   : name->lived > 1 || census->refused_zxid > name->lives[1].from;
    if (name->is_lock || may_be || (!census->is_known && census->kept++ < KEPT))
        return;
    path_tree_remove(&census->names, name);
}

/* Ends the lives of the znodes of a session; 0: of all. */
static void end_lives(struct census *census, int64_t session, int64_t zxid)
{
    struct name *name = LIST_FIRST(&census->there), *after;
    for (; name != NULL; name = after) {
        after = LIST_NEXT(name, there);
        if (session == 0 || life_of(name)->owner == session)
            end_life(census, name, zxid);
    }
}

static void free_refused(void *node)
{
    free(((struct refused *)node)->runs);
    free(node);
}

void census_close(struct census *census, int64_t session, int64_t zxid, bool are_listed)
{
    struct refused *refused = id_tree_find(&census->refused, session);
    if (!are_listed)
        end_lives(census, session, zxid);
    if (refused == NULL)
        return;
    weigh(refused);
    if (refused->at < refused->run_count)
        return;
    id_tree_remove(&census->refused, refused);
    free_refused(refused);
}

void census_begin(struct census *census, int64_t zxid, int64_t known)
{
    census->begun_zxid = zxid;
    census->known_zxid = known;
    tdestroy(census->places, path_tree_free_element);
    census->places = NULL;
    end_lives(census, 0, zxid);
}

static void weigh_each(const void *node, VISIT visit, void *context)
{
    (void)context;
    if (visit == preorder || visit == leaf)
        weigh(*(struct refused *const *)node);
}

static void judge(const void *node, VISIT visit, void *context)
{
    struct name *name = *(struct name *const *)node;
    const struct census *census = context;
    if ((visit != preorder && visit != leaf) || name->is_lock || name->refusals == 0)
        return;
    name->is_lock = name->repeated > 1;
    census->doubt(census->context, name->path, name->is_lock, name->refusals, name->sessions);
}

void census_again(struct census *census, census_doubt *doubt, void *context)
{
    census->doubt = doubt;
    census->context = context;
    twalk_r(census->refused, weigh_each, NULL);
    twalk_r(census->names, judge, census);
    census->is_known = true;
    census->early_next = 0;
}

struct census *census_new(struct locks *locks)
{
    struct census *census = memory_new(1, sizeof *census);
    census->locks = locks;
    return census;
}

void census_free(struct census *census)
{
    tdestroy(census->places, path_tree_free_element);
    tdestroy(census->names, path_tree_free_element);
    tdestroy(census->folders, path_tree_free_element);
    tdestroy(census->refused, free_refused);
    for (size_t i = 0; i < census->early_count; i++)
        free(census->early[i].path);
    free(census->early);
    free(census);
}
