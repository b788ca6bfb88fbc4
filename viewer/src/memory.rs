//! What the window remembers between runs: its size. One small file in the user's configuration folder.

use serde_json::{Value, json};
use std::path::PathBuf;

/// The window's size in pixels when nothing is remembered.
const SIZE: (u32, u32) = (1200, 860);

fn file() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        var("APPDATA")
    } else if cfg!(target_os = "macos") {
        var("HOME").map(|h| h.join("Library/Application Support"))
    } else {
        var("XDG_CONFIG_HOME").or_else(|| var("HOME").map(|h| h.join(".config")))
    };
    base.map(|b| b.join("visard").join("viewer.json"))
}

/// The remembered size.
pub fn window_size() -> (u32, u32) {
    file().and_then(|f| std::fs::read_to_string(f).ok()).and_then(|t| parse(&t)).unwrap_or(SIZE)
}

fn parse(text: &str) -> Option<(u32, u32)> {
    let value: Value = serde_json::from_str(text).ok()?;
    let side =
        |name: &str| value.get(name)?.as_u64().filter(|s| (200..=16_384).contains(s)).map(|s| s as u32);
    Some((side("width")?, side("height")?))
}

/// Remembers a size. A folder that cannot be written is no reason to complain.
pub fn keep_window_size(width: u32, height: u32) {
    let Some(file) = file() else { return };
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = visard::io::write_text(&file, &format!("{}\n", json!({"width": width, "height": height})));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_sizes_are_forgotten() {
        assert_eq!(parse("{\"width\": 800, \"height\": 600}"), Some((800, 600)));
        for bad in ["", "{}", "{\"width\": 1, \"height\": 600}", "{\"width\": -5, \"height\": 1e9}", "[]"] {
            assert_eq!(parse(bad), None);
        }
    }
}
