# SPDX-License-Identifier: Apache-2.0
# anatomy_animation: the plot anatomy as an animated GIF, the recipes side by side, at most two: what
# has been sent and received until now, slowed down. Not among the plots of a run: `make
# reference` draws it for the README.
if (!exists("scripts")) { scripts = ARG0[1:strstrt(ARG0, "anatomy_animation.gp") - 1]."." }
load scripts."/common.gp"
unset logscale
load scripts."/anatomy_common.gp"
frames = 60
rest_frames = 12
frame_cs = 9
width = 800
high = 340
panels = least(2, words(drawn))

set terminal gif animate delay frame_cs loop 0 optimize font "Sans,11" size width, high \
    background "white" noenhanced butt
set output sprintf("%s/plots/anatomy.gif", run)
set grid xtics noytics linestyle 99
# Time goes on behind the last event: that can be seen before all begins again.
set xrange [-0.012 * last : 1.0 * last * (frames + rest_frames) / frames]
set tmargin at screen 0.80
set bmargin at screen 0.24
set xlabel "ms since the release" offset 0, 0.4
unset key
# A request that has no reply yet reaches to now.
sent(now, time, latency) = time - latency
begun(now, time, latency) = time - latency <= now
length(now, time, latency) = least(now, time) - (time - latency)
until(now, x) = $3 <= now ? x : NaN
bar(now, x) = begun(now, $3, $4) ? x : NaN
in_frame(f) = last * f / frames
count_until(i, kind, now) = sum [n = 1:|$events|] (word_of(n, 1) == i && word_of(n, 2) == kind \
    && word_of(n, 3) <= now)
fields(n) = $events[n]
field(text, k) = k == 1 ? (strstrt(text, ",") > 0 ? text[1:strstrt(text, ",") - 1] : text) \
    : field(text[strstrt(text, ",") + 1:], k - 1)
word_of(n, k) = real(field(fields(n), k))
do for [f = 0:frames + rest_frames] {
    now = in_frame(f)
    set multiplot
    do for [k = 1:panels] {
        i = int(word(drawn, k))
        from = (k - 1.0) / panels + 58.0 / width
        set lmargin at screen from
        set rmargin at screen k * 1.0 / panels - 14.0 / width
        set title sprintf("%s, %s\n%s, %s", name(i), plural(waiters, "waiter"), \
            plural(count_until(i, 4, now), "notification"), plural(count_until(i, 2, now), "request"))
        set yrange [clients_of[i] - 0.4 : -0.6]
        eval sprintf("set ytics 0, %d", most(1, ceil(clients_of[i] / 8.0)))
        if (k == 1) {
            set label 1 "session" at screen 0.018, 0.48 center rotate by 90
            set label 2 "■ release   ● notification   ▲ grant   grey: woken for nothing; each handoff is the ". \
                sprintf("median of %d", of_how_many) at screen 0.5, 0.045 center
        } else { unset label }
        set arrow 1 from now, graph 0 to now, graph 1 nohead lc rgb "#404040" lw 0.6 dt 1
        colour = look(i, 2)
        plot $events using (if_for_nothing(i, of(i, 3, bar(now, sent(now, $3, $4))))):5: \
                (length(now, $3, $4)):(0) with vectors nohead lw 2 lc rgb "#B8B8B8", \
            $events using (if_awake(i, of(i, 3, bar(now, sent(now, $3, $4))))):5: \
                (length(now, $3, $4)):(0) with vectors nohead lw 2 lc rgb colour, \
            $events using (if_for_nothing(i, of(i, 4, until(now, $3)))):5 \
                with points pt 7 ps 0.5 lc rgb "#8C8C8C", \
            $events using (if_awake(i, of(i, 4, until(now, $3)))):5 \
                with points pt 7 ps 0.5 lc rgb "black", \
            $events using (of(i, 1, $3)):5 with points pt 5 ps 1 lc rgb "black", \
            $events using (of(i, 5, until(now, $3))):5 with points pt 9 ps 1.4 lc rgb "black"
    }
    unset multiplot
}
