// SPDX-License-Identifier: Apache-2.0
/* Structures as lines of text: what was written is read again, and anything else is refused as a
 * whole. */
#include "base/text_fields.h"

#include "tests/support/test.h"

struct sample {
    uint32_t narrow;
    char name[8];
    uint64_t wide[3];
    bool flag;
    uint64_t untold; /* not among the fields */
};

static const struct text_field fields[] = {TEXT_FIELD(struct sample, narrow, U32),
                                           TEXT_FIELD(struct sample, name, TEXT),
                                           TEXT_FIELD(struct sample, wide, U64),
                                           TEXT_FIELD(struct sample, flag, BOOL),
                                           {.name = NULL}};

#define LINES "narrow 7\nname seven\nwide 1 2 18446744073709551615\nflag 1\n"

static char *write_sample(const struct sample *sample)
{
    struct growing_text text = {0};
    text_fields_write(fields, sample, &text);
    return text.text;
}

static struct sample read_sample(const char *text, const char *rest)
{
    struct sample sample = {.untold = 42};
    assert_true(text_fields_read(fields, &sample, sizeof sample, &text));
    assert_string_equal(text, rest);
    assert_int_equal(sample.untold, 42);
    return sample;
}

TEST(a_structure_is_one_line_for_each_field)
{
    const struct sample sample = {7, "seven", {1, 2, UINT64_MAX}, true, 3};
    char *text = write_sample(&sample);
    assert_string_equal(text, LINES);
    free(text);
}

static void assert_equal(const struct sample *sample)
{
    char *text = write_sample(sample);
    struct sample read = read_sample(text, "");
    assert_int_equal(read.narrow, sample->narrow);
    assert_string_equal(read.name, sample->name);
    assert_memory_equal(read.wide, sample->wide, sizeof read.wide);
    assert_int_equal(read.flag, sample->flag);
    free(text);
}

TEST(what_was_written_is_read_again)
{
    assert_equal(&(struct sample){.name = ""});
    assert_equal(&(struct sample){
        UINT32_MAX, "sevenli", {UINT64_MAX, UINT64_C(1) << 32, UINT64_C(1) << 63}, true, 0});
    assert_equal(&(struct sample){1, " a b ", {0, 1, 0}, false, 0});
    assert_equal(&(struct sample){1, "\xc3\xa9", {0, 1, 0}, false, 0});
}

TEST(lines_end_where_the_fields_do)
{
    struct sample sample = read_sample(LINES "what follows\n", "what follows\n");
    assert_int_equal(sample.narrow, 7);
    assert_int_equal(sample.wide[2], UINT64_MAX);
    read_sample(LINES LINES, LINES);
}

TEST(a_text_is_added_behind_another)
{
    const struct sample sample = {7, "seven", {1, 2, UINT64_MAX}, true, 0};
    struct growing_text text = {0};
    growing_text_add(&text, "before\t");
    text_fields_write(fields, &sample, &text);
    text_fields_write(fields, &sample, &text);
    assert_string_equal(text.text, "before\t" LINES LINES);
    assert_int_equal(text.length, strlen("before\t" LINES LINES));
    free(text.text);
}

TEST(a_control_character_cannot_end_a_line)
{
    const struct sample sample = {.name = "a\nb\x7f\x1b"};
    char *text = write_sample(&sample);
    assert_non_null(strstr(text, "name a?b??\n"));
    assert_string_equal(read_sample(text, "").name, "a?b??");
    free(text);
}

/* Neither the structure nor the place in the text has changed. */
static void assert_refused(const char *lines)
{
    const struct sample before = {1, "before", {4, 5, 6}, true, 42};
    struct sample sample = before;
    const char *text = lines;
    if (text_fields_read(fields, &sample, sizeof sample, &text))
        fail_msg("it is read:\n%s", lines);
    assert_ptr_equal(text, lines);
    assert_memory_equal(&sample, &before, sizeof sample);
}

TEST(a_number_that_does_not_fit_is_refused)
{
    assert_refused("narrow 4294967296\nname n\nwide 1 2 3\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2 18446744073709551616\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2 3\nflag 2\n");
    assert_refused("narrow -1\nname n\nwide 1 2 3\nflag 1\n");
    assert_refused("narrow 0x1\nname n\nwide 1 2 3\nflag 1\n");
    assert_refused("narrow \nname n\nwide 1 2 3\nflag 1\n");
}

TEST(too_few_or_too_many_numbers_are_refused)
{
    assert_refused("narrow 1 1\nname n\nwide 1 2 3\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2 3 4\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2 3 \nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1  2 3\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2 3\nflag 1 \n");
}

TEST(a_text_that_does_not_fit_is_refused)
{
    assert_refused("narrow 1\nname eightlet\nwide 1 2 3\nflag 1\n");
    struct growing_text text = {0};
    growing_text_add(&text, "narrow 1\nname %0*d\nwide 1 2 3\nflag 1\n", 2 * TEXT_FIELDS_SIZE_MAX,
                     0);
    assert_refused(text.text);
    free(text.text);
}

TEST(other_lines_are_refused)
{
    assert_refused("");
    assert_refused("garbage");
    assert_refused("\n" LINES);
    assert_refused("name n\nnarrow 1\nwide 1 2 3\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2 3\n");
    assert_refused("narrow 1\nname n\nflag 1\n");
    assert_refused("narrow 1\nmore 1\nname n\nwide 1 2 3\nflag 1\n");
    assert_refused("narrow 1\nname n\nwide 1 2 3\nflag 1");
    assert_refused("narrow 1\nname\nwide 1 2 3\nflag 1\n");
    assert_refused("narrower 1\nname n\nwide 1 2 3\nflag 1\n");
    assert_refused("narro 1\nname n\nwide 1 2 3\nflag 1\n");
    assert_refused("Narrow 1\nname n\nwide 1 2 3\nflag 1\n");
}
