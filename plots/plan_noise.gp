# SPDX-License-Identifier: Apache-2.0
# plan_noise: what other programs did to each trial of a plan. See noise.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "plan_noise.gp") - 1]."." }
source = "plan.csv"
picture = "plan_noise"
load scripts."/noise.gp"
