//! A document as a page for people: everything is written here, so it needs no script and works offline.

use gateway_http::openapi::REQUEST_ID;
use serde_json::Value;

/// A file of its own, for the policy of the page allows no style in it.
pub(super) const STYLE: &str = include_str!("../../assets/docs/page.css");

/// Deeper schemas are linked or left out.
const DEPTH_MAX: usize = 8;

/// HTML of an OpenAPI document.
pub(super) fn page(document: &Value) -> String {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (title, introduction) = (text("/info/title"), text("/info/description"));
    let operations = operations(document);
    let mut navigation = String::new();
    let mut main = format!(
        "<header id=\"top\"><h1>{}</h1>{}{}</header>",
        escaped(title),
        paragraphs(introduction),
        "<p>The machine-readable document is <a href=\"/openapi.json\"><code>/openapi.json</code></a>; the \
         types of the GraphQL API are in <a href=\"/v1/schema.graphql\"><code>/v1/schema.graphql</code></a>, the codes of \
         refusals in <a href=\"/docs/errors\"><code>/docs/errors</code></a>, the names that steer the stand-in in \
         <a href=\"/docs/test-cards\"><code>/docs/test-cards</code></a>. The \
         examples are for a shell with <code>B</code> (this address, such as \
         <code>http://127.0.0.1:8080</code>) and the credentials of a client.</p>",
    );
    main.push_str(&security_schemes(document));
    navigation.push_str(
        "<li><a href=\"/docs\">Documentation</a></li><li><a href=\"#authentication\">Authentication</a></li>",
    );
    for tag in document.get("tags").and_then(Value::as_array).into_iter().flatten() {
        let name = member(tag, "name");
        let own = operations.iter().filter(|operation| operation.tag == name);
        let links = own.clone().map(|operation| {
            let (id, method, path) = (operation.id, operation.method.to_uppercase(), escaped(operation.path));
            let gone = if operation.is_deprecated() { " class=\"old\"" } else { "" };
            format!("<li><a href=\"#{id}\"{gone}><b>{method}</b> {path}</a></li>")
        });
        let anchor = slug(name);
        navigation.extend([format!(
            "<li><a href=\"#{anchor}\">{}</a><ul>{}</ul></li>",
            escaped(name),
            links.collect::<String>()
        )]);
        main.extend([format!(
            "<section id=\"{anchor}\"><h2>{}</h2>{}{}</section>",
            escaped(name),
            paragraphs(member(tag, "description")),
            own.map(|operation| operation.to_html(document)).collect::<String>()
        )]);
    }
    navigation.push_str("<li><a href=\"#schemas\">Schemas</a></li>");
    main.push_str(&schemas(document));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>{title}</title><link rel=\"stylesheet\" \
         href=\"/docs/page.css\"></head><body><a class=\"skip\" href=\"#top\">Skip the navigation</a>\
         <nav aria-label=\"Operations\"><details open><summary>Contents</summary><ul>{navigation}</ul></details>\
         </nav><main>{main}</main></body></html>",
        title = escaped(title),
    )
}

/// A page beside the reference: its title and what stands below, as HTML.
pub(super) fn plain_page(title: &str, main: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>{title}</title><link rel=\"stylesheet\" \
         href=\"/docs/page.css\"></head><body><nav aria-label=\"Reference\"><ul><li><a href=\"/docs\">Documentation</a></li><li><a \
         href=\"/docs/reference\">Reference</a></li></ul>\
         </nav><main><header id=\"top\"><h1>{title}</h1></header>{main}</main></body></html>"
    )
}

/// Names with what they mean, as rows of a list.
pub(super) fn definitions<'a>(rows: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let row = |(name, meaning)| {
        format!("<dt id=\"{name}\"><code>{}</code></dt><dd>{}</dd>", escaped(name), inline(meaning))
    };
    rows.map(row).collect()
}

/// An operation with what is needed to show it.
struct Operation<'a> {
    id: &'a str,
    method: &'a str,
    path: &'a str,
    tag: &'a str,
    members: &'a Value,
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let all = paths.flat_map(|(path, methods)| {
        methods.as_object().into_iter().flatten().map(move |(method, members)| Operation {
            id: member(members, "operationId"),
            method,
            path,
            tag: members.pointer("/tags/0").and_then(Value::as_str).unwrap_or_default(),
            members,
        })
    });
    all.collect()
}

