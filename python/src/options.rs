//! Arguments that are named as the command's options are.

use crate::failure::Failure;
use clap::ValueEnum;
use std::path::PathBuf;
use visard::study::face::TemplateSource;

/// The value of an option that the command has by the same name.
pub fn named<T: ValueEnum>(argument: &str, name: &str) -> Result<T, Failure> {
    T::from_str(name, false).map_err(|_| {
        let known: Vec<String> = T::value_variants()
            .iter()
            .filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned()))
            .collect();
        Failure::input(format!("{argument}: {name:?} is none of {}", known.join(", ")))
    })
}

/// The public template: a file, or the built-in face.
pub fn template_source(file: Option<PathBuf>) -> TemplateSource {
    file.map_or(TemplateSource::Builtin, TemplateSource::File)
}
