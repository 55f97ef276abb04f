//! es