impl Operation<'_> {
    fn is_deprecated(&self) -> bool {
        self.members.get("deprecated").is_some_and(|deprecated| deprecated == true)
    }

    fn to_html(&self, document: &Value) -> String {
        let Self { id, method, path, members, .. } = self;
        let mut out = format!(
            "<article id=\"{id}\" aria-labelledby=\"{id}-h\"><h3 id=\"{id}-h\">{summary}</h3><p class=\"call\">\
             <span class=\"method {method}\">{upper}</span> <code>{path}</code>{old}</p>",
            summary = inline(member(members, "summary")),
            upper = method.to_uppercase(),
            path = escaped(path),
            old = if self.is_deprecated() { " <span class=\"tag\">deprecated</span>" } else { "" },
        );
        if let Some(successor) = members.get("externalDocs") {
            out.extend([format!(
                "<p class=\"next\">Successor: <a href=\"{}\">{}</a></p>",
                escaped(member(successor, "url")),
                inline(member(successor, "description"))
            )]);
        }
        out.push_str(&paragraphs(member(members, "description")));
        let permission = members.get("x-permission").and_then(Value::as_str);
        if let Some(permission) = permission {
            out.extend([format!("<p>Permission: <code>{}</code></p>", escaped(permission))]);
        }
        out.push_str(&self.parameters(document));
        out.push_str(&self.body());
        out.extend([format!(
            "<h4>Example</h4><pre tabindex=\"0\"><code>{}</code></pre>",
            escaped(&self.curl(document))
        )]);
        out.push_str(&self.answers(document));
        out.push_str("</article>");
        out
    }

    fn parameter_list<'d>(&self, document: &'d Value) -> Vec<&'d Value>
    where
        Self: 'd,
    {
        let pointer =
            format!("/paths/{}/{}/parameters", self.path.replace('~', "~0").replace('/', "~1"), self.method);
        let parameters = document.pointer(&pointer).and_then(Value::as_array).into_iter().flatten();
        parameters.map(|parameter| resolved(document, parameter)).collect()
    }

    fn parameters(&self, document: &Value) -> String {
        let rows = self.parameter_list(document).into_iter().map(|parameter| {
            let schema = parameter.get("schema").cloned().unwrap_or_default();
            let required = if parameter.get("required").is_some_and(|required| required == true) {
                " <span class=\"tag\">required</span>"
            } else {
                ""
            };
            format!(
                "<dt><code>{}</code> <span class=\"type\">{}, {}</span>{required}</dt><dd>{}</dd>",
                escaped(member(parameter, "name")),
                escaped(member(parameter, "in")),
                kind(&schema),
                inline(member(parameter, "description"))
            )
        });
        let rows: String = rows.collect();
        if rows.is_empty() { String::new() } else { format!("<h4>Parameters</h4><dl>{rows}</dl>") }
    }

    fn body(&self) -> String {
        let Some(body) = self.members.get("requestBody") else { return String::new() };
        let mut out = format!("<h4>Body</h4>{}", paragraphs(member(body, "description")));
        for (media, content) in body.get("content").and_then(Value::as_object).into_iter().flatten() {
            out.push_str(&content_html(media, content));
        }
        out
    }

    fn answers(&self, document: &Value) -> String {
        let responses = self.members.get("responses").and_then(Value::as_object).into_iter().flatten();
        let to_html = responses.map(|(status, response)| {
            let response = resolved(document, response);
            let headers = response.get("headers").and_then(Value::as_object).into_iter().flatten();
            let headers = headers.filter(|(name, _)| *name != REQUEST_ID).map(|(name, header)| {
                let description = inline(member(resolved(document, header), "description"));
                format!("<dt><code>{}</code> <span class=\"type\">header</span></dt><dd>{description}</dd>", escaped(name))
            });
            let headers: String = headers.collect();
            let headers = if headers.is_empty() { headers } else { format!("<dl>{headers}</dl>") };
            let content = response.get("content").and_then(Value::as_object).into_iter().flatten();
            let content: String =
                content.map(|(media, content)| content_html(media, content)).collect();
            let description = inline(member(response, "description"));
            format!(
                "<details class=\"answer s{}\"><summary><b>{status}</b> {description}</summary>{headers}{content}</details>",
                status.get(..1).unwrap_or_default()
            )
        });
        format!("<h4>Answers</h4>{}", to_html.collect::<String>())
    }

    /// A call for a shell.
    fn curl(&self, document: &Value) -> String {
        let (mut path, mut query, mut headers) = (self.path.to_owned(), Vec::new(), Vec::new());
        for parameter in self.parameter_list(document) {
            let name = member(parameter, "name");
            let Some(example) = parameter.get("example").map(plain) else { continue };
            match member(parameter, "in") {
                "path" => path = path.replace(&format!("{{{name}}}"), &example),
                "query" => query.push(format!("{name}={example}")),
                _ => headers.push(format!("-H '{name}: {example}'")),
            }
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        let method = match self.method {
            "get" => String::new(),
            other => format!(" -X {}", other.to_uppercase()),
        };
        let mut lines = vec![format!("curl -s{method} \"$B{path}\"")];
        let security = self.members.get("security").and_then(Value::as_array).into_iter().flatten();
        let scheme = security.filter_map(Value::as_object).find_map(|scheme| scheme.keys().next());
        match scheme.map(String::as_str) {
            Some("oauth2" | "bearer") => lines.push("-H \"Authorization: Bearer $TOKEN\"".to_owned()),
            Some("webhookToken") => lines.push("-H \"Authorization: Bearer $WEBHOOK_TOKEN\"".to_owned()),
            Some("portal" | "basic") => {
                lines.push(
                    "-u \"$CLIENT_ID:$CLIENT_SECRET\" -H \"XX-SUBSCRIPTION-PORTAL-ID: $WORKSPACE\""
                        .to_owned(),
                );
            }
            _ => {}
        }
        lines.extend(headers);
        let content = self.members.pointer("/requestBody/content").and_then(Value::as_object);
        if let Some((media, content)) = content.and_then(|content| content.iter().next()) {
            lines.push(format!("-H 'Content-Type: {media}'"));
            if let Some(example) = examples(content).next() {
                lines.push(format!("-d '{}'", example.to_string().replace('\'', "'\\''")));
            }
        }
        lines.join(" \\\n  ")
    }
}

