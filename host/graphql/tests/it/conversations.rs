//! Conversations are read: their messages, page by page.

use crate::world::{World, here, id};
use gateway_domain::access::Permission;
use serde_json::{Value, json};

async fn send(world: &World, conversation: &str, text: &str) -> Value {
    let query = format!(
        "mutation {{ conversations {{ sendMessage(input: {{conversationId: \"{conversation}\", message: \"{text}\"}}) {{ message \
         {{ id body source }} conversation {{ messages {{ totalCount }} }} }} }} }}"
    );
    world.data(&query).await["conversations"]["sendMessage"].clone()
}

#[tokio::test]
async fn messages_of_a_conversation_are_paged_in_the_order_they_were_sent() {
    for world in here().await {
        let conversation = id(0xd, 0);
        let mut sent = Vec::new();
        for text in ["one", "two", "three"] {
            sent.push(send(&world, &conversation, text).await["message"].clone());
        }
        let page = async |arguments: &str| {
            let query = format!(
                "{{ bookings {{ conversation(id: \"{conversation}\") {{ messages{arguments} {{ nodes {{ id body source sentAt \
                 contentType }} totalCount pageInfo {{ hasNextPage endCursor }} }} }} }} }}"
            );
            world.data(&query).await["bookings"]["conversation"]["messages"].clone()
        };
        let all = page("").await;
        let nodes = all["nodes"].as_array().unwrap().clone();
        assert_eq!(
            (&all["totalCount"], &all["pageInfo"]["hasNextPage"]),
            (&json!(nodes.len()), &json!(false))
        );
        for message in &sent {
            let found = nodes.iter().find(|node| node["id"] == message["id"]).unwrap();
            assert_eq!((&found["body"], &found["source"]), (&message["body"], &json!("api")));
        }
        let times: Vec<_> = nodes.iter().map(|node| node["sentAt"].as_str().unwrap()).collect();
        assert!(times.is_sorted(), "{times:?}");
        let (mut paged, mut after) = (Vec::new(), String::new());
        loop {
            let page = page(&format!("(first: 2, after: \"{after}\")")).await;
            paged.extend(page["nodes"].as_array().unwrap().iter().cloned());
            after = page["pageInfo"]["endCursor"].as_str().unwrap().to_owned();
            if page["pageInfo"]["hasNextPage"] == false {
                break;
            }
        }
        assert_eq!(paged, nodes);
        // A cursor belongs to its conversation.
        let other = format!(
            "{{ bookings {{ conversation(id: \"{}\") {{ messages(after: \"{after}\") {{ totalCount }} }} }} }}",
            id(0xd, 1)
        );
        assert!(world.errors(&other).await[0].starts_with("BAD_USER_INPUT cursorInvalid"));
    }
}

#[tokio::test]
async fn messages_stand_below_every_booking_of_a_page() {
    for world in here().await {
        let query = "{ bookings { search { nodes { conversation { id messages(first: 1) { totalCount nodes { id } pageInfo { \
                     hasNextPage } } } } } } }";
        let bookings = world.data(query).await["bookings"]["search"]["nodes"].clone();
        let conversations: Vec<_> = bookings
            .as_array()
            .unwrap()
            .iter()
            .map(|booking| &booking["conversation"])
            .filter(|one| !one.is_null())
            .collect();
        assert!(conversations.len() > 1, "{bookings}");
        for conversation in conversations {
            let messages = &conversation["messages"];
            let (count, listed) =
                (messages["totalCount"].as_u64().unwrap(), messages["nodes"].as_array().unwrap().len());
            assert!(count > 0 && listed == 1, "{conversation}");
            assert_eq!(messages["pageInfo"]["hasNextPage"], count > 1);
        }
    }
}

#[tokio::test]
async fn messages_are_read_by_whoever_may_read_bookings_and_sees_the_workspace() {
    for world in here().await {
        let conversation = id(0xd, 0);
        let query = format!(
            "{{ bookings {{ conversation(id: \"{conversation}\") {{ messages {{ totalCount nodes {{ body }} }} }} }} }}"
        );
        let visible = world.answer_to(&[Permission::BookingsRead], &[1], &query).await;
        assert!(
            visible["data"]["bookings"]["conversation"]["messages"]["totalCount"].as_i64().unwrap() > 0,
            "{visible}"
        );
        let elsewhere = world.answer_to(&[Permission::BookingsRead], &[2], &query).await;
        assert_eq!(elsewhere, json!({"data": {"bookings": {"conversation": null}}}));
        let lacking = world.answer_to(&[Permission::ConversationsWrite], &[1], &query).await;
        assert_eq!(lacking["errors"][0]["extensions"]["code"], "FORBIDDEN");
        // Who may write and not read sees no more than what was just written.
        let write = format!(
            "mutation {{ conversations {{ sendMessage(input: {{conversationId: \"{conversation}\", message: \"Hello\"}}) {{ message {{ \
             body }} conversation {{ id messages {{ totalCount }} }} }} }} }}"
        );
        let written = world.answer_to(&[Permission::ConversationsWrite], &[1], &write).await;
        let payload = &written["data"]["conversations"]["sendMessage"];
        assert_eq!(
            payload,
            &json!({"message": {"body": "Hello"}, "conversation": {"id": conversation, "messages": null}})
        );
        assert_eq!(written["errors"][0]["extensions"]["reason"], "permissionMissing");
    }
}

#[tokio::test]
async fn a_message_that_was_just_written_is_among_those_that_are_read() {
    for world in here().await {
        let conversation = id(0xd, 0);
        let before =
            send(&world, &conversation, "one").await["conversation"]["messages"]["totalCount"].clone();
        let twice = |alias: &str| {
            format!(
                "{alias}: conversations {{ sendMessage(input: {{conversationId: \"{conversation}\", message: \"{alias}\"}}) {{ \
                 conversation {{ messages {{ totalCount nodes {{ body }} }} }} }} }}"
            )
        };
        let data = world.data(&format!("mutation {{ {} {} }}", twice("first"), twice("second"))).await;
        let count = |alias: &str| {
            data[alias]["sendMessage"]["conversation"]["messages"]["totalCount"].as_i64().unwrap()
        };
        let before = before.as_i64().unwrap();
        assert_eq!((count("first"), count("second")), (before + 1, before + 2));
    }
}
