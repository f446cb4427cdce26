// SPDX-License-Identifier: Apache-2.0
#include "capacity/calibration.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX    30   /* of one search */
#define SEARCHES_MAX 6    /* each with a new model_sd */
#define LEAP_MAX     1.0  /* the most that a logarithm changes in one step */
#define SMALL        0.05 /* a step below this part of every sd is the last */
#define DAMPING      1e-2 /* at the beginning of a search */
#define DAMPING_MAX  1e6
#define BISECTIONS   40

/* At least this part of the uncertainty of the prior is gone when a cost is determined. */
#define DETERMINED 0.5

#define MODEL_SD_FIRST 0.1 /* of the first search: no measurement outweighs all others */

enum { M = CALIBRATION_COSTS_MAX };

struct matrix {
    double of[M][M];
};

/* A search in progress. Vectors over costs have the free ones alone: those that are estimated. */
struct search_state {
    const struct calibration_problem *problem;
    size_t free_count;
    size_t free[M];    /* their indices */
    double x[M];       /* logarithms */
    double *predicted; /* logarithms at x; measured_count, as each of the following */
    double *tried;     /* at another place */
    double *slope;     /* the derivatives by the free costs: measured_count rows of M */
    double model_sd;
    struct matrix curvature; /* at x: half the second derivatives of the sum of squares */
    double gradient[M];      /* towards smaller sums */
    double sum;              /* of squares at x */
    size_t runs;
    bool converged;
};

/* ------------------------------------------------------------------ small matrices */

/* The lower root of a positive definite matrix (Cholesky); false if it is not one. */
static bool root(const struct matrix *matrix, size_t count, struct matrix *lower)
{
    *lower = (struct matrix){0};
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j <= i; j++) {
            double rest = matrix->of[i][j];
            for (size_t k = 0; k < j; k++)
                rest -= lower->of[i][k] * lower->of[j][k];
            if (i == j && !(rest > 0))
                return false;
            lower->of[i][j] = i == j ? sqrt(rest) : rest / lower->of[j][j];
        }
    }
    return true;
}

/* Solves root · rootᵀ · x = x, in place. */
static void solve(const struct matrix *lower, size_t count, double *x)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= lower->of[i][k] * x[k];
        x[i] /= lower->of[i][i];
    }
    for (size_t i = count; i-- > 0;) {
        for (size_t k = i + 1; k < count; k++)
            x[i] -= lower->of[k][i] * x[k];
        x[i] /= lower->of[i][i];
    }
}

/* The inverse of a positive definite matrix; the priors make every curvature one. */
static void invert(const struct matrix *matrix, size_t count, struct matrix *inverse)
{
    struct matrix lower;
    bool is_definite = root(matrix, count, &lower);
    assert(is_definite);
    (void)is_definite;
    *inverse = (struct matrix){0};
    for (size_t i = 0; i < count; i++) {
        double column[M] = {0};
        column[i] = 1;
        solve(&lower, count, column);
        for (size_t j = 0; j < count; j++)
            inverse->of[j][i] = column[j];
    }
}

/* ------------------------------------------------------------------ the model */

static bool is_positive(double value)
{
    return isfinite(value) && value > 0;
}

/* Runs the model at these logarithms of the free costs. */
static enum error_kind predict(struct search_state *state, const double *x, double *logarithms,
                               struct error *error)
{
    const struct calibration_problem *problem = state->problem;
    double costs[M];
    for (size_t i = 0; i < problem->cost_count; i++)
        costs[i] = problem->priors[i].value;
    for (size_t j = 0; j < state->free_count; j++)
        costs[state->free[j]] = exp(x[j]);
    state->runs++;
    enum error_kind kind = problem->model(problem->context, costs, logarithms, error);
    for (size_t i = 0; kind == ERROR_NONE && i < problem->measured_count; i++) {
        if (!is_positive(logarithms[i]))
            return error_raise(error, ERROR_USAGE, 0, "calibration",
                               "the model predicts %g for quantity %zu", logarithms[i], i);
        logarithms[i] = log(logarithms[i]);
    }
    return kind;
}

