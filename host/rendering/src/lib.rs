//! Documents for people: an invoice with its figures, as a file that a renderer makes (`wit/render-v1`).
//!
//! | module | holds |
//! |---|---|
//! | `renderers` | the renderer in force: of the database, else the component in the folder `render` of the plugins' folder |
//! | `versions` | install, activate, roll back, disable: the versions in the database |
//! | `renderer_error` | why a renderer is not loaded, installed or put in force |
//! | `views` | what operators see of them |
//! | `request` | what a renderer is asked, out of a document |
//! | `attachments` | files inside the file: the record that the tax authority received |
//! | `labels` | what taxes and exemptions are called |
//! | `words` | languages: fixed words, dates |
//! | `view_words` | fixed words of the page to print, which needs no renderer |
//! | `cache` | files that were made, by everything that they were made of |
//!
//! The gateway makes no file by itself and knows no country: what a tax system wants to stand on a document, its plugin says
//! (`wit/v1.3`, `wit/v1.4`).
//!
//! To show more of a document: a member of the records in a next version of `wit/render-v1`, and a line in `request`.
//!
//! Not here: how renderers run (`gateway-plugin-host`).

mod attachments;
mod cache;
mod labels;
mod renderer_error;
mod renderers;
mod request;
#[cfg(test)]
mod tests;
mod versions;
mod view_words;
pub mod views;
mod words;

pub use labels::Labels;
pub use renderer_error::RendererError;
pub use renderers::{RendererView, Renderers};
pub use request::{QR_SIDE_MM, legend, references, retention_rows, tax_rows};
pub use versions::{
    ListedRenderer, RendererActivation, RendererInstallation, RendererState, RendererVersions, renderer_id,
};
pub use view_words::ViewWords;
pub use words::Language;

use cache::{Cache, CacheKey};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{ImportedFileType, Invoice, State};
use gateway_domain::ports::{Clock, ConverterError, Regimes};
use gateway_domain_finance::Submission;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_finance::{DocumentLists, Finance, ReadError};
use gateway_plugin_host::renderer::request::{Attachment, Description};
use gateway_plugin_host::{Options, TrustedKeys};
use gateway_storage::{Db, imported_files, messages, printing, submissions, workspaces};
use request::Issuer;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::Arc;

/// Makes files of documents. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Rendering(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    cache: Cache,
}

/// What files are made with.
#[derive(Debug)]
pub struct Parts {
    /// Workspaces, how they print, and what authorities received.
    pub db: Db,
    /// Documents, wherever they are kept.
    pub finance: Finance,
    /// The documents that a document refers to.
    pub lists: DocumentLists,
    /// What tax systems want on paper.
    pub regimes: Arc<dyn Regimes>,
    /// The day of a document that has none yet.
    pub clock: Arc<dyn Clock>,
    /// The versions in the database, and the renderer in force.
    pub versions: RendererVersions,
}

/// What renderers are started with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where renderers are looked for; none where the gateway has no folder for plugins.
    pub folder: Option<PathBuf>,
    /// How components run.
    pub options: Options,
    /// Who signs renderers; nobody: none needs a signature.
    pub trusted: TrustedKeys,
}

/// A file of a document.
#[derive(Debug, Clone)]
pub struct RenderedDocument {
    /// SHA-256 of `content`, lower-case hex.
    pub digest: String,
    /// What it is called: `F-2026-000017.pdf`.
    pub file_name: String,
    /// `application/pdf`.
    pub media_type: String,
    /// The file.
    pub content: Arc<[u8]>,
}

impl RenderedDocument {
    fn of(document: &Invoice, media_type: String, content: Arc<[u8]>) -> Self {
        let extension = media_type.rsplit('/').next().unwrap_or("bin");
        let number = document.state.number();
        let name = number.map_or_else(|| format!("draft-{}", document.id), |number| number.0.clone());
        Self {
            digest: hex::encode(Sha256::digest(&content)),
            file_name: format!("{}.{extension}", name.replace(['/', '\\', '"', ' '], "-")),
            media_type,
            content,
        }
    }
}

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum RenderingError {
    /// There is no such document for the caller.
    #[error("there is no such document")]
    Gone,
    /// Nothing here makes files.
    #[error(
        "no renderer is installed: 'gateway renderer install render-pdf.wasm --activate' takes that of the release, or put it \
         into the folder 'render' below plugins.dir"
    )]
    NoRenderer,
    /// What is in force is no renderer, or is not signed by a trusted key.
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
    /// The renderer is compiled at this moment.
    #[error("the renderer is being prepared: try again in a moment")]
    Preparing,
    /// The renderer refuses the document.
    #[error("the renderer refuses the document")]
    Refused(Vec<Fault>),
    /// The renderer broke, or is busy.
    #[error(transparent)]
    Broken(ConverterError),
    /// The remote invoice data service did not give the document.
    #[error(transparent)]
    InvoiceData(InvoiceDataError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<ReadError> for RenderingError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(cause) => Self::Store(cause),
            ReadError::InvoiceData(error) => Self::InvoiceData(error),
        }
    }
}

