//! `visard optimize embed-tree`: a public tree in the Poincaré ball.

use super::super::Global;
use super::super::output::{Failure, Printer};
use crate::cli::answer::shown;
use clap::Args;
use rand::SeedableRng;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use visard::io::{Limit, open, write_npy, write_text};
use visard::manifold::PoincareBall;
use visard::optimize::{Tree, TreeEmbedding};

/// Arguments of `optimize embed-tree`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  visard optimize embed-tree mammals_closure.csv --dim 2 --out embedded")]
pub struct EmbedArgs {
    /// csv with a header line and one `child,ancestor` a line: best the transitive closure
    #[arg(value_name = "EDGES.csv")]
    edges: PathBuf,
    /// Folder for embedding.npy and nodes.csv
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Dimension of the ball
    #[arg(long, value_name = "D", default_value_t = 2)]
    dim: usize,
    /// Passes over the edges
    #[arg(long, value_name = "N", default_value_t = 100)]
    epochs: usize,
}

/// An embedding of a tree, without privacy.
#[derive(Serialize, JsonSchema)]
pub struct Embedded {
    /// Its folder.
    out: String,
    nodes: usize,
    edges: usize,
    /// The mean rank of ancestors among all nodes by distance: 1 is perfect.
    mean_rank: f64,
}

/// Trains the embedding and writes it.
pub fn embed(args: &EmbedArgs, global: &Global, printer: &Printer) -> Result<(), Failure> {
    let (points_file, nodes_file) = (args.out.join("embedding.npy"), args.out.join("nodes.csv"));
    if let Some(file) = [&points_file, &nodes_file].into_iter().find(|f| f.exists() && !global.force) {
        return Err(Failure::failed(format!("{} exists", file.display()))
            .with_hint("choose another --out, or --force to replace it"));
    }
    let name = args.edges.display();
    let file = open(&args.edges, Limit::SMALL).map_err(Failure::failed)?;
    let text = file.text().map_err(Failure::failed)?;
    let tree = Tree::from_csv(text).map_err(|e| Failure::failed(format!("{name}: {e}")))?;
    let ball = PoincareBall::new(args.dim).map_err(Failure::usage)?;
    let trainer = TreeEmbedding { epochs: args.epochs, ..TreeEmbedding::default() };
    let mut rng = rand_chacha::ChaCha20Rng::seed_from_u64(global.seed.unwrap_or(1));
    let points = trainer.train(&ball, &nalgebra::DVector::zeros(args.dim), &tree, &mut rng);
    let rank = tree.mean_rank(&ball, &points);
    std::fs::create_dir_all(&args.out)
        .map_err(|e| Failure::failed(format!("cannot prepare {}: {e}", args.out.display())))?;
    let rows: Vec<f64> = points.iter().flat_map(|p| p.iter().copied()).collect();
    write_npy(&points_file, &[points.len(), args.dim], &rows).map_err(Failure::failed)?;
    let names: String = tree.names.iter().enumerate().map(|(i, name)| format!("{i},{name}\n")).collect();
    write_text(&nodes_file, &format!("node,name\n{names}")).map_err(Failure::failed)?;
    printer.result(
        Embedded { out: shown(&args.out), nodes: points.len(), edges: tree.edges.len(), mean_rank: rank },
        format!(
            "{} nodes embedded in dimension {}, mean rank of ancestors {rank:.1}: {}",
            points.len(),
            args.dim,
            points_file.display()
        ),
    );
    Ok(())
}
