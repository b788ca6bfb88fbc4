//! The parts of the viewer: what can be shown ([`source`]), what is drawn on it ([`fields`]), from where ([`look`]), with which
//! instruments ([`looking`]), and the two ways of drawing it: [`stage`] on a graphics card (or software Vulkan), [`software`] without one. [`headless`] makes
//! pictures and animations of them, [`window`] the interactive program.

pub mod arguments;
pub mod arrays;
pub mod band;
pub mod bending;
pub mod beside;
pub mod credentials;
pub mod depth;
pub mod display_settings;
pub mod drawing;
pub mod easel;
pub mod error;
pub mod fields;
pub mod geometry;
pub mod glass;
pub mod groups;
pub mod growth;
pub mod headless;
pub mod listing;
pub mod look;
pub mod looking;
pub mod material;
pub mod memory;
pub mod modes;
pub mod painter;
pub mod palette;
pub mod pane;
pub mod panel;
pub mod picking;
pub mod pointing;
pub mod screen;
pub mod shell;
pub mod side_by_side;
pub mod software;
pub mod source;
pub mod stage;
pub mod standing_band;
pub mod subject;
pub mod synthetic;
pub mod template;
pub mod turntable;
pub mod webp;
pub mod window;
pub mod workbench;
pub mod worker;
