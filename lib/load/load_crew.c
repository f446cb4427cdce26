// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/text_fields.h"
#include "fleet/crew.h"
#include "load/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than any load has. */
#define ZNODES_MAX 1000000
#define RATE_MAX   1000000000

/* ------------------------------------------------------------------ the plan */

/* What other hosts need to know beside the fleet and the root. */
static const struct text_field fields[] = {
#define FIELD(member, kind) TEXT_FIELD(struct load_plan, member, kind)
    FIELD(mix.percent, U32),
    FIELD(rate_per_s, U64),
    FIELD(poisson, BOOL),
    FIELD(value_bytes, U32),
    FIELD(znodes, U32),
    FIELD(warm_up_ns, U64),
    FIELD(seconds, U32),
    FIELD(limit_ns, U64),
#undef FIELD
    {0}};

char *load_crew_describe(const struct load_plan *plan)
{
    struct growing_text text = {0};
    text_fields_write(fields, plan, &text);
    return text.text;
}

/* Input that is not trusted: whatever no command line of zkherd gives is refused. */
static bool is_sound(const struct load_plan *plan)
{
    uint32_t percent = 0;
    for (int kind = 0; kind < (int)MIX_KINDS; kind++)
        percent += plan->mix.percent[kind] <= 100 ? plan->mix.percent[kind] : 101;
    return percent == 100 && plan->fleet.depth >= 1 && plan->seconds >= 1 &&
           plan->seconds <= LOAD_SECONDS_MAX && plan->value_bytes < 1 << 20 &&
           plan->znodes <= ZNODES_MAX && plan->rate_per_s <= RATE_MAX;
}

/* The plan goes with the memory, which points to it. */
static enum error_kind open_load(const char *text, const struct fleet_plan *here, const char *root,
                                 struct fleet *fleet, struct error *error)
{
    struct load_plan *plan = memory_new(1, sizeof *plan);
    struct load_shared *load = NULL;
    enum error_kind kind = ERROR_NONE;
    bool read = text_fields_read(fields, plan, sizeof *plan, &text) && text[0] == '\0';
    plan->fleet = *here;
    plan->root = root;
    if (!read || !is_sound(plan))
        kind =
            error_raise(error, ERROR_NOT_VALID, 0, "load", "what the run has written is no plan");
    if (kind == ERROR_NONE)
        kind = load_shared_new(plan, &load, error);
    if (kind != ERROR_NONE) {
        free(plan);
        return kind;
    }
    *fleet = (struct fleet){.shared = load->shared,
                            .ops = &load_session_ops,
                            .kind = load,
                            .remote = &load_crew_kind,
                            .plan = plan};
    return ERROR_NONE;
}

static void close_load(struct fleet *fleet)
{
    struct load_shared *load = fleet->kind;
    load_shared_free(load);
    free(fleet->plan);
}

/* ------------------------------------------------------------------ the parts */

/* Windows have a head, and behind it histograms: the lag, and those of each role and kind. */
#define WINDOW_HEAD offsetof(struct load_window, lag)
#define WORKER_HEAD offsetof(struct load_worker, windows)
#define OF_A_WINDOW (1 + 2 * (size_t)ROLES * LOAD_KINDS)
#define HISTOGRAMS  (LOAD_WINDOWS * OF_A_WINDOW)

static struct crew_part of_histogram(struct histogram *histogram)
{
    return (struct crew_part){histogram, sizeof *histogram, histogram_recorded(histogram) == 0};
}

static struct histogram *histogram_at(struct load_worker *worker, size_t index)
{
    struct load_window *window = &worker->windows[index / OF_A_WINDOW];
    size_t at = index % OF_A_WINDOW;
    if (at == 0)
        return &window->lag;
    at--;
    struct histogram(*times)[LOAD_KINDS + 1] =
        at < (size_t)ROLES * LOAD_KINDS ? window->service : window->response;
    at %= (size_t)ROLES * LOAD_KINDS;
    return &times[at / LOAD_KINDS][at % LOAD_KINDS];
}

/* In this order: the worker's head, that of each window, the seconds, the histograms, the times of
 * each span. */
static bool part(void *kind, uint32_t process, size_t index, struct crew_part *part)
{
    const struct load_shared *load = kind;
    struct load_worker *worker = &load->workers[process];
    if (index == 0) {
        *part = (struct crew_part){worker, WORKER_HEAD, false};
    } else if (index <= LOAD_WINDOWS) {
        *part = (struct crew_part){&worker->windows[index - 1], WINDOW_HEAD, false};
    } else if (index == LOAD_WINDOWS + 1) {
        struct load_second *seconds = &load->seconds[(size_t)process * load->plan->seconds];
        *part = (struct crew_part){seconds, load->plan->seconds * sizeof *seconds, false};
    } else if (index < LOAD_WINDOWS + 2 + HISTOGRAMS) {
        *part = of_histogram(histogram_at(worker, index - LOAD_WINDOWS - 2));
    } else {
        size_t at = index - LOAD_WINDOWS - 2 - HISTOGRAMS, spans = load_shared_spans(load->plan);
        struct load_times *times = &load->times[process * spans + at / 2];
        if (at >= 2 * spans)
            return false;
        *part = of_histogram(at % 2 == 0 ? &times->reads : &times->writes);
    }
    return true;
}

