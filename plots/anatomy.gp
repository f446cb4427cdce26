# SPDX-License-Identifier: Apache-2.0
# anatomy: every message of one handoff, against the time since the release: a panel for each recipe,
# all with the same time axis, and a line for each session. A bar reaches from a request to its reply.
# What a session did that was neither the releaser nor granted the lock is grey: under lockstep it woke
# for nothing, in free pace it may just have arrived.
# See anatomy_common.gp for which handoffs are drawn.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "anatomy.gp") - 1]."." }
titled = 1
load scripts."/common.gp"
unset logscale
load scripts."/anatomy_common.gp"
each = 190
between_panels = 62
width = 800

# --- The panels -----------------------------------------------------------------------------------
panels = words(drawn)
panel = panels * each + (panels - 1) * between_panels
rows = 2
eval canvas("anatomy", rows)
eval sprintf("set key at screen %g, screen %g maxrows %d", 18.0 / width, \
    (line * rows + 16 + note_height) / height(rows), rows)
set key width closer(2, -2) samplen 1.6
unit = last < 1 ? 1e3 : 1.0
unit_name = last < 1 ? "µs" : "ms"
left = 62.0 / width
set lmargin at screen left
set grid xtics noytics linestyle 99
set xrange [-0.012 * last * unit : 1.012 * last * unit]
panel_title(i) = sprintf("%s, %s: %s, %s", name(i), plural(waiters, "waiter"), \
    plural(notified[i], "notification"), plural(requests[i], "request"))
upper(k) = top(rows) - (k - 1) * (each + between_panels) / height(rows)
lower(k) = upper(k) - 1.0 * each / height(rows)
# A request that follows at once on a reply stands apart from it.
gap = 0.002 * last
length(latency) = most(0, latency - gap) * unit
set output file("anatomy")
set multiplot
do for [k = 1:panels] {
    i = int(word(drawn, k))
    set tmargin at screen upper(k)
    set bmargin at screen lower(k)
    set title panel_title(i)
    set xlabel k == panels ? "time since the release, ".unit_name : ""
    eval y_title("session", lower(k), upper(k))
    set yrange [clients_of[i] - 0.4 : -0.6]
    eval sprintf("set ytics 0, %d", most(1, ceil(clients_of[i] / 8.0)))
    colour = look(i, 2)
    plot $events using (if_for_nothing(i, of(i, 3, ($3 - $4) * unit))):5:(length($4)):(0) \
            with vectors nohead lw 2.4 lc rgb "#B8B8B8" notitle, \
        $events using (if_for_nothing(i, of(i, 4, $3 * unit))):5 \
            with points pt 7 ps 0.5 * point_scale lc rgb "#8C8C8C" notitle, \
        $events using (if_awake(i, of(i, 3, ($3 - $4) * unit))):5:(length($4)):(0) \
            with vectors nohead lw 2.4 lc rgb colour notitle, \
        $events using (if_awake(i, of(i, 4, $3 * unit))):5 \
            with points pt 7 ps 0.5 * point_scale lc rgb "black" notitle, \
        $events using (of(i, 1, $3 * unit)):5 \
            with points pt 5 ps point_scale lc rgb "black" notitle, \
        $events using (of(i, 5, $3 * unit)):5 \
            with points pt 9 ps 1.3 * point_scale lc rgb "black" notitle, \
        NaN with points pt 5 ps point_scale lc rgb "black" title "release", \
        NaN with points pt 7 ps 0.5 * point_scale lc rgb "black" title "notification", \
        NaN with points pt 9 ps 1.3 * point_scale lc rgb "black" title "grant", \
        NaN with lines lw 2.4 lc rgb "black" title "request to reply", \
        NaN with lines lw 2.4 lc rgb "#B8B8B8" title "not granted the lock"
    @once
}
unset multiplot
