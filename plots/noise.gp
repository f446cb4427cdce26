# SPDX-License-Identifier: Apache-2.0
# noise: what other programs did to each trial of a series of which some trials were disturbed: the
# CPU time that they and the hypervisor took. picture, source: its name, and the file with the trials;
# load_noise and plan_noise set them. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "noise.gp") - 1]."." }
if (!exists("source")) { source = "trials.csv"; picture = "noise" }
load scripts."/common.gp"

# $trials: the trial's place in the file, the cores of others, and whether the trial was disturbed.
trials = 0
disturbed = 0
known = 0
busiest = 0
has(x) = strcol("noise_disturbed") ne ""
upset(x) = strcol("noise_disturbed") eq "yes"
taken(x) = (number("noise_others_cores") >= 0 ? number("noise_others_cores") : 0) \
    + (number("noise_stolen_cores") >= 0 ? number("noise_stolen_cores") : 0)
see(x) = (trials = trials + 1, known = known + has(0), disturbed = disturbed + upset(0), \
    busiest = has(0) ? most(busiest, taken(0)) : busiest, trials)
set datafile columnheaders
set table $trials separator comma
plot run."/".source using (see(0)):(has(0) ? taken(0) : NaN):(upset(0)) with table
unset table
set datafile nocolumnheaders
set datafile missing NaN
if (known == 0 || disturbed == 0) {
    print "plots: ".run."/".source.": no trial was disturbed"
    exit status 3
}
# A quota may disturb without others.
busiest = most(busiest, 0.1)

panel = 370
rows = 1
eval canvas(picture, rows)
set output file(picture)
left = 92.0 / width
set lmargin at screen left
set rmargin at screen 0.97
unset logscale xy
set xrange [0.5 : trials + 0.5]
set xtics autofreq format "%.0f"
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set yrange [0 : 1.15 * busiest]
set ytics autofreq format "%g"
set title heading(sprintf("CPU time of others: %d of %d trials disturbed", disturbed, known))
set xlabel "trial, in the order of ".source
eval y_title("cores", bottom(rows), top(rows))
eval legend(rows)
plot $trials using ($3 == 1 ? NaN : $1):2 with points pt 7 ps point_scale lc rgb "#0072B2" \
        title "trial", \
    "" using ($3 == 1 ? $1 : NaN):2 with points pt 2 ps 1.3 * point_scale lw 1.8 lc rgb "#D55E00" \
        title "disturbed trial"
