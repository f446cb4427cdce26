// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/memory.h"
#include "base/text_fields.h"
#include "fleet/crew.h"
#include "recipes/registry.h"
#include "trial/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the plan */

/* The members of struct trial_plan that other hosts need beside its fleet and its root. There is
 * one lock, and each client acquires it once; the pace is the kind's. */
struct wire_plan {
    char recipe[64];
    uint64_t hold_ns;
    bool exponential;
};

static const struct text_field fields[] = {
#define FIELD(member, kind) TEXT_FIELD(struct wire_plan, member, kind)
    FIELD(recipe, TEXT),
    FIELD(hold_ns, U64),
    FIELD(exponential, BOOL),
#undef FIELD
    {0}};

char *lock_crew_describe(const struct trial_plan *plan)
{
    struct growing_text text = {0};
    struct wire_plan wire = {.hold_ns = plan->hold.mean_ns, .exponential = plan->hold.exponential};
    snprintf(wire.recipe, sizeof wire.recipe, "%s", plan->recipe->name);
    text_fields_write(fields, &wire, &text);
    return text.text;
}

const char *lock_crew_refusal(const struct recipe *recipe, enum pace pace)
{
    if (registry_find(recipe->name) != recipe)
        return "workers know the recipes that zkherd brings, and no others";
    if (recipe->barrier)
        return "its clients wait for each other in one memory: one host runs it";
    if (recipe->every_lock)
        return "its clients take several locks, and the workers share one";
    if (pace == PACE_LOCKSTEP && (recipe->turn_law != NULL || recipe->nesting > 1))
        return "under lockstep its clients wait for each other in one memory: add --pace free";
    if (recipe->broken || recipe->death.how != DEATH_NONE)
        return "what it breaks is looked for in one memory: one host runs it";
    return pace == PACE_FREE || recipe_has_law(recipe) ? NULL : "lockstep cannot run it";
}

const struct crew_kind *lock_crew_kind_of(const struct trial_plan *plan)
{
    return plan->pace == PACE_FREE ? &lock_scattered_kind : &lock_crew_kind;
}

enum error_kind lock_crew_open(enum pace pace, const char *text, const struct fleet_plan *here,
                               const char *root, struct fleet *fleet, struct error *error)
{
    struct wire_plan wire = {.hold_ns = 0};
    struct trial_memory *memory = NULL;
    bool read = text_fields_read(fields, &wire, sizeof wire, &text) && text[0] == '\0';
    const struct recipe *recipe = read ? registry_find(wire.recipe) : NULL;
    if (recipe == NULL || lock_crew_refusal(recipe, pace) != NULL)
        return error_raise(error, ERROR_NOT_VALID, 0, "lock",
                           "what the run has written is no plan");
    struct trial_plan *plan = memory_new(1, sizeof *plan);
    *plan = (struct trial_plan){.fleet = *here,
                                .recipe = recipe,
                                .pace = pace,
                                .hold = {wire.hold_ns, wire.exponential},
                                .locks = 1,
                                .root = root};
    enum error_kind kind = trial_memory_new(plan, &memory, error);
    if (kind != ERROR_NONE) {
        free(plan);
        return kind;
    }
    *fleet = (struct fleet){.shared = memory->fleet,
                            .ops = &lock_session_ops,
                            .kind = memory,
                            .remote = lock_crew_kind_of(plan),
                            .plan = plan};
    return ERROR_NONE;
}

static enum error_kind open_trial(const char *text, const struct fleet_plan *here, const char *root,
                                  struct fleet *fleet, struct error *error)
{
    return lock_crew_open(PACE_LOCKSTEP, text, here, root, fleet, error);
}

void lock_crew_close(struct fleet *fleet)
{
    struct trial_memory *memory = fleet->kind;
    trial_memory_free(memory);
    free(fleet->plan);
}

/* ------------------------------------------------------------------ the parts */

#define WORKER_HEAD offsetof(struct lock_worker, late)
#define OF_WORKER   (1 + ROLES * METER_KINDS)
/* A report without what is of one program's memory: where its last release ended. */
#define REPORT_HEAD offsetof(struct trial_session_report, released_file)
#define REPORT_REST offsetof(struct trial_session_report, lock)

