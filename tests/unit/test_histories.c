// SPDX-License-Identifier: Apache-2.0
/* `zkherd autopsy` of random histories of an ensemble, whose truth the generator knows: locks of
 * four recipes, one that stands still, crashes, multis, blind creates, leaders whose clocks differ,
 * servers that are away and are sent a snapshot, logs that are deleted. Each is judged right, or
 * not valid. $HISTORIES is how many; $HISTORY the only one. */
#include "base/random.h"
#include "bench/cli/subcommands.h"
#include "tests/support/csv_file.h"
#include "tests/support/journal_file.h"
#include "tests/support/work.h"

#include <inttypes.h>
#include <jansson.h>

enum lock { ONE, STUCK, QUEUE, RW, SEM, LOCKS };

static const char *const paths[LOCKS] = {"/one", "/stuck", "/q", "/rw", "/sem"};

enum { SERVERS = 3, CLIENTS = 10, STEPS = 260, TIMEOUT_MS = 4000, MOST = 1024, LEASES = 3 };

static struct random source;

static bool chance(unsigned of)
{
    return random_below(&source, of) == 0;
}

/* ------------------------------------------------------------------ what happened */

struct transaction {
    long long session, zxid, ms;
    int cxid, type, cversion, code;
    char path[JOURNAL_FILE_PATH];
    bool ephemeral, multi;
    char listed[8][JOURNAL_FILE_PATH];
    int listed_count;
    unsigned on;      /* the servers that have it, a bit each */
    int refused_lock; /* + 1; 0: none has */
};

struct place {
    int client; /* -1: a znode of no session */
    enum lock lock;
    char path[JOURNAL_FILE_PATH];
    bool reads, holds;
    long long created, created_ms, granted, granted_ms; /* zxids and times */
};

struct hold {
    struct place place;
    long long session, released, released_ms;
    const char *end;
};

struct client {
    long long id; /* 0: no session */
    int cxid;
    bool crashed;
    long long expires_ms;
    char host[JOURNAL_FILE_PATH];    /* its registration; "": none */
    long long host_zxid, refused_at; /* at the holder of ONE that was created by this zxid */
};

static struct history {
    struct transaction list[MOST];
    size_t count;
    struct place places[64];
    size_t place_count;
    struct hold holds[MOST];
    size_t hold_count;
    struct client clients[CLIENTS];
    int cversions[LOCKS], sessions, hosts;
    uint64_t grants[LOCKS], contended;
    long long epoch, counter, base_ms, off_ms;
    bool has_clocks, has_lists, has_zero_closes, has_stuck;
    unsigned up;
    size_t away_since[SERVERS];
    struct {
        int server;
        long long zxid;
    } snapshots[MOST];
    size_t snapshot_count;
} is;

static struct transaction *add(struct client *client, int type, const char *path)
{
    struct transaction *new = &is.list[is.count++];
    assert_true(is.count < MOST);
    is.base_ms += (long long)random_below(&source, 120);
    *new = (struct transaction){.session = client->id,
                                .cxid = type == -10 ? 0 : ++client->cxid,
                                .type = type,
                                .zxid = is.epoch << 32 | ++is.counter,
                                .ms = is.base_ms + is.off_ms,
                                .on = is.up};
    snprintf(new->path, sizeof new->path, "%s", path);
    return new;
}

/* ------------------------------------------------------------------ locks */

static bool joins(const struct place *place, const struct place *first, size_t rank, bool all_read)
{
    return rank == 0 || place->lock == SEM || (place->lock == RW && first->reads && all_read);
}

/* Grants what may hold now. */
static void grant(enum lock lock, const struct transaction *now)
{
    const struct place *first = NULL;
    bool all_read = true;
    size_t rank = 0;
    for (size_t i = 0; i < is.place_count; i++) {
        struct place *place = &is.places[i];
        if (place->lock != lock)
            continue;
        first = first == NULL ? place : first;
        all_read = all_read && place->reads;
        if (joins(place, first, rank++, all_read) && !place->holds) {
            place->holds = true;
            place->granted = now->zxid;
            place->granted_ms = now->ms;
            is.grants[lock]++;
        }
    }
}

