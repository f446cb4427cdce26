// SPDX-License-Identifier: Apache-2.0
#include "capacity/calibration.h"

#include "base/memory.h"

#include <assert.h>
#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX    30   /* of one search */
#define SEARCHES_MAX 6    /* each with a new model_sd */
#define LEAP_MAX     1.0  /* the most that a logarithm changes in one step */
#define SMALL        0.05 /* a step below this part of every sd is the last */
#define BISECTIONS   40
#define REFUSED      1e9 /* residuals of a place where the model is not run */

/* At least this part of the uncertainty of the prior is gone when a cost is determined. */
#define DETERMINED 0.5

#define MODEL_SD_FIRST 0.1 /* of the first search: no measurement outweighs all others */

enum { M = CALIBRATION_COSTS_MAX };

/* A search in progress. A place is a vector of log(cost/prior) of the free costs alone: those that
 * are estimated. The residuals are those of the measured quantities, then those of the priors. */
struct search {
    const struct calibration_problem *problem;
    size_t free_count;
    size_t free[M]; /* their indices */
    double model_sd;
    bool has_place; /* the next four are of the place that the search has reached */
    double place[M];
    double *predicted;   /* logarithms, measured_count */
    double *slope;       /* derivatives of these: measured_count rows of M */
    double curvature[M]; /* of the sum of squares, along each cost: half the second derivative */
    double *tried;       /* as `predicted`, at another place */
    size_t runs;
    bool converged;
    enum error_kind kind; /* of the model */
    struct error *error;
};

/* ------------------------------------------------------------------ the model */

/* Runs the model at a place. */
static enum error_kind predict(struct search *search, const double *place, double *logarithms)
{
    const struct calibration_problem *problem = search->problem;
    double costs[M];
    for (size_t i = 0; i < problem->cost_count; i++)
        costs[i] = problem->priors[i].value;
    for (size_t j = 0; j < search->free_count; j++)
        costs[search->free[j]] *= exp(place[j]);
    search->runs++;
    search->kind = problem->model(problem->context, costs, logarithms, search->error);
    for (size_t i = 0; search->kind == ERROR_NONE && i < problem->measured_count; i++) {
        if (!(isfinite(logarithms[i]) && logarithms[i] > 0))
            search->kind = error_raise(search->error, ERROR_USAGE, 0, "calibration",
                                       "the model predicts %g for quantity %zu", logarithms[i], i);
        else
            logarithms[i] = log(logarithms[i]);
    }
    return search->kind;
}

static double prior_sd(const struct search *search, size_t j)
{
    return search->problem->priors[search->free[j]].sd;
}

/* The standard deviation of a measured quantity, with the model's error. */
static double sd_of(const struct search *search, size_t i)
{
    return hypot(search->problem->measured[i].sd, search->model_sd);
}

static double residual(const struct search *search, const double *predicted, size_t i)
{
    return (predicted[i] - log(search->problem->measured[i].value)) / sd_of(search, i);
}

/* ------------------------------------------------------------------ what GSL calls */

/* GSL_ETOLX instead, where the step from the place of the search is small compared with the
 * uncertainty of every cost by itself: the search is over. */
static int fill_residuals(const gsl_vector *x, void *context, gsl_vector *residuals)
{
    struct search *search = context;
    size_t count = search->problem->measured_count;
    const double *predicted = search->tried, *place = gsl_vector_const_ptr(x, 0);
    double longest = 0, largest = 0;
    for (size_t j = 0; j < search->free_count; j++) {
        double step = fabs(place[j] - search->place[j]);
        longest = fmax(longest, step);
        largest = fmax(largest, step * sqrt(search->curvature[j]));
    }
    if (search->has_place && longest > LEAP_MAX) {
        gsl_vector_set_all(residuals, REFUSED);
        return GSL_SUCCESS;
    }
    if (search->has_place && longest == 0)
        predicted = search->predicted;
    else if (search->has_place && largest <= SMALL)
        return GSL_ETOLX;
    else if (predict(search, place, search->tried) != ERROR_NONE)
        return GSL_EFAILED;
    for (size_t i = 0; i < count; i++)
        gsl_vector_set(residuals, i, residual(search, predicted, i));
    for (size_t j = 0; j < search->free_count; j++)
        gsl_vector_set(residuals, count + j, place[j] / prior_sd(search, j));
    return GSL_SUCCESS;
}

