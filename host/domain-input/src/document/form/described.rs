//! A recipient as sent, by its kind. It is read with the members of both, so that one answer names every mistake.

use super::{AddressForm, ExtForm, IdentityForm, RecipientForm, extras};
use serde::Serialize;
use utoipa::openapi::schema::{Discriminator, OneOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// The `type` of an individual.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndividualType {
    /// A natural person.
    #[default]
    Individual,
}

/// The `type` of a company.
#[derive(Debug, Clone, Copy, Default, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompanyType {
    /// A legal person.
    #[default]
    Company,
}

/// A natural person as sent.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IndividualForm {
    /// What kind of recipient it is.
    #[serde(rename = "type")]
    pub kind: IndividualType,
    /// Full name.
    #[schema(
        min_length = 1,
        max_length = 500,
        pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$",
        examples("Jane Roe")
    )]
    pub name: String,
    /// How the person is identified.
    pub identity_document: Option<IdentityForm>,
    /// Where the person lives.
    pub address: Option<AddressForm>,
    /// Where to write.
    #[schema(max_length = 500)]
    pub email: Option<String>,
    /// What the tax system wants to know of the recipient besides.
    #[schema(schema_with = extras::schema, required = false)]
    pub ext: Option<ExtForm>,
}

/// A legal person as sent.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompanyForm {
    /// What kind of recipient it is.
    #[serde(rename = "type")]
    pub kind: CompanyType,
    /// Registered name.
    #[schema(
        min_length = 1,
        max_length = 500,
        pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$",
        examples("Casa Azul S.L.")
    )]
    pub name: String,
    /// Tax identifier.
    #[schema(max_length = 500, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$", examples("B98602642"))]
    pub tax_number: Option<String>,
    /// ISO 3166-1 alpha-2; Spanish when `ES`.
    #[schema(pattern = "^[A-Z]{2}$", examples("ES"))]
    pub country: Option<String>,
    /// Where it is registered.
    pub address: Option<AddressForm>,
    /// Where to write.
    #[schema(max_length = 500)]
    pub email: Option<String>,
    /// What the tax system wants to know of the recipient besides.
    #[schema(schema_with = extras::schema, required = false)]
    pub ext: Option<ExtForm>,
}

impl From<IndividualForm> for RecipientForm {
    fn from(form: IndividualForm) -> Self {
        let IndividualForm { kind: IndividualType::Individual, name, identity_document, address, email, ext } =
            form;
        let kind = Some("individual".to_owned());
        Self { kind, name: Some(name), identity_document, address, email, ext, ..Self::default() }
    }
}

impl From<CompanyForm> for RecipientForm {
    fn from(form: CompanyForm) -> Self {
        let CompanyForm { kind: CompanyType::Company, name, tax_number, country, address, email, ext } = form;
        let kind = Some("company".to_owned());
        Self { kind, name: Some(name), tax_number, country, address, email, ext, ..Self::default() }
    }
}

impl PartialSchema for RecipientForm {
    fn schema() -> RefOr<Schema> {
        let [individual, company] = [IndividualForm::name(), CompanyForm::name()].map(Ref::from_schema_name);
        let kinds = [("individual", &individual), ("company", &company)];
        let mapping = kinds.map(|(kind, schema)| (kind, schema.ref_location.clone()));
        OneOfBuilder::new()
            .discriminator(Some(Discriminator::with_mapping("type", mapping)))
            .item(individual)
            .item(company)
            .into()
    }
}

impl ToSchema for RecipientForm {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((IndividualForm::name().into_owned(), IndividualForm::schema()));
        schemas.push((CompanyForm::name().into_owned(), CompanyForm::schema()));
        IndividualForm::schemas(schemas);
        CompanyForm::schemas(schemas);
    }
}