#define ANYONE (-2)
static struct place *place_of(int client, enum lock lock)
{
    for (size_t i = 0; i < is.place_count; i++)
        if ((client == ANYONE || is.places[i].client == client) && is.places[i].lock == lock)
            return &is.places[i];
    return NULL;
}

static size_t count_of(enum lock lock)
{
    size_t count = 0;
    for (size_t i = 0; i < is.place_count; i++)
        count += is.places[i].lock == lock;
    return count;
}

static void arrive(int number, enum lock lock)
{
    struct client *client = &is.clients[number];
    struct place *new = &is.places[is.place_count++];
    *new = (struct place){.client = number, .lock = lock, .reads = lock == RW && !chance(3)};
    if (lock == SEM)
        snprintf(new->path, sizeof new->path, "/sem/%032llx", (long long)random_next(&source) >> 1);
    else if (lock > STUCK)
        snprintf(new->path, sizeof new->path, "%s/%s-%010d", paths[lock],
                 lock == QUEUE ? "n"
                 : new->reads  ? "read"
                               : "write",
                 is.cversions[lock]);
    else
        snprintf(new->path, sizeof new->path, "%s", paths[lock]);
    struct transaction *create = add(client, chance(2) ? 1 : 15, new->path);
    create->ephemeral = true;
    create->cversion = ++is.cversions[lock];
    create->multi = chance(6);
    new->created = create->zxid;
    new->created_ms = create->ms;
    if (lock == ONE) {
        const struct hold *before = NULL;
        for (size_t i = 0; i < is.hold_count; i++)
            if (is.holds[i].place.lock == ONE)
                before = &is.holds[i];
        is.contended += before != NULL && before->session != client->id &&
                        client->refused_at == before->place.created;
    }
    grant(lock, create);
}

static void leave(struct place *place, const struct transaction *now, const char *end)
{
    enum lock lock = place->lock;
    if (place->holds)
        is.holds[is.hold_count++] =
            (struct hold){*place, is.clients[place->client].id, now->zxid, now->ms, end};
    memmove(place, place + 1, (size_t)(is.places + --is.place_count - place) * sizeof *place);
    grant(lock, now);
}

static void refuse(int number, enum lock lock)
{
    struct transaction *error = add(&is.clients[number], -1, "");
    error->code = -110;
    error->multi = chance(6);
    error->refused_lock = (int)lock + 1;
    if (lock == ONE)
        is.clients[number].refused_at = place_of(ANYONE, ONE)->created;
}

/* ------------------------------------------------------------------ sessions */

static void open_session(int number)
{
    static const long long server_ids[] = {1, 2, 255};
    struct client *client = &is.clients[number];
    *client =
        (struct client){.id = (long long)((uint64_t)server_ids[number % 3] << 56) + ++is.sessions};
    add(client, -10, "")->code = TIMEOUT_MS;
    if (!chance(3))
        return;
    snprintf(client->host, sizeof client->host, "/s/host%d", ++is.hosts);
    struct transaction *create = add(client, 1, client->host);
    create->ephemeral = true;
    create->cversion = is.hosts;
    client->host_zxid = create->zxid;
}

static void close_session(int number, bool expired)
{
    struct client *client = &is.clients[number];
    struct transaction *close = add(client, -11, "");
    if (expired || (is.has_zero_closes && chance(2)))
        close->cxid = 0;
    for (struct place *place = is.places; place < is.places + is.place_count; place++)
        if (place->client == number)
            strcpy(close->listed[close->listed_count++], place->path);
    if (client->host[0] != '\0')
        strcpy(close->listed[close->listed_count++], client->host);
    close->code = expired;
    for (size_t i = is.place_count; i-- > 0;)
        if (is.places[i].client == number)
            leave(&is.places[i], close, expired ? "expired" : "closed");
    client->id = 0;
}

/* ------------------------------------------------------------------ a step */

