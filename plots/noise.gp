# SPDX-License-Identifier: Apache-2.0
# noise: what other programs did to each trial of a series of which some trials were disturbed: the
# CPU time that they and the hypervisor took, and the floor: round trips of an idle session, and how
# late a bare loop on a core was. picture, source: its name, and the file with the trials; load_noise and
# plan_noise set them. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "noise.gp") - 1]."." }
if (!exists("source")) { source = "trials.csv"; picture = "noise" }
load scripts."/common.gp"

# $trials: the trial's place in the file, the cores of others, whether the trial was disturbed, and
# the floor in µs.
trials = 0
disturbed = 0
known = 0
busiest = 0
slowest = 0
fastest = 1e9
has(x) = strcol("noise_disturbed") ne ""
upset(x) = strcol("noise_disturbed") eq "yes"
taken(x) = (number("noise_others_cores") >= 0 ? number("noise_others_cores") : 0) \
    + (number("noise_stolen_cores") >= 0 ? number("noise_stolen_cores") : 0)
see(x) = (trials = trials + 1, known = known + has(0), disturbed = disturbed + upset(0), \
    busiest = has(0) ? most(busiest, taken(0)) : busiest, trials)
floor_us(name) = (time = number(name), slowest = time > 0 ? most(slowest, time) : slowest, \
    fastest = time > 0 ? least(fastest, time) : fastest, time)
set datafile columnheaders
set table $trials separator comma
plot run."/".source using (see(0)):(has(0) ? taken(0) : NaN):(upset(0)): \
    (floor_us("noise_idle_p99_us")):(floor_us("noise_loop_p99_us")) with table
unset table
set datafile nocolumnheaders
set datafile missing NaN
if (known == 0 || disturbed == 0) {
    print "plots: ".run."/".source.": no trial was disturbed"
    exit status 3
}
# A quota may disturb without others, and a floor may be missing.
busiest = most(busiest, 0.1)
if (slowest == 0) { fastest = 10; slowest = 1000 }

panel = 370
rows = 2
gap = 60.0 / height(rows)
eval canvas(picture, rows)
set output file(picture)
middle = (bottom(rows) + top(rows)) / 2
left = 92.0 / width
set multiplot
set lmargin at screen left
set rmargin at screen 0.97
unset logscale xy
set xrange [0.5 : trials + 0.5]
set xtics autofreq format "%.0f"
set tmargin at screen top(rows)
set bmargin at screen middle + gap / 2
set yrange [0 : 1.15 * busiest]
set ytics autofreq format "%g"
set title sprintf("CPU time of others: %d of %d trials disturbed", disturbed, known)
eval y_title("cores", middle + gap / 2, top(rows))
eval legend(rows)
plot $trials using ($3 == 1 ? NaN : $1):2 with points pt 7 ps point_scale lc rgb "#0072B2" \
        title "trial", \
    "" using ($3 == 1 ? $1 : NaN):2 with points pt 2 ps 1.3 * point_scale lw 1.8 lc rgb "#D55E00" \
        title "disturbed trial", \
    NaN with linespoints pt 6 ps point_scale lc rgb "#000000" title "idle session, p99", \
    NaN with linespoints pt 4 ps point_scale dt 2 lc rgb "#009E73" title "bare loop, p99"
@once
unset label 99
set tmargin at screen middle - gap / 2
set bmargin at screen bottom(rows)
set logscale y
label(x) = in_seconds(x / 1e6)
eval y_axis(fastest, slowest, panel / 2 - 26)
set title "The floor: a round trip and a bare loop"
set xlabel "trial, in the order of ".source
eval y_title("time", bottom(rows), middle - gap / 2)
plot $trials using 1:4 with linespoints pt 6 ps point_scale lw 1.2 lc rgb "#000000" notitle, \
    "" using 1:5 with linespoints pt 4 ps point_scale dt 2 lw 1.2 lc rgb "#009E73" notitle
unset multiplot
