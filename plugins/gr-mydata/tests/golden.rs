//! Every case under `tests/golden/gr-mydata` converts to its file, and to its record. The examples of the reference have what no
//! document of the platform has: discounts of lines, advances, charges.

#![cfg(test)]

mod support;

use gr_mydata::GrMydata;

einvoice_gobl::golden_tests! { GrMydata, "gr-mydata", support::context, addon "gr-mydata-v1" }

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = gr_mydata::authority::CODES.iter().map(|(code, ..)| code);
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

/// As `tests/golden/gr-mydata/payloads` holds it: each of them fits the schema, and its sums are right by an
/// independent validator.
#[test]
fn what_goes_over_the_wire_for_every_case_is_the_golden_file() {
    assert_eq!(suite().golden_payloads(), Ok(()));
}