/// Texts as they are, lists with commas, other values as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

fn examples(content: &Value) -> impl Iterator<Item = &Value> {
    let examples = content.get("examples").and_then(Value::as_object).into_iter().flatten();
    examples.filter_map(|(_, example)| example.get("value"))
}

fn content_html(media: &str, content: &Value) -> String {
    let schema = content.get("schema").map(|schema| schema_html(schema, 0)).unwrap_or_default();
    let examples = content.get("examples").and_then(Value::as_object).into_iter().flatten();
    let examples = examples.filter_map(|(_, example)| {
        let text = format!("{:#}", example.get("value")?);
        let summary =
            example.get("summary").and_then(Value::as_str).map(|text| format!("<p>{}</p>", inline(text)));
        let summary = summary.unwrap_or_default();
        Some(format!("{summary}<pre tabindex=\"0\"><code>{}</code></pre>", escaped(&text)))
    });
    format!("<p class=\"type\">{}</p>{schema}{}", escaped(media), examples.collect::<String>())
}

fn security_schemes(document: &Value) -> String {
    let schemes = document.pointer("/components/securitySchemes").and_then(Value::as_object);
    let to_html = schemes.into_iter().flatten().map(|(name, scheme)| {
        let kind = match member(scheme, "type") {
            "apiKey" => format!("header <code>{}</code>", escaped(member(scheme, "name"))),
            "http" => format!("HTTP {}", escaped(member(scheme, "scheme"))),
            other => escaped(other),
        };
        let description = inline(member(scheme, "description"));
        format!(
            "<dt><code>{}</code> <span class=\"type\">{kind}</span></dt><dd>{description}</dd>",
            escaped(name)
        )
    });
    format!(
        "<section id=\"authentication\"><h2>Authentication</h2><dl>{}</dl></section>",
        to_html.collect::<String>()
    )
}

fn schemas(document: &Value) -> String {
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object);
    let to_html = schemas.into_iter().flatten().map(|(name, schema)| {
        let name = escaped(name);
        format!("<article id=\"schema-{name}\"><h3>{name}</h3>{}</article>", schema_html(schema, 0))
    });
    format!("<section id=\"schemas\"><h2>Schemas</h2>{}</section>", to_html.collect::<String>())
}

