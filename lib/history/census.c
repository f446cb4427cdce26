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

#define LIVES          4     /* of a znode: the last ones are remembered */
#define REFUSALS       8     /* of a session, likewise */
#define COMPARED       64    /* znodes that are there, with a refused session, at most */
#define COMPARED_LOCKS 1024  /* locks that are held, with a refused session, at most */
#define KEPT           32768 /* znodes that are gone are remembered although no create was refused */

/* A folder with places. */
struct folder {
    char *path; /* the key */
    char *kind; /* of its first place */
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
    struct name *before, *after; /* among those that are there */
    struct census_doubt doubt;
    bool is_repeated; /* the refusals of a session go on for long */
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
    /* Since it can have wanted only one znode, which is still there. */
    struct name *only;
    bool is_certain;
    uint64_t only_count;
    int64_t only_born;
    uint64_t first_ns, last_ns;
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
    struct name *there;   /* the names that are there */
    int64_t refused_zxid; /* of the last refused create */
    size_t kept;
    int64_t begun_zxid; /* of census_begin */
    int64_t known_zxid; /* up to there znodes may be unknown */
    struct early *early;
    size_t early_count, early_next;
    struct census_doubt *doubts;
    size_t doubt_count;
    bool is_known; /* the changes come for the second time */
};

/* ------------------------------------------------------------------ names that are there */

static int64_t owner_of(const struct name *name)
{
    return name->lives[name->lived % LIVES].owner;
}

static bool are_in_one_folder(const char *a, const char *b)
{
    size_t length = (size_t)(strrchr(a, '/') - a);
    return (size_t)(strrchr(b, '/') - b) == length && strncmp(a, b, length) == 0;
}

/* Whether a session has a znode of its own beside this one. */
static bool has_beside(const struct census *census, int64_t session, const struct name *name)
{
    const struct name *own = census->there;
    while (own != NULL && (owner_of(own) != session || !are_in_one_folder(own->path, name->path)))
        own = own->after;
    return own != NULL;
}

/* The znode of another session that a refused one can have wanted. */
struct wanted {
    struct name *only; /* NULL: there is none, or are several */
    bool is_certain;   /* false: others were there, but beside these the session has its own */
};

/* One of several may be the only one beside which the session has none of its own, as it has among
 * registrations. */
static struct wanted find_wanted(const struct census *census, int64_t session)
{
    struct name *last = NULL, *apart = NULL;
    size_t others = 0, others_apart = 0, compared = 0;
    for (struct name *name = census->there; name != NULL; name = name->after) {
        if (compared++ == COMPARED)
            return (struct wanted){0};
        if (owner_of(name) == session)
            continue;
        others++;
        last = name;
        if (others_apart < 2 && !has_beside(census, session, name)) {
            others_apart++;
            apart = name;
        }
    }
    return (struct wanted){others == 1 ? last : others_apart == 1 ? apart : NULL, others == 1};
}

/* The znode of another session that this one has had before; NULL: there is none. */
static struct name *wanted_again(const struct census *census, int64_t session)
{
    size_t compared = 0;
    for (struct name *name = census->there; name != NULL && compared++ < COMPARED;
         name = name->after) {
        size_t had = 0;
        for (size_t i = 0; i < LIVES; i++)
            had += name->lives[i].owner == session;
        if (had > 0 && owner_of(name) != session)
            return name;
    }
    return NULL;
}

static void begin_life(struct census *census, struct name *name, int64_t owner, int64_t zxid)
{
    name->lives[++name->lived % LIVES] = (struct life){.owner = owner, .from = zxid};
    name->is_there = true;
    name->before = NULL;
    name->after = census->there;
    if (census->there != NULL)
        census->there->before = name;
    census->there = name;
}

static void end_life(struct census *census, struct name *name, int64_t zxid)
{
    name->lives[name->lived % LIVES].until = zxid;
    name->is_there = false;
    *(name->before != NULL ? &name->before->after : &census->there) = name->after;
    if (name->after != NULL)
        name->after->before = name->before;
}

