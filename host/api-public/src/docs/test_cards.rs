//! The names that make the stand-in do what an integrator wants to see, for people (`/docs/test-cards`).
//!
//! The table stands in `README.md` too; a test compares them. What the names do is `gateway-sandbox`'s.

use super::{page, page_response};
use axum::response::Response;
use std::sync::LazyLock;

/// What comes of a document whose recipient has a name.
struct TestCard {
    name: &'static str,
    upload: &'static str,
    authority: &'static str,
    notifications: &'static str,
    document: &'static str,
}

const CARDS: [TestCard; 9] = [
    TestCard {
        name: "Jane Roe",
        upload: "taken",
        authority: "accepted",
        notifications: "one",
        document: "is `issued` a moment later",
    },
    TestCard {
        name: "SANDBOX-REJECT-4104",
        upload: "taken",
        authority: "rejected with `4104`",
        notifications: "one",
        document: "is `rejected`, with the code in its reason",
    },
    TestCard {
        name: "SANDBOX-SLOW-3600",
        upload: "taken",
        authority: "accepted, 3600 s later",
        notifications: "one",
        document: "stays `issuing` that long (decimal seconds, at most a day), then is `issued`",
    },
    TestCard {
        name: "SANDBOX-NO-WEBHOOK",
        upload: "taken",
        authority: "accepted",
        notifications: "none",
        document: "is `issued` when the gateway asks by itself",
    },
    TestCard {
        name: "SANDBOX-DUPLICATE-WEBHOOK",
        upload: "taken",
        authority: "accepted",
        notifications: "two",
        document: "is `issued`, once",
    },
    TestCard {
        name: "SANDBOX-FAIL-2",
        upload: "503 the first 2 times, then taken",
        authority: "accepted",
        notifications: "one",
        document: "stays `issuing` while the gateway tries again, then is `issued`",
    },
    TestCard {
        name: "SANDBOX-FAIL-3 SANDBOX-SLOW-3600 SANDBOX-REJECT-1110",
        upload: "503 the first 3 times, then taken",
        authority: "rejected with `1110`, 3600 s later",
        notifications: "one",
        document: "is `rejected` in the end",
    },
    TestCard {
        name: "SANDBOX-UNLISTED",
        upload: "taken",
        authority: "accepted",
        notifications: "one",
        document: "is `issued`; the authority's own list leaves it out, and a reconciliation finds it only here",
    },
    TestCard {
        name: "SANDBOX-LISTED-WITH-1.00",
        upload: "taken",
        authority: "accepted",
        notifications: "one",
        document: "is `issued`; the authority's own list has this total, and a reconciliation finds it different",
    },
];

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let cell = |text: &str| format!("<td>{}</td>", page::inline(text));
    let row = |card: &TestCard| {
        let name = page::inline(&format!("`{}`", card.name));
        let cells = [card.upload, card.authority, card.notifications, card.document].map(cell).concat();
        format!("<tr><th scope=\"row\">{name}</th>{cells}</tr>")
    };
    page::plain_page(
        "Test cards",
        &format!(
            "<p>The stand-in for a provider (<code>provider.base_url = \"sandbox\"</code>) does what the recipient's name asks \
             for, so that every path of an integration can be walked on purpose. Put the marker anywhere into \
             <code>recipient.name</code>; markers combine, numbers and codes are yours to choose. A real provider takes no \
             notice of these names.</p><table><thead><tr><th>the recipient's name has</th><th>upload</th><th>authority</th>\
             <th>webhooks</th><th>the document</th></tr></thead><tbody>{}</tbody></table>\
             <p>The columns say what the gateway meets: at its upload to the provider, at the authority, and in notifications \
             of the provider. Whatever else the authority's rules forbid is rejected too: the stand-in asks the tax system's \
             plugin.</p>",
            CARDS.iter().map(row).collect::<String>()
        ),
    )
});

/// Test cards
///
/// The names of recipients that make the stand-in for a provider reject, wait, fail or repeat itself.
#[utoipa::path(
    get,
    path = "/docs/test-cards",
    operation_id = "docsTestCards",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
)]
pub(super) async fn show() -> Response {
    page_response(PAGE.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_and_the_guide_have_the_same_cards() {
        let guide = include_str!("../../README.md");
        let rows: Vec<_> = guide
            .lines()
            .skip_while(|line| !line.starts_with("| the recipient's name has |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        let row_of = |card: &TestCard| {
            let TestCard { name, upload, authority, notifications, document } = card;
            format!("| `{name}` | {upload} | {authority} | {notifications} | {document} |")
        };
        assert_eq!(rows, CARDS.iter().map(row_of).collect::<Vec<_>>());
        assert!(PAGE.contains("<td>rejected with <code>4104</code></td>"), "{}", *PAGE);
    }
}