static void act(int number)
{
    struct client *client = &is.clients[number];
    enum lock lock = (enum lock)random_below(&source, LOCKS);
    struct place *own = place_of(number, lock);
    bool stays = is.has_stuck && number == 0; /* it holds what stands still */
    if (chance(12)) { /* makes parents that are there, and then a znode below */
        char path[JOURNAL_FILE_PATH];
        snprintf(path, sizeof path, "/app/d%zu", is.count);
        add(client, -1, "")->code = -110;
        add(client, 1, path)->cversion = (int)is.count;
    } else if (chance(12)) {
        add(client, -1, "")->code = -101;
    } else if (!stays && chance(15)) {
        close_session(number, false);
    } else if (!stays && chance(15)) {
        client->crashed = true;
        client->expires_ms = is.base_ms + TIMEOUT_MS + (long long)random_below(&source, 500);
    } else if (lock == STUCK) {
        if (stays && own == NULL)
            arrive(number, STUCK);
        else if (!stays && place_of(ANYONE, STUCK) != NULL && chance(2))
            refuse(number, STUCK);
    } else if (own != NULL) {
        struct transaction *delete = add(client, 2, own->path);
        delete->multi = chance(6);
        leave(own, delete, "deleted");
    } else if (lock == ONE && place_of(ANYONE, ONE) != NULL) {
        refuse(number, ONE);
    } else if (lock != SEM || count_of(SEM) < LEASES) {
        arrive(number, lock);
    }
}

/* ------------------------------------------------------------------ files */

static void put_records(int server, long long from, long long to)
{
    journal_file_begin("ZKLG", 2);
    journal_file_digest = is.has_lists;
    for (const struct transaction *t = is.list; t < is.list + is.count; t++) {
        if (t->zxid < from || t->zxid >= to || !(t->on & 1U << server))
            continue;
        size_t path = strlen(t->path);
        journal_file_at_ms = t->ms;
        journal_file_cxid = t->cxid;
        if (t->type == -10 || (t->type == -1 && !t->multi))
            journal_file_record(t->session, t->zxid, t->type, "i", t->code);
        else if (t->type == -1)
            journal_file_record(t->session, t->zxid, 14, "iiiiiii", 2, -1, 4, t->code, -1, 4, -2);
        else if (t->type == -11 && is.has_lists)
            journal_file_record(t->session, t->zxid, -11, "v", t->listed, t->listed_count);
        else if (t->type == -11)
            journal_file_record(t->session, t->zxid, -11, "");
        else if (t->type == 2 && t->multi)
            journal_file_record(t->session, t->zxid, 14, "iiis", 1, 2, (int)path + 4, t->path);
        else if (t->type == 2)
            journal_file_record(t->session, t->zxid, 2, "s", t->path);
        else if (t->multi) /* the data, an ACL, whether ephemeral, the version */
            journal_file_record(t->session, t->zxid, 14, "iiisnafi", 1, 1, (int)path + 40, t->path,
                                t->ephemeral, t->cversion);
        else
            journal_file_record(t->session, t->zxid, t->type, "snafi", t->path, t->ephemeral,
                                t->cversion);
    }
}

/* A snapshot whose writing began at a transaction, and ends now. */
static void write_snapshot(int server, long long zxid)
{
    char name[40];
    int sessions = 0;
    for (int i = 0; i < CLIENTS; i++)
        sessions += is.clients[i].id != 0;
    journal_file_begin("ZKSN", 2);
    journal_file_put("i", sessions);
    for (int i = 0; i < CLIENTS; i++)
        if (is.clients[i].id != 0)
            journal_file_put("li", is.clients[i].id, TIMEOUT_MS);
    journal_file_put("i", 0);
    journal_file_znode("", 0, 0);
    for (int i = 0; i < CLIENTS; i++)
        if (is.clients[i].id != 0 && is.clients[i].host[0] != '\0')
            journal_file_znode(is.clients[i].host, is.clients[i].id, is.clients[i].host_zxid);
    for (size_t i = 0; i < is.place_count; i++) {
        const struct place *place = &is.places[i];
        journal_file_znode_at(place->path, is.clients[place->client].id, place->created,
                              place->created_ms);
    }
    journal_file_seal();
    snprintf(name, sizeof name, "snapshot.%llx", zxid);
    journal_file_write(in_work("zk%d", server), name, 0);
    is.snapshots[is.snapshot_count].server = server;
    is.snapshots[is.snapshot_count++].zxid = zxid;
}

