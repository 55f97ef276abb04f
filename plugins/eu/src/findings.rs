//! Faults as they are found.

use einvoice_gobl::ext::Objection;
use einvoice_plugin::Fault;

/// Faults under a plugin's prefix; warnings become errors where a workspace refuses them.
#[derive(Debug)]
pub struct Findings {
    /// In the order they were found.
    pub faults: Vec<Fault>,
    /// Whether warnings count as errors.
    pub refuse_warnings: bool,
    prefix: &'static str,
}

impl Findings {
    /// Nothing found yet. `prefix` goes before every code: `IT-SDI`.
    pub const fn new(prefix: &'static str) -> Self {
        Self { faults: Vec::new(), refuse_warnings: false, prefix }
    }

    /// The document must not go out.
    pub fn error(&mut self, code: &str, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault::error(full(self.prefix, code), path, message));
    }

    /// The authority may object; the operator decides, unless the workspace refuses warnings.
    pub fn warning(&mut self, code: &str, path: impl Into<String>, message: impl Into<String>) {
        let fault = if self.refuse_warnings { Fault::error } else { Fault::warning };
        self.faults.push(fault(full(self.prefix, code), path.into(), message.into()));
    }

    /// What is wrong with `ext`, unless it was complained about before.
    pub fn ext(&mut self, objections: Vec<Objection>) {
        for Objection { code, path, message } in objections {
            if self.faults.iter().all(|fault| fault.path != path) {
                self.error(code, path, message);
            }
        }
    }

    /// Only what stops the document.
    pub fn into_errors(self) -> Vec<Fault> {
        self.faults.into_iter().filter(Fault::is_error).collect()
    }
}

/// A code with the prefix of its plugin.
pub fn full(prefix: &str, code: &str) -> String {
    format!("{prefix}-{code}")
}
