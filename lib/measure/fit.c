// SPDX-License-Identifier: Apache-2.0
#include "measure/fit.h"

#include "base/text.h"
#include "measure/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TERMS (FIT_DEGREE_MAX + 1)

/* The sums for a straight line, in one pass (Welford 1962). */
struct points {
    size_t count;
    double weight; /* sum of the weights */
    double mean_x, mean_y;
    double xx, xy, yy; /* weighted sums of products of deviations */
};

static void points_add(struct points *points, double x, double y, double weight)
{
    points->count++;
    points->weight += weight;
    double share = weight / points->weight;
    double dx = x - points->mean_x, dy = y - points->mean_y;
    points->mean_x += dx * share;
    points->mean_y += dy * share;
    points->xx += weight * dx * (x - points->mean_x);
    points->xy += weight * dx * (y - points->mean_y);
    points->yy += weight * dy * (y - points->mean_y);
}

static double slope_of(const struct points *points)
{
    return points->xx > 0 ? points->xy / points->xx : NAN;
}

/* The variance of y about the line; NaN with fewer than 3 points. */
static double variance_of(const struct points *points)
{
    if (points->count < 3)
        return NAN;
    /* Rounding may make a perfect line slightly negative. */
    double squares = fmax(points->yy - slope_of(points) * points->xy, 0);
    return squares / (double)(points->count - 2);
}