static double prior_log(const struct search_state *state, size_t j)
{
    return log(state->problem->priors[state->free[j]].value);
}

static double prior_sd(const struct search_state *state, size_t j)
{
    return state->problem->priors[state->free[j]].sd;
}

static double residual(const struct search_state *state, const double *predicted, size_t i)
{
    return log(state->problem->measured[i].value) - predicted[i];
}

/* Of a measured quantity, with the model's error. */
static double variance(const struct search_state *state, size_t i)
{
    double sd = state->problem->measured[i].sd;
    return sd * sd + state->model_sd * state->model_sd;
}

static double sum_of_squares(const struct search_state *state, const double *x,
                             const double *predicted)
{
    double sum = 0;
    for (size_t i = 0; i < state->problem->measured_count; i++) {
        double off = residual(state, predicted, i);
        sum += off * off / variance(state, i);
    }
    for (size_t j = 0; j < state->free_count; j++) {
        double off = (x[j] - prior_log(state, j)) / prior_sd(state, j);
        sum += off * off;
    }
    return sum;
}

/* ------------------------------------------------------------------ the derivatives */

static enum error_kind differentiate(struct search_state *state, struct error *error)
{
    size_t count = state->problem->measured_count;
    for (size_t j = 0; j < state->free_count; j++) {
        double x[M];
        memcpy(x, state->x, sizeof x);
        x[j] = state->x[j] + CALIBRATION_STEP;
        enum error_kind kind = predict(state, x, state->tried, error);
        for (size_t i = 0; kind == ERROR_NONE && i < count; i++)
            state->slope[i * M + j] = state->tried[i];
        x[j] = state->x[j] - CALIBRATION_STEP;
        if (kind == ERROR_NONE)
            kind = predict(state, x, state->tried, error);
        if (kind != ERROR_NONE)
            return kind;
        for (size_t i = 0; i < count; i++)
            state->slope[i * M + j] =
                (state->slope[i * M + j] - state->tried[i]) / (2 * CALIBRATION_STEP);
    }
    return ERROR_NONE;
}

static void add_measured(struct search_state *state, size_t i)
{
    const double *slope = &state->slope[i * M];
    double weight = 1 / variance(state, i), off = residual(state, state->predicted, i);
    for (size_t j = 0; j < state->free_count; j++) {
        state->gradient[j] += weight * slope[j] * off;
        for (size_t k = 0; k < state->free_count; k++)
            state->curvature.of[j][k] += weight * slope[j] * slope[k];
    }
}

/* From the slopes, for the present model_sd. */
static void weigh(struct search_state *state)
{
    state->curvature = (struct matrix){0};
    memset(state->gradient, 0, sizeof state->gradient);
    for (size_t i = 0; i < state->problem->measured_count; i++)
        add_measured(state, i);
    for (size_t j = 0; j < state->free_count; j++) {
        double weight = 1 / (prior_sd(state, j) * prior_sd(state, j));
        state->gradient[j] += weight * (prior_log(state, j) - state->x[j]);
        state->curvature.of[j][j] += weight;
    }
    state->sum = sum_of_squares(state, state->x, state->predicted);
}

/* ------------------------------------------------------------------ one search */

static bool find_step(const struct search_state *state, double damping, double *step)
{
    struct matrix damped = state->curvature, lower;
    for (size_t j = 0; j < state->free_count; j++)
        damped.of[j][j] *= 1 + damping;
    if (!root(&damped, state->free_count, &lower))
        return false;
    memcpy(step, state->gradient, sizeof state->gradient);
    solve(&lower, state->free_count, step);
    double longest = 0;
    for (size_t j = 0; j < state->free_count; j++)
        longest = fmax(longest, fabs(step[j]));
    for (size_t j = 0; longest > LEAP_MAX && j < state->free_count; j++)
        step[j] *= LEAP_MAX / longest;
    return true;
}

/* Compared with the uncertainty of every cost by itself. */
static bool is_small(const struct search_state *state, const double *step)
{
    for (size_t j = 0; j < state->free_count; j++) {
        if (step[j] * step[j] * state->curvature.of[j][j] > SMALL * SMALL)
            return false;
    }
    return true;
}