/* The worker's head, its histograms, and two pieces of each of its sessions' reports. */
bool lock_crew_part(void *kind, uint32_t process, size_t index, struct crew_part *part)
{
    struct trial_memory *memory = kind;
    const struct fleet_plan *plan = &memory->plan->fleet;
    struct lock_worker *worker = &memory->workers[process];
    if (index == 0) {
        *part = (struct crew_part){worker, WORKER_HEAD, false};
        return true;
    }
    index--;
    if (index < OF_WORKER) {
        struct histogram *histogram =
            index == 0 ? &worker->late
                       : &worker->latency[(index - 1) / METER_KINDS][(index - 1) % METER_KINDS];
        *part =
            (struct crew_part){histogram, sizeof *histogram, histogram_recorded(histogram) == 0};
        return true;
    }
    index -= OF_WORKER;
    if (index >= 2 * (size_t)fleet_plan_sessions_of(plan, process))
        return false;
    struct trial_session_report *report = &memory->sessions[process + index / 2 * plan->processes];
    *part = index % 2 == 0 ? (struct crew_part){report, REPORT_HEAD, false}
                           : (struct crew_part){(char *)report + REPORT_REST,
                                                sizeof *report - REPORT_REST, false};
    return true;
}

bool lock_crew_is_sound(void *kind, uint32_t process)
{
    const struct trial_memory *memory = kind;
    const struct fleet_plan *plan = &memory->plan->fleet;
    bool is_sound = true;
    for (uint32_t i = process; i < plan->sessions; i += plan->processes) {
        const struct trial_session_report *report = &memory->sessions[i];
        is_sound = is_sound && report->lock < memory->plan->locks &&
                   (unsigned)report->awaited <= EVENT_OTHER &&
                   memchr(report->waits_for, '\0', sizeof report->waits_for) != NULL &&
                   memchr(report->node, '\0', sizeof report->node) != NULL;
    }
    return is_sound;
}

static void shift(void *kind, uint32_t process, uint64_t shift_ns)
{
    struct trial_memory *memory = kind;
    const struct fleet_plan *plan = &memory->plan->fleet;
    for (uint32_t i = process; i < plan->sessions; i += plan->processes) {
        if (memory->sessions[i].released_ns != 0)
            memory->sessions[i].released_ns += shift_ns;
    }
}

/* ------------------------------------------------------------------ the words of a step
 *
 * Between two steps all hosts get the state of the lock, and who is to move. Whoever does not hold
 * the session that is to release has the lock's next row from then on: what follows from the
 * release may come to it first. What a host tells of a count is what it has added to the words. */

/* X(word, member of struct lock_state, its type, whether it is a count) */
#define WORD_LIST(X)                                                                               \
    X(HOLDER, holder, uint32_t, false)                                                             \
    X(SHARERS, sharers, uint32_t, true)                                                            \
    X(ARRIVALS, arrivals, uint64_t, true)                                                          \
    X(GRANTS, grants, uint64_t, true)                                                              \
    X(RELEASES, releases, uint64_t, true)                                                          \
    X(INVERSIONS, inversions, uint64_t, true)                                                      \
    X(LAST_ORDER, last_order, int64_t, false)                                                      \
    X(LAST_ALONE, last_alone, int64_t, false)

enum {
#define X(word, member, type, counts) WORD_##word,
    WORD_LIST(X)
#undef X
        LOCK_WORDS,
    WORD_MOVES = LOCK_WORDS, /* session +1 */
    WORD_RELEASES_NOW,       /* whether it releases */
    WORDS
};
_Static_assert(WORDS <= CREW_WORDS_MAX, "the words have room");

static const bool are_counts[LOCK_WORDS] = {
#define X(word, member, type, counts) [WORD_##word] = counts,
    WORD_LIST(X)
#undef X
};

static void write_lock(struct trial_memory *memory, const uint64_t words[LOCK_WORDS])
{
    struct lock_state *lock = &memory->locks[0];
#define X(word, member, type, counts) atomic_store(&lock->member, (type)words[WORD_##word]);
    WORD_LIST(X)
#undef X
}

static void read_lock(const struct trial_memory *memory, uint64_t words[LOCK_WORDS])
{
    const struct lock_state *lock = &memory->locks[0];
#define X(word, member, type, counts) words[WORD_##word] = (uint64_t)atomic_load(&lock->member);
    WORD_LIST(X)
#undef X
}

static void get_words(const void *kind, uint64_t words[CREW_WORDS_MAX])
{
    const struct trial_memory *memory = kind;
    memcpy(words, memory->steps.words, WORDS * sizeof words[0]);
}

