//! What `--version` says.

use std::sync::OnceLock;

/// The version and facts of this build: what a report of a defect should tell. Whoever makes binaries sets `VISARD_BUILD` (commit, compiler).
pub fn version() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let linked = if cfg!(target_env = "musl") { "static" } else { "dynamic" };
        let reproduce = if cfg!(feature = "reproduce") { "with" } else { "without" };
        let build = option_env!("VISARD_BUILD").unwrap_or("from source, commit not recorded");
        format!(
            "{}\nplatform: {} {}, {linked}\nfeatures: {reproduce} the papers' reproduction\nbuild:    {build}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH,
        )
    })
}
