// SPDX-License-Identifier: Apache-2.0
#include "measure/fit.h"

#include "base/memory.h"
#include "base/text.h"
#include "measure/statistics.h"

#include <assert.h>
#include <gsl/gsl_combination.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_poly.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERMS (FIT_DEGREE_MAX + 1)

struct fit_exponent fit_exponent(const double *x, const double *y, size_t count)
{
    double *log_x = memory_new(2 * count, sizeof *log_x), *log_y = log_x + count;
    double intercept, ignored, variance, squares;
    struct fit_exponent fit = {.low = NAN, .high = NAN};
    for (size_t i = 0; i < count; i++) {
        if (x[i] > 0 && y[i] > 0) {
            log_x[fit.levels] = log(x[i]);
            log_y[fit.levels++] = log(y[i]);
        }
    }
    gsl_fit_linear(log_x, 1, log_y, 1, fit.levels, &intercept, &fit.exponent, &ignored, &ignored,
                   &variance, &squares);
    free(log_x);
    if (fit.levels >= 3) {
        double reach = statistics_t(FIT_CONFIDENCE, (double)fit.levels - 2) * sqrt(variance);
        fit.low = fit.exponent - reach;
        fit.high = fit.exponent + reach;
    }
    return fit;
}

enum fit_verdict fit_judge(const struct fit_exponent *fit)
{
    if (fit->levels < FIT_LEVELS_MIN)
        return FIT_UNDETERMINED;
    for (int c = 0; c <= FIT_DEGREE_MAX; c++) {
        if (fit->low >= c - FIT_MARGIN && fit->high <= c + FIT_MARGIN)
            return (enum fit_verdict)c;
    }
    return FIT_UNDETERMINED;
}

const char *const fit_verdict_words[] = {
    [FIT_CONSTANT] = "O(1)",
    [FIT_LINEAR] = "O(n)",
    [FIT_QUADRATIC] = "O(n^2)",
    [FIT_CUBIC] = "O(n^3)",
    [FIT_UNDETERMINED] = "undetermined",
};

struct fit_line fit_line(const double *x, const double *y, size_t count)
{
    struct fit_line line;
    double *weights = memory_new(count, sizeof *weights), ignored;
    for (size_t i = 0; i < count; i++)
        weights[i] = y[i] > 0 ? 1 / (y[i] * y[i]) : 0;
    gsl_fit_wlinear(x, 1, weights, 1, y, 1, count, &line.intercept, &line.slope, &ignored, &ignored,
                    &ignored, &ignored);
    free(weights);
    line.beta = line.intercept > 0 ? line.slope / line.intercept : NAN;
    return line;
}

double fit_polynomial_at(const struct fit_polynomial *fit, double x)
{
    return gsl_poly_eval(fit->c, TERMS, x);
}

bool fit_bends(const struct fit_polynomial *fit, double x)
{
    return fabs(fit->c[2] * x * x) > FIT_MARGIN * fabs(fit_polynomial_at(fit, x));
}

static size_t different(const double *x, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < i && x[j] != x[i])
            j++;
        found += j == i;
    }
    return found;
}

/* Least squares by polynomials that are orthogonal over the levels (Forsythe 1957): a matrix would
 * lose digits to powers of x as large as 4096³. */
static void least_squares(const double *x, const double *y, size_t count, unsigned degree,
                          double *c)
{
    double p[TERMS] = {1}, p_before[TERMS] = {0}, norm_before = INFINITY;
    memset(c, 0, TERMS * sizeof *c);
    for (unsigned k = 0; k <= degree; k++) {
        double norm = 0, projection = 0, centre = 0; /* Σ p², Σ p·(y - c), Σ x·p² */
        for (size_t i = 0; i < count; i++) {
            double value = gsl_poly_eval(p, TERMS, x[i]);
            norm += value * value;
            projection += value * (y[i] - gsl_poly_eval(c, TERMS, x[i]));
            centre += x[i] * value * value;
        }
        double below = 0; /* x·p has the coefficients of p, one power higher */
        for (unsigned j = 0; j < TERMS; j++) {
            double held = p[j];
            c[j] += projection / norm * held;
            p[j] = below - centre / norm * held - norm / norm_before * p_before[j];
            p_before[j] = below = held;
        }
        norm_before = norm;
    }
}

static bool is_whole(double value, double limit)
{
    return fabs(value) <= limit && value == trunc(value);
}

/* The coefficients of exact laws are whole multiples of 1/PARTS: sums of powers have thirds and
 * sixths, and where one client in four differs there are 32nds. */
#define PARTS 96

/* Whether the polynomial obeys every level in whole numbers. parts: its coefficients times PARTS.
 */
static bool reproduces(const int64_t *parts, const double *x, const double *y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_whole(x[i], 1e9) || !is_whole(y[i], 0x1p53))
            return false;
        __int128 value = 0;
        for (int k = FIT_DEGREE_MAX; k >= 0; k--)
            value = value * (int64_t)x[i] + parts[k];
        if (value != (__int128)PARTS * (int64_t)y[i])
            return false;
    }
    return true;
}

