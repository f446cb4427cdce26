// SPDX-License-Identifier: Apache-2.0
/*
 * fit: the growth of a cost with the number of waiters. Layer: measure.
 *
 * A level is one x (the measured number of waiters) with the mean of y over its trials. An exponent
 * has an interval and is judged by equivalence. A polynomial is exact only if every level obeys it
 * in whole-number arithmetic. A value that cannot be computed is NaN.
 *
 * Invariant: no verdict depends on rounding. If the data do not decide it, it is "undetermined".
 */
#ifndef MEASURE_FIT_H
#define MEASURE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#define FIT_CONFIDENCE 0.95
#define FIT_LEVELS_MIN 6    /* with fewer levels every verdict is undetermined */
#define FIT_MARGIN     0.25 /* the interval of an exponent c must lie within c ± this */
#define FIT_DEGREE_MAX 3
/* Levels that an exact polynomial needs besides those that determine it. With only one, values that
 * obey no polynomial may fit by chance: bytes, because numbers have digits. */
#define FIT_SPARE_LEVELS 2

/* y grows as x^exponent, by least squares of log y on log x. NaN with fewer than two different x;
 * the 95 % t-interval with fewer than 3 levels. */
struct fit_exponent {
    double exponent, low, high;
    size_t levels; /* with x and y above 0 */
};
struct fit_exponent fit_exponent(const double *x, const double *y, size_t count);

enum fit_verdict { FIT_CONSTANT, FIT_LINEAR, FIT_QUADRATIC, FIT_CUBIC, FIT_UNDETERMINED };

/* The class whose margin contains the whole interval; else, or with fewer than FIT_LEVELS_MIN
 * levels, undetermined. */
enum fit_verdict fit_judge(const struct fit_exponent *fit);

extern const char *const fit_verdict_words[];

/* y = c[0] + c[1]·x + c[2]·x² + c[3]·x³; coefficients above the degree are zero. */
struct fit_polynomial {
    double c[FIT_DEGREE_MAX + 1];
    unsigned degree;
    double max_residual; /* the largest |y - polynomial| */
    bool exact;          /* every level obeys it exactly, and max_residual is 0 */
};

/* The polynomial of a degree (0 … 3) by least squares. It is exact if all x and y are whole
 * numbers, the coefficients, rounded to 96ths, reproduce every y, and there are FIT_SPARE_LEVELS
 * more different x than determine it. With degree or fewer different x its coefficients are NaN. */
struct fit_polynomial fit_polynomial(const double *x, const double *y, size_t count,
                                     unsigned degree);

/* The exact polynomial of the lowest degree; if there is none, the quadratic by least squares (of a
 * lower degree with fewer than three different x). */
struct fit_polynomial fit_polynomial_best(const double *x, const double *y, size_t count);

/* The polynomial of up to the second degree, with whole or half coefficients, that most points
 * equal, some of which chance has moved; of several the one of the lowest degree. It is exact if
 * the *equal points that equal it have FIT_SPARE_LEVELS more different x than determine it. */
#define FIT_CONSENSUS_MAX 256 /* points */
struct fit_polynomial fit_consensus(const double *x, const double *y, size_t count, size_t *equal);

/* Whether the quadratic term is more than FIT_MARGIN of the value at x, the largest level. Over few
 * octaves such a curve may have the exponent of a line with a narrow interval, and must not be
 * called linear. False if the coefficients are NaN. */
bool fit_bends(const struct fit_polynomial *fit, double x);

double fit_polynomial_at(const struct fit_polynomial *fit, double x);

/* Writes a polynomial, highest power first: "n² + n", "5·n - 2", "7". Exact coefficients are
 * written in full (as fractions, except halves), others with four significant digits. UTF-8; size
 * >= 128. Returns text. */
const char *fit_describe(const struct fit_polynomial *fit, char variable, char *text, size_t size);

/* A straight line, y = intercept·(1 + beta·x), by least squares of the relative errors. Each level
 * has the weight 1/y², because the noise of a time grows with the time; otherwise the longest times
 * would determine the line. Levels with y not positive are left out. */
struct fit_line {
    double intercept, slope; /* NaN with fewer than two different x */
    double beta;             /* the cost of one more waiter, relative to a handoff without waiters;
                                NaN if the intercept is not positive */
};
struct fit_line fit_line(const double *x, const double *y, size_t count);

#endif