/// A schema with its members; others that it refers to are linked.
fn schema_html(schema: &Value, depth: usize) -> String {
    let mut out = format!("<p>{}</p>", description(schema));
    if depth > DEPTH_MAX || schema.get("$ref").is_some() {
        return out;
    }
    let schema = match nullable(schema) {
        Some(inner) if inner.get("$ref").is_some() => return out,
        Some(inner) => inner,
        None => schema,
    };
    let required: Vec<_> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let rows = properties.into_iter().flatten().map(|(name, property)| {
        let always =
            if required.contains(&name.as_str()) { "" } else { " <span class=\"type\">optional</span>" };
        let inner = schema_html(property, depth + 1);
        format!("<dt><code>{}</code>{always}</dt><dd>{inner}</dd>", escaped(name))
    });
    let rows: String = rows.collect();
    if !rows.is_empty() {
        out.extend([format!("<dl>{rows}</dl>")]);
    }
    for (keyword, title) in
        [("items", "Each"), ("oneOf", "One of"), ("anyOf", "One of"), ("additionalProperties", "Each value")]
    {
        let inner: Vec<_> = match schema.get(keyword) {
            Some(Value::Array(schemas)) => schemas.iter().filter(|schema| !is_null(schema)).collect(),
            Some(schema @ Value::Object(_)) => vec![schema],
            _ => continue,
        };
        for schema in inner {
            let inner = schema_html(schema, depth + 1);
            out.extend([format!("<div class=\"inner\"><span class=\"type\">{title}</span>{inner}</div>")]);
        }
    }
    out
}

fn is_null(schema: &Value) -> bool {
    member(schema, "type") == "null"
}

/// What is in a schema that is one thing or null.
fn nullable(schema: &Value) -> Option<&Value> {
    let [inner, null] = schema.get("anyOf")?.as_array()?.as_slice() else { return None };
    is_null(null).then_some(inner)
}

/// One line about a schema: what it is, its limits, and its description.
fn description(schema: &Value) -> String {
    let description = inline(member(schema, "description"));
    format!("<span class=\"type\">{}</span> {description}", kind(schema))
}

/// The type of a schema and its limits, HTML.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = escaped(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#schema-{name}\">{name}</a>");
    }
    if let Some(inner) = nullable(schema) {
        return format!("{} or null", kind(inner));
    }
    let mut parts = Vec::new();
    match schema.get("type") {
        Some(Value::String(name)) => parts.push(escaped(name)),
        Some(Value::Array(names)) => {
            parts.push(names.iter().filter_map(Value::as_str).map(escaped).collect::<Vec<_>>().join(" or "));
        }
        _ => {}
    }
    if let Some(values) = schema.pointer("/items/enum").and_then(Value::as_array) {
        parts.push(format!("of {}", choices(values)));
    }
    if let Some(constant) = schema.get("const") {
        parts.push(format!("<code>{}</code>", escaped(&constant.to_string())));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        parts.push(choices(values));
    }
    for (keyword, words) in [
        ("format", ""),
        ("minimum", "at least "),
        ("maximum", "at most "),
        ("minLength", "length at least "),
        ("maxLength", "length at most "),
        ("minItems", "items at least "),
        ("maxItems", "items at most "),
        ("maxProperties", "members at most "),
        ("pattern", "matches "),
        ("default", "default "),
    ] {
        if let Some(value) = schema.get(keyword) {
            let value = escaped(&plain(value));
            let value = if keyword == "pattern" { format!("<code>{value}</code>") } else { value };
            parts.push(format!("{words}{value}"));
        }
    }
    parts.join(", ")
}

/// The values of an enumeration, HTML.
fn choices(values: &[Value]) -> String {
    values
        .iter()
        .map(|value| format!("<code>{}</code>", escaped(&plain(value))))
        .collect::<Vec<_>>()
        .join(" ")
}

/// What a reference refers to, or the value itself.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let target = value.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
    target.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

fn member<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn slug(text: &str) -> String {
    text.to_lowercase().replace(|character: char| !character.is_ascii_alphanumeric(), "-")
}

/// Paragraphs are parted by an empty line.
fn paragraphs(text: &str) -> String {
    let paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.is_empty());
    paragraphs.map(|paragraph| format!("<p>{}</p>", inline(paragraph))).collect::<Vec<_>>().concat()
}

/// Text with `code` in it.
pub(super) fn inline(text: &str) -> String {
    let mut out = String::new();
    for (at, piece) in text.split('`').enumerate() {
        let piece = escaped(piece);
        if at % 2 == 1 {
            out.extend([format!("<code>{piece}</code>")]);
        } else {
            out.push_str(&piece);
        }
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