static bool put_words(void *kind, uint32_t first, uint32_t count,
                      const uint64_t words[CREW_WORDS_MAX])
{
    struct trial_memory *memory = kind;
    struct lock_state *lock = &memory->locks[0];
    uint32_t session = (uint32_t)words[WORD_MOVES] - 1;
    uint32_t process = session % memory->plan->fleet.processes;
    bool is_here = process >= first && process < first + count;
    if (session >= memory->plan->fleet.sessions ||
        words[WORD_HOLDER] > memory->plan->fleet.sessions)
        return false;
    write_lock(memory, words);
    atomic_store(&lock->released_ns, 0); /* nothing that follows from another's is timed */
    if (words[WORD_RELEASES_NOW] && !is_here) {
        checker_released(memory, 0, session);
        atomic_fetch_add(&lock->releases, 1);
    }
    memcpy(memory->steps.words, words, sizeof memory->steps.words);
    read_lock(memory, memory->steps.words);
    memory->steps.row = words[WORD_RELEASES] + words[WORD_RELEASES_NOW];
    return true;
}

/* ------------------------------------------------------------------ what a host tells of a step */

enum {
    LIVE_TOTAL,
    LIVE_ROW = LIVE_TOTAL + TALLY_KINDS, /* the number of the step's row, */
    LIVE_OF_ROW,                         /* its tally, and that of the row before */
    LIVE_OF_BEFORE = LIVE_OF_ROW + TALLY_KINDS,
    LIVE_WORDS = LIVE_OF_BEFORE + TALLY_KINDS,
    LIVE_HOLDER_CHANGED = LIVE_WORDS + LOCK_WORDS,
    LIVE_GRANTED, /* of the row: as in struct ledger_row */
    LIVE_GRANTED_TO,
    LIVE_HANDOFF_NS,
    LIVE_RELEASED_NS, /* by the host's clock, as is */
    LIVE_GRANTED_NS,  /* the last grant of the row; 0: the host has seen none */
    LIVE_VIOLATIONS,
    LIVE_END = LIVE_VIOLATIONS + LOCK_CREW_VIOLATION_WORDS
};
_Static_assert(LIVE_END <= CREW_LIVE_MAX, "what is told has room");

static void tell_row(const struct trial_memory *memory, uint64_t number, uint64_t live[TALLY_KINDS])
{
    const struct tally *tally = &ledger_row(&memory->ledger, 0, number)->tally;
    for (int kind = 0; kind < TALLY_KINDS; kind++)
        live[kind] = tally_read_shared(tally, (enum tally_kind)kind);
}

void lock_crew_tell_violations(const struct trial_memory *memory, uint64_t *words)
{
    const struct violation *first = &memory->violations[0]; /* counted before it is written */
    const uint64_t told[LOCK_CREW_VIOLATION_WORDS] = {
        first->session > 0 ? atomic_load(&memory->violation_count) : 0,
        first->kind,
        first->session,
        first->other,
        first->tally,
        (uint64_t)first->expected,
        (uint64_t)first->found};
    memcpy(words, told, sizeof told);
}

bool lock_crew_believes(const struct trial_memory *memory, const uint64_t *words)
{
    uint32_t sessions = memory->plan->fleet.sessions;
    return words[0] == 0 || (words[1] <= VIOLATION_LEDGER && words[2] <= sessions &&
                             words[3] <= sessions && words[4] < TALLY_KINDS);
}

void lock_crew_hear_violations(struct trial_memory *memory, uint64_t handoff,
                               const uint64_t *before, const uint64_t *words)
{
    if (words[0] <= before[0])
        return;
    trial_memory_violate(memory, &(struct violation){.kind = (enum violation_kind)words[1],
                                                     .handoff = handoff,
                                                     .session = (uint32_t)words[2],
                                                     .other = (uint32_t)words[3],
                                                     .tally = (enum tally_kind)words[4],
                                                     .expected = (int64_t)words[5],
                                                     .found = (int64_t)words[6]});
    atomic_fetch_add(&memory->violation_count, (uint32_t)(words[0] - before[0] - 1));
}