/* A server comes back: it is sent what it lacks, or a snapshot. */
static void come_back(int server)
{
    for (size_t i = is.away_since[server]; i < is.count; i++)
        is.list[i].on |= 1U << server;
    if (is.away_since[server] < is.count && chance(2)) {
        for (size_t i = is.away_since[server]; i < is.count; i++)
            is.list[i].on &= ~(1U << server);
        write_snapshot(server, is.list[is.count - 1].zxid);
    }
    is.up |= 1U << server;
}

static void change_servers(void)
{
    if (chance(40)) {
        is.epoch++;
        is.counter = 0;
        is.off_ms = is.has_clocks ? (long long)random_below(&source, 8001) - 4000 : 0;
    }
    for (int server = 1; server < SERVERS; server++) {
        bool is_up = is.up & 1U << server;
        if (is_up && chance(60)) {
            is.up &= ~(1U << server);
            is.away_since[server] = is.count;
        } else if (!is_up && chance(20)) {
            come_back(server);
        }
    }
}

static void play(void)
{
    struct {
        int server, steps;
        long long zxid;
    } pending = {0};
    is = (struct history){.epoch = 1, .base_ms = JOURNAL_FILE_MS, .up = (1U << SERVERS) - 1};
    is.has_clocks = chance(2);
    is.has_lists = !chance(3);
    is.has_zero_closes = chance(3);
    is.has_stuck = chance(2);
    for (int step = 0; step < STEPS; step++) {
        int number = (int)random_below(&source, CLIENTS);
        change_servers();
        for (int i = 0; i < CLIENTS; i++)
            if (is.clients[i].id != 0 && is.clients[i].crashed &&
                is.base_ms >= is.clients[i].expires_ms)
                close_session(i, true);
        if (is.clients[number].id == 0)
            open_session(number);
        else if (!is.clients[number].crashed)
            act(number);
        if (pending.steps > 0 && --pending.steps == 0 && is.up & 1U << pending.server)
            write_snapshot(pending.server, pending.zxid);
        if (pending.steps == 0 && chance(30)) {
            pending.server = (int)random_below(&source, SERVERS);
            pending.zxid = is.list[is.count - 1].zxid;
            pending.steps = 1 + (int)random_below(&source, 4);
        }
    }
    for (int server = 0; server < SERVERS; server++)
        if (!(is.up & 1U << server))
            come_back(server);
    if (is.clients[1].id == 0)
        open_session(1);
    else
        add(&is.clients[1], -1, "")->code = -101;
}

/* Writes the logs of all servers, in up to three files each, from a transaction on. */
static void write_logs(long long from)
{
    for (int server = 0; server < SERVERS; server++) {
        long long begin = from, end;
        do {
            const struct transaction *cut = &is.list[random_below(&source, is.count)];
            char name[40];
            end = cut->zxid > begin && !chance(3) ? cut->zxid : INT64_MAX;
            put_records(server, begin, end);
            snprintf(name, sizeof name, "log.%llx", begin);
            journal_file_write(in_work("zk%d", server), name, 64);
            begin = end;
        } while (end != INT64_MAX);
    }
}

/* ------------------------------------------------------------------ what is right */

/* What the logs of some servers have. */
struct seen {
    unsigned servers;
    long long first; /* zxid */
    bool has_gap, may_have_gap;
};

static bool has_snapshot(unsigned servers, long long from, long long until)
{
    for (size_t i = 0; i < is.snapshot_count; i++)
        if (servers & 1U << is.snapshots[i].server && is.snapshots[i].zxid >= from &&
            is.snapshots[i].zxid <= until)
            return true;
    return false;
}