static bool was_there(const struct name *name, int64_t zxid, int64_t not_of)
{
    for (size_t i = 0; i < LIVES; i++) {
        const struct life *life = &name->lives[i];
        if (life->owner != not_of && life->from < zxid && life->until > zxid)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ refused sessions */

/* Adds what is known of the only znode that a session can have wanted to that. */
static void weigh(struct refused *session)
{
    struct name *name = session->only;
    if (name != NULL && session->only_count > 0) {
        name->doubt.refusals += session->only_count;
        name->doubt.sessions++;
        name->is_repeated |= session->is_certain && session->only_count > 1 &&
                             session->last_ns >= session->first_ns + CENSUS_REPEATED_MS * NS_PER_MS;
    }
    session->only = NULL;
    session->only_count = 0;
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
static struct census_blame blame(const struct census *census, struct refused *session, int64_t zxid,
                                 const struct wanted *wanted)
{
    const struct name *only = NULL;
    size_t locks = 0, compared = 0;
    for (const struct name *there = census->there; there != NULL && compared++ < COMPARED_LOCKS;
         there = there->after)
        if (there->is_lock && owner_of(there) != session->id && locks++ == 0)
            only = there;
    while (session->at < session->run_count && session->runs[session->at].until < zxid)
        session->at++;
    size_t next = session->at;
    if (next < session->run_count && session->runs[next].name == NULL &&
        zxid >= session->runs[next].from)
        return (struct census_blame){0}; /* the making of a parent */
    while (next < session->run_count && session->runs[next].name == NULL)
        next++;
    const struct name *name = next < session->run_count ? session->runs[next].name : NULL;
    session->wants_other |= locks == 0;
    if (name != NULL && name->is_there && owner_of(name) != session->id)
        return (struct census_blame){name->path, name != wanted->only || !wanted->is_certain};
    if (locks != 1 || session->wants_other)
        return (struct census_blame){0};
    return (struct census_blame){only->path, only != wanted->only || !wanted->is_certain};
}

struct census_blame census_refuse(struct census *census, const struct census_create *refused)
{
    struct refused *session =
        id_tree_find_or_add(&census->refused, refused->session, sizeof *session);
    struct wanted wanted = find_wanted(census, refused->session);
    if (census->is_known)
        return blame(census, session, refused->zxid, &wanted);
    bool follows = session->chain > 0 && refused->cxid == session->cxid + 1;
    session->chain = follows ? session->chain + 1 : 1;
    session->cxid = refused->cxid;
    session->zxids[session->count++ % REFUSALS] = refused->zxid;
    census->refused_zxid = refused->zxid;
    struct name *again = wanted_again(census, refused->session), *only = wanted.only;
    if (again != NULL)
        again->is_lock = true;
    if (again != NULL || only == NULL || refused->zxid <= census->known_zxid)
        return (struct census_blame){0};
    int64_t born = only->lives[only->lived % LIVES].from;
    if (only != session->only || born != session->only_born ||
        wanted.is_certain != session->is_certain) {
        weigh(session);
        session->only = only;
        session->only_born = born;
        session->is_certain = wanted.is_certain;
        session->first_ns = refused->at_ns;
    }
    session->only_count++;
    session->last_ns = refused->at_ns;
    return (struct census_blame){0};
}

/* The refused creates just before one that is done were of the folders above it. */
static void explain(struct refused *session, const struct census_create *create)
{
    size_t folders = 0;
    for (const char *at = strchr(create->path + 1, '/'); at != NULL; at = strchr(at + 1, '/'))
        folders++;
    size_t count = session->chain < folders ? session->chain : folders;
    if (create->cxid != session->cxid + 1 || count == 0)
        return;
    size_t oldest = session->count - (count < REFUSALS ? count : REFUSALS);
    add_run(session, NULL, session->zxids[oldest % REFUSALS], create->zxid);
    session->only_count -= count < session->only_count ? count : session->only_count;
    session->chain = 0;
}

static bool has_wanted(const struct refused *session, const struct name *name)
{
    for (size_t i = 0; i < REFUSALS && i < session->count; i++)
        if (was_there(name, session->zxids[i], session->id))
            return true;
    return false;
}

/* ------------------------------------------------------------------ changes */

/* The recipe of a place, with the part of its name before the number if many recipes have such
 * names; the caller's to free. */
static char *kind_of(const char *name)
{
    struct line_place place;
    const char *recipe = line_read(&name, 1, &place) > 0 ? line_recipe(&place, 1) : "";
    size_t length = strlen(name);
    size_t prefix = strcmp(recipe, "queue") == 0 && length > 10 ? length - 10 : 0;
    return memory_format("%s %.*s", recipe, (int)prefix, name);
}

static bool looks_like_place(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    int32_t sequence;
    return queue_sequence(name, &sequence) || line_is_kazoo_lease(name);
}

/* Whether a server has numbered it: by the cversion of the parent, which it raises by one. */
static bool is_numbered(const struct census_create *create)
{
    const char *name = strrchr(create->path, '/') + 1;
    int32_t sequence;
    return !line_is_kazoo_lease(name) && queue_sequence(name, &sequence) &&
           (create->cversion == CENSUS_NO_CVERSION ||
            (uint32_t)sequence + 1 == (uint32_t)create->cversion);
}

/* Whether a znode has a place's name: a number of its server's, or a lease. */
static bool is_place(const struct census_create *create)
{
    return is_numbered(create) || line_is_kazoo_lease(strrchr(create->path, '/') + 1);
}

static void note_place(struct census *census, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    char *text = memory_copy(path, (size_t)(name - 1 - path));
    struct folder *folder = path_tree_find_or_add(&census->folders, text, sizeof *folder);
    free(text);
    if (folder->kind == NULL)
        folder->kind = kind_of(name);
}

static void note_create(struct census *census, const struct census_create *create)
{
    struct refused *session = id_tree_find(&census->refused, create->session);
    struct name *name = NULL;
    if (census->known_zxid > 0 && looks_like_place(create->path))
        (void)path_tree_find_or_add(&census->places, create->path, sizeof(char *));
    if (create->ephemeral && is_place(create))
        note_place(census, create->path);
    else if (create->ephemeral)
        name = path_tree_find_or_add(&census->names, create->path, sizeof *name);
    else
        name = path_tree_find(&census->names, create->path);
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
        session->only_count = 0; /* it wanted this one */
    } else {
        explain(session, create);
    }
}

/* Notes a znode that is deleted, and was not created since the beginning. One without a number need
 * only be known if a session was refused during its life. */
static void note_early(struct census *census, const char *path, int64_t session, int64_t zxid)
{
    if (!looks_like_place(path)) {
        if (census->refused_zxid < census->begun_zxid)
            return;
        struct name *name = path_tree_find_or_add(&census->names, path, sizeof *name);
        name->lives[++name->lived % LIVES] = (struct life){session, census->begun_zxid - 1, zxid};
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
    bool may_be = census->is_known ? name->doubt.refusals > 0
                                   : name->lived > 1 || census->refused_zxid > name->lives[1].from;
    if (name->is_lock || may_be || (!census->is_known && census->kept++ < KEPT))
        return;
    path_tree_remove(&census->names, name);
}

/* Ends the lives of the znodes of a session; 0: of all. */
static void end_lives(struct census *census, int64_t session, int64_t zxid)
{
    for (struct name *name = census->there, *after; name != NULL; name = after) {
        after = name->after;
        if (session == 0 || owner_of(name) == session)
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

/* ------------------------------------------------------------------ what is known */

static void weigh_each(const void *node, VISIT visit, void *context)
{
    (void)context;
    if (visit == preorder || visit == leaf)
        weigh(*(struct refused *const *)node);
}

static void judge(const void *node, VISIT visit, void *context)
{
    struct name *name = *(struct name *const *)node;
    struct census *census = context;
    if ((visit != preorder && visit != leaf) || name->is_lock || name->doubt.refusals == 0)
        return;
    name->is_lock = name->is_repeated;
    census->doubts = memory_grow(census->doubts, census->doubt_count, sizeof *census->doubts);
    census->doubts[census->doubt_count++] = (struct census_doubt){
        name->path, name->is_lock, name->doubt.refusals, name->doubt.sessions};
}

void census_again(struct census *census)
{
    twalk_r(census->refused, weigh_each, NULL);
    twalk_r(census->names, judge, census);
    census->is_known = true;
    census->early_next = 0;
}

/* Whether a znode is of a lock; of none the first time. */
static bool is_lock(const struct census *census, const struct census_create *create)
{
    const char *name = strrchr(create->path, '/') + 1;
    if (!census->is_known)
        return false;
    if (create->ephemeral && is_place(create))
        return true;
    const struct name *known = path_tree_find(&census->names, create->path);
    if (known != NULL || !is_place(create))
        return known != NULL && known->is_lock;
    char *text = memory_copy(create->path, (size_t)(name - 1 - create->path));
    const struct folder *folder = path_tree_find(&census->folders, text);
    free(text);
    text = kind_of(name);
    bool is_alike = folder != NULL && strcmp(folder->kind, text) == 0;
    free(text);
    return is_alike;
}

void census_create(struct census *census, const struct census_create *create)
{
    note_create(census, create);
    if (is_lock(census, create))
        locks_create(census->locks, create->ephemeral ? create->session : 0, create->path,
                     is_numbered(create), create->at_ns);
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
        create.ephemeral = early->zxid == census->begun_zxid && is_lock(census, &create);
        if (create.ephemeral)
            census_create(census, &create);
    }
}

const struct census_doubt *census_doubt(const struct census *census, size_t index)
{
    return index < census->doubt_count ? &census->doubts[index] : NULL;
}

struct census *census_new(struct locks *locks)
{
    struct census *census = memory_new(1, sizeof *census);
    census->locks = locks;
    return census;
}

static void free_folder(void *node)
{
    free(((struct folder *)node)->kind);
    path_tree_free_element(node);
}

void census_free(struct census *census)
{
    if (census == NULL)
        return;
    tdestroy(census->places, path_tree_free_element);
    tdestroy(census->names, path_tree_free_element);
    tdestroy(census->folders, free_folder);
    tdestroy(census->refused, free_refused);
    for (size_t i = 0; i < census->early_count; i++)
        free(census->early[i].path);
    free(census->early);
    free(census->doubts);
    free(census);
}
