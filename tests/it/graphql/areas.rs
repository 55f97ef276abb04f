//! Every area with the queries of the contract.

use super::requests::{ask, codes, data_of};
use crate::platform::{Platform, booking, conversation, id, plan, product, task, unit, user};
use gateway_tests::on_both;
use serde_json::{Value, json};

#[tokio::test]
async fn units_show_all_that_integrators_knew_as_properties() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        // As the contract writes it: no id at all finds nothing.
        let contract = "{ spaces { units(filters: {workspaceId: \"1\", status: ACTIVE, ids: []}, first: 25, after: null) { nodes { id } \
                        totalCount pageInfo { hasNextPage endCursor } } } }";
        assert_eq!(
            platform.data(contract).await["spaces"]["units"],
            json!({"nodes": [], "totalCount": 0, "pageInfo": {"hasNextPage": false, "endCursor": null}})
        );
        let data = platform
            .data("{ spaces { units(filters: {workspaceId: \"1\", status: ACTIVE}, first: 25, after: null) { nodes { id code \
                   status numberOfBedrooms numberOfBathrooms sizeInSqm unitType { id code building { id name address { street \
                   locality region postcode country } } } amenities { id name } features mediaItems { id url } } totalCount \
                   pageInfo { hasNextPage endCursor } } } }")
            .await;
        let units = &data["spaces"]["units"];
        assert_eq!((&units["totalCount"], units["nodes"].as_array().unwrap().len()), (&json!(30), 25));
        assert_eq!(
            units["nodes"][0],
            json!({"id": unit(0), "code": "U00", "status": "ACTIVE", "numberOfBedrooms": 1, "numberOfBathrooms": null,
                "sizeInSqm": 32.5, "unitType": {"id": id(12, 1), "code": "STUDIO", "building": {"id": id(11, 1), "name": "Casa",
                "address": {"street": "Calle 1", "locality": "Madrid", "region": null, "postcode": "28001", "country": "ES"}}},
                "amenities": [{"id": id(9, 1), "name": "Wifi"}], "features": ["balcony"],
                "mediaItems": [{"id": id(13, 0), "url": "https://example.test/1.jpg"}]})
        );
        let query = format!("{{ spaces {{ unit(id: \"{}\") {{ id }} none: unit(id: \"{}\") {{ id }} }} }}", unit(1), id(3, 999));
        assert_eq!(platform.data(&query).await, json!({"spaces": {"unit": {"id": unit(1)}, "none": null}}));
    })
    .await;
}

