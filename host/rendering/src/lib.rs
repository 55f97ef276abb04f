//! Documents for people: an invoice with its figures, as a file that a renderer makes (`wit/render-v1`).
//!
//! | module | holds |
//! |---|---|
//! | `renderers` | the renderer in force: the component in the folder `render` of the plugins' folder |
//! | `request` | what a renderer is asked, out of a document |
//! | `attachments` | files inside the file: the record that the tax authority received |
//! | `labels` | what taxes and identifiers are called |
//! | `cache` | files that were made, by version of their document |
//!
//! The gateway makes no file by itself and knows no country: what a tax system wants to stand on a document, its plugin says
//! (`wit/v1.3`).
//!
//! To show more of a document: a member of the records in a next version of `wit/render-v1`, and a line in `request`.
//!
//! Not here: how renderers run (`gateway-plugin-host`).

mod attachments;
mod cache;
mod labels;
mod renderers;
mod request;

use async_trait::async_trait;
use cache::{Cache, CacheKey};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, State};
use gateway_domain::ports::{Clock, ConverterError, Regimes, TemplateSchema};
use gateway_domain_finance::Submission;
use gateway_invoicing::Documents;
use gateway_plugin_host::renderer::request::Attachment;
use gateway_plugin_host::{Options, PublicKey};
use gateway_storage::{Db, messages, printing, submissions, workspaces};
use renderers::Renderers;
use request::Issuer;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// Makes files of documents. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Rendering(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    db: Db,
    documents: Documents,
    regimes: Arc<dyn Regimes>,
    clock: Arc<dyn Clock>,
    renderers: Renderers,
    cache: Cache,
}

/// What renderers are started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where renderers are looked for; none where the gateway has no folder for plugins.
    pub folder: Option<PathBuf>,
    /// How components run.
    pub options: Options,
    /// Who signs renderers; nobody: none needs a signature.
    pub trusted: Vec<PublicKey>,
}

