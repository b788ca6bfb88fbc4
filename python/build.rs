//! What a linker must be told of an extension module (macOS).

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
