//! The measurements behind docs/measurements.md, each with arguments of its own: `cargo run --release --example measure -- NAME …`.

mod atlas_bias;
mod band_table;
mod compare_table;
mod dp_mmd;
mod dp_pca;
mod error_table;
mod expressions;
mod landmark_table;
mod make_template;
mod matrix_table;
mod modes_table;
mod mse_table;
mod norm_table;
mod odd_faces;
mod organ_table;
mod prepared_faces;
mod registered_means;
mod registered_organs;
mod registration_gallery;
mod regression_table;
mod sample_table;
mod shape_norm_table;
mod sites_table;
mod stated_table;
mod surface_plan_table;

use std::error::Error;

/// A measurement: the words after its name.
type Measure = fn(&[String]) -> Result<(), Box<dyn Error>>;

const MEASURES: &[(&str, Measure)] = &[
    ("atlas_bias", atlas_bias::run),
    ("band_table", band_table::run),
    ("compare_table", compare_table::run),
    ("error_table", error_table::run),
    ("expressions", expressions::run),
    ("landmark_table", landmark_table::run),
    ("make_template", make_template::run),
    ("matrix_table", matrix_table::run),
    ("modes_table", modes_table::run),
    ("mse_table", mse_table::run),
    ("norm_table", norm_table::run),
    ("odd_faces", odd_faces::run),
    ("organ_table", organ_table::run),
    ("prepared_faces", prepared_faces::run),
    ("registered_means", registered_means::run),
    ("registered_organs", registered_organs::run),
    ("registration_gallery", registration_gallery::run),
    ("regression_table", regression_table::run),
    ("sample_table", sample_table::run),
    ("shape_norm_table", shape_norm_table::run),
    ("sites_table", sites_table::run),
    ("stated_table", stated_table::run),
    ("surface_plan_table", surface_plan_table::run),
];

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = words.first().map_or("", String::as_str);
    match MEASURES.iter().find(|(name, _)| *name == asked) {
        Some((_, measure)) => measure(&words[1..]),
        None => {
            MEASURES.iter().for_each(|(name, _)| println!("{name}"));
            Ok(())
        }
    }
}
