//! Invoice documents: what they refer to.

use crate::world::{here, id, invoice};
use gateway_domain::access::Permission;
use serde_json::json;

#[tokio::test]
async fn a_document_names_its_booking_and_the_documents_it_refers_to() {
    for world in here().await {
        let (known, unknown) = (id(0xc, 0), "0197f4f2-0000-7000-8000-000000000001");
        let first = world.draft(invoice(&json!({"booking_id": known}))).await;
        let second = world.draft(invoice(&json!({"booking_id": unknown}))).await;
        let references = json!({"document_type": "credit_note", "referenced_document_ids": [first, second]});
        let credit = world.draft(invoice(&references)).await;
        let document = async |id| {
            let query = format!(
                "{{ invoicing {{ document(id: \"{id}\") {{ bookingId booking {{ id }} referencedDocumentIds }} }} }}"
            );
            let answer = world.answer_to(&[Permission::InvoicingRead], &[1], &query).await;
            assert_eq!(answer.get("errors"), None);
            answer["data"]["invoicing"]["document"].clone()
        };
        let of_booking = json!({"bookingId": known, "booking": {"id": known}, "referencedDocumentIds": []});
        assert_eq!(document(first).await, of_booking);
        let of_another = json!({"bookingId": unknown, "booking": null, "referencedDocumentIds": []});
        assert_eq!(document(second).await, of_another);
        let referring = json!({"bookingId": null, "booking": null, "referencedDocumentIds": [first, second]});
        assert_eq!(document(credit).await, referring);
    }
}