#[tokio::test]
async fn availability_follows_bookings_and_tariffs_and_a_tariff_replaces_what_it_overlaps() {
    on_both(|engine| async move {
        let platform = Platform::before_its_bookings(engine).await;
        let calendar = format!(
            "{{ availability {{ unitsAvailability(q: {{ids: [\"{}\"], startDate: \"2026-12-04\", endDate: \"2026-12-08\"}}, \
             first: 25) {{ nodes {{ unit {{ id code }} availability {{ date available minStay price }} }} }} }} }}",
            unit(1)
        );
        let days = async || {
            let nodes = platform.data(&calendar).await["availability"]["unitsAvailability"]["nodes"].clone();
            assert_eq!(nodes[0]["unit"], json!({"id": unit(1), "code": "U01"}));
            let day = |day: &Value| format!("{} {} {} {}", day["date"], day["available"], day["minStay"], day["price"]);
            nodes[0]["availability"].as_array().unwrap().iter().map(day).collect::<Vec<_>>().join("\n").replace('"', "")
        };
        assert_eq!(
            days().await,
            "2026-12-04 true 2 80.00\n2026-12-05 false 2 80.00\n2026-12-06 false 2 80.00\n2026-12-07 false 2 80.00\n\
             2026-12-08 true 2 80.00"
        );
        let write = format!(
            "mutation {{ pricing {{ ratePlans {{ updateRatePlans(input: {{ratePlans: [{{id: \"{0}\", minStay: 3, name: null, \
             currency: null}}]}}) {{ ratePlans {{ id minStay }} }} }} }} \
             spaces {{ batchUpdateTariffs(input: {{tariffs: [{{ratePlanId: \"{0}\", startDate: \"2026-12-08\", \
             endDate: \"2026-12-10\", price: \"89.90\"}}]}}) {{ updatedCount tariffs {{ id }} }} }} }}",
            plan(1)
        );
        let written = platform.data(&write).await;
        assert_eq!(
            written["pricing"]["ratePlans"]["updateRatePlans"]["ratePlans"],
            json!([{"id": plan(1), "minStay": 3}])
        );
        assert_eq!(written["spaces"]["batchUpdateTariffs"]["updatedCount"], 1);
        assert!(days().await.starts_with("2026-12-04 true 3 80.00\n"), "the rest stays");
        assert!(days().await.ends_with("2026-12-08 true 3 89.90"));
        let wrong = write.replace("89.90", "a lot");
        assert!(platform.codes(&wrong).await.contains(&"BAD_USER_INPUT spaces.batchUpdateTariffs".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn bookings_are_searched_checked_and_written_to() {
    on_both(|engine| async move {
        let platform = Platform::before_its_bookings(engine).await;
        let search = format!(
            "{{ bookings {{ search(q: {{ids: [\"{0}\"]}}, first: 25) {{ nodes {{ id confirmationCode status checkIn checkOut guests {{ \
             adults children total }} guestsCount nightsCount contacts {{ name email phone }} platform product {{ id name }} \
             paymentStatus }} totalCount }} booking(bookingId: \"{0}\") {{ id conversation {{ id }} vetting {{ status }} }} }} }}",
            booking(2)
        );
        let data = platform.data(&search).await;
        assert_eq!(
            data["bookings"]["search"]["nodes"],
            json!([{"id": booking(2), "confirmationCode": "B02", "status": "CONFIRMED", "checkIn": "2026-12-05",
                "checkOut": "2026-12-08", "guests": {"adults": 2, "children": 1, "total": 3}, "guestsCount": 3, "nightsCount": 3,
                "contacts": [{"name": "Jane", "email": "jane@example.test", "phone": "+34 600"}], "platform": "direct",
                "product": {"id": product(2), "name": "Product 2"}, "paymentStatus": "paid"}])
        );
        assert_eq!(
            data["bookings"]["booking"],
            json!({"id": booking(2), "conversation": {"id": conversation(2)}, "vetting": {"status": "UNVETTED"}})
        );
        let check = async |start: &str, end: &str| {
            let query = format!(
                "{{ bookings {{ checkUnitAvailability(unitId: \"{}\", productId: \"{}\", startDate: \"{start}\", endDate: \"{end}\") \
                 {{ status }} }} }}",
                unit(2),
                product(2)
            );
            platform.data(&query).await["bookings"]["checkUnitAvailability"]["status"].clone()
        };
        assert_eq!(check("2026-12-08", "2026-12-12").await, "AVAILABLE");
        assert_eq!(check("2026-12-07", "2026-12-12").await, "BOOKED");
        assert_eq!(check("2027-01-08", "2027-01-12").await, "OUTSIDE_CONTRACT_WINDOW");
        assert_eq!(check("2026-12-08", "2026-12-09").await, "MIN_STAY");
        let send = |id: &str| {
            format!("mutation {{ conversations {{ sendMessage(input: {{conversationId: \"{id}\", message: \"Hello\"}}) {{ conversation {{ id }} }} }} }}")
        };
        let answered = platform.data(&send(&conversation(2))).await;
        assert_eq!(answered["conversations"]["sendMessage"]["conversation"]["id"], conversation(2));
        assert_eq!(platform.codes(&send("nowhere")).await, ["NOT_FOUND conversations.sendMessage"]);
    })
    .await;
}

#[tokio::test]
async fn workspaces_users_tasks_and_whoami_answer_as_the_contract_writes_them() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let data = platform
            .data("{ awc { workspace(id: \"1\") { id name slug status logoUrl } none: workspace(id: \"77\") { id } } \
                   authIdentity { users(first: 25) { nodes { id email name nickname status joinedAt roleBindings { workspace { id } \
                   roles } teams { id name } } totalCount } } \
                   ticketsTasks { tasks(first: 25) { nodes { id title type dueDate startTime estimatedDurationHours notes \
                   unit { id code } booking { id } } } } }")
            .await;
        assert_eq!(
            data["awc"],
            json!({"workspace": {"id": "1", "name": "Casa Azul", "slug": "casa-azul", "status": "ACTIVE", "logoUrl": null},
                "none": null})
        );
        assert_eq!(data["authIdentity"]["users"]["totalCount"], 31);
        assert_eq!(
            data["authIdentity"]["users"]["nodes"][0],
            json!({"id": user(0), "email": "u0@example.test", "name": "User 0", "nickname": null, "status": "ACTIVE",
                "joinedAt": "2026-01-01T00:00:00Z", "roleBindings": [{"workspace": {"id": "1"}, "roles": ["manager"]}],
                "teams": [{"id": id(10, 1), "name": "Reception"}]})
        );
        assert_eq!(
            data["ticketsTasks"]["tasks"]["nodes"][0],
            json!({"id": task(0), "title": "Clean 0", "type": "cleaning", "dueDate": "2026-12-08", "startTime": "11:00:00",
                "estimatedDurationHours": 1.5, "notes": null, "unit": {"id": unit(0), "code": "U00"}, "booking": {"id": booking(0)}})
        );
        let whoami = "{ authIdentity { whoami { uuid name nickname status } } }";
        assert_eq!(platform.data(whoami).await["authIdentity"]["whoami"]["name"], "integrator");
        let acting = platform.acting_for(&user(3)).await;
        let who = data_of(&acting, whoami).await["authIdentity"]["whoami"].clone();
        assert_eq!(who, json!({"uuid": user(3), "name": "User 3", "nickname": null, "status": "ACTIVE"}));
    })
    .await;
}

#[tokio::test]
async fn documents_are_read_with_their_figures_and_what_happened_to_them() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let internal = platform.gateway.internal().with_token(platform.acting_for("ana").await.token());
        let uuid = gateway_tests::fresh_uuid();
        let document = json!({"workspace_id": 1, "document_type": "invoice", "currency": "EUR", "booking_id": booking(1),
            "prices_include_tax": true, "lines": [{"description": "Night", "quantity": "2", "unit_price": "55.00",
            "tax": {"category": "VAT", "rate": "10.0"}}],
            "recipient": {"type": "company", "name": "ACME", "tax_number": "B12345678", "country": "ES"}});
        internal.put(&format!("/invoicing/rpc/documents/{uuid}"), &document).await.expect(201);
        internal.put_empty(&format!("/invoicing/rpc/documents/{uuid}/issue")).await.expect(200);
        let query = format!(
            "{{ invoicing {{ document(id: \"{uuid}\") {{ id status displayInvoiceNumber totals {{ gross }} acceptance {{ qrUrl }} \
             timeline {{ at event actor }} submission {{ state }} booking {{ id }} }} documents(filters: {{workspaceId: \"1\", \
             bookingId: null, status: ISSUED}}, first: 25) {{ nodes {{ id }} totalCount }} other: documents(filters: \
             {{bookingId: \"{}\"}}) {{ totalCount }} }} }}",
            booking(2)
        );
        let data = platform.data(&query).await["invoicing"].clone();
        let document = &data["document"];
        assert_eq!((&document["status"], &document["totals"]["gross"]), (&json!("ISSUED"), &json!("110.00")));
        assert!(document["displayInvoiceNumber"].as_str().is_some_and(|number| number.starts_with("F-")), "{document}");
        assert_eq!((&document["acceptance"], &document["submission"]), (&Value::Null, &Value::Null));
        assert_eq!(document["booking"]["id"], booking(1));
        let events: Vec<_> = document["timeline"].as_array().unwrap().iter().map(|event| event["event"].as_str().unwrap()).collect();
        assert_eq!(events, ["DocumentSaved", "DocumentIssued"]);
        assert!(document["timeline"].as_array().unwrap().iter().all(|event| event["actor"] == "ana"), "{document}");
        assert_eq!(data["documents"], json!({"nodes": [{"id": uuid}], "totalCount": 1}));
        assert_eq!(data["other"]["totalCount"], 0);
    })
    .await;
}

