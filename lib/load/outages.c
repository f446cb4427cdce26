// SPDX-License-Identifier: Apache-2.0
#include "load/internal.h"

#include "base/clock.h"
#include "fleet/shared.h"

#include <assert.h>

#define MS_PER_S UINT64_C(1000)
#define BITS     64

/* ------------------------------------------------------------------ memory */

static size_t words_of(const struct outages_shape *shape)
{
    return (shape->seconds * MS_PER_S + BITS - 1) / BITS;
}

static size_t samples_of(const struct outages_shape *shape)
{
    return (size_t)shape->seconds * OUTAGES_SAMPLES_PER_S;
}

/* A block with so many entries for each worker. */
static void *take_block(const struct outages_shape *shape, size_t entries,
                        struct shared_layout *layout)
{
    return shared_take(layout, shape->workers * entries * OUTAGES_KINDS * sizeof(uint64_t));
}

struct outages *outages_lay_out(const struct outages_shape *shape, struct shared_layout *layout)
{
    struct outages *outages = shared_take(layout, sizeof *outages);
    struct outages parts = {.shape = *shape};
    parts.faults = shared_take(layout, shape->faults * sizeof *parts.faults);
    parts.first_ns = take_block(shape, shape->faults, layout);
    parts.loud = take_block(shape, words_of(shape), layout);
    parts.samples = take_block(shape, samples_of(shape), layout);
    if (outages != NULL)
        *outages = parts;
    return outages;
}

/* ------------------------------------------------------------------ recording */

void outages_begin(struct outages *outages, uint64_t began_ns, uint64_t ended_ns)
{
    uint32_t begun = atomic_load(&outages->begun);
    assert(begun < outages->shape.faults);
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
        &outages->first_ns[(size_t)worker * outages->shape.faults + begun - 1][kind];
    uint64_t known = atomic_load(first);
    while ((known == 0 || now_ns + 1 < known) &&
           !atomic_compare_exchange_weak(first, &known, now_ns + 1))
        ;
}

void outages_record(struct outages *outages, uint32_t worker, bool reads, uint64_t sent_ns,
                    uint64_t now_ns)
{
    const struct outages_shape *shape = &outages->shape;
    enum outages_kind kind = reads ? OUTAGES_READS : OUTAGES_WRITES;
    uint64_t ms = now_ns / NS_PER_MS, bit = UINT64_C(1) << ms % BITS;
    if (ms >= shape->seconds * MS_PER_S)
        return;
    _Atomic uint64_t *word = &outages->loud[worker * words_of(shape) + ms / BITS][kind];
    if ((atomic_load(word) & bit) == 0)
        atomic_fetch_or(word, bit);
    uint64_t sample = ms * OUTAGES_SAMPLES_PER_S / MS_PER_S;
    atomic_fetch_add(&outages->samples[worker * samples_of(shape) + sample][kind], 1);
    record_first(outages, worker, kind, sent_ns, now_ns);
}

/* ------------------------------------------------------------------ what was found */

static bool includes(enum outages_kind kind, enum outages_kind one)
{
    return kind == OUTAGES_ALL || kind == one;
}

uint64_t outages_first_ns(const struct outages *outages, uint32_t fault, enum outages_kind kind)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t worker = 0; worker < outages->shape.workers; worker++) {
        for (enum outages_kind one = 0; one < OUTAGES_KINDS; one++) {
            uint64_t of_one = atomic_load(
                &outages->first_ns[(size_t)worker * outages->shape.faults + fault][one]);
            if (includes(kind, one) && of_one != 0 && of_one - 1 < first)
                first = of_one - 1;
        }
    }
    return first == UINT64_MAX ? first : first - outages->faults[fault].began_ns;
}

/* The milliseconds of a word in which an operation was completed by any worker. */
static uint64_t loud_word(const struct outages *outages, uint64_t word, enum outages_kind kind)
{
    uint64_t loud = 0;
    for (uint32_t worker = 0; worker < outages->shape.workers; worker++) {
        for (enum outages_kind one = 0; one < OUTAGES_KINDS; one++) {
            if (includes(kind, one))
                loud |= atomic_load(&outages->loud[worker * words_of(&outages->shape) + word][one]);
        }
    }
    return loud;
}

uint64_t outages_silence_ns(const struct outages *outages, uint64_t from_ns, uint64_t until_ns,
                            enum outages_kind kind)
{
    uint64_t longest_ms = 0, silent_ms = 0, loud = 0, end_ms = outages->shape.seconds * MS_PER_S;
    uint64_t from_ms = from_ns / NS_PER_MS, until_ms = until_ns / NS_PER_MS;
    for (uint64_t ms = from_ms; ms < until_ms && ms < end_ms; ms++) {
        if (ms == from_ms || ms % BITS == 0)
            loud = loud_word(outages, ms / BITS, kind);
        silent_ms = (loud >> ms % BITS & 1) != 0 ? 0 : silent_ms + 1;
        longest_ms = silent_ms > longest_ms ? silent_ms : longest_ms;
    }
    return longest_ms * NS_PER_MS;
}

uint64_t outages_sample(const struct outages *outages, uint32_t sample, enum outages_kind kind)
{
    uint64_t sum = 0;
    for (uint32_t worker = 0; worker < outages->shape.workers; worker++) {
        for (enum outages_kind one = 0; one < OUTAGES_KINDS; one++) {
            if (includes(kind, one))
                sum += atomic_load(
                    &outages->samples[worker * samples_of(&outages->shape) + sample][one]);
        }
    }
    return sum;
}
