//! Hilbert spaces of functions on the circle and the disk: bases, kernels, smoothing, shrinkage.
