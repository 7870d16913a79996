# docs/truth-h200.md from measured and modelled rows: awk -v history=history.md -f page.awk sets.csv, the files of measured rows that it names (those
# that there are), modelled-h200.csv, toolkit-h200.csv, the last one simulated where a ptxas is.
# A row: experiment,variant,case,time_ns,warp_instructions,shared_load_requests,l2_read_sectors.
# SPDX-License-Identifier: Apache-2.0
BEGIN {
    FS = ","
    split("warp_instructions,shared_load_requests,l2_read_sectors", counter_name, ",")
}
/^#/ { next }
FILENAME ~ /sets/ {
    name[++sets] = $1; folder[$1] = $3; set_of[$4] = $1
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
    print "No constant of the model is chosen by a validation row; some are chosen by tuning rows. The first to the thirteenth"
    print "list were the validation list, one after the other, until 2026-12-01, and are tuning data since."
    print "`bench/truth/validate.sh replay` simulates the rows of bench/truth/replayed.txt again and expects exactly these figures;"
    print "the tests run it.\n"
    print "The error is modelled over measured time, less one. Bias is the median of the signed errors. Kendall's tau compares the"
    print "order of the variants of one experiment and case: 1 if the model has all pairs in the measured order, -1 if none.\n"
    print "| set | rows | median error | 90th percentile | worst | bias | within 20 % | Kendall's tau |"
    print "|---|---:|---:|---:|---|---:|---:|---:|"
    for (s = 1; s <= sets; s++) summary(name[s])
    if (!rows[name[1]])
        print "\nThe validation list (bench/truth/" folder[name[1]] ") has not been measured yet."
    print ""
    while ((getline line < history) > 0) print line
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
