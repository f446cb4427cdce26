// SPDX-License-Identifier: Apache-2.0

#include "base/random.h"
#include "sim/agenda.h"

#include "tests/support/test.h"

#define ENTRIES 3000

struct diary {
    struct slab slab;
    struct agenda agenda;
    uint64_t heard[ENTRIES];
    size_t count;
};

/* A note in the diary: which it was. */
struct request_copy {
    struct diary *diary;
    uint64_t number;
    uint64_t due_ns;
};

static void hear(void *context)
{
    const struct request_copy *note = context;
    assert_int_equal(note->diary->agenda.now_ns, note->due_ns);
    note->diary->heard[note->diary->count++] = note->number;
}

static void begin(struct diary *diary)
{
    *diary = (struct diary){0};
    slab_init(&diary->slab);
    agenda_init(&diary->agenda, &diary->slab);
}

TEST(test_the_earlier_comes_first_and_of_equals_the_one_before)
{
    static struct diary diary;
    static struct request_copy notes[ENTRIES];
    struct random random;
    random_init(&random, 1);
    begin(&diary);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        notes[i] = (struct request_copy){&diary, i, random_below(&random, 500)};
        agenda_add(&diary.agenda, notes[i].due_ns, hear, &notes[i]);
    }
    while (agenda_next_ns(&diary.agenda) != UINT64_MAX) {
        uint64_t next_ns = agenda_next_ns(&diary.agenda);
        assert_true(agenda_step(&diary.agenda));
        assert_int_equal(diary.agenda.now_ns, next_ns);
    }
    assert_int_equal(diary.count, ENTRIES);
    for (size_t i = 1; i < ENTRIES; i++) {
        const struct request_copy *a = &notes[diary.heard[i - 1]], *b = &notes[diary.heard[i]];
        assert_true(a->due_ns < b->due_ns || (a->due_ns == b->due_ns && a->number < b->number));
    }
    slab_deinit(&diary.slab);
}

static struct request_copy later;

/* Enters another one that would have been due long ago. */
static void enter_late(void *context)
{
    struct diary *diary = context;
    later = (struct request_copy){diary, 7, diary->agenda.now_ns};
    agenda_add(&diary->agenda, 3, hear, &later);
}

TEST(test_what_is_late_is_due_now)
{
    static struct diary diary;
    begin(&diary);
    agenda_add(&diary.agenda, 100, enter_late, &diary);
    assert_true(agenda_step(&diary.agenda));
    assert_int_equal(diary.count, 0);
    assert_int_equal(agenda_next_ns(&diary.agenda), 100);
    assert_true(agenda_step(&diary.agenda));
    assert_int_equal(diary.heard[0], 7);
    slab_deinit(&diary.slab);
}

TEST(test_an_empty_agenda_has_nothing_to_do)
{
    static struct diary diary;
    begin(&diary);
    assert_false(agenda_step(&diary.agenda));
    assert_int_equal(agenda_next_ns(&diary.agenda), UINT64_MAX);
    assert_int_equal(diary.agenda.now_ns, 0);
    slab_deinit(&diary.slab);
}
