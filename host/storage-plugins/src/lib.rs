//! Which plugin serves whom: components by their content, versions of tax-regime plugins and of renderers, and who follows.
//!
//! `gateway-storage` shows these aggregates beside its own, and everybody names them there; its catalogue prepares their
//! statements.
//!
//! Not here: what a component does (`gateway-plugin-host`), when a version may serve (`gateway-registry`,
//! `gateway-rendering`), how statements run (`gateway-database`).

pub mod plugins;
pub mod renderers;
