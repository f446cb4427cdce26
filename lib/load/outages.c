// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include <assert.h>

#define MS_PER_S UINT64_C(1000)
#define BITS     64

/* ------------------------------------------------------------------ memory */

static size_t words_of(const struct load_plan *plan)
{
    return (plan->seconds * MS_PER_S + BITS - 1) / BITS;
}

static size_t samples_of(const struct load_plan *plan)
{
    return (size_t)plan->seconds * OUTAGES_SAMPLES_PER_S;
}

/* A block with so many entries for each worker. */
static void *take_block(const struct load_plan *plan, size_t entries, struct shared_layout *layout)
{
    return shared_take(layout, plan->fleet.processes * entries * OUTAGES_KINDS * sizeof(uint64_t));
}

struct outages *outages_lay_out(const struct load_plan *plan, struct shared_layout *layout)
{
    struct outages *outages = shared_take(layout, sizeof *outages);
    struct outages parts = {.plan = plan};
    parts.faults = shared_take(layout, plan->fault_count * sizeof *parts.faults);
    parts.first_ns = take_block(plan, plan->fault_count, layout);
    parts.loud = take_block(plan, words_of(plan), layout);
    parts.samples = take_block(plan, samples_of(plan), layout);
    if (outages != NULL)
        *outages = parts;
    return outages;
}

/* ------------------------------------------------------------------ recording */

void outages_begin(struct outages *outages, uint64_t began_ns, uint64_t ended_ns)
{
    uint32_t begun = atomic_load(&outages->begun);
    assert(begun < outages->plan->fault_count);
    outages->faults[begun] = (struct outages_fault){began_ns, ended_ns};
    atomic_store(&outages->begun, begun + 1);
}

/* Only the first of a fault writes, or one that was completed at about the same time. */
static void record_first(struct outages *outages, uint32_t worker, enum outages_kind kind,
                         uint64_t sent_ns, uint64_t now_ns)
{
    uint32_t begun = atomic_load(&outages->begun);
    if (begun == 0 || sent_ns < outages->faults[begun - 1].ended_ns)
        return;
    _Atomic uint64_t *first =
        &outages->first_ns[(size_t)worker * outages->plan->fault_count + begun - 1][kind];
    uint64_t known = atomic_load(first);
    while ((known == 0 || now_ns + 1 < known) &&
           !atomic_compare_exchange_weak(first, &known, now_ns + 1))
        ;
}

void outages_record(struct outages *outages, uint32_t worker, bool reads, uint64_t sent_ns,
                    uint64_t now_ns)
{
    const struct load_plan *plan = outages->plan;
    enum outages_kind kind = reads ? OUTAGES_READS : OUTAGES_WRITES;
    uint64_t ms = now_ns / NS_PER_MS, bit = UINT64_C(1) << ms % BITS;
    if (ms >= plan->seconds * MS_PER_S)
        return;
    _Atomic uint64_t *word = &outages->loud[worker * words_of(plan) + ms / BITS][kind];
    if ((atomic_load(word) & bit) == 0)
        atomic_fetch_or(word, bit);
    uint64_t sample = ms * OUTAGES_SAMPLES_PER_S / MS_PER_S;
    atomic_fetch_add(&outages->samples[worker * samples_of(plan) + sample][kind], 1);
    record_first(outages, worker, kind, sent_ns, now_ns);
}

/* ------------------------------------------------------------------ what was found */

/* What all workers have recorded in a block with so many entries for each, of this kind: `how` adds
 * one of them to the result. */
typedef uint64_t (*adding)(uint64_t result, uint64_t one);

static uint64_t add_up(const struct outages *outages, _Atomic uint64_t (*block)[OUTAGES_KINDS],
                       size_t entries, size_t entry, enum outages_kind kind, adding how)
{
    uint64_t result = 0;
    for (uint32_t worker = 0; worker < outages->plan->fleet.processes; worker++) {
        for (enum outages_kind one = 0; one < OUTAGES_KINDS; one++) {
            if (kind == OUTAGES_ALL || kind == one)
                result = how(result, atomic_load(&block[worker * entries + entry][one]));
        }
    }
    return result;
}

/* The smallest that is not 0. */
static uint64_t least_of(uint64_t result, uint64_t one)
{
    return one != 0 && (result == 0 || one < result) ? one : result;
}

static uint64_t bits_of(uint64_t result, uint64_t one)
{
    return result | one;
}

static uint64_t sum_of(uint64_t result, uint64_t one)
{
    return result + one;
}

uint64_t outages_first_ns(const struct outages *outages, uint32_t fault, enum outages_kind kind)
{
    uint64_t first =
        add_up(outages, outages->first_ns, outages->plan->fault_count, fault, kind, least_of);
    return first == 0 ? UINT64_MAX : first - 1 - outages->faults[fault].began_ns;
}

uint64_t outages_silence_ns(const struct outages *outages, uint64_t from_ns, uint64_t until_ns,
                            enum outages_kind kind)
{
    uint64_t longest_ms = 0, silent_ms = 0, loud = 0, end_ms = outages->plan->seconds * MS_PER_S;
    uint64_t from_ms = from_ns / NS_PER_MS, until_ms = until_ns / NS_PER_MS;
    size_t words = words_of(outages->plan);
    for (uint64_t ms = from_ms; ms < until_ms && ms < end_ms; ms++) {
        if (ms == from_ms || ms % BITS == 0)
            loud = add_up(outages, outages->loud, words, ms / BITS, kind, bits_of);
        silent_ms = (loud >> ms % BITS & 1) != 0 ? 0 : silent_ms + 1;
        longest_ms = silent_ms > longest_ms ? silent_ms : longest_ms;
    }
    return longest_ms * NS_PER_MS;
}

uint64_t outages_sample(const struct outages *outages, uint32_t sample, enum outages_kind kind)
{
    return add_up(outages, outages->samples, samples_of(outages->plan), sample, kind, sum_of);
}
