# Prints the reference values of tests/stats/reference_test.c: Rscript tests/stats/reference.R
# The samples are R's own data sets sleep (Student 1908) and airquality, and the sums of their documentation.
# SPDX-License-Identifier: Apache-2.0
options(digits = 15)
x <- c(0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46) # ?wilcox.test: depression.. placenta
y <- c(1.15, 0.88, 0.90, 0.74, 1.21)
a <- sleep$extra[sleep$group == 1]
b <- sleep$extra[sleep$group == 2]
show <- function(name, ...) cat(name, format(c(...), digits = 15), "\n")
show("a", a); show("b", b)
for (alt in c("two.sided", "less", "greater")) {
    w <- wilcox.test(x, y, alternative = alt); show(paste("wilcox x y", alt), w$statistic, w$p.value)
    w <- wilcox.test(a, b, alternative = alt, exact = FALSE); show(paste("wilcox a b", alt), w$statistic, w$p.value)
    t <- t.test(a, b, alternative = alt); show(paste("welch a b", alt), t$statistic, t$parameter, t$p.value)
}
show("t interval a 0.95", t.test(a)$conf.int)
show("t interval b 0.99", t.test(b, conf.level = 0.99)$conf.int)
show("mad x", mad(x)); show("mad b", mad(b))
show("quantile x", quantile(x, c(0, 0.1, 0.25, 0.5, 0.9, 1)))
show("hodges-lehmann x y", wilcox.test(x, y, conf.int = TRUE)$estimate)
show("holm", p.adjust(c(0.01, 0.02, 0.03, 0.005, 0.9, 0.02), "holm"))
show("qt", qt(c(0.975, 0.995, 0.6), c(1, 9, 100.5)))
show("pt", pt(c(-2.5, 0.3, 40), c(3, 7.5, 30)))
show("qnorm", qnorm(c(0.975, 1e-10, 0.4))); show("pnorm", pnorm(c(-1.96, 3, -8)))
show("boxplot", boxplot.stats(c(x, 9, -5))$out)
set.seed(7); e <- seq(1, 49) + 0.25; f <- seq(2, 95, by = 2) - 0.5
w <- wilcox.test(e, f); show("wilcox large", w$statistic, w$p.value)
show("binomial tail", pbinom(c(0, 3, 39), c(40, 40, 40), c(0.01, 0.01, 0.9), lower.tail = FALSE))
show("Clopper-Pearson", sapply(list(c(0, 40), c(1, 40), c(37, 40)), function(k)
    binom.test(k[1], k[2], alternative = "less")$conf.int[2]))
# Changes in the mean by the least penalised cost over all divisions, of datasets::Nile (Cobb 1978: 1898) and of steps;
# strucchange's and changepoint's answer for Nile is 28 too.
changes <- function(x, penalty) {
    n <- length(x); best <- c(-penalty, rep(Inf, n)); last <- integer(n + 1)
    for (t in 1:n) for (s in 0:(t - 1)) {
        v <- best[s + 1] + sum((x[(s + 1):t] - mean(x[(s + 1):t]))^2) + penalty
        if (v < best[t + 1]) { best[t + 1] <- v; last[t + 1] <- s }
    }
    found <- c(); t <- n
    while (last[t + 1] > 0) { t <- last[t + 1]; found <- c(t, found) }
    found
}
sigma <- mad(diff(Nile)) / sqrt(2)
show("Nile sigma", sigma); show("Nile changes", changes(as.numeric(Nile), 2 * sigma^2 * log(100)))
show("airquality Temp changes", changes(airquality$Temp, 2 * var(diff(airquality$Temp)) / 2 * log(153)))
show("airquality Temp changes, less penalty", changes(airquality$Temp, 100))