struct fit_exponent fit_exponent(const double *x, const double *y, size_t count)
{
    struct points logs = {0};
    for (size_t i = 0; i < count; i++) {
        if (x[i] > 0 && y[i] > 0)
            points_add(&logs, log(x[i]), log(y[i]), 1);
    }
    struct fit_exponent fit = {.exponent = slope_of(&logs), .low = NAN, .high = NAN};
    fit.levels = logs.count;
    fit.left_out = count - logs.count;
    if (logs.count >= 3 && logs.xx > 0) {
        double error = sqrt(variance_of(&logs) / logs.xx);
        double reach = statistics_t(FIT_CONFIDENCE, (double)logs.count - 2) * error;
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

const char *fit_verdict_words(enum fit_verdict verdict)
{
    static const char *const words[] = {
        [FIT_CONSTANT] = "O(1)",
        [FIT_LINEAR] = "O(n)",
        [FIT_QUADRATIC] = "O(n^2)",
        [FIT_CUBIC] = "O(n^3)",
        [FIT_UNDETERMINED] = "undetermined",
    };
    return words[verdict];
}

struct fit_line fit_line(const double *x, const double *y, size_t count)
{
    struct points points = {0};
    for (size_t i = 0; i < count; i++) {
        if (y[i] > 0)
            points_add(&points, x[i], y[i], 1 / (y[i] * y[i]));
    }
    struct fit_line line = {.slope = slope_of(&points), .levels = points.count};
    line.intercept = points.mean_y - line.slope * points.mean_x;
    line.beta = line.intercept > 0 ? line.slope / line.intercept : NAN;
    return line;
}

static double evaluate(const double *c, double x)
{
    double value = 0;
    for (int k = FIT_DEGREE_MAX; k >= 0; k--)
        value = value * x + c[k];
    return value;
}

double fit_polynomial_at(const struct fit_polynomial *fit, double x)
{
    return evaluate(fit->c, x);
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

struct products {
    double norm;       /* Σ p² */
    double projection; /* Σ p·(y - c) */
    double centre;     /* Σ x·p² */
};

static struct products multiply(const double *p, const double *c, const double *x, const double *y,
                                size_t count)
{
    struct products sums = {0};
    for (size_t i = 0; i < count; i++) {
        double value = evaluate(p, x[i]);
        sums.norm += value * value;
        sums.projection += value * (y[i] - evaluate(c, x[i]));
        sums.centre += x[i] * value * value;
    }
    return sums;
}

/* Least squares by polynomials that are orthogonal over the levels (Forsythe 1957): a matrix would
 * lose digits to powers of x as large as 4096³. */
static void least_squares(const double *x, const double *y, size_t count, unsigned degree,
                          double *c)
{
    double p[TERMS] = {1}, p_before[TERMS] = {0}, norm_before = INFINITY;
    memset(c, 0, TERMS * sizeof *c);
    for (unsigned k = 0; k <= degree; k++) {
        struct products sums = multiply(p, c, x, y, count);
        double below = 0; /* x·p has the coefficients of p, one power higher */
        for (unsigned j = 0; j < TERMS; j++) {
            double held = p[j];
            c[j] += sums.projection / sums.norm * held;
            p[j] = below - sums.centre / sums.norm * held - sums.norm / norm_before * p_before[j];
            p_before[j] = below = held;
        }
        norm_before = sums.norm;
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
    if (levels <= degree) {
        for (int k = 0; k < TERMS; k++)
            fit.c[k] = NAN;
        fit.max_residual = NAN;
        return fit;
    }
    least_squares(x, y, count, degree, fit.c);
    fit.exact = levels >= degree + 1 + FIT_SPARE_LEVELS && snap(&fit, x, y, count);
    for (size_t i = 0; i < count && !fit.exact; i++) {
        double residual = fabs(y[i] - evaluate(fit.c, x[i]));
        if (residual > fit.max_residual || isnan(residual))
            fit.max_residual = residual;
    }
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

/* The polynomial through degree + 1 points (Newton's divided differences), its coefficients rounded
 * to halves. False if two of the points have one x. */
static bool pass_through(const double *x, const double *y, const size_t *points, unsigned degree,
                         struct fit_polynomial *fit)
{
    double slopes[3], x0 = x[points[0]], x1 = x[points[degree > 0]];
    for (unsigned i = 0; i <= degree; i++)
        slopes[i] = y[points[i]];
    for (unsigned order = 1; order <= degree; order++)
        for (unsigned i = degree; i >= order; i--) {
            if (x[points[i]] == x[points[i - order]])
                return false;
            slopes[i] = (slopes[i] - slopes[i - 1]) / (x[points[i]] - x[points[i - order]]);
        }
    double a = degree > 1 ? slopes[2] : 0, b = degree > 0 ? slopes[1] : 0;
    *fit = (struct fit_polynomial){.degree = degree,
                                   .c = {round(2 * (slopes[0] - b * x0 + a * x0 * x1)) / 2,
                                         round(2 * (b - a * (x0 + x1))) / 2, round(2 * a) / 2}};
    return true;
}

/* How many points equal it; `exact` and max_residual are set. */
static size_t count_equal(const double *x, const double *y, size_t count,
                          struct fit_polynomial *fit)
{
    double equal[FIT_CONSENSUS_MAX];
    size_t equals = 0;
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
    struct fit_polynomial best = {.c = {NAN, NAN, NAN, NAN}}, fit;
    assert(count <= FIT_CONSENSUS_MAX);
    *equal = 0;
    for (unsigned degree = 0; degree <= 2; degree++) {
        size_t last[] = {count, degree > 0 ? count : 1, degree > 1 ? count : 1}, points[3];
        for (points[0] = 0; points[0] < last[0]; points[0]++)
            for (points[1] = degree > 0 ? points[0] + 1 : 0; points[1] < last[1]; points[1]++)
                for (points[2] = degree > 1 ? points[1] + 1 : 0; points[2] < last[2]; points[2]++) {
                    if (!pass_through(x, y, points, degree, &fit))
                        continue;
                    size_t equals = count_equal(x, y, count, &fit);
                    if (fit.exact > best.exact || (fit.exact == best.exact && equals > *equal)) {
                        best = fit;
                        *equal = equals;
                    }
                    if (best.exact && *equal == count) /* no other is better */
                        return best;
                }
    }
    return best;
}

/* ------------------------------------------------------------------ in words */

static void append_number(char *text, size_t size, double number, bool exact)
{
    long long parts = exact ? llround(PARTS * number) : 0, whole = PARTS;
    if (!exact) {
        text_append(text, size, "%.4g", number);
        return;
    }
    for (long long factor = 2; factor <= 3; factor++) {
        while (parts % factor == 0 && whole % factor == 0) {
            parts /= factor;
            whole /= factor;
        }
    }
    if (whole <= 2)
        text_append(text, size, "%.16g", number);
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
