//! Disk-parameterized surfaces, square-root normal fields, registration, face radial curves.