static void tell(void *kind, uint32_t first, uint32_t count, uint64_t cpu_ns,
                 uint64_t live[CREW_LIVE_MAX])
{
    const struct trial_memory *memory = kind;
    const struct ledger_row *row = ledger_row(&memory->ledger, 0, memory->steps.row);
    (void)first, (void)count, (void)cpu_ns;
    for (int of = 0; of < TALLY_KINDS; of++)
        live[LIVE_TOTAL + of] = trial_memory_count(memory, (enum tally_kind)of);
    live[LIVE_ROW] = memory->steps.row;
    tell_row(memory, memory->steps.row, &live[LIVE_OF_ROW]);
    tell_row(memory, memory->steps.row > 0 ? memory->steps.row - 1 : 0, &live[LIVE_OF_BEFORE]);
    read_lock(memory, &live[LIVE_WORDS]);
    live[LIVE_HOLDER_CHANGED] = live[LIVE_WORDS + WORD_HOLDER] != memory->steps.words[WORD_HOLDER];
    for (size_t word = 0; word < LOCK_WORDS; word++) {
        if (are_counts[word])
            live[LIVE_WORDS + word] -= memory->steps.words[word];
    }
    live[LIVE_GRANTED] = atomic_load(&row->granted);
    live[LIVE_GRANTED_TO] = atomic_load(&row->holder);
    live[LIVE_HANDOFF_NS] = atomic_load(&row->handoff_ns);
    live[LIVE_RELEASED_NS] = row->released_ns;
    live[LIVE_GRANTED_NS] = live[LIVE_GRANTED] > 0 ? atomic_load(&memory->locks[0].granted_ns) : 0;
    lock_crew_tell_violations(memory, &live[LIVE_VIOLATIONS]);
}

/* ------------------------------------------------------------------ what the run makes of it */

/* A host that was heard before has told the row under the same number, or as the row before. */
static void add_rows(struct trial_memory *memory, const uint64_t before[CREW_LIVE_MAX],
                     const uint64_t live[CREW_LIVE_MAX])
{
    uint64_t row = live[LIVE_ROW];
    struct tally *now = &ledger_row(&memory->ledger, 0, row)->tally;
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        bool same = before[LIVE_ROW] == row;
        uint64_t was = same ? before[LIVE_OF_ROW + kind] : 0;
        tally_add_shared(now, (enum tally_kind)kind, live[LIVE_OF_ROW + kind] - was);
        if (row == 0)
            continue;
        was = before[(same ? LIVE_OF_BEFORE : LIVE_OF_ROW) + kind];
        tally_add_shared(&ledger_row(&memory->ledger, 0, row - 1)->tally, (enum tally_kind)kind,
                         live[LIVE_OF_BEFORE + kind] - was);
    }
}

/* What a host has made of the words of the step. A holder who has let go gives way to one who has
 * been granted elsewhere. */
static void add_host(uint64_t words[LOCK_WORDS], const uint64_t live[CREW_LIVE_MAX], bool *changed)
{
    const uint64_t *told = &live[LIVE_WORDS];
    for (size_t word = 0; word < LOCK_WORDS; word++) {
        if (are_counts[word])
            words[word] += told[word];
        else if (word != WORD_HOLDER && (int64_t)told[word] > (int64_t)words[word])
            words[word] = told[word];
    }
    if (live[LIVE_HOLDER_CHANGED] && (told[WORD_HOLDER] != 0 || !*changed)) {
        words[WORD_HOLDER] = told[WORD_HOLDER];
        *changed = true;
    }
}

/* The words of the present step, and what every host has made of them. */
static void add_words(struct trial_memory *memory)
{
    uint64_t words[LOCK_WORDS];
    bool changed = false;
    memcpy(words, memory->steps.words, sizeof words);
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++) {
        const struct lock_told *told = &memory->steps.told[i];
        if (told->heard && told->step == memory->steps.number)
            add_host(words, told->live, &changed);
    }
    write_lock(memory, words);
}

static void add_row_facts(struct trial_memory *memory)
{
    struct ledger_row *row = ledger_row(&memory->ledger, 0, memory->steps.row);
    struct lock_ends *ends = &memory->steps.ends[row - memory->ledger.rows];
    uint32_t granted = 0;
    for (uint32_t i = 0; i < memory->plan->fleet.processes; i++) {
        const uint64_t *live = memory->steps.told[i].live;
        if (!memory->steps.told[i].heard || live[LIVE_ROW] != memory->steps.row)
            continue;
        granted += (uint32_t)live[LIVE_GRANTED];
        if (live[LIVE_GRANTED_TO] != 0)
            atomic_store(&row->holder, (uint32_t)live[LIVE_GRANTED_TO]);
        shared_raise(&row->handoff_ns, live[LIVE_HANDOFF_NS]);
        if (live[LIVE_RELEASED_NS] != 0)
            ends->released_ns = live[LIVE_RELEASED_NS], ends->released_at = i + 1;
        if (live[LIVE_GRANTED_NS] != 0)
            ends->granted_ns = live[LIVE_GRANTED_NS], ends->granted_at = i + 1;
    }
    atomic_store(&row->granted, granted);
}

