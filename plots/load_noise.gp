# SPDX-License-Identifier: Apache-2.0
# load_noise: what other programs did to each trial of a load. See noise.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "load_noise.gp") - 1]."." }
source = "load.csv"
picture = "load_noise"
load scripts."/noise.gp"