/// A file of a document.
#[derive(Debug, Clone)]
pub struct RenderedDocument {
    /// The document that it shows, at this version.
    pub version: i64,
    /// What it is called: `F-2026-000017.pdf`.
    pub file_name: String,
    /// `application/pdf`.
    pub media_type: String,
    /// The file.
    pub content: Arc<[u8]>,
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum RenderingError {
    /// There is no such document for the caller.
    #[error("there is no such document")]
    Gone,
    /// Nothing here makes files.
    #[error(
        "no renderer is installed: build one with 'cargo xtask plugins' and put it into the folder 'render' of the plugins' folder"
    )]
    NoRenderer,
    /// What lies in the folder is no renderer, or is not signed by a trusted key.
    #[error("the renderer cannot be used: {0}")]
    Unusable(String),
    /// The renderer does not speak this language.
    #[error("the renderer has no language '{requested}': use {}", known.join(" or "))]
    UnknownLocale {
        /// As asked for.
        requested: String,
        /// What it has.
        known: Vec<String>,
    },
    /// The renderer refuses the document.
    #[error("the renderer refuses the document")]
    Refused(Vec<Fault>),
    /// The renderer broke, or is busy.
    #[error(transparent)]
    Broken(ConverterError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Rendering {
    /// Nothing is loaded before the first document is asked for.
    pub fn new(
        db: Db,
        documents: Documents,
        regimes: Arc<dyn Regimes>,
        clock: Arc<dyn Clock>,
        settings: Settings,
    ) -> Self {
        let renderers = Renderers::new(settings);
        Self(Arc::new(Parts { db, documents, regimes, clock, renderers, cache: Cache::default() }))
    }

    /// A document as a file, in the language `locale`, or in that of its tax system. Drafts say that they are none yet.
    pub async fn render(
        &self,
        acting: &Acting,
        id: InvoiceId,
        locale: Option<&str>,
    ) -> Result<RenderedDocument, RenderingError> {
        let document = self.0.documents.find(acting, id).await?.ok_or(RenderingError::Gone)?;
        let renderer = self.0.renderers.in_force().await?.ok_or(RenderingError::NoRenderer)?;
        let issuer = self.issuer(&document).await?;
        let description = renderer.description();
        let requested = locale.unwrap_or_else(|| issuer.locale());
        let known = |locale: &str| description.locales.iter().any(|known| known == locale);
        let locale = match description.locales.first() {
            _ if known(requested) => requested.to_owned(),
            // The language of a tax system is a wish; what a caller asks for is not.
            Some(first) if locale.is_none() => first.clone(),
            _ => {
                let known = description.locales.clone();
                return Err(RenderingError::UnknownLocale { requested: requested.to_owned(), known });
            }
        };
        let day = document.content.issue_date.unwrap_or_else(|| self.today(&issuer));
        let key = CacheKey {
            day,
            document: id,
            version: document.version,
            locale: locale.clone(),
            issuer: issuer.digest(),
            renderer: renderer.digest().to_owned(),
        };
        let content = if let Some(kept) = self.0.cache.find(&key) {
            kept
        } else {
            let referenced = self.referenced(acting, &document).await?;
            let mut request = request::of(&document, &issuer, &referenced, locale, day);
            if issuer.attaches_record() {
                request.attachments = self.record(acting, &document).await?.into_iter().collect();
            }
            let made = self.0.renderers.render(&renderer, &request).await?;
            self.0.cache.keep(key, made.into())
        };
        let extension = description.media_type.rsplit('/').next().unwrap_or("bin");
        let name = document.state.number().map_or_else(|| format!("draft-{id}"), |number| number.0.clone());
        Ok(RenderedDocument {
            version: document.version,
            file_name: format!("{}.{extension}", name.replace(['/', '\\', '"', ' '], "-")),
            media_type: description.media_type.clone(),
            content,
        })
    }

    async fn issuer(&self, document: &Invoice) -> Result<Issuer, RenderingError> {
        let workspace =
            workspaces::find(&self.0.db, document.workspace).await?.ok_or(RenderingError::Gone)?;
        let look = printing::find(&self.0.db, document.workspace).await?;
        let configured = workspaces::e_invoicing(&self.0.db, document.workspace).await?;
        let regimes = Arc::clone(&self.0.regimes).within(document.workspace);
        let regime = configured.and_then(|sealed| {
            let key = sealed.configuration.regime;
            Some((regimes.describe(&key)?.0, regimes.printing(&key)))
        });
        Ok(Issuer::new(workspace, look, regime))
    }

    /// The documents that a document refers to, as far as the caller may see them.
    async fn referenced(&self, acting: &Acting, document: &Invoice) -> Result<Vec<Invoice>, RenderingError> {
        let ids = &document.content.referenced_document_ids;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.0.documents.by_ids(acting, ids).await?)
    }

    /// The record that the tax authority accepted, where the provider gave it. It is kept with the verdict, so it never changes
    /// within a version of the document.
    async fn record(
        &self,
        acting: &Acting,
        document: &Invoice,
    ) -> Result<Option<Attachment>, RenderingError> {
        let State::Issued { number, acceptance: Some(_), .. } = &document.state else { return Ok(None) };
        let db = &self.0.db;
        let submission = submissions::find(db, document.id, &acting.workspaces).await?;
        // By hand a document may be issued under the number of an earlier attempt, whose record is not this one.
        let attempt = submission.as_ref().map(Submission::data).filter(|data| data.number == Some(number));
        let Some(job) = attempt.and_then(|attempt| attempt.job) else { return Ok(None) };
        let message = messages::find(db, job).await?;
        Ok(message.map(|message| attachments::record(&number.0, message)))
    }

    fn today(&self, issuer: &Issuer) -> jiff::civil::Date {
        self.0.clock.now().to_zoned(issuer.time_zone()).date()
    }
}

#[async_trait]
impl TemplateSchema for Rendering {
    /// None while there is no renderer, or one that cannot be used.
    async fn template_schema(&self) -> Option<Value> {
        let renderer = self.0.renderers.in_force().await.ok().flatten()?;
        let schema = serde_json::from_str(&renderer.description().template_schema);
        schema
            .inspect_err(|error| tracing::warn!("The template schema of the renderer is no JSON: {error}"))
            .ok()
    }
}