/* Moves the search to a place, which was tried just before. */
static enum error_kind move(struct search *search, const double *place)
{
    size_t count = search->problem->measured_count;
    memcpy(search->place, place, search->free_count * sizeof *place);
    memcpy(search->predicted, search->tried, count * sizeof *search->tried);
    search->has_place = true;
    for (size_t j = 0; j < search->free_count; j++) {
        for (int side = -1; side <= 1; side += 2) {
            double beside[M];
            memcpy(beside, search->place, sizeof beside);
            beside[j] += side * CALIBRATION_STEP;
            if (predict(search, beside, search->tried) != ERROR_NONE)
                return search->kind;
            for (size_t i = 0; i < count; i++) {
                double *slope = &search->slope[i * M + j];
                *slope = side < 0 ? search->tried[i]
                                  : (search->tried[i] - *slope) / (2 * CALIBRATION_STEP);
            }
        }
    }
    return ERROR_NONE;
}

/* From the slopes, for the present model_sd. */
static int fill_slopes(const gsl_vector *x, void *context, gsl_matrix *slopes)
{
    struct search *search = context;
    size_t count = search->problem->measured_count;
    const double *place = gsl_vector_const_ptr(x, 0);
    bool is_here =
        search->has_place && memcmp(place, search->place, search->free_count * sizeof *place) == 0;
    if (!is_here && move(search, place) != ERROR_NONE)
        return GSL_EFAILED;
    gsl_matrix_set_zero(slopes);
    for (size_t j = 0; j < search->free_count; j++) {
        for (size_t i = 0; i < count; i++)
            gsl_matrix_set(slopes, i, j, search->slope[i * M + j] / sd_of(search, i));
        gsl_matrix_set(slopes, count + j, j, 1 / prior_sd(search, j));
        gsl_vector_view column = gsl_matrix_column(slopes, j);
        search->curvature[j] = pow(gsl_blas_dnrm2(&column.vector), 2);
    }
    return GSL_SUCCESS;
}

/* ------------------------------------------------------------------ the searches */

/* From the present place, with the present model_sd. Returns whether the search has ended by
 * itself: no step is left, or none that leads to a smaller sum of squares. */
static bool descend(struct search *search, gsl_multifit_nlinear_workspace *workspace)
{
    gsl_multifit_nlinear_fdf functions = {.f = fill_residuals,
                                          .df = fill_slopes,
                                          .n = search->problem->measured_count + search->free_count,
                                          .p = search->free_count,
                                          .params = search};
    double place[M];
    memcpy(place, search->place, sizeof place);
    gsl_vector_view start = gsl_vector_view_array(place, search->free_count);
    int status = gsl_multifit_nlinear_init(&start.vector, &functions, workspace);
    for (int step = 0; status == GSL_SUCCESS && step < STEPS_MAX; step++)
        status = gsl_multifit_nlinear_iterate(workspace);
    return status == GSL_ETOLX || status == GSL_ENOPROG;
}

static double squares_with(struct search *search, double model_sd)
{
    double sum = 0;
    search->model_sd = model_sd;
    for (size_t i = 0; i < search->problem->measured_count; i++)
        sum += pow(residual(search, search->predicted, i), 2);
    return sum;
}

/* The model_sd with which the squares of the residuals add up to the degrees of freedom. With
 * fewer measurements than costs nothing is known of the model's error. Each cost counts by the part
 * of its prior's variance that is gone. */
