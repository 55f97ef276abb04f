use crate::world::{id, sampled, seeing};
use gateway_domain::access::{Caller, Workspaces};
use gateway_domain::ids::{ClientId, ConversationId, TaskId, TeamId, UnitId, UserId, WorkspaceId};
use gateway_domain_lists::PageRequest;
use gateway_domain_platform::identity::UserStatus;
use gateway_domain_platform::spaces::{UnitFilter, UnitStatus};
use gateway_domain_platform::tasks::TaskFilter;
use gateway_platform::PlatformError;
use uuid::Uuid;

#[tokio::test]
async fn a_unit_is_shown_with_everything_around_it() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let unit: UnitId = id(6, 0);
        let unit = platform.spaces.unit(&acting, unit).await.unwrap().unwrap();
        assert!(!unit.amenities.is_empty() && unit.media_items.len() == 2);
        let kind = platform.spaces.unit_types_by_ids(&acting, &[unit.unit_type]).await.unwrap();
        let building = kind[&unit.unit_type].building;
        let buildings = platform.spaces.buildings_by_ids(&acting, &[building]).await.unwrap();
        assert!(buildings[&building].address.is_some());
        let amenities = platform.spaces.amenities_by_ids(&unit.amenities).await.unwrap();
        assert_eq!(amenities.len(), unit.amenities.len());
        let picture = unit.media_items[0].id;
        assert_eq!(
            platform.spaces.media_items_by_ids(&acting, &[picture]).await.unwrap()[&picture],
            unit.media_items[0]
        );
        let stranger = seeing(&[2]);
        assert!(platform.spaces.unit(&stranger, unit.id).await.unwrap().is_none());
        assert!(platform.spaces.media_items_by_ids(&stranger, &[picture]).await.unwrap().is_empty());
        assert!(platform.spaces.unit_types_by_ids(&stranger, &[unit.unit_type]).await.unwrap().is_empty());
        assert!(platform.spaces.buildings_by_ids(&stranger, &[building]).await.unwrap().is_empty());
        let inactive = UnitFilter { status: Some(UnitStatus::Inactive), ..UnitFilter::default() };
        assert_eq!(platform.spaces.units_count(&acting, &inactive).await.unwrap(), 1);
        let page = platform.spaces.units(&acting, &inactive, PageRequest::default()).await.unwrap();
        assert_eq!(page.nodes.len(), 1);
        let profiles =
            platform.spaces.profiles_by_ids(&acting, &[WorkspaceId(1), WorkspaceId(2)]).await.unwrap();
        assert_eq!((profiles.len(), profiles[&WorkspaceId(1)].slug.as_str()), (1, "demo-apartments"));
    }
}