static struct seen look(unsigned servers, long long from)
{
    struct seen seen = {.servers = servers};
    const struct transaction *last = NULL;
    bool misses = false;
    for (size_t i = 0; i < is.count; i++) {
        const struct transaction *t = &is.list[i];
        if (t->zxid < from)
            continue;
        if (!(t->on & servers)) {
            misses = last != NULL;
            continue;
        }
        seen.has_gap |= misses;
        misses = false;
        if (last == NULL)
            seen.first = t->zxid;
        else if (t->zxid >> 32 != last->zxid >> 32 && !(t->on & last->on & servers))
            seen.may_have_gap = true; /* no server has both */
        last = t;
    }
    if (seen.first != (1LL << 32 | 1) && /* what ended before the snapshot may be unknown */
        (!is.has_lists || !has_snapshot(servers, seen.first - 1, INT64_MAX)))
        seen.may_have_gap = true;
    return seen;
}

static int row_of(const struct csv_file *file, const char *column, const char *text)
{
    for (size_t row = 0; row < file->rows; row++)
        if (strcmp(csv_file_text(file, row, column), text) == 0)
            return (int)row;
    return -1;
}

/* Whether the word of an end is right: it may be undecided. */
static void assert_end(const char *said, const char *end)
{
    if (strcmp(said, "undecided") != 0)
        assert_string_equal(said, end);
}

/* The holds of a lock, in the order of their ends. */
static void judge_holds(const struct csv_file *holds, const char *lock, const struct seen *seen,
                        enum lock which)
{
    size_t row = 0;
    const struct place *open = place_of(ANYONE, which);
    for (size_t i = 0; i <= is.hold_count; i++) {
        const struct hold *hold = i < is.hold_count ? &is.holds[i] : NULL;
        const struct place *place = hold != NULL ? &hold->place : open;
        char session[32];
        if (place == NULL || place->lock != which || (hold != NULL && hold->released < seen->first))
            continue;
        while (row < holds->rows && strcmp(csv_file_text(holds, row, "lock"), lock) != 0)
            row++;
        snprintf(session, sizeof session, "0x%llx",
                 hold != NULL ? hold->session : is.clients[place->client].id);
        /* Of a name only refusals tell what was there before the log. */
        if (which == ONE && place->created < seen->first &&
            (row == holds->rows || strcmp(csv_file_text(holds, row, "session"), session) != 0))
            continue;
        assert_true(row < holds->rows);
        assert_string_equal(csv_file_text(holds, row, "session"), session);
        if (place->granted >= seen->first)
            assert_int_equal(csv_file_count(holds, row, "granted_ms"), place->granted_ms);
        if (hold != NULL)
            assert_int_equal(csv_file_count(holds, row, "released_ms"), hold->released_ms);
        assert_end(csv_file_text(holds, row, "end"), hold != NULL ? hold->end : "open");
        row++;
    }
    while (row < holds->rows && strcmp(csv_file_text(holds, row, "lock"), lock) != 0)
        row++;
    assert_int_equal(row, holds->rows);
}

static void judge_locks(const struct seen *seen, const json_t *told)
{
    struct csv_file locks = csv_file_read(in_work("found/locks.csv")),
                    holds = csv_file_read(in_work("found/holds.csv"));
    int64_t unattributed = json_integer_value(json_object_get(told, "unattributed"));
    bool is_whole = seen->first == is.list[0].zxid;
    for (enum lock lock = 0; lock < LOCKS; lock++) {
        int row = row_of(&locks, "path", paths[lock]);
        int64_t truth = 0, refused = 0, inferred = 0;
        for (size_t i = 0; i < is.count; i++)
            truth += is.list[i].zxid >= seen->first && is.list[i].refused_lock == (int)lock + 1;
        if (row >= 0) {
            refused = (int64_t)csv_file_count(&locks, (size_t)row, "refused");
            inferred = (int64_t)csv_file_count(&locks, (size_t)row, "refused_inferred");
        }
        assert_true(refused - inferred <= truth && (row < 0 || truth <= refused + unattributed));
        if (row < 0 && is_whole)
            assert_int_equal(lock == ONE ? is.contended : lock == STUCK ? 0 : is.grants[lock], 0);
        if (row < 0)
            continue;
        if (is_whole)
            assert_int_equal(csv_file_count(&locks, (size_t)row, "grants"), is.grants[lock]);
        if (lock != STUCK)
            judge_holds(&holds, csv_file_text(&locks, (size_t)row, "lock"), seen, lock);
    }
    csv_file_deinit(&locks);
    csv_file_deinit(&holds);
}