static double fitting_model_sd(struct search *search, const gsl_matrix *covariance)
{
    double freedom = (double)(search->problem->measured_count - search->free_count);
    double low = 0, high = 10;
    for (size_t j = 0; j < search->free_count; j++)
        freedom += gsl_matrix_get(covariance, j, j) / pow(prior_sd(search, j), 2);
    if (freedom <= 0 || squares_with(search, 0) <= freedom)
        return 0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        *(squares_with(search, middle) > freedom ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Searches again until the error of the model no longer changes. */
static enum error_kind search_all(struct search *search, gsl_matrix *covariance)
{
    gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
    size_t rows = search->problem->measured_count + search->free_count;
    gsl_multifit_nlinear_workspace *workspace =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, rows, search->free_count);
    gsl_matrix *slopes = gsl_matrix_alloc(rows, search->free_count);
    gsl_vector_view place = gsl_vector_view_array(search->place, search->free_count);
    double before;
    int searches = 0;
    do {
        before = search->model_sd;
        search->converged = descend(search, workspace);
        if (search->kind != ERROR_NONE)
            break;
        gsl_multifit_nlinear_covar(gsl_multifit_nlinear_jac(workspace), 0, covariance);
        search->model_sd = fitting_model_sd(search, covariance);
        fill_slopes(&place.vector, search, slopes);
        gsl_multifit_nlinear_covar(slopes, 0, covariance);
    } while (++searches < SEARCHES_MAX &&
             fabs(search->model_sd - before) > SMALL * fmax(before, SMALL));
    gsl_matrix_free(slopes);
    gsl_multifit_nlinear_free(workspace);
    return search->kind;
}

/* ------------------------------------------------------------------ the whole */

static void report(const struct search *search, const gsl_matrix *covariance,
                   struct calibration *calibration)
{
    for (size_t i = 0; i < calibration->cost_count; i++)
        calibration->costs[i] =
            (struct calibration_cost){search->problem->priors[i].value, 0, true};
    for (size_t j = 0; j < search->free_count; j++) {
        struct calibration_cost *cost = &calibration->costs[search->free[j]];
        cost->value *= exp(search->place[j]);
        cost->sd = sqrt(gsl_matrix_get(covariance, j, j));
        cost->determined = cost->sd < DETERMINED * prior_sd(search, j);
        for (size_t k = 0; k < search->free_count; k++)
            calibration->covariance[search->free[j]][search->free[k]] =
                gsl_matrix_get(covariance, j, k);
    }
}

enum error_kind calibration_fit(const struct calibration_problem *problem,
                                struct calibration *calibration, struct error *error)
{
    size_t count = problem->measured_count;
    struct search search = {.problem = problem, .model_sd = MODEL_SD_FIRST, .error = error};
    assert(problem->cost_count >= 1 && problem->cost_count <= M && count >= 1);
    for (size_t i = 0; i < problem->cost_count; i++) {
        if (problem->priors[i].sd > 0)
            search.free[search.free_count++] = i;
    }
    assert(search.free_count >= 1);
    search.predicted = memory_new(count, sizeof *search.predicted);
    search.slope = memory_new(count * M, sizeof *search.slope);
    search.tried = memory_new(count, sizeof *search.tried);
    gsl_matrix *covariance = gsl_matrix_alloc(search.free_count, search.free_count);
    enum error_kind kind = search_all(&search, covariance);
    if (kind == ERROR_NONE) {
        *calibration = (struct calibration){.cost_count = problem->cost_count,
                                            .model_sd = search.model_sd,
                                            .runs = search.runs,
                                            .converged = search.converged};
        report(&search, covariance, calibration);
    }
    gsl_matrix_free(covariance);
    free(search.predicted);
    free(search.slope);
    free(search.tried);
    return kind;
}

/* ------------------------------------------------------------------ draws */

/* The lower root of the covariance, with a variance of 1 for each cost that is known; its rows are
 * as long as they are many. False if it has none: GSL's own error handler would end the program. */
static bool root_of_covariance(const struct calibration *calibration, double lower[M * M])
{
    size_t count = calibration->cost_count;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            lower[i * count + j] = calibration->covariance[i][j];
        if (calibration->costs[i].sd == 0)
            lower[i * count + i] = 1;
    }
    gsl_matrix_view view = gsl_matrix_view_array(lower, count, count);
    gsl_error_handler_t *handler = gsl_set_error_handler_off();
    int status = gsl_linalg_cholesky_decomp1(&view.matrix);
    gsl_set_error_handler(handler);
    return status == GSL_SUCCESS;
}

bool calibration_can_draw(const struct calibration *calibration)
{
    double lower[M * M];
    for (size_t i = 0; i < calibration->cost_count; i++) {
        for (size_t j = 0; j < calibration->cost_count; j++) {
            if (calibration->costs[i].sd == 0 && calibration->covariance[i][j] != 0)
                return false;
        }
    }
    return root_of_covariance(calibration, lower);
}

void calibration_draw(const struct calibration *calibration, struct random *random, double *costs)
{
    size_t count = calibration->cost_count;
    double lower[M * M], normal[M];
    bool is_definite = root_of_covariance(calibration, lower);
    assert(is_definite);
    (void)is_definite;
    for (size_t i = 0; i < count; i++) {
        double unit = 0;
        while (calibration->costs[i].sd > 0 && unit == 0)
            unit = random_unit(random);
        normal[i] = unit > 0 ? gsl_cdf_ugaussian_Pinv(unit) : 0;
    }
    gsl_matrix_view root = gsl_matrix_view_array(lower, count, count);
    gsl_vector_view offset = gsl_vector_view_array(normal, count);
    gsl_blas_dtrmv(CblasLower, CblasNoTrans, CblasNonUnit, &root.matrix, &offset.vector);
    for (size_t i = 0; i < count; i++)
        costs[i] = calibration->costs[i].value * exp(normal[i]);
}
