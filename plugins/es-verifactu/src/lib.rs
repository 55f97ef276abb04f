//! es-verifactu