impl Rendering {
    /// Nothing is loaded before the first document is asked for.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(Inner { parts, cache: Cache::default() }))
    }

    /// A document as a file, in the language `locale`, or in that of its tax system. Drafts say that they are none yet; one that another
    /// system issued is the file of that system, where there is one.
    pub async fn render(
        &self,
        acting: &Acting,
        id: InvoiceId,
        locale: Option<&str>,
    ) -> Result<RenderedDocument, RenderingError> {
        let document = self.0.parts.finance.invoice(acting, id).await?.ok_or(RenderingError::Gone)?;
        if let Some(file) = self.imported(&document).await? {
            return Ok(file);
        }
        let renderer = self.renderers().in_force().await?.ok_or(RenderingError::NoRenderer)?;
        let issuer = self.issuer(&document).await?;
        let description = renderer.description();
        let locale = choose_locale(description, locale, issuer.locale())?;
        let references = request::references(&self.referenced(acting, &document).await?, &locale);
        let day = document.content.issue_date.unwrap_or_else(|| self.today(&issuer));
        let key = CacheKey {
            day,
            document: id,
            version: document.version,
            locale: locale.clone(),
            issuer: issuer.digest(),
            references: references.clone(),
            renderer: renderer.digest().to_owned(),
        };
        let content = if let Some(kept) = self.0.cache.find(&key) {
            kept
        } else {
            let language = Language::of(&locale);
            let mut request = request::of(&document, &issuer, references, locale, day);
            if issuer.attaches_record() {
                request.attachments = self.record(acting, &document, language).await?.into_iter().collect();
            }
            let made = self.renderers().render(&renderer, &request).await?;
            self.0.cache.keep(key, made.into())
        };
        Ok(RenderedDocument::of(&document, description.media_type.clone(), content))
    }

    /// The file that another system made of a document which it issued: it stays as it was, and no other is made.
    async fn imported(&self, document: &Invoice) -> Result<Option<RenderedDocument>, RenderingError> {
        if document.state.imported().is_none() {
            return Ok(None);
        }
        let pdf = ImportedFileType::Pdf;
        let found = imported_files::find(&self.0.parts.db, document.id, pdf).await?;
        Ok(found.map(|content| RenderedDocument::of(document, pdf.as_str().to_owned(), content.into())))
    }

    /// The renderer in force; none where none is installed, [`Unusable`](RenderingError::Unusable) where it cannot be used.
    pub async fn renderer(&self) -> Result<Option<RendererView>, RenderingError> {
        self.renderers().view().await
    }

    /// The versions of renderers in the database.
    pub fn versions(&self) -> &RendererVersions {
        &self.0.parts.versions
    }

    fn renderers(&self) -> &Renderers {
        self.0.parts.versions.renderers()
    }

    async fn issuer(&self, document: &Invoice) -> Result<Issuer, RenderingError> {
        let workspace =
            workspaces::find(&self.0.parts.db, document.workspace).await?.ok_or(RenderingError::Gone)?;
        let look = printing::find(&self.0.parts.db, document.workspace).await?;
        let configured = workspaces::e_invoicing(&self.0.parts.db, document.workspace).await?;
        let regimes = Arc::clone(&self.0.parts.regimes).within(document.workspace);
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
        let mut found = self.0.parts.lists.by_ids(acting, ids).await?;
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    /// The record that the tax authority accepted, where the provider gave it. It is kept with the verdict, so it never changes
    /// within a version of the document.
    async fn record(
        &self,
        acting: &Acting,
        document: &Invoice,
        language: Language,
    ) -> Result<Option<Attachment>, RenderingError> {
        let State::Issued { number, acceptance: Some(_), .. } = &document.state else { return Ok(None) };
        let db = &self.0.parts.db;
        let submission = submissions::find(db, document.id, &acting.workspaces).await?;
        // By hand a document may be issued under the number of an earlier attempt, whose record is not this one.
        let attempt = submission.as_ref().map(Submission::data).filter(|data| data.number == Some(number));
        let Some(job) = attempt.and_then(|attempt| attempt.job) else { return Ok(None) };
        let message = messages::find(db, job).await?;
        Ok(message.map(|message| attachments::record(&number.0, message, language)))
    }

    fn today(&self, issuer: &Issuer) -> jiff::civil::Date {
        self.0.parts.clock.now().to_zoned(issuer.time_zone()).date()
    }
}

/// The language of a file: what a caller asks for, else that of the tax system.
fn choose_locale(
    description: &Description,
    requested: Option<&str>,
    of_tax_system: &str,
) -> Result<String, RenderingError> {
    let wish = requested.unwrap_or(of_tax_system);
    match description.locales.first() {
        _ if description.locales.iter().any(|known| known == wish) => Ok(wish.to_owned()),
        // The language of a tax system is a wish; what a caller asks for is not.
        Some(first) if requested.is_none() => Ok(first.clone()),
        _ => {
            let known = description.locales.clone();
            Err(RenderingError::UnknownLocale { requested: wish.to_owned(), known })
        }
    }
}
