# SPDX-License-Identifier: Apache-2.0
# Time of a suggestion against the number of rollouts, fcps and rivals: folder/ask.dat -> folder/ask.png
set terminal pngcairo size 900,600 font "DejaVu Sans,11"
set output folder.'/ask.png'
set logscale xy
set xlabel 'rollouts'
set ylabel 'milliseconds for one suggestion, fit included'
set xrange [18:2400]
set key off
set grid ytics lc rgb '#dddddd'
set border 3
set tics nomirror
data = folder.'/ask.dat'
stats data using 1:2 nooutput
last = STATS_blocks - 1
ours(i) = i >= last - 1
colour(i) = ours(i) ? (i == last ? 0xd55e00 : 0x0072b2) : 0x888888
plot for [i=0:last] data index i using 1:2 with linespoints lw (ours(i) ? 3 : 1.5) pt 7 ps (ours(i) ? 1 : 0.6) \
       lc rgb colour(i), \
     folder.'/ask.labels' using 1:2:3 with labels left offset 1,0 noenhanced
