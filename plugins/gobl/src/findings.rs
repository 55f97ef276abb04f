//! Faults as they are found.

use einvoice_plugin::Fault;

use crate::codes::full_code;
use crate::ext::ExtFault;

/// Whose faults they are.
pub trait FaultPrefix {
    /// What stands before every code: `IT-SDI`.
    fn fault_prefix(&self) -> &'static str;
}

impl FaultPrefix for &'static str {
    fn fault_prefix(&self) -> &'static str {
        self
    }
}

/// Faults under a plugin's prefix; warnings become errors where a workspace refuses them.
#[derive(Debug)]
pub struct Findings<S = &'static str> {
    /// In the order they were found.
    pub faults: Vec<Fault>,
    /// Whose they are.
    pub system: S,
    /// Whether warnings count as errors.
    pub refuse_warnings: bool,
}

impl<S> Findings<S> {
    /// Nothing found yet.
    pub const fn new(system: S) -> Self {
        Self { faults: Vec::new(), system, refuse_warnings: false }
    }

    /// Only what stops the document.
    pub fn into_errors(self) -> Vec<Fault> {
        self.faults.into_iter().filter(Fault::is_error).collect()
    }

    /// Refuses a document with an error.
    pub fn into_result(self) -> Result<(), Vec<Fault>> {
        let errors = self.into_errors();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

impl<S: FaultPrefix> Findings<S> {
    /// The document must not go out. `code` has no prefix yet.
    pub fn error(&mut self, code: &str, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(Fault::error(self.code(code), path, message));
    }

    /// The authority may object; the operator decides, unless the workspace refuses warnings.
    pub fn warning(&mut self, code: &str, path: impl Into<String>, message: impl Into<String>) {
        let fault = if self.refuse_warnings { Fault::error } else { Fault::warning };
        self.faults.push(fault(self.code(code), path.into(), message.into()));
    }

    /// What is wrong with `ext`, unless it was complained about before.
    pub fn ext(&mut self, objections: Vec<ExtFault>) {
        for ExtFault { code, path, message } in objections {
            if self.faults.iter().all(|fault| fault.path != path) {
                self.error(code, path, message);
            }
        }
    }

    fn code(&self, code: &str) -> String {
        full_code(self.system.fault_prefix(), code)
    }
}
