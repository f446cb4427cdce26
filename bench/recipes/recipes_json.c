// SPDX-License-Identifier: Apache-2.0
#include "bench/recipes/recipes_json.h"

#include "bench/output/json_result.h"
#include "bench/recipes/law_table.h"
#include "recipes/registry.h"

static bool has_formulas(const struct recipe *recipe)
{
    return recipe_has_law(recipe) && !recipe->broken && recipe->law_in_words == NULL;
}

static json_t *steps_of(const struct recipe *recipe)
{
    json_t *rows = json_array();
    for (int kind = 0; kind < TALLY_KINDS; kind++) {
        struct law_row row = {0};
        if (!tally_has_law((enum tally_kind)kind) ||
            !law_table_row(recipe, (enum tally_kind)kind, &row))
            continue;
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s, s:s}", "messages",
                                              tally_column((enum tally_kind)kind), "arrival_free",
                                              row.of[LAW_ARRIVAL_FREE], "arrival_held",
                                              row.of[LAW_ARRIVAL_HELD], "release_waited",
                                              row.of[LAW_RELEASE_WAITED], "release_alone",
                                              row.of[LAW_RELEASE_ALONE]));
    }
    return rows;
}

static json_t *describe(const struct recipe *recipe)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "recipe",
                     recipe->name, "summary", recipe->summary, "description",
                     recipe->about.description, "pseudo_code", recipe->about.pseudo_code, "source",
                     recipe->about.source, "shipped_by", json_result_text(recipe->about.shipped_by),
                     "broken_clients_min",
                     recipe->broken ? json_integer(recipe->broken) : json_null(), "drain_rpcs",
                     recipe->law.rpcs, "drain_notifications", recipe->law.notifications,
                     "law_steps", has_formulas(recipe) ? steps_of(recipe) : json_null(),
                     "law_in_words", json_result_text(recipe->law_in_words));
}

enum error_kind recipes_json_write(const struct recipe *only, FILE *stream, struct error *error)
{
    const struct recipe *recipe;
    json_t *recipes = json_array();
    for (size_t i = 0; (recipe = registry_at(i)) != NULL; i++) {
        if (only == NULL || only == recipe)
            json_array_append_new(recipes, describe(recipe));
    }
    return json_result_write(json_pack("{s:o}", "recipes", recipes), "recipes", stream, error);
}
