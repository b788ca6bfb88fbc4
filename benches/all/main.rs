//! `cargo bench --profile dist --bench all`; after `--` the part of a name, such as `noise`, chooses.

mod conformal;
mod frechet;
mod manifold;
mod mesh;
mod noise;
mod optimize;
mod registration;
mod riemannian_laplace;
mod safe_draws;
mod tangent_gaussian;

fn main() {
    divan::main();
}
