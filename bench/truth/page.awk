# docs/truth-h200.md from measured and modelled rows: awk -f page.awk sets.csv, the files of measured rows that it names (those
# that there are), modelled-h200.csv, toolkit-h200.csv, the last one simulated where a ptxas is.
# A row: experiment,variant,case,time_ns,warp_instructions,shared_load_requests,l2_read_sectors.
# SPDX-License-Identifier: Apache-2.0
BEGIN {
    FS = ","
    split("warp_instructions,shared_load_requests,l2_read_sectors", counter_name, ",")
}
/^#/ { next }
FILENAME ~ /sets/ {
    name[++sets] = $1; set_of[$4] = $1
    next
}
{ key = $1 "," $2 "," $3 }
FILENAME ~ /toolkit/ {
    for (i = 5; i <= 7; i++) toolkit_counter[key, i] = $i
    next
}
FILENAME ~ /modelled/ {
    modelled[key] = $4
    for (i = 5; i <= 7; i++) modelled_counter[key, i] = $i
    next
}
{
    set = FILENAME
    sub(/.*\//, "", set)
    set = set_of[set]
    order[set, ++rows[set]] = key
    measured[key] = $4
    group[key] = $1 "," $3
    for (i = 5; i <= 7; i++) measured_counter[key, i] = $i
}

function magnitude(x) { return x < 0 ? -x : x }

# Sorts v[1..n] upwards.
function sort(v, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
}

# Kendall's tau: over all pairs of variants of the same experiment and case, the share of pairs that the model
# puts in the measured order less the share of those that it puts in the opposite order.
function tau(set,    i, j, a, b, same, opposite, d) {
    for (i = 1; i <= rows[set]; i++)
        for (j = 1; j < i; j++) {
            a = order[set, i]; b = order[set, j]
            if (group[a] != group[b] || !(a in modelled) || !(b in modelled)) continue
            d = (measured[a] - measured[b]) * (modelled[a] - modelled[b])
            same += d > 0; opposite += d < 0
        }
    return same + opposite ? (same - opposite) / (same + opposite) : 0
}

function summary(set,    i, n, key, e, signed, size, within, worst, place) {
    if (!rows[set]) return
    for (i = 1; i <= rows[set]; i++) {
        key = order[set, i]
        if (!(key in modelled)) continue
        e = 100 * (modelled[key] / measured[key] - 1)
        signed[++n] = e; size[n] = magnitude(e); within += magnitude(e) <= 20
        if (magnitude(e) > magnitude(worst)) { worst = e; place = key }
    }
    sub(/,/, ":", place); sub(/,/, " ", place)
    sort(signed, n); sort(size, n)
    printf "| %s | %d | %.1f %% | %.1f %% | %+.0f %% (%s) | %+.1f %% | %.0f %% | %.2f |\n", set, n, size[int((n + 1) / 2)],
        size[int(0.9 * n + 0.5)], worst, place, signed[int((n + 1) / 2)], 100 * within / n, tau(set)
}

function counters(set, i, where, simulated,    j, n, key, r, v, five, ten) {
    if (!rows[set]) return
    for (j = 1; j <= rows[set]; j++) {
        key = order[set, j]
        if (!(measured_counter[key, i] > 0) || !((key, i) in simulated)) continue
        r = simulated[key, i] / measured_counter[key, i]
        v[++n] = r; five += magnitude(r - 1) <= 0.05; ten += magnitude(r - 1) <= 0.1
    }
    sort(v, n)
    printf "| %s | %s | %s | %d | %d | %d | %.2f |\n", set, counter_name[i - 4], where, n, five, ten, v[int((n + 1) / 2)]
}

function times(set,    i, key, p) {
    if (!rows[set]) return
    printf "\n## Times: %s\n\n| experiment | variant | case | measured us | modelled us | error |\n|---|---|---|---:|---:|---:|\n", set
    for (i = 1; i <= rows[set]; i++) {
        key = order[set, i]
        split(key, p, ",")
        if (key in modelled)
            printf "| %s | %s | %s | %.2f | %.2f | %+.0f %% |\n", p[1], p[2], p[3], measured[key] / 1000,
                modelled[key] / 1000, 100 * (modelled[key] / measured[key] - 1)
        else
            printf "| %s | %s | %s | %.2f | - | not modelled |\n", p[1], p[2], p[3], measured[key] / 1000
    }
}

END {
    print "# The simulated GPU against an H200\n"
    print "Made by `bench/truth/validate.sh page` from measured rows (the files that bench/truth/sets.csv names: an H200,"
    print "driver 580.159, CUDA 13.0, caches cold, median of the samples) and modelled rows (modelled-h200.csv: the same PTX and"
    print "seed, registers estimated as where no toolkit is). What the sets are for: [bench/truth/README.md](../bench/truth/README.md)."
    print "No constant of the model is chosen by a validation row; some are chosen by tuning rows. The first list was the validation list"
    print "until 2026-11-28 and is tuning data since."
    print "`bench/truth/validate.sh replay` simulates the rows of bench/truth/replayed.txt again and expects exactly these figures;"
    print "the tests run it.\n"
    print "The error is modelled over measured time, less one. Bias is the median of the signed errors. Kendall's tau compares the"
    print "order of the variants of one experiment and case: 1 if the model has all pairs in the measured order, -1 if none.\n"
    print "| set | rows | median error | 90th percentile | worst | bias | within 20 % | Kendall's tau |"
    print "|---|---:|---:|---:|---|---:|---:|---:|"
    for (s = 1; s <= sets; s++) summary(name[s])
    if (!rows[name[1]])
        print "\nThe validation list (bench/truth/validation-2), committed on 2026-11-28, has not been measured yet."
    print "\nThe validation list (bench/truth/validation-2, measured on an H200 on 2026-11-28) was asked three times: with the model that the first list had last"
    print "(194 rows that were measured by then: 10.1 %, 90th percentile 30.5 %, worst -59 %, bias -8.9 %, tau 0.85; warp instructions within 5 % without a ptxas of 92 of 194 rows); in whole with"
    print "machine code reckoned by a pass of its own (10.3 %, 28.5 %, +81 %, -8.7 %, 0.86; counts alone had changed); and with what is above: short kernels, atomics that queue wave by wave, register"
    print "banks, odd sectors, and loops that swap in shared memory, all found on tuning data. Its rows were not looked at one by one, but for three of one experiment that a look at the file\x27s head showed by chance; the bias by measured time of all of them together was (short"
    print "kernels -10 %, 100 to 300 us -21 % before), and said where to look in tuning data. No constant was chosen by either."
    print "\nThe first list, as long as it was the validation list, was asked each time the model had changed: 8.2 %, 26.4 % and tau 0.85 on 2026-11-22, the same on"
    print "2026-11-23 with regions, uniform constants and contraction; then 7.8 %, 26.1 % and 0.86 with the cycles between a comparison"
    print "and what is under its predicate, and behind a branch ([JOURNAL.md](JOURNAL.md)). No figure was chosen by it; that short"
    print "loops came out too fast in it is why branches were looked at. Then 8.0 %, 26.8 % and 0.85 with machine instructions in place of"
    print "PTX's, the measured start of bulk copies, shuffles on the load/store unit and wide products at half the rate: times hardly"
    print "moved, counts did (below). Then, with wide products that hold the dispatch for four cycles, SMs that wait together for what one of"
    print "them asked device memory for, and what atomics leave dirty, all three found on tuning kernels: 7.0 %, 25.7 % and 0.88, worst +73 %."
    print "Then, with blocks of unequal work, loops\x27 branches, votes by value, loads moved over branches and sectors stored in part, found on"
    print "bench/truth/tuning/uneven: asked four times (each step is in the journal; once of a change that tuning rows then ruled out, twice because mandelbrot, n=2097152, had come out"
    print "at +129 %, which showed that a warp\x27s pace must not be that of its last half, and not of blocks that were traced and not replayed), and"
    print "mandelbrot was the worst then, with +93 %."
    print "Then, with blocks of unequal work taken from one of them by itself and part by part, warps that begin at the next scheduler, lines"
    print "that the first warp to come misses, and loads of unrolled loops together, found on bench/truth/tuning/escape and products: asked"
    print "twice in whole, once in part and of hash-insert alone three times more. The first time column-sums had come out at -61 and hash-insert at +68 %: ptxas\x27s code for loops of our own"
    print "showed which it does not unroll, and the parts of a block took more together than the grid had (docs/JOURNAL.md). They were\nasked for once more when counts and registers of another change had come in, and were the same."
    print "Counts of f64\x27s numbers, copies, tests of bits, common additions, and requests under predicates, found on bench/truth/tuning/kinds, then"
    print "changed what is above: the list was asked with a ptxas, and once more in whole on 2026-11-24 (7.1 to 6.9 %, tau 0.93 to 0.91)."
    print "The worst, bitonic-step, is measured on data that its first run has put in order already, and modelled on data that is not: tuning\x27s"
    print "sort-pairs and swap-none show it. What the first list said last, before it became tuning data: median 6.9 %, 90th percentile 18.1 %,"
    print "worst +47 %, bias -5.9 %, 93 % within 20 %, tau 0.91."
    print "\n## Counters\n"
    print "Warp instructions are machine code's ([differential.md](differential.md)): where a ptxas is, what it makes of each line of the PTX,"
    print "by how often the basic block that it stands in is executed (toolkit-h200.csv, ptxas 13.0; 110 and 119 of the first list\x27s rows when"
    print "it was by line, 114 and 123 by block; the list was asked once for each, and twice for unrolled loops and f64); without one, as the lowering pass reckons them from PTX. Before"
    print "2026-11-23 they were PTX's own, within 5 % of 18 and within 10 % of 36 of the first list\x27s 128 rows. Ratios are simulated over"
    print "measured. Of the first 14 tuning rows no counters were kept.\n"
    print "| set | counter | ptxas | rows | within 5 % | within 10 % | median ratio |\n|---|---|---|---:|---:|---:|---:|"
    for (s = 1; s <= sets; s++) {
        counters(name[s], 5, "here", toolkit_counter)
        # What tuning kernels read from L2 is, for most of them, the kernel itself.
        for (i = 5; i <= (name[s] == "tuning" ? 6 : 7); i++) counters(name[s], i, "none", modelled_counter)
    }
    for (s = 1; s <= sets; s++) times(name[s])
}