/* Looks for a place with a smaller sum, with more and more damping. Moves there if there is one. */
static enum error_kind descend(struct search_state *state, double *damping, struct error *error)
{
    for (; *damping < DAMPING_MAX; *damping *= 10) {
        double step[M], x[M] = {0};
        if (!find_step(state, *damping, step))
            continue;
        if (is_small(state, step))
            break;
        for (size_t j = 0; j < state->free_count; j++)
            x[j] = state->x[j] + step[j];
        enum error_kind kind = predict(state, x, state->tried, error);
        if (kind != ERROR_NONE)
            return kind;
        if (sum_of_squares(state, x, state->tried) >= state->sum)
            continue;
        memcpy(state->x, x, sizeof x);
        memcpy(state->predicted, state->tried,
               state->problem->measured_count * sizeof *state->tried);
        *damping /= 10;
        return ERROR_NONE;
    }
    state->converged = true;
    return ERROR_NONE;
}

/* From the present place, with the present model_sd. */
static enum error_kind search(struct search_state *state, struct error *error)
{
    double damping = DAMPING;
    state->converged = false;
    for (int step = 0; step < STEPS_MAX; step++) {
        enum error_kind kind = differentiate(state, error);
        if (kind != ERROR_NONE)
            return kind;
        weigh(state);
        kind = descend(state, &damping, error);
        if (kind != ERROR_NONE || state->converged)
            return kind;
    }
    return ERROR_NONE;
}

/* ------------------------------------------------------------------ the model's own error */

/* How many costs the measurements determine: each counts by the part of its prior's variance that
 * is gone. */
static double effective_costs(const struct search_state *state)
{
    struct matrix covariance;
    double count = 0;
    invert(&state->curvature, state->free_count, &covariance);
    for (size_t j = 0; j < state->free_count; j++)
        count += 1 - covariance.of[j][j] / (prior_sd(state, j) * prior_sd(state, j));
    return count;
}

static double squares_with(struct search_state *state, double model_sd)
{
    double sum = 0;
    state->model_sd = model_sd;
    for (size_t i = 0; i < state->problem->measured_count; i++) {
        double off = residual(state, state->predicted, i);
        sum += off * off / variance(state, i);
    }
    return sum;
}

/* The model_sd with which the squares of the residuals add up to the degrees of freedom. With
 * fewer measurements than costs nothing is known of the model's error. */
