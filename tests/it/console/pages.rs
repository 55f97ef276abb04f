//! Pages of lists, forwards and back, without a script.

use super::{FINANCE, OPERATOR, READ, browser};
use gateway_tests::{Options, World, between, on_both};

/// The address of a link of a page.
fn link<'a>(page: &'a str, title: &str) -> Option<&'a str> {
    let (before, _) = page.split_once(&format!(">{title}</a>"))?;
    let (_, tag) = before.rsplit_once("<a href=\"")?;
    tag.split('"').next()
}

/// The same, as a browser asks for it.
fn address(page: &str, title: &str) -> String {
    let found = link(page, title).unwrap_or_else(|| panic!("no {title}: {page}"));
    found.replace("&#38;", "&").replace("&amp;", "&")
}

#[tokio::test]
async fn a_list_of_documents_is_turned_over_and_back_in_both_orders() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let mut oldest_first = Vec::new();
        for _ in 0..5 {
            oldest_first.push(world.draft(&world.document()).await);
        }
        let newest_first: Vec<_> = oldest_first.iter().rev().cloned().collect();
        let reader = browser(&world, READ).await;
        for (sort, ids) in [("", &newest_first), ("&sort=created", &oldest_first)] {
            let places = |page: &str| -> Vec<usize> {
                let is_shown = |id: &String| page.contains(&format!("href=\"/console/invoices/{id}\""));
                (0..ids.len()).filter(|at| is_shown(&ids[*at])).collect()
            };
            let first = reader.get(&format!("/console/invoices?status=draft&first=2{sort}")).await.text;
            assert_eq!(places(&first), [0, 1], "{first}");
            assert!(
                link(&first, "Previous page").is_none() && link(&first, "First page").is_none(),
                "{first}"
            );
            let second = reader.get(&address(&first, "Next page")).await.text;
            assert_eq!(places(&second), [2, 3], "{second}");
            assert!(
                second.contains("<option value=\"draft\" selected>"),
                "what narrows the list stays: {second}"
            );
            let third = reader.get(&address(&second, "Next page")).await.text;
            assert_eq!((places(&third), link(&third, "Next page")), (vec![4], None), "{third}");
            let back = reader.get(&address(&third, "Previous page")).await.text;
            assert_eq!(places(&back), [2, 3], "{back}");
            assert_eq!(places(&reader.get(&address(&back, "Next page")).await.text), [4]);
            let begin = reader.get(&address(&back, "Previous page")).await.text;
            assert_eq!((places(&begin), link(&begin, "Previous page")), (vec![0, 1], None), "{begin}");
            assert_eq!(places(&reader.get(&address(&third, "First page")).await.text), [0, 1]);
        }
        let foreign = reader.get("/console/invoices?before=nothing").await;
        assert!(
            foreign.status == 200 && foreign.text.contains("use the beginning of a page"),
            "{}",
            foreign.text
        );
    })
    .await;
}

#[tokio::test]
async fn what_waits_for_somebody_has_pages() {
    on_both(|engine| async move {
        let world = World::with(engine, Options::default()).await;
        let finance = browser(&world, FINANCE).await;
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(world.issue(&world.document()).await);
            world.until_alert(ids.last().unwrap(), "providerNotConfigured").await;
        }
        let places = |page: &str| ids.iter().filter(|id| page.contains(&format!("id=\"box-{id}\""))).count();
        let first = finance.get("/console/jobs?first=2").await.text;
        assert_eq!(places(&first), 2, "{first}");
        let second = finance.get(&address(&first, "Next page")).await.text;
        assert_eq!((places(&second), link(&second, "Next page")), (1, None), "{second}");
        let back = finance.get(&address(&second, "Previous page")).await.text;
        assert_eq!((places(&back), link(&back, "Previous page")), (2, None), "{back}");
        assert_eq!(finance.get("/console/jobs?skip=-1").await.status, 422);
    })
    .await;
}