/* Rounds the coefficients to multiples of 1/PARTS if the fit is exact then; else returns false. */
static bool snap(struct fit_polynomial *fit, const double *x, const double *y, size_t count)
{
    int64_t parts[TERMS];
    for (int k = 0; k < TERMS; k++) {
        /* With x up to 1e9 this keeps every sum within 128 bits. */
        double limit = k == 0 ? PARTS * 0x1p53 : 1e9;
        if (!(fabs(PARTS * fit->c[k]) <= limit))
            return false;
        parts[k] = llround(PARTS * fit->c[k]);
    }
    if (!reproduces(parts, x, y, count))
        return false;
    for (int k = 0; k < TERMS; k++)
        fit->c[k] = (double)parts[k] / PARTS;
    return true;
}

struct fit_polynomial fit_polynomial(const double *x, const double *y, size_t count,
                                     unsigned degree)
{
    assert(degree <= FIT_DEGREE_MAX);
    struct fit_polynomial fit = {.degree = degree};
    size_t levels = different(x, count);
    if (levels <= degree)
        return (struct fit_polynomial){{NAN, NAN, NAN, NAN}, degree, NAN, false};
    least_squares(x, y, count, degree, fit.c);
    fit.exact = levels >= degree + 1 + FIT_SPARE_LEVELS && snap(&fit, x, y, count);
    for (size_t i = 0; i < count && !fit.exact; i++)
        fit.max_residual = fmax(fit.max_residual, fabs(y[i] - fit_polynomial_at(&fit, x[i])));
    return fit;
}

struct fit_polynomial fit_polynomial_best(const double *x, const double *y, size_t count)
{
    for (unsigned degree = 0; degree <= FIT_DEGREE_MAX; degree++) {
        struct fit_polynomial fit = fit_polynomial(x, y, count, degree);
        if (fit.exact)
            return fit;
    }
    size_t levels = different(x, count);
    return fit_polynomial(x, y, count, levels >= 3 ? 2 : levels == 2);
}

/* ------------------------------------------------------------------ of most points */

/* The polynomial through degree + 1 points, its coefficients rounded to halves; NaN if two of the
 * points have one x. */
static struct fit_polynomial pass_through(const double *x, const double *y, const size_t *points,
                                          unsigned degree)
{
    double at[3], value[3];
    for (unsigned i = 0; i <= degree; i++) {
        at[i] = x[points[i]];
        value[i] = y[points[i]];
    }
    struct fit_polynomial fit = fit_polynomial(at, value, degree + 1, degree);
    for (int k = 0; k < TERMS; k++)
        fit.c[k] = round(2 * fit.c[k]) / 2;
    return fit;
}

/* How many points equal it; `exact` and max_residual are set. */
static size_t count_equal(const double *x, const double *y, size_t count,
                          struct fit_polynomial *fit)
{
    double equal[FIT_CONSENSUS_MAX];
    size_t equals = 0;
    fit->max_residual = 0;
    for (size_t i = 0; i < count; i++) {
        double residual = fabs(y[i] - fit_polynomial_at(fit, x[i]));
        fit->max_residual = fmax(fit->max_residual, residual);
        if (residual == 0)
            equal[equals++] = x[i];
    }
    fit->exact = different(equal, equals) > fit->degree + FIT_SPARE_LEVELS;
    return equals;
}

struct fit_polynomial fit_consensus(const double *x, const double *y, size_t count, size_t *equal)
{
    struct fit_polynomial best = {.c = {NAN, NAN, NAN, NAN}};
    bool is_best = false; /* no other is better */
    assert(count <= FIT_CONSENSUS_MAX);
    *equal = 0;
    for (unsigned degree = 0; degree <= 2 && degree < count && !is_best; degree++) {
        gsl_combination *points = memory_or_end(gsl_combination_calloc(count, degree + 1));
        do {
            struct fit_polynomial fit = pass_through(x, y, gsl_combination_data(points), degree);
            size_t equals = count_equal(x, y, count, &fit);
            if (fit.exact > best.exact || (fit.exact == best.exact && equals > *equal)) {
                best = fit;
                *equal = equals;
            }
            is_best = best.exact && *equal == count;
        } while (!is_best && gsl_combination_next(points) == GSL_SUCCESS);
        gsl_combination_free(points);
    }
    return best;
}

/* ------------------------------------------------------------------ in words */

static void append_number(char *text, size_t size, double number, bool exact)
{
    long long parts = exact ? llround(PARTS * number) : 0, whole = PARTS;
    for (long long factor = 2; factor <= 3; factor++) {
        while (parts % factor == 0 && whole % factor == 0) {
            parts /= factor;
            whole /= factor;
        }
    }
    if (whole <= 2)
        text_append(text, size, exact ? "%.16g" : "%.4g", number);
    else
        text_append(text, size, "%lld/%lld", parts, whole);
}

const char *fit_describe(const struct fit_polynomial *fit, char variable, char *text, size_t size)
{
    static const char *const powers[TERMS] = {"", "", "²", "³"};
    text[0] = '\0';
    for (int k = FIT_DEGREE_MAX; k >= 0; k--) {
        bool first = text[0] == '\0';
        if (!(fabs(fit->c[k]) > 0))
            continue;
        text_append(text, size, fit->c[k] < 0 ? (first ? "-" : " - ") : (first ? "" : " + "));
        bool one = k > 0 && fit->exact && fabs(fit->c[k]) <= 1 && fabs(fit->c[k]) >= 1;
        if (!one)
            append_number(text, size, fabs(fit->c[k]), fit->exact);
        if (k > 0)
            text_append(text, size, "%s%c%s", one ? "" : "·", variable, powers[k]);
    }
    if (text[0] == '\0')
        text_append(text, size, isnan(fit->c[0]) ? "undetermined" : "0");
    return text;
}