static void mean(struct growing_text *text)
{
    text_fields_describe(fields, text);
    for (int kind = 0; kind < LOAD_KINDS; kind++)
        growing_text_add(text, "%s\n", load_kind_word((enum load_kind)kind));
    growing_text_add(text, "%zu %zu %zu %zu %zu %d %d %d\n", WORKER_HEAD, WINDOW_HEAD,
                     sizeof(struct load_second), sizeof(struct load_times),
                     sizeof(struct histogram), ROLES, LOAD_STATUSES, TALLY_KINDS);
#define X(counter) growing_text_add(text, #counter "\n");
    LOAD_COUNTERS(X)
#undef X
}

/* ------------------------------------------------------------------ while it runs */

static void get_times(const void *kind, uint64_t times_ns[CREW_TIMES_MAX])
{
    const struct load_shared *load = kind;
    times_ns[0] = load->starts_ns > 0 ? load->starts_ns : UINT64_MAX;
    times_ns[1] = atomic_load(&load->measures_ns);
    times_ns[2] = atomic_load(&load->settles_ns);
    times_ns[3] = atomic_load(&load->contends_ns);
    times_ns[4] = atomic_load(&load->ends_ns);
}

/* The seconds that are measured have places in the memory, and no others. */
static bool put_times(void *kind, const uint64_t times_ns[CREW_TIMES_MAX])
{
    struct load_shared *load = kind;
    uint64_t measures_ns = times_ns[1], settles_ns = times_ns[2];
    if (measures_ns != UINT64_MAX &&
        (settles_ns < measures_ns || settles_ns - measures_ns > load_plan_measured_ns(load->plan)))
        return false;
    load->starts_ns = times_ns[0];
    atomic_store(&load->measures_ns, times_ns[1]);
    atomic_store(&load->settles_ns, times_ns[2]);
    atomic_store(&load->contends_ns, times_ns[3]);
    atomic_store(&load->ends_ns, times_ns[4]);
    return true;
}

static _Atomic uint32_t *rests(void *kind)
{
    return &((struct load_shared *)kind)->rests;
}

/* What is told while the load goes on. The last second that has ended is that of number SECOND,
 * less one; 0: none has. */
enum { LIVE_TOTAL, LIVE_REPLIED = TALLY_KINDS, LIVE_SECOND, LIVE_ANSWERED, LIVE_ERRORS, LIVE_LAG };
_Static_assert(LIVE_LAG < CREW_LIVE_MAX, "what is told has room");

/* How many seconds of the measured time have ended. */
static uint32_t ended_of(const struct load_shared *load, uint64_t now_ns)
{
    uint64_t measures_ns = atomic_load(&load->measures_ns);
    uint64_t ended = now_ns > measures_ns ? (now_ns - measures_ns) / NS_PER_S : 0;
    return ended < load->plan->seconds ? (uint32_t)ended : load->plan->seconds;
}

static void tell(void *kind, uint32_t first, uint32_t count, uint64_t cpu_ns,
                 uint64_t live[CREW_LIVE_MAX])
{
    struct load_shared *load = kind;
    uint64_t now_ns = clock_now_ns();
    uint64_t replied = 0;
    for (uint32_t i = first; i < first + count; i++)
        replied += atomic_load(&load->workers[i].replied);
    const struct tally total = load_shared_total(load);
    memcpy(&live[LIVE_TOTAL], total.of, sizeof total.of);
    live[LIVE_REPLIED] = replied;
    if (now_ns < atomic_load(&load->measures_ns))
        return;
    if (!load->notes_cpu)
        shared_forget_absence(load->shared); /* the warm-up's */
    uint32_t ended = ended_of(load, now_ns);
    load_shared_note_cpu(load, first, ended, cpu_ns);
    if (ended == 0)
        return;
    const struct load_second_sum sum = load_shared_second_sum(load, ended - 1);
    live[LIVE_SECOND] = ended;
    live[LIVE_ANSWERED] = sum.answered;
    live[LIVE_ERRORS] = sum.errors;
    live[LIVE_LAG] = sum.lag_ns;
}

static bool hear(void *kind, uint32_t first, const uint64_t live[CREW_LIVE_MAX])
{
    struct load_shared *load = kind;
    struct load_worker *worker = &load->workers[first];
    memcpy(worker->total.of, &live[LIVE_TOTAL], sizeof worker->total.of);
    atomic_store(&worker->replied, live[LIVE_REPLIED]);
    if (live[LIVE_SECOND] == 0 || live[LIVE_SECOND] > load->plan->seconds)
        return true;
    struct load_second *second =
        &load->seconds[(size_t)first * load->plan->seconds + live[LIVE_SECOND] - 1];
    atomic_store(&second->answered, live[LIVE_ANSWERED]);
    atomic_store(&second->errors, live[LIVE_ERRORS]);
    atomic_store(&second->lag_ns, live[LIVE_LAG]);
    return true;
}

static uint64_t rate_per_s(const void *kind)
{
    return ((const struct load_shared *)kind)->plan->rate_per_s;
}

const struct crew_kind load_crew_kind = {.name = "load",
                                         .mean = mean,
                                         .part = part,
                                         .ends_with_report = true,
                                         .get_times = get_times,
                                         .put_times = put_times,
                                         .rests = rests,
                                         .tell = tell,
                                         .hear = hear,
                                         .rate_per_s = rate_per_s,
                                         .open = open_load,
                                         .close = close_load};
