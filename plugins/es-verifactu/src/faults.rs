//! Every fault this plugin reports. A code is stable for ever and never reused.

einvoice_es::fault_codes! { "ES-VERIFACTU-"; }