#[tokio::test]
async fn a_supergraph_finds_things_by_their_keys() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let query = "query($r: [_Any!]!) { _entities(representations: $r) { __typename ... on Unit { code } ... on Workspace { name }
            ... on Booking { confirmationCode } ... on Task { title } } _service { sdl } }";
        let keys = json!([
            {"__typename": "Unit", "id": unit(4)}, {"__typename": "Workspace", "id": "2"}, {"__typename": "Unit", "id": id(3, 999)},
            {"__typename": "Booking", "id": booking(5)}, {"__typename": "Task", "id": task(1)}
        ]);
        let body = json!({"query": query, "variables": {"r": keys}});
        let data = platform.api.post("/v1", &body).await.expect(200)["data"].clone();
        assert_eq!(
            data["_entities"],
            json!([{"__typename": "Unit", "code": "U04"}, {"__typename": "Workspace", "name": "Casa Verde"}, null,
                {"__typename": "Booking", "confirmationCode": "B05"}, {"__typename": "Task", "title": "Clean 1"}])
        );
        assert!(data["_service"]["sdl"].as_str().unwrap().contains("@key(fields: \"id\")"));
        let tasks_only = platform.client(&["tasks.read"], &["1"]).await;
        let refused = tasks_only.post("/v1", &body).await.expect(200);
        assert!(codes(&refused).iter().all(|code| code.starts_with("FORBIDDEN")), "{refused}");
        assert_eq!(refused["data"]["_entities"][4]["title"], "Clean 1", "the rest answers: {refused}");
        assert!(!codes(&ask(&tasks_only, "{ _entities(representations: [{__typename: \"Nothing\", id: \"1\"}]) { __typename } }").await.expect(200)).is_empty());
    })
    .await;
}