#[tokio::test]
async fn what_was_accepted_with_errors_is_counted_among_the_jobs_and_listed_by_a_link() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let clean = world.issue(&world.document()).await;
        world.until(&clean, "issued").await;
        let before = finance.get("/console/jobs").await.text;
        assert!(!before.contains("Accepted with errors</h2>"), "{before}");
        let mut with_errors = Vec::new();
        for title in ["1 document", "2 documents"] {
            let document = world.document().named("Jane SANDBOX-REJECT-2001");
            with_errors.push(world.issue(&document).await);
            world.until(with_errors.last().unwrap(), "issued").await;
            let jobs = finance.get("/console/jobs").await.text;
            assert!(jobs.contains("Accepted with errors</h2>"), "{jobs}");
            let listed = finance.get(&address(&jobs, title)).await.text;
            let is_listed = |id: &String| listed.contains(&format!("href=\"/console/invoices/{id}\""));
            assert!(with_errors.iter().all(is_listed) && !is_listed(&clean), "{listed}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_trail_leads_back_to_its_newest_entries() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let page = format!("/console/workspaces/{}", world.workspace);
        for at in 0..51 {
            let named = format!("House {at}");
            assert_eq!(operator.submit(&page, &[("name", named.as_str())]).await.status, 303);
        }
        let first = operator.get("/console/audit?subject=workspace:").await.text;
        assert!(link(&first, "First page").is_none(), "{first}");
        let second = operator.get(&address(&first, "Next page")).await.text;
        assert_eq!(address(&second, "First page"), "/console/audit?subject=workspace%3A");
    })
    .await;
}

#[tokio::test]
async fn the_queue_of_a_workspace_is_resubmitted_as_a_whole() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let another = world.another_workspace(&["--tax-id", "A58818501"]).await;
        world.configure(another, &[]).await;
        let finance = browser(&world, FINANCE).await;
        let rita = world.document().named("Rita SANDBOX-REJECT-1239");
        let elsewhere = rita.clone().with("workspace_id", serde_json::json!(another));
        let mut ids = Vec::new();
        for document in [&rita, &rita, &elsewhere] {
            ids.push(world.issue(document).await);
            world.until(ids.last().unwrap(), "rejected").await;
        }
        let [one, two, third] = &ids[..] else { panic!("{ids:?}") };
        let queue = format!("/console/rejected?workspace_id={}", world.workspace);
        let own = finance.get(&queue).await.text;
        assert!(own.contains(one) && own.contains(two) && !own.contains(third), "{own}");
        let workspace = world.workspace.to_string();
        let kept = format!("name=\"workspace_id\" value=\"{workspace}\"");
        let chosen = format!("<option value=\"{workspace}\" selected>");
        for part in ["Resubmit all of this list", &kept, &chosen] {
            assert!(own.contains(part), "{part}: {own}");
        }
        let narrowed = [("workspace_id", workspace.as_str())];
        let confirm = finance.submit("/console/bulk/rejected", &narrowed).await.text;
        assert!(confirm.contains("Resubmit: 2 documents") && !confirm.contains(third), "{confirm}");
        let back = format!("href=\"{queue}\">Cancel</a>");
        assert!(confirm.contains(&back), "{back}: {confirm}");
        let every = finance.submit("/console/bulk/rejected", &[("workspace_id", "")]).await.text;
        assert!(every.contains("Resubmit: 3 documents"), "{every}");
        let none = finance.submit("/console/bulk/rejected", &[("workspace_id", "99")]).await;
        assert!(none.status == 422 && none.text.contains("no document of this list"), "{}", none.text);

        let field = |name: &str| -> Vec<String> {
            let start = format!("name=\"{name}\" value=\"");
            confirm.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        let (found, versions) = (field("id"), field("version"));
        let mut fields = vec![("action", "issue"), ("workspace_id", workspace.as_str())];
        fields.extend(found.iter().map(|id| ("id", id.as_str())));
        fields.extend(versions.iter().map(|version| ("version", version.as_str())));
        let done = finance.submit("/console/bulk/carry-out", &fields).await.text;
        assert_eq!(done.matches(">done<").count(), 2, "{done}");
        assert!(done.contains(&format!("href=\"{queue}\">Back</a>")), "{done}");
        assert!(between(&done, "<h1>", "</h1>").unwrap().contains("2 documents"), "{done}");
    })
    .await;
}
