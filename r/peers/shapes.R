# A private shape in the package shapes (Dryden and Mardia), run by `.ci/bindings full`: its arrays are taken as they are, and distances agree.
library(visard)
options(rgl.useNULL = TRUE)
library(shapes)

set.seed(1)
p <- 24L
n <- 400L
along <- 2 * pi * seq_len(p) / p
ellipse <- cbind(2 * cos(along), sin(along))
moves <- list(cbind(cos(along)^3, 0 * along), cbind(0 * along, sin(2 * along)))
specimens <- array(0, c(p, 2L, n))
for (i in seq_len(n)) specimens[, , i] <- ellipse + 0.2 * rnorm(1) * moves[[1L]] + 0.1 * rnorm(1) * moves[[2L]]
file <- tempfile()
modes <- visard_shape_modes(specimens, mu = 3, modes = 2, out = file, seed = 1)
moved <- visard_configurations(modes, sd = 1)
stopifnot(dim(moved) == c(p, 2L, 5L))

# Along a mode lie shapes one standard deviation off, on either side: Riemannian distances, and the principal components of the four.
variances <- read.csv(list.files(file, "variances.csv", recursive = TRUE, full.names = TRUE))$variance
found <- apply(moved[, , -1L], 3L, function(shape) riemdist(shape, moved[, , 1L]))
stopifnot(abs(found / rep(sqrt(variances), each = 2L) - 1) < 0.03)
fit <- procGPA(moved, proc.output = FALSE)
stopifnot(riemdist(fit$mshape, moved[, , 1L]) < 1e-3, abs(fit$pcasd[1:2]^2 / (2 * variances / 4) - 1) < 0.25)

# The mean is that of shapes itself, within its noise.
own <- procGPA(specimens, proc.output = FALSE)
off <- riemdist(own$mshape, modes$mean)
stopifnot(off < 0.02)
cat("shapes", as.character(packageVersion("shapes")), "opens modes; its mean of the specimens lies", format(off, digits = 2), "away\n")
