// SPDX-License-Identifier: Apache-2.0
/* --expect: the counts that the runs of a drain must have, polynomials in n. */
#include "base/memory.h"
#include "bench/tap/internal.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Goes behind a sign if it is next. */
static bool skip(const char **at, const char *sign)
{
    *at += strspn(*at, " ");
    if (strncmp(*at, sign, strlen(sign)) != 0)
        return false;
    *at += strlen(sign);
    return true;
}

/* A term without its sign: a number, n, or both: "7", "n", "2n", "3·n", "1/2n^2", "n²". */
static bool parse_term(const char **at, double sign, struct fit_polynomial *law)
{
    double factor = 1;
    unsigned degree = 0;
    char *end;
    *at += strspn(*at, " ");
    const bool number = isdigit((unsigned char)**at);
    if (number) {
        factor = (double)strtoul(*at, &end, 10);
        *at = end;
    }
    if (number && skip(at, "/")) {
        if (**at < '1' || **at > '9')
            return false;
        factor /= (double)strtoul(*at, &end, 10);
        *at = end;
    }
    if (number && !skip(at, "*"))
        (void)skip(at, "\302\267");
    if (skip(at, "n"))
        degree = skip(at, "^2") || skip(at, "\302\262") ? 2 : 1;
    law->c[degree] += sign * factor;
    law->degree = degree > law->degree ? degree : law->degree;
    return number || degree > 0;
}

static bool parse_polynomial(const char **at, struct fit_polynomial *law)
{
    double sign = skip(at, "-") ? -1 : 1;
    do {
        if (!parse_term(at, sign, law))
            return false;
        sign = skip(at, "+") ? 1 : skip(at, "-") ? -1 : 0;
    } while (sign != 0);
    return skip(at, "") && (**at == ',' || **at == '\0');
}

/* A count by the name that the table of laws gives it. */
static bool parse_name(const char *text, size_t length, size_t *counted)
{
    char name[TAP_NAME_SIZE];
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (*counted = 0; *counted < TAP_COUNTS; (*counted)++)
        if (strlen(tap_count_name(*counted, name)) == length && strncmp(name, text, length) == 0)
            return true;
    return false;
}

bool tap_parse_expected(struct option_given *given)
{
    struct tap_expected *expected = option_row_place(given);
    const char *at = given->value;
    *expected = (struct tap_expected){0};
    do {
        if (expected->count == TAP_EXPECTED_MOST)
            return option_row_refuse(given, "more than %d counts", TAP_EXPECTED_MOST);
        struct tap_expectation *one = &expected->list[expected->count++];
        const size_t length = strcspn(at, "=,");
        one->counted = TAP_ALL;
        one->law.exact = true;
        if (at[length] == '=' && !parse_name(at, length, &one->counted))
            return option_row_refuse(given,
                                     "%.*s is no count of laws.csv, such as create, getChildren, "
                                     "notifications or all requests",
                                     (int)length, at);
        at += at[length] == '=' ? length + 1 : 0;
        if (!parse_polynomial(&at, &one->law))
            return option_row_refuse(given, "expected a polynomial in n, such as '6n - 2', or "
                                            "'create=n,notifications=n - 1'");
        (void)skip(&at, "");
    } while (skip(&at, ",") && skip(&at, ""));
    return true;
}

/* Runs of a drain whose count is not the expected one; *first is the first of them. */
static size_t count_differences(const struct tap *tap, const struct tap_expectation *one,
                                const struct tap_run **first)
{
    size_t differ = 0;
    for (size_t i = tap->run_count; i > 0; i--) {
        const struct tap_run *run = &tap->runs[i - 1];
        if (fit_polynomial_at(&one->law, (double)run->n) == (double)run->counts[one->counted])
            continue;
        *first = run;
        differ++;
    }
    return differ;
}

void tap_judge_expected(struct tap *tap)
{
    const struct tap_expected *expected = &tap->options->expected;
    struct table *findings = &tap->tables[TAP_FINDINGS];
    char name[TAP_NAME_SIZE], law[128], found[128];
    for (size_t i = 0; tap->run_count > 0 && i < expected->count; i++) {
        const struct tap_expectation *one = &expected->list[i];
        const struct tap_run *first = NULL;
        const size_t differ = count_differences(tap, one, &first);
        struct finding finding = {"expected",
                                  tap_count_name(one->counted, name),
                                  differ == 0 ? VERDICT_HOLDS : VERDICT_FAILS,
                                  FINDING_FIGURE((double)(tap->run_count - differ)),
                                  "runs",
                                  tap->run_count};
        fit_describe(&one->law, 'n', law, sizeof law);
        if (differ == 0)
            findings_add(findings, &finding, "As expected, %s: %s in all %zu runs", name, law,
                         tap->run_count);
        else
            findings_add(findings, &finding,
                         "Not as expected, %s: %s in %zu of %zu runs; with n = %" PRIu64
                         " there were %" PRIu64 ", not %.10g; the runs have %s",
                         name, law, tap->run_count - differ, tap->run_count, first->n,
                         first->counts[one->counted],
                         fit_polynomial_at(&one->law, (double)first->n),
                         tap_describe_law(tap, one->counted, found, sizeof found));
    }
}