#[tokio::test]
async fn users_are_seen_through_the_workspaces_of_their_roles() {
    for world in sampled().await {
        let platform = &world.platform;
        let (first, both) = (seeing(&[1]), seeing(&[1, 2]));
        let all = platform.users.users_count(&both, None).await.unwrap();
        assert_eq!((all, platform.users.users_count(&first, None).await.unwrap()), (24, 16));
        let inactive = platform.users.users_count(&both, Some(UserStatus::Inactive)).await.unwrap();
        assert_eq!(inactive, 3);
        let page = platform.users.users(&first, None, PageRequest::default()).await.unwrap();
        assert_eq!(page.nodes.len(), 16);
        assert!(
            page.nodes
                .iter()
                .all(|user| user.role_bindings.iter().all(|role| role.workspace == WorkspaceId(1)))
        );
        let users: Vec<UserId> = page.nodes.iter().map(|user| user.id).collect();
        let teams = platform.users.teams_of_users(&users).await.unwrap();
        assert_eq!((teams.len(), teams[&users[0]].len()), (16, 1));
        let team: TeamId = teams[&users[0]][0].id;
        assert_eq!(platform.users.teams_by_ids(&first, &[team]).await.unwrap().len(), 1);
        assert!(platform.users.teams_by_ids(&seeing(&[]), &[team]).await.unwrap().is_empty());
        assert!(platform.users.users_by_ids(&seeing(&[2]), &[id(3, 0)]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn whoever_asks_is_told_who_they_are() {
    for world in sampled().await {
        let client = ClientId(Uuid::from_u128(5));
        let caller = |act: Option<&str>| Caller {
            client,
            act_sub: act.map(str::to_owned),
            permissions: Vec::new(),
            workspaces: Workspaces::Only(vec![WorkspaceId(1)]),
        };
        let user: UserId = id(3, 0);
        let hidden: UserId = id(3, 1);
        let acted = world.platform.users.whoami(&caller(Some(&user.to_string()))).await.unwrap();
        assert_eq!((acted.uuid, acted.nickname.as_deref()), (user.0, Some("Ana")));
        for other in [None, Some("opaque"), Some(hidden.to_string().as_str())] {
            assert_eq!(world.platform.users.whoami(&caller(other)).await.unwrap().uuid, client.0);
        }
    }
}

#[tokio::test]
async fn a_message_is_sent_in_a_conversation_that_is_seen() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let conversation: ConversationId = id(0xd, 0);
        world.pass(3_600);
        let sent = platform
            .conversations
            .send_message(&acting, conversation, "Welcome!\nSee you.", None, "api")
            .await
            .unwrap();
        let page =
            platform.conversations.messages_of(&acting, conversation, PageRequest::default()).await.unwrap();
        assert_eq!((page.nodes.len(), &page.nodes[2]), (3, &sent));
        assert_eq!((sent.content_type.as_str(), sent.source.as_deref()), ("text/plain", Some("api")));
        assert_eq!(platform.conversations.messages_by_ids(&acting, &[sent.id]).await.unwrap().len(), 1);
        let found = platform.conversations.conversations_by_ids(&acting, &[conversation]).await.unwrap();
        let booking = found[&conversation].booking;
        let of_booking = platform.conversations.conversations_of_bookings(&acting, &[booking]).await.unwrap();
        assert_eq!(of_booking[&booking].id, conversation);
        let stranger =
            platform.conversations.send_message(&seeing(&[2]), conversation, "Hello", None, "api").await;
        assert!(
            matches!(stranger, Err(PlatformError::NotFound(missing)) if missing.field == "conversation_id")
        );
        let empty = platform.conversations.send_message(&acting, conversation, " \n", None, "api").await;
        assert!(matches!(empty, Err(PlatformError::Invalid(faults)) if faults[0].field == "message"));
        let odd = platform.conversations.send_message(&acting, conversation, "a\0b", None, "api").await;
        assert!(matches!(odd, Err(PlatformError::Invalid(faults)) if faults[0].field == "message"));
        assert!(platform.conversations.messages_by_ids(&seeing(&[2]), &[sent.id]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn messages_are_paged_in_the_order_they_were_sent_for_whoever_sees_the_workspace() {
    for world in sampled().await {
        let (platform, acting, stranger) = (&world.platform, seeing(&[1]), seeing(&[2]));
        let (conversation, other): (ConversationId, ConversationId) = (id(0xd, 0), id(0xd, 1));
        for text in ["one", "two", "three"] {
            world.pass(60);
            platform.conversations.send_message(&acting, conversation, text, None, "api").await.unwrap();
        }
        let all = platform
            .conversations
            .messages_of(&acting, conversation, PageRequest::default())
            .await
            .unwrap()
            .nodes;
        let bodies: Vec<_> = all.iter().rev().take(3).map(|message| message.body.as_str()).collect();
        assert_eq!(bodies, ["three", "two", "one"]);
        let mut request = PageRequest { first: 2, after: None };
        let mut paged = Vec::new();
        loop {
            let page = platform.conversations.messages_of(&acting, conversation, request).await.unwrap();
            request.after = page.nodes.last().map(|message| (message.sent_at, message.id.0));
            paged.extend(page.nodes);
            if !page.has_next {
                break;
            }
        }
        assert_eq!(paged, all);
        let both = [conversation, other];
        let first = platform.conversations.first_messages_of_conversations(&acting, &both, 2).await.unwrap();
        assert_eq!((&*first[&conversation].nodes, first[&conversation].has_next), (&all[..2], true));
        assert!(first[&other].nodes.iter().all(|message| message.conversation == other));
        let counts = platform.conversations.messages_counts(&acting, &both).await.unwrap();
        assert_eq!(counts[&conversation], i64::try_from(all.len()).unwrap());
        // Another workspace's client sees nothing of it.
        let page = platform
            .conversations
            .messages_of(&stranger, conversation, PageRequest::default())
            .await
            .unwrap();
        assert!(page.nodes.is_empty());
        assert!(
            platform
                .conversations
                .first_messages_of_conversations(&stranger, &both, 2)
                .await
                .unwrap()
                .is_empty()
        );
        assert!(platform.conversations.messages_counts(&stranger, &both).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn tasks_are_paged_and_found_by_unit() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[2]));
        assert_eq!(platform.tasks.tasks_count(&acting, &TaskFilter::default()).await.unwrap(), 300);
        let unit: UnitId = id(6, 10);
        let of_unit = TaskFilter { unit: Some(unit), ..TaskFilter::default() };
        let page = platform.tasks.tasks(&acting, &of_unit, PageRequest::default()).await.unwrap();
        assert_eq!((page.nodes.len(), page.has_next), (25, true));
        assert!(page.nodes.iter().all(|task| task.unit == Some(unit) && task.start_time.is_some()));
        let task: TaskId = page.nodes[0].id;
        assert_eq!(platform.tasks.tasks_by_ids(&acting, &[task]).await.unwrap().len(), 1);
        assert!(platform.tasks.tasks_by_ids(&seeing(&[1]), &[task]).await.unwrap().is_empty());
    }
}
