//! The texts of composed statements.

use super::*;

const TABLE: Table = Table {
    name: "task",
    key: "id",
    columns: Sql::both("id, title"),
    order: "created_at, id",
    has_workspace: true,
};

fn text(scope: Scope, conditions: Conditions, part: Part) -> String {
    let select = Select { table: TABLE, scope, conditions };
    select.statement(Engine::Sqlite, part).text
}

#[test]
fn what_is_asked_for_is_both_visible_and_wanted() {
    let (one, two) = (WorkspaceId(1), WorkspaceId(2));
    let both = Workspaces::Only(vec![two, one, two]);
    assert_eq!(Scope::of(&Workspaces::All, None), Scope::All);
    assert_eq!(Scope::of(&Workspaces::All, Some(two)), Scope::One(two));
    assert_eq!(Scope::of(&both, None), Scope::Several(vec![1, 2]));
    assert_eq!(Scope::of(&both, Some(two)), Scope::One(two));
    assert_eq!(Scope::of(&Workspaces::Only(vec![one]), None), Scope::One(one));
    assert_eq!(Scope::of(&Workspaces::Only(vec![one]), Some(two)), Scope::Nowhere);
    assert_eq!(Scope::of(&Workspaces::Only(Vec::new()), None), Scope::Nowhere);
}

#[test]
fn a_page_goes_on_behind_its_place_in_the_order_of_the_list() {
    let place = (jiff::Timestamp::UNIX_EPOCH, uuid::Uuid::nil());
    let behind = |order| Condition::behind(order, place).text;
    assert_eq!(behind("created_at, id"), "(created_at, id) > (?, ?)");
    assert_eq!(behind("created_at DESC, id DESC"), "(created_at, id) < (?, ?)");
}

#[test]
fn a_statement_has_the_conditions_of_its_request_and_no_others() {
    let none = || Conditions::default().and("kind = ?", None::<i64>);
    assert_eq!(
        text(Scope::All, none(), Part::First(10)),
        "SELECT id, title FROM task ORDER BY created_at, id LIMIT $1"
    );
    let place = Condition::new("(created_at, id) > (?, ?)", vec![Param::from(1_i64), Param::from(2_i64)]);
    let some = none().and("kind = ?", Some("x")).and_where(Some(place));
    assert_eq!(
        text(Scope::One(WorkspaceId(7)), some, Part::Count),
        "SELECT COUNT(*) FROM task WHERE workspace_id = $1 AND kind = $2 AND (created_at, id) > ($3, $4)"
    );
}

#[test]
fn a_text_that_begins_so_is_found_by_its_bytes_whatever_the_collation() {
    let select = ("id", "SELECT id FROM task WHERE ");
    let conditions =
        Conditions::default().and_where(Some(Condition::among_beginning(select, "number", "F-7")));
    let select = Select { table: TABLE, scope: Scope::One(WorkspaceId(7)), conditions };
    let texts = [Engine::Postgres, Engine::Sqlite].map(|engine| select.statement(engine, Part::Count));
    assert_eq!(
        texts.each_ref().map(|statement| statement.text.as_str()),
        [
            "SELECT COUNT(*) FROM task WHERE workspace_id = $1 AND id = ANY (ARRAY(SELECT id FROM task \
             WHERE number COLLATE \"C\" >= $2 AND number COLLATE \"C\" < $3))",
            "SELECT COUNT(*) FROM task WHERE +workspace_id = $1 AND id IN (SELECT id FROM task WHERE number >= $2 AND number < $3)"
        ]
    );
    assert!(matches!(&texts[0].arguments[2], Param::Text(Some(behind)) if behind == "F-7\u{10ffff}"));
}

#[test]
fn a_list_is_narrowed_to_the_texts_that_begin_so_by_their_range() {
    let conditions = Conditions::default().and_where(Some(Condition::beginning("title", "cl")));
    let select = Select { table: TABLE, scope: Scope::One(WorkspaceId(7)), conditions };
    assert_eq!(
        [Engine::Postgres, Engine::Sqlite].map(|engine| select.statement(engine, Part::Count).text),
        [
            "SELECT COUNT(*) FROM task WHERE workspace_id = $1 AND title COLLATE \"C\" >= $2 AND title COLLATE \"C\" < $3 \
             AND title COLLATE \"C\" ^@ $4",
            "SELECT COUNT(*) FROM task WHERE workspace_id = $1 AND title >= $2 AND title < $3"
        ]
    );
}

#[test]
fn the_lengths_that_are_planned_for_are_few() {
    assert_eq!([0, 26, 32, 33, 101, 1_001].map(planned_rows), [32, 32, 32, 128, 128, 2_048]);
    assert!(planned_rows(i64::MAX) == i64::MAX);
}