static void judge_ends(const struct seen *seen)
{
    struct csv_file ends = csv_file_read(in_work("found/expired.csv"));
    size_t rows = 0;
    for (size_t i = 0; i < is.count; i++) {
        const struct transaction *close = &is.list[i];
        char session[32];
        if (close->type != -11 || close->zxid < seen->first)
            continue;
        snprintf(session, sizeof session, "0x%llx", close->session);
        int row = row_of(&ends, "session", session);
        rows += row >= 0;
        if (row >= 0)
            assert_end(csv_file_text(&ends, (size_t)row, "end"), close->code ? "expired" : "none");
        else
            assert_false(close->code && is.has_lists && close->listed_count > 0);
    }
    assert_int_equal(rows, ends.rows);
    csv_file_deinit(&ends);
}

/* Runs the subcommand; its exit status, and what it has printed, in `said`. */
static int run_autopsy(const char **arguments, int count)
{
    int screens[] = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    fflush(stdout);
    assert_non_null(freopen(in_work("said"), "w", stdout));
    assert_non_null(freopen("/dev/null", "w", stderr));
    int status = autopsy_main(count, (char **)(uintptr_t)arguments);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(dup2(screens[i], STDOUT_FILENO + i) >= 0);
        close(screens[i]);
    }
    return status;
}

/* Whether it was judged, and not found not valid. */
static bool judge(uint64_t seed)
{
    const char *line[8] = {"autopsy", "--json", "-o"};
    int words = 3;
    random_init(&source, seed);
    for (int server = 0; server < SERVERS; server++)
        assert_int_equal(mkdir(in_work("zk%d", server), 0755), 0);
    play();
    long long from = is.list[0].zxid;
    if (is.snapshot_count > 0 && chance(3))
        from = is.snapshots[random_below(&source, is.snapshot_count)].zxid + 1;
    write_logs(from);
    struct seen seen = look(1U + (unsigned)random_below(&source, (1U << SERVERS) - 1), from);
    line[words++] = in_work("found");
    for (int server = 0; server < SERVERS; server++)
        if (seen.servers & 1U << server)
            line[words++] = in_work("zk%d", server);
    int status = run_autopsy(line, words);
    if (status == 4) {
        assert_true(seen.has_gap || seen.may_have_gap);
        return false;
    }
    if (status != 0 || seen.has_gap)
        fail_msg("history %" PRIu64 ": status %d", seed, status);
    json_t *told = json_load_file(in_work("said"), 0, NULL);
    assert_non_null(told);
    judge_locks(&seen, told);
    judge_ends(&seen);
    json_decref(told);
    return true;
}

WORK_TEST(random_histories_are_judged_right_or_not_valid)
{
    const char *count = getenv("HISTORIES"), *only = getenv("HISTORY");
    setenv("PATH", "/nonexistent", 1); /* no pictures */
    uint64_t first = only != NULL ? strtoull(only, NULL, 10) : 1, judged = 0,
             last = only != NULL    ? first
                    : count != NULL ? strtoull(count, NULL, 10)
                                    : 100;
    for (uint64_t seed = first; seed <= last; seed++) {
        judged += judge(seed);
        for (const char *const *name = (const char *const[]){"zk0", "zk1", "zk2", "found", NULL};
             *name != NULL; name++)
            (void)folder_remove(in_work("%s", *name));
    }
    assert_true(only != NULL || 2 * judged > last); /* most of them are valid */
}
