//! What is known of a person, erased across workspaces.

use crate::world::{here, import};
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::ids::{BookingId, UserId};
use gateway_domain_platform::erasure::ERASED_TEXT;
use gateway_platform::ErasureCounts;
use gateway_storage::{accounts, bookings, conversations, guest_verifications};
use serde_json::json;

const BOOKING: &str = "00000008-0000-7000-8000-0000000000a1";
const OTHER: &str = "00000008-0000-7000-8000-0000000000a2";
const USER: &str = "00000008-0000-7000-8000-0000000000a3";
const ALL: Workspaces = Workspaces::All;

fn id(last: &str) -> String {
    format!("00000008-0000-7000-8000-0000000000{last}")
}

/// Ada beside Ben in one booking, Ben alone in another, and Ada as a user.
fn lines() -> Vec<String> {
    let booking = |id: &str, unit: &str, contacts: serde_json::Value| {
        json!({"kind": "booking", "id": id, "workspace_id": 1, "unit_id": unit, "confirmation_code": "C1",
            "status": "CONFIRMED", "check_in": "2026-11-01", "check_out": "2026-11-03", "guests": {"adults": 2, "children": 0},
            "contacts": contacts})
    };
    let (building, kind, unit, second) = (id("b1"), id("b2"), id("b3"), id("b4"));
    let ada = json!({"name": "Ada", "email": "Ada@Example.com", "phone": "600100200"});
    let ben = json!({"name": "Ben", "email": "ben.ada@example.com", "phone": null});
    let lines = [
        json!({"kind": "building", "id": building, "workspace_id": 1, "name": "House"}),
        json!({"kind": "unit_type", "id": kind, "workspace_id": 1, "building_id": building, "code": "A"}),
        json!({"kind": "unit", "id": unit, "workspace_id": 1, "unit_type_id": kind, "code": "A1"}),
        json!({"kind": "unit", "id": second, "workspace_id": 1, "unit_type_id": kind, "code": "A2"}),
        booking(BOOKING, &unit, json!([ada, ben])),
        booking(OTHER, &second, json!([ben])),
        json!({"kind": "conversation", "id": id("c1"), "workspace_id": 1, "booking_id": BOOKING}),
        json!({"kind": "message", "id": id("c2"), "conversation_id": id("c1"), "body": "Call 600100200, Ada",
            "sent_at": "2026-11-01T10:00:00Z"}),
        json!({"kind": "user", "id": USER, "email": "ada@example.com", "name": "Ada",
            "role_bindings": [{"workspace_id": 1, "roles": ["desk"]}]}),
    ];
    lines.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_person_is_erased_once_and_everybody_else_stays() {
    for world in here().await {
        let (_, refused) = import(&world, &lines()).await;
        assert_eq!(refused, Vec::<String>::new());
        let (erasure, operator) = (&world.platform.erasure, Actor::of_operator(&"ana".parse().unwrap()));
        let person = erasure.person(&USER.parse().unwrap()).await.unwrap().unwrap();
        assert_eq!(
            Some(&person),
            erasure.person(&"ADA@example.com".parse().unwrap()).await.unwrap().as_ref()
        );
        let expected =
            ErasureCounts { bookings: 1, contacts: 1, guest_verifications: 0, messages: 1, users: 1 };
        let (booking, user): (BookingId, UserId) = (BOOKING.parse().unwrap(), USER.parse().unwrap());
        let contacts = async || {
            let found =
                bookings::by_ids(world.db.db(), &ALL, &[booking, OTHER.parse().unwrap()]).await.unwrap();
            let mut names: Vec<_> = found
                .values()
                .flat_map(|booking| booking.contacts.iter().map(|contact| contact.name.clone().unwrap()))
                .collect();
            names.sort();
            names
        };
        assert_eq!(erasure.find(&person).await.unwrap(), expected);
        assert_eq!(contacts().await, ["Ada", "Ben", "Ben"], "nothing changed by looking");

        world.pass(60);
        assert_eq!(erasure.erase(&operator, &person).await.unwrap(), expected);
        assert_eq!(contacts().await, ["Ben", "Ben"]);
        let message = id("c2").parse().unwrap();
        let messages = conversations::messages(world.db.db(), &ALL, &[message]).await.unwrap();
        assert_eq!(messages[&message].body, ERASED_TEXT);
        let users = accounts::by_ids(world.db.db(), &ALL, &[user]).await.unwrap();
        assert_eq!((users[&user].name.as_deref(), users[&user].email.contains("ada")), (None, false));
        let found = guest_verifications::find(
            world.db.db(),
            booking,
            gateway_domain_platform::bookings::VettingStatus::Unvetted,
        );
        assert!(found.await.unwrap().is_none());

        // Every place where an address could still stand, whatever reads it.
        let nothing = ErasureCounts::default();
        assert_eq!(erasure.erase(&operator, &person).await.unwrap(), nothing);
        let again = erasure.person(&USER.parse().unwrap()).await.unwrap().unwrap();
        assert_eq!(erasure.find(&again).await.unwrap(), nothing, "the account of nobody is not erased again");
        assert_eq!(erasure.person(&id("ff").parse().unwrap()).await.unwrap(), None);
    }
}
