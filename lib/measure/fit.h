// SPDX-License-Identifier: Apache-2.0
/*
 * fit: how a cost grows with the number of waiters. Layer: measure.
 *
 * A level is one x (the waiters as measured) with the mean of y over its trials. Exponents are told
 * with their interval and judged by equivalence; exact laws are told only when every level obeys
 * them in whole-number arithmetic. Nothing is allocated. What cannot be computed is NaN.
 *
 * Invariant: no verdict by rounding. Where the data do not decide, the answer is "undetermined".
 */
#ifndef MEASURE_FIT_H
#define MEASURE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#define FIT_CONFIDENCE 0.95
#define FIT_LEVELS_MIN 6    /* fewer decide nothing */
#define FIT_MARGIN     0.25 /* the interval of an exponent c must lie within c ± this */
#define FIT_DEGREE_MAX 3
/* Levels that an exact polynomial goes through beside those that determine it. Through one more,
 * figures that obey no polynomial may still happen to lie: bytes, whose numbers have digits. */
#define FIT_SPARE_LEVELS 2

/* y grows as x^exponent. */
struct fit_exponent {
    double exponent;
    double low, high; /* the 95 % t-interval; NaN with fewer than 3 levels */
    size_t levels;    /* levels used */
    size_t left_out;  /* levels with x or y not positive, which have no logarithm */
};

enum fit_verdict {
    FIT_CONSTANT,
    FIT_LINEAR,
    FIT_QUADRATIC,
    FIT_CUBIC,
    FIT_UNDETERMINED,
};

/* y = c[0] + c[1]·x + c[2]·x² + c[3]·x³; coefficients above the degree are zero. */
struct fit_polynomial {
    double c[FIT_DEGREE_MAX + 1];
    unsigned degree;
    double max_residual; /* the largest |y - polynomial| */
    bool exact;          /* every level obeys it exactly; max_residual is 0 */
};

/* y = intercept + slope·x = intercept·(1 + beta·x). */
struct fit_line {
    double intercept;
    double slope;
    double beta; /* slope over intercept: the cost of one more waiter, in bare handoffs; NaN if the
                    intercept is not positive */
    size_t levels; /* levels used */
};

/* Least squares of log y on log x. With fewer than two different x all but the counts are NaN. */
struct fit_exponent fit_exponent(const double *x, const double *y, size_t count);

/* The class whose margin holds the whole interval; undetermined below FIT_LEVELS_MIN levels. */
enum fit_verdict fit_judge(const struct fit_exponent *fit);

/* "O(1)", "O(n)", "O(n^2)", "O(n^3)" or "undetermined". */
const char *fit_verdict_words(enum fit_verdict verdict);

/*
 * The polynomial of a degree (0 … 3) by least squares. If all x and y are whole numbers and the
 * coefficients, rounded to 96ths, reproduce every y exactly, those are the answer and it is exact.
 * That takes FIT_SPARE_LEVELS different x more than determine it. With degree different x or fewer
 * the coefficients are NaN.
 */
struct fit_polynomial fit_polynomial(const double *x, const double *y, size_t count,
                                     unsigned degree);

/*
 * The exact polynomial of the lowest degree; if there is none, the quadratic by least squares (of a
 * lower degree with fewer than three different x).
 */
struct fit_polynomial fit_polynomial_best(const double *x, const double *y, size_t count);

/*
 * Whether the square of a quadratic is more than FIT_MARGIN of its value at x, the largest level.
 * Over few octaves a square behind a long straight beginning has the exponent of a line, within a
 * narrow interval: what bends so is not to be called linear. False if there are no coefficients.
 */
bool fit_bends(const struct fit_polynomial *fit, double x);

/* The value of the polynomial at x. */
double fit_polynomial_at(const struct fit_polynomial *fit, double x);

/*
 * Writes a polynomial for a person, highest power first: "n² + n", "5·n - 2", "7". Exact
 * coefficients are written out (as fractions but for halves, "1/6"), others with four
 * significant digits; terms that are zero are left out. UTF-8; size >= 128. Returns text.
 */
const char *fit_describe(const struct fit_polynomial *fit, char variable, char *text, size_t size);

/*
 * A straight line by least squares of the relative errors: each level weighs 1/y², for the noise of
 * a time grows with the time, and a line drawn by the longest alone leaves the intercept to chance.
 * Levels with y not positive are left out; with fewer than two different x all but levels is NaN.
 */
struct fit_line fit_line(const double *x, const double *y, size_t count);

#endif
