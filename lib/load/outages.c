// SPDX-License-Identifier: Apache-2.0
#include "load/load_faults.h"

#include <assert.h>

#define MS_PER_S      UINT64_C(1000)
#define MS_PER_SAMPLE (MS_PER_S / OUTAGES_SAMPLES_PER_S)

struct outages *outages_lay_out(const struct load_plan *plan, struct shared_layout *layout)
{
    struct outages *outages = shared_take(layout, sizeof *outages);
    struct outages parts = {.plan = plan};
    parts.faults = shared_take(layout, plan->fault_count * sizeof *parts.faults);
    parts.first_ns = shared_take(layout, plan->fault_count * sizeof *parts.first_ns);
    parts.completed = shared_take(layout, plan->seconds * MS_PER_S * sizeof *parts.completed);
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
static void record_first(struct outages *outages, enum outages_kind kind, uint64_t sent_ns,
                         uint64_t now_ns)
{
    uint32_t begun = atomic_load(&outages->begun);
    if (begun == 0 || sent_ns < outages->faults[begun - 1].ended_ns)
        return;
    _Atomic uint64_t *first = &outages->first_ns[begun - 1][kind];
    uint64_t known = atomic_load(first);
    while ((known == 0 || now_ns + 1 < known) &&
           !atomic_compare_exchange_weak(first, &known, now_ns + 1))
        ;
}

void outages_record(struct outages *outages, bool reads, uint64_t sent_ns, uint64_t now_ns)
{
    enum outages_kind kind = reads ? OUTAGES_READS : OUTAGES_WRITES;
    uint64_t ms = now_ns / NS_PER_MS;
    if (ms >= outages->plan->seconds * MS_PER_S)
        return;
    atomic_fetch_add(&outages->completed[ms][kind], 1);
    record_first(outages, kind, sent_ns, now_ns);
}

/* ------------------------------------------------------------------ what was found */

static uint64_t completed(const struct outages *outages, uint64_t ms, enum outages_kind kind)
{
    const _Atomic uint32_t *in_ms = outages->completed[ms];
    return kind == OUTAGES_ALL
               ? (uint64_t)atomic_load(&in_ms[OUTAGES_READS]) + atomic_load(&in_ms[OUTAGES_WRITES])
               : atomic_load(&in_ms[kind]);
}

uint64_t outages_first_ns(const struct outages *outages, uint32_t fault, enum outages_kind kind)
{
    uint64_t first_ns = UINT64_MAX;
    for (enum outages_kind one = 0; one < OUTAGES_KINDS; one++) {
        uint64_t known = atomic_load(&outages->first_ns[fault][one]);
        if ((kind == OUTAGES_ALL || kind == one) && known != 0 && known - 1 < first_ns)
            first_ns = known - 1;
    }
    return first_ns == UINT64_MAX ? first_ns : first_ns - outages->faults[fault].began_ns;
}

uint64_t outages_silence_ns(const struct outages *outages, uint64_t from_ns, uint64_t until_ns,
                            enum outages_kind kind)
{
    uint64_t longest_ms = 0, silent_ms = 0, end_ms = outages->plan->seconds * MS_PER_S;
    for (uint64_t ms = from_ns / NS_PER_MS; ms < until_ns / NS_PER_MS && ms < end_ms; ms++) {
        silent_ms = completed(outages, ms, kind) > 0 ? 0 : silent_ms + 1;
        longest_ms = silent_ms > longest_ms ? silent_ms : longest_ms;
    }
    return longest_ms * NS_PER_MS;
}

uint64_t outages_sample(const struct outages *outages, uint32_t sample, enum outages_kind kind)
{
    uint64_t sum = 0, first_ms = sample * MS_PER_SAMPLE;
    for (uint64_t ms = first_ms; ms < first_ms + MS_PER_SAMPLE; ms++)
        sum += completed(outages, ms, kind);
    return sum;
}
