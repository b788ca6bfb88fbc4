//! Writes the public template face and its landmarks, as they ship in `assets/`.
//!
//! ```text
//! cargo run --release --example measure -- make_template [DIR]
//! ```

use visard::synth::{sculpt_template, template_to_ply};

/// Writes the files to the folder named first.
pub fn run(words: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let folder = words.first().map_or("assets", String::as_str);
    let folder = std::path::Path::new(folder);
    let made = sculpt_template();
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("template_face.ply"), template_to_ply(&made.mesh))?;
    std::fs::write(folder.join("template_landmarks.csv"), made.landmarks.to_csv(&made.mesh))?;
    println!("{} vertices, {} triangles", made.mesh.vertices().len(), made.mesh.triangles().len());
    Ok(())
}
