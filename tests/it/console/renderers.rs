//! Versions of renderers on the page of plugins.

use super::{OPERATOR, READ, browser};
use crate::renderers::{as_version, built, id, later, version};
use gateway_tests::{Browser, World, on_both};

const LIST: &str = "/console/plugins";

async fn upload(browser: &Browser, kind: &str, component: &[u8]) -> u16 {
    let fields =
        [("form_token", browser.form_token()), ("signature", String::new()), ("kind", kind.to_owned())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    browser.upload("/console/plugins/upload", &fields, ("component", component)).await.status
}

#[tokio::test]
async fn an_operator_installs_a_renderer_puts_it_in_force_and_takes_it_back() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let (old, new) = (id(&version()), id(&later()));
        let component = std::fs::read(built()).unwrap();
        assert_eq!(upload(&operator, "plugin", &component).await, 422, "a renderer is no tax system");
        assert!(!operator.get(LIST).await.text.contains("Versions of renderers"));
        for component in [component, as_version(&later())] {
            assert_eq!(upload(&operator, "renderer", &component).await, 303);
        }
        let page = operator.get(LIST).await.text;
        assert!(
            page.contains(&old) && page.contains(&new) && page.contains("no renderer is installed"),
            "{page}"
        );

        let submit = async |path: &str, action: &str, name: &str| {
            operator.submit(&format!("{LIST}/renderers/{path}"), &[("action", action), ("name", name)]).await
        };
        for name in [&old, &new] {
            let page = submit("confirm", "activate", name).await.text;
            assert!(
                page.contains(&format!("Put {name} in force")) && page.contains("Nothing changed yet"),
                "{page}"
            );
            assert_eq!(submit("change", "activate", name).await.status, 303);
        }
        let in_force = |version: &str| format!("<dt>Renderer</dt><dd>render-pdf {version}</dd>");
        assert!(operator.get(LIST).await.text.contains(&in_force(&later())));
        let confirmed = submit("confirm", "roll-back", "").await.text;
        assert!(confirmed.contains(&format!("Return to {old}</button>")), "{confirmed}");
        let back = submit("change", "roll-back", "").await;
        assert_eq!((back.status, back.header("location")), (303, "/console/plugins?done=saved"));
        assert!(operator.get(LIST).await.text.contains(&in_force(&version())));
        assert!(!operator.get(LIST).await.text.contains("value=\"roll-back\">Return to render-pdf"));
        assert_eq!(submit("confirm", "roll-back", "").await.status, 409);
        let refused = submit("change", "roll-back", "").await;
        assert!(refused.status == 409 && refused.text.contains("no earlier renderer"), "{}", refused.text);
        assert_eq!(submit("change", "activate", "render-pdf@9.9.9").await.status, 404);
        assert_eq!(submit("confirm", "delete", &old).await.status, 404);
        assert_eq!(submit("change", "disable", "").await.status, 303);
        assert!(operator.get(LIST).await.text.contains("no renderer is installed"));

        let reader = browser(&world, READ).await;
        let page = reader.get(LIST).await.text;
        assert!(page.contains(&old) && !page.contains("/console/plugins/renderers"), "{page}");
        assert_eq!(upload(&reader, "renderer", b"x").await, 403);
        let activate = [("action", "activate"), ("name", old.as_str())];
        assert_eq!(reader.submit("/console/plugins/renderers/change", &activate).await.status, 403);
    })
    .await;
}
