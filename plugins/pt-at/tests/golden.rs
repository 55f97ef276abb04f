//! Every case under `tests/golden/pt-at` converts to its file.

#![cfg(test)]

mod support;

use pt_at::PtAt;

einvoice_gobl::golden_tests! { PtAt, "pt-at", support::context }

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = pt_at::authority::CODES.iter().map(|(code, _)| code);
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

/// As `tests/golden/pt-at/payloads` holds it: each of them fits the schema and its assertions by an
/// independent validator.
#[test]
fn what_goes_over_the_wire_for_every_case_is_the_golden_file() {
    assert_eq!(suite().golden_payloads(), Ok(()));
}
