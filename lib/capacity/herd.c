// SPDX-License-Identifier: Apache-2.0
#include "capacity/herd.h"

#include "measure/fit.h"

#include <math.h>

/* value ± t·error, if the line has both. */
static struct interval around(double value, double error, double t)
{
    return (struct interval){value, value - t * error, value + t * error};
}

/* The values b for which (slope - b·intercept)² <= t²·var(slope - b·intercept): those between the
 * roots of a quadratic, if the intercept is further than t errors from 0. */
static struct interval fieller(const struct fit_line *line, double t)
{
    double a =
        line->intercept * line->intercept - t * t * line->intercept_error * line->intercept_error;
    double half = line->slope * line->intercept - t * t * line->covariance;
    double c = line->slope * line->slope - t * t * line->slope_error * line->slope_error;
    double root = sqrt(fmax(half * half - a * c, 0));
    return (struct interval){line->beta, (half - root) / a, (half + root) / a};
}

/* Copies what can be used. */
static size_t choose(const struct herd_trial *trials, size_t count, double *x, double *y,
                     struct herd *herd)
{
    size_t chosen = 0;
    for (size_t i = 0; i < count && chosen < HERD_TRIALS_MAX; i++) {
        if (!(trials[i].handoff_s > 0) || !(trials[i].waiters >= 0))
            continue;
        x[chosen] = trials[i].waiters;
        y[chosen++] = trials[i].handoff_s;
        herd->least = chosen == 1 ? trials[i].waiters : fmin(herd->least, trials[i].waiters);
        herd->most = fmax(herd->most, trials[i].waiters);
    }
    return chosen;
}

static void judge(const struct fit_line *line, struct herd *herd)
{
    herd->slope_s.value = line->slope;
    herd->bare_s.value = line->intercept;
    herd->beta.value = line->beta;
    if (!(herd->most > herd->least)) {
        herd->state = HERD_ONE_SIZE;
        return;
    }
    if (herd->trials < STATISTICS_TRIALS_MIN) {
        herd->state = line->intercept > 0 ? HERD_FEW_TRIALS : HERD_BARE_NOT_KNOWN;
        return;
    }
    double t = statistics_t(HERD_CONFIDENCE, (double)herd->trials - 2);
    herd->slope_s = around(line->slope, line->slope_error, t);
    herd->bare_s = around(line->intercept, line->intercept_error, t);
    herd->state = herd->bare_s.low > 0 ? HERD_KNOWN : HERD_BARE_NOT_KNOWN;
    if (herd->state == HERD_KNOWN)
        herd->beta = fieller(line, t);
    else
        herd->beta.value = NAN;
}

static double squares_of(const struct fit_polynomial *fit, const double *x, const double *y,
                         size_t count)
{
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double residual = y[i] - fit_polynomial_at(fit, x[i]);
        squares += residual * residual;
    }
    return squares;
}

/* A quadratic term that is large, and more than noise: the F-test of one more coefficient. */
static bool bends(const double *x, const double *y, size_t count, double most)
{
    struct fit_polynomial line = fit_polynomial(x, y, count, 1),
                          curve = fit_polynomial(x, y, count, 2);
    if (count < STATISTICS_TRIALS_MIN || !fit_bends(&curve, most))
        return false;
    double t = statistics_t(HERD_CONFIDENCE, (double)count - 3);
    double variance = squares_of(&curve, x, y, count) / ((double)count - 3);
    return squares_of(&line, x, y, count) - squares_of(&curve, x, y, count) > t * t * variance;
}

struct herd herd_fit(const struct herd_trial *trials, size_t count)
{
    static const struct interval none = {NAN, NAN, NAN};
    struct herd herd = {.beta = none, .bare_s = none, .slope_s = none};
    double x[HERD_TRIALS_MAX] = {0}, y[HERD_TRIALS_MAX] = {0};
    herd.trials = choose(trials, count, x, y, &herd);
    struct fit_line line = fit_line(x, y, herd.trials);
    judge(&line, &herd);
    herd.bends = bends(x, y, herd.trials, herd.most);
    return herd;
}
