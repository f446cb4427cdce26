# SPDX-License-Identifier: Apache-2.0
# plan: the trials of the searches of zkherd plan: what each measured against its size, whether the
# trial passed, the objective as a line, and the answer of each recipe as a band, from the largest
# size that passed to the smallest that failed. See common.gp.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "plan.gp") - 1]."." }
load scripts."/common.gp"

# $trials: recipe (its place), size, measured in seconds, 1: passed, 0: failed, -1: no vote.
drawn = ""
levels = ""
low = 1e300
high = 0
limit = NaN
unknown = ""
failures = 0
no_votes = 0
trials = 0
disturbed = 0
vote_of(verdict) = verdict eq "pass" ? 1 : verdict eq "fail" ? 0 : -1
see(i, n, y, vote) = i > 0 && n > 0 && y > 0 ? ( \
    drawn = with_word(drawn, sprintf("%d", i)), levels = with_word(levels, sprintf("%d", n)), \
    failures = failures + (vote == 0), no_votes = no_votes + (vote < 0), trials = trials + 1, \
    disturbed = disturbed + (strcol("noise_disturbed") eq "yes"), \
    limit = number("limit_us") / 1e6, unknown = strcol("unknown"), \
    low = least(low, y), high = most(high, y), y) : NaN
set datafile columnheaders
set table $trials separator comma
plot run."/plan.csv" using (place(strcol("recipe"))):(column("size")): \
    (see(place(strcol("recipe")), column("size"), number("measured_us") / 1e6, vote_of(strcol("verdict")))): \
    (vote_of(strcol("verdict"))) with table
unset table

if (drawn eq "") {
    print "plots: ".run."/plan.csv: nothing to draw for ".recipes
    exit status 3
}

# The ends of each answer; 0: that end is not known.
array passed[words(recipes)]
array failed[words(recipes)]
do for [i = 1:words(recipes)] { passed[i] = failed[i] = 0 }
note(i, from, to) = i > 0 ? (passed[i] = from > 0 ? from : 0, failed[i] = to > 0 ? to : 0, i) : NaN
set table $answers separator comma
plot run."/answers.csv" using (note(place(strcol("recipe")), number("passed"), number("failed"))) \
    with table
unset table
set datafile nocolumnheaders
set datafile missing NaN

label(x) = in_seconds(x)
drawn = in_order(drawn)
levels = ascending(levels, 0)
width = page_width(words(drawn))
low = least(low, limit)
high = most(high, limit)
objective_text = "objective: below the line"
longest = strlen(objective_text)
do for [r in drawn] { longest = most(longest, strlen(name(r))) }
answers = 0
do for [r in drawn] { answers = answers + (passed[int(r)] > 0 && failed[int(r)] > passed[int(r)]) }
disturbed_text = sprintf("%d of %d trials disturbed", disturbed, trials)
longest = disturbed ? most(longest, strlen(disturbed_text)) : longest
entries = words(drawn) + 1 + (answers > 0) + (failures > 0) + (no_votes > 0) + (disturbed > 0)
rows = rows_for(entries, longest)
eval canvas("plan", rows)
eval legend(rows)
eval squeeze(entries, longest)
eval y_axis(low, high, panel)
set lmargin at screen left
eval x_axis(int(word(levels, 1)), int(word(levels, words(levels))), panel_letters(left, 0.97))
eval "set xtics (".decades(1).")"
set tmargin at screen top(rows)
set bmargin at screen bottom(rows)
set xlabel unknown eq "locks" ? "hot locks" : "waiters of the lock"
set title heading("How many meet the objective: each point is a trial")
eval y_title("latency at the objective's percentile", bottom(rows), top(rows))
set style line 900 lc rgb "#404040" lw 1.4 dt 1
# The answers have the height of the panel in parts, a part for each recipe.
strip_of(r, more) = 1.0 * (place_in(drawn, r) + more) / words(drawn)
do for [r in drawn] {
    i = int(r)
    if (passed[i] > 0 && failed[i] > passed[i]) {
        set object i rectangle from passed[i], graph strip_of(r, -1) to failed[i], graph strip_of(r, 0) behind \
            fillcolor rgb look(i, 2) fillstyle transparent solid 0.25 noborder
    }
}
set output file("plan")
voted(i, vote) = $1 == int(i) && $4 == vote ? $2 : NaN
failed_entry = failures ? "NaN with points pt 2 ps point_scale lw 1.5 lc rgb '#404040' ".\
    "title 'cross: the trial failed', " : ""
answer_entry = answers ? "NaN with boxes lc rgb '#404040' fillstyle transparent solid 0.25 noborder ".\
    "title 'band: passed to failed', " : ""
no_vote_entry = no_votes ? "NaN with points pt 6 ps 0.7 * point_scale lw 1 lc rgb '#7F7F7F' ".\
    "title 'grey: no vote', " : ""
disturbed_entry = disturbed ? "NaN with lines ls 98 title disturbed_text, " : ""
plot limit with lines ls 900 title objective_text, \
    for [r in drawn] $trials using (voted(r, -1)):3 with points pt 6 ps 0.7 * point_scale lw 1 \
        lc rgb "#7F7F7F" notitle, \
    for [r in drawn] $trials using (voted(r, 0)):3 with points ls 300 + int(r) notitle, \
    for [r in drawn] $trials using (voted(r, 1)):3 with points ls int(r) notitle, \
    for [r in drawn] NaN with points ls int(r) title name(r), \
    @answer_entry \
    @failed_entry \
    @no_vote_entry \
    @disturbed_entry \
    NaN notitle