static double fitting_model_sd(struct search_state *state)
{
    double freedom = (double)state->problem->measured_count - effective_costs(state);
    double low = 0, high = 10;
    if (freedom <= 0 || squares_with(state, 0) <= freedom)
        return 0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        *(squares_with(state, middle) > freedom ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Searches again until the error of the model no longer changes. */
static enum error_kind search_all(struct search_state *state, struct error *error)
{
    enum error_kind kind = predict(state, state->x, state->predicted, error);
    for (int i = 0; kind == ERROR_NONE && i < SEARCHES_MAX; i++) {
        double before = state->model_sd;
        kind = search(state, error);
        if (kind != ERROR_NONE)
            return kind;
        state->model_sd = fitting_model_sd(state);
        weigh(state);
        if (fabs(state->model_sd - before) <= SMALL * fmax(before, SMALL))
            return ERROR_NONE;
    }
    return kind;
}

/* ------------------------------------------------------------------ the whole */

static enum error_kind check(const struct calibration_problem *problem, struct error *error)
{
    for (size_t i = 0; i < problem->cost_count; i++) {
        const struct calibration_prior *prior = &problem->priors[i];
        if (!is_positive(prior->value) || (prior->sd != 0 && !is_positive(prior->sd)))
            return error_raise(error, ERROR_USAGE, 0, "calibration",
                               "the prior of cost %zu is %g, with a deviation of %g", i,
                               prior->value, prior->sd);
    }
    for (size_t i = 0; i < problem->measured_count; i++) {
        const struct calibration_measured *measured = &problem->measured[i];
        if (!is_positive(measured->value) || !is_positive(measured->sd))
            return error_raise(error, ERROR_USAGE, 0, "calibration",
                               "quantity %zu is %g, with a deviation of %g", i, measured->value,
                               measured->sd);
    }
    return ERROR_NONE;
}

static void begin(struct search_state *state)
{
    for (size_t i = 0; i < state->problem->cost_count; i++) {
        if (state->problem->priors[i].sd == 0)
            continue;
        state->free[state->free_count] = i;
        state->x[state->free_count] = log(state->problem->priors[i].value);
        state->free_count++;
    }
}

static void report(const struct search_state *state, struct calibration *calibration)
{
    const struct calibration_problem *problem = state->problem;
    struct matrix covariance;
    invert(&state->curvature, state->free_count, &covariance);
    *calibration = (struct calibration){
        .cost_count = problem->cost_count,
        .model_sd = state->model_sd,
        .runs = state->runs,
        .converged = state->converged,
    };
    for (size_t i = 0; i < problem->cost_count; i++)
        calibration->costs[i] = (struct calibration_cost){problem->priors[i].value, 0, true};
    for (size_t j = 0; j < state->free_count; j++) {
        double sd = sqrt(covariance.of[j][j]);
        calibration->costs[state->free[j]] =
            (struct calibration_cost){exp(state->x[j]), sd, sd < DETERMINED * prior_sd(state, j)};
        for (size_t k = 0; k < state->free_count; k++)
            calibration->covariance[state->free[j]][state->free[k]] = covariance.of[j][k];
    }
}

enum error_kind calibration_fit(const struct calibration_problem *problem,
                                struct calibration *calibration, struct error *error)
{
    size_t count = problem->measured_count;
    struct search_state state = {.problem = problem, .model_sd = MODEL_SD_FIRST};
    assert(problem->cost_count >= 1 && problem->cost_count <= M && count >= 1);
    enum error_kind kind = check(problem, error);
    if (kind != ERROR_NONE)
        return kind;
    begin(&state);
    double *room = calloc(count * (M + 2), sizeof *room);
    if (room == NULL)
        return error_raise(error, ERROR_NO_MEMORY, 0, "calibration", "of %zu quantities", count);
    state.predicted = room;
    state.tried = room + count;
    state.slope = room + 2 * count;
    kind = search_all(&state, error);
    if (kind == ERROR_NONE)
        report(&state, calibration);
    free(room);
    return kind;
}

/* ------------------------------------------------------------------ draws */

static double draw_normal(struct random *random)
{
    double unit;
    do {
        unit = random_unit(random);
    } while (unit == 0);
    return gsl_cdf_ugaussian_Pinv(unit);
}

/* Of the covariance, with a variance of 1 for each cost that is known. */
static bool root_of_covariance(const struct calibration *calibration, struct matrix *lower)
{
    struct matrix covariance = {0};
    for (size_t i = 0; i < calibration->cost_count; i++) {
        for (size_t j = 0; j < calibration->cost_count; j++)
            covariance.of[i][j] = calibration->covariance[i][j];
        if (calibration->costs[i].sd == 0)
            covariance.of[i][i] = 1;
    }
    return root(&covariance, calibration->cost_count, lower);
}

bool calibration_can_draw(const struct calibration *calibration)
{
    struct matrix lower;
    for (size_t i = 0; i < calibration->cost_count; i++) {
        for (size_t j = 0; j < calibration->cost_count; j++) {
            if (calibration->costs[i].sd == 0 && calibration->covariance[i][j] != 0)
                return false;
        }
    }
    return root_of_covariance(calibration, &lower);
}

void calibration_draw(const struct calibration *calibration, struct random *random, double *costs)
{
    struct matrix lower;
    size_t count = calibration->cost_count;
    double normal[M];
    bool is_definite = root_of_covariance(calibration, &lower);
    assert(is_definite);
    (void)is_definite;
    for (size_t i = 0; i < count; i++)
        normal[i] = calibration->costs[i].sd == 0 ? 0 : draw_normal(random);
    for (size_t i = 0; i < count; i++) {
        double off = 0;
        for (size_t j = 0; j <= i; j++)
            off += lower.of[i][j] * normal[j];
        costs[i] = calibration->costs[i].value * exp(off);
    }
}