static bool hear(void *kind, uint32_t first, const uint64_t live[CREW_LIVE_MAX])
{
    struct trial_memory *memory = kind;
    struct lock_told *told = &memory->steps.told[first];
    uint32_t sessions = memory->plan->fleet.sessions;
    if (live[LIVE_WORDS + WORD_HOLDER] > sessions || live[LIVE_GRANTED_TO] > sessions ||
        !lock_crew_believes(memory, &live[LIVE_VIOLATIONS]))
        return false;
    /* Before the first step there is nothing to hear, and no host is ahead of the run. */
    if (memory->steps.number == 0 || live[LIVE_ROW] > memory->steps.row)
        return true;
    add_rows(memory, told->live, live);
    lock_crew_hear_violations(memory, live[LIVE_ROW], &told->live[LIVE_VIOLATIONS],
                              &live[LIVE_VIOLATIONS]);
    memcpy(told->live, live, sizeof told->live);
    told->heard = true;
    told->step = memory->steps.number;
    add_words(memory);
    add_row_facts(memory);
    memcpy(memory->workers[first].total.of, &live[LIVE_TOTAL], sizeof memory->workers[first].total);
    return true;
}

bool trial_apart(const struct trial_memory *memory, size_t handoff, struct trial_apart *apart)
{
    const struct lock_ends *ends = &memory->steps.ends[handoff];
    const struct crew *crew = memory->plan->fleet.crew;
    int64_t low_ns[2], high_ns[2];
    if (crew == NULL || ends->released_at == 0 || ends->granted_at == 0 ||
        ends->released_at == ends->granted_at ||
        !crew_clock(crew, ends->released_at - 1, &low_ns[0], &high_ns[0]) ||
        !crew_clock(crew, ends->granted_at - 1, &low_ns[1], &high_ns[1]))
        return false;
    uint64_t run_ns = atomic_load(&memory->last_released_ns) - atomic_load(&memory->gate_ns);
    int64_t between_ns = (int64_t)(ends->granted_ns - ends->released_ns),
            drift_ns = (int64_t)(run_ns / LOCK_CREW_DRIFT_PART);
    int64_t least_ns = between_ns - high_ns[1] + low_ns[0] - drift_ns;
    apart->released_at = ends->released_at - 1;
    apart->granted_at = ends->granted_at - 1;
    apart->low_ns = least_ns > 0 ? (uint64_t)least_ns : 0; /* a cause comes before its effect */
    apart->high_ns = (uint64_t)(between_ns - low_ns[1] + high_ns[0] + drift_ns);
    return true;
}

void lock_crew_step(struct trial_memory *memory, uint32_t session, bool releases, uint64_t now_ns)
{
    struct ledger_row *row;
    uint64_t none = 0;
    read_lock(memory, memory->steps.words);
    memory->steps.words[WORD_MOVES] = session + UINT64_C(1);
    memory->steps.words[WORD_RELEASES_NOW] = releases;
    memory->steps.row = memory->steps.words[WORD_RELEASES] + releases;
    memory->steps.number++;
    if (releases) {
        row = ledger_row(&memory->ledger, 0, memory->steps.row);
        row->released_ns = now_ns;
        row->waiters = (uint32_t)handoff_waiting(memory, 0);
        atomic_compare_exchange_strong(&memory->first_release_ns, &none, now_ns);
    }
    crew_share(memory->plan->fleet.crew);
}

/* ------------------------------------------------------------------ the kind */

static void mean(struct growing_text *text)
{
    text_fields_describe(fields, text);
    for (size_t i = 0; registry_at(i) != NULL; i++)
        growing_text_add(text, "%s\n", registry_at(i)->name);
    growing_text_add(text, "%zu %zu %zu %zu %d %d %d %d\n", WORKER_HEAD,
                     sizeof(struct trial_session_report), REPORT_HEAD, REPORT_REST, METER_KINDS,
                     ROLES, (int)WORDS, (int)LIVE_END);
}

const struct crew_kind lock_crew_kind = {.name = "lock",
                                         .mean = mean,
                                         .part = lock_crew_part,
                                         .is_sound = lock_crew_is_sound,
                                         .tell = tell,
                                         .hear = hear,
                                         .get_words = get_words,
                                         .put_words = put_words,
                                         .shift = shift,
                                         .open = open_trial,
                                         .close = lock_crew_close};
