//! Changes of product groups: their inputs, and what they answer.

use super::{ActivationState, ProductGroup, ProductSegment};
use crate::errors::Refusal;
use crate::scalars::{self, IsoDate, parse_id};
use crate::session::{or_null, session};
use async_graphql::{Context, ID, InputObject, MaybeUndefined, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain::ids::{CancelationPolicyId, ProductGroupId};
use gateway_domain_input::Patch;
use gateway_domain_platform::catalog::{self, ProductGroupChange, ProductGroupForm, PublishingChange};

/// When a product group is published, both days included. In an update, a day that is not given stays, and one that is
/// given as null is taken away.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct PublishingInput {
    /// The first day; without one it is never published.
    start_date: MaybeUndefined<IsoDate>,
    /// The last day; without one it does not end.
    end_date: MaybeUndefined<IsoDate>,
}

impl From<PublishingInput> for catalog::Publishing {
    fn from(input: PublishingInput) -> Self {
        let day = |date: MaybeUndefined<IsoDate>| date.take().map(|date| date.0);
        Self { start_date: day(input.start_date), end_date: day(input.end_date) }
    }
}

impl From<PublishingInput> for PublishingChange {
    fn from(input: PublishingInput) -> Self {
        let day = |date: MaybeUndefined<IsoDate>| patch(date.map_value(|date| date.0));
        Self { start_date: day(input.start_date), end_date: day(input.end_date) }
    }
}

/// A product group to be made.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct ProductGroupCreateInput {
    /// How the workspace calls it.
    internal_reference: String,
    /// No booking starts before this day.
    contract_earliest_start_date: IsoDate,
    /// No booking starts after this day.
    contract_latest_start_date: IsoDate,
    /// No booking ends before this day.
    contract_earliest_end_date: IsoDate,
    /// No booking ends after this day.
    contract_latest_end_date: IsoDate,
    /// The workspace it belongs to, its number.
    workspace_id: ID,
    /// The academic year it is for, two consecutive years: `2026/2027`.
    academic_year: String,
    /// Whether the booking expiry timer is enabled.
    allow_booking_expiry_timer: Option<bool>,
    /// Default booking expiry duration, seconds.
    default_expiry_duration_in_seconds: Option<i32>,
    /// The part of the academic year; student product groups only.
    product_segment: Option<ProductSegment>,
    /// The cancelation policy, kept elsewhere.
    cancelation_policy_id: Option<ID>,
    /// Whether a cancelation policy is required; false unless given.
    requires_cancelation_policy: Option<bool>,
    /// External contract template identifier.
    contract_template_external_id: Option<String>,
    /// When it is published.
    publishing: Option<PublishingInput>,
}

const INPUT_MEMBER: &str = "productGroup";

fn policy(id: ID) -> CancelationPolicyId {
    CancelationPolicyId(id.0)
}

impl ProductGroupCreateInput {
    fn form(self) -> Result<ProductGroupForm, Refusal> {
        Ok(ProductGroupForm {
            workspace_id: scalars::parse_workspace_id(&self.workspace_id, "productGroup.workspaceId")?,
            internal_reference: self.internal_reference,
            contract_earliest_start_date: self.contract_earliest_start_date.0,
            contract_latest_start_date: self.contract_latest_start_date.0,
            contract_earliest_end_date: self.contract_earliest_end_date.0,
            contract_latest_end_date: self.contract_latest_end_date.0,
            academic_year: Some(self.academic_year),
            product_segment: self.product_segment.map(Into::into),
            state: None,
            publishing: self.publishing.map(Into::into),
            default_expiry_duration_in_seconds: self.default_expiry_duration_in_seconds,
            allow_booking_expiry_timer: self.allow_booking_expiry_timer,
            requires_cancelation_policy: self.requires_cancelation_policy,
            cancelation_policy_id: self.cancelation_policy_id.map(policy),
            contract_template_external_id: self.contract_template_external_id,
        })
    }
}

/// What to make.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct CreateProductGroupMutationInput {
    /// The product group.
    product_group: ProductGroupCreateInput,
}

/// What to change of a product group. What is not given stays; what is given as null is taken away, where it may be
/// absent.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct ProductGroupUpdateInput {
    /// How the workspace calls it.
    internal_reference: Option<String>,
    /// The cancelation policy, kept elsewhere.
    cancelation_policy_id: MaybeUndefined<ID>,
    /// Whether a cancelation policy is required.
    requires_cancelation_policy: Option<bool>,
    /// Whether the booking expiry timer is enabled.
    allow_booking_expiry_timer: MaybeUndefined<bool>,
    /// Default booking expiry duration, seconds.
    default_expiry_duration_in_seconds: MaybeUndefined<i32>,
    /// The part of the academic year; student product groups only.
    product_segment: MaybeUndefined<ProductSegment>,
    /// External contract template identifier.
    contract_template_external_id: MaybeUndefined<String>,
    /// When it is published.
    publishing: MaybeUndefined<PublishingInput>,
}

fn patch<T>(value: MaybeUndefined<T>) -> Patch<T> {
    match value {
        MaybeUndefined::Undefined => Patch::Keep,
        MaybeUndefined::Null => Patch::Clear,
        MaybeUndefined::Value(value) => Patch::Set(value),
    }
}

impl ProductGroupUpdateInput {
    fn change(self) -> ProductGroupChange {
        ProductGroupChange {
            internal_reference: self.internal_reference,
            cancelation_policy_id: patch(self.cancelation_policy_id.map_value(policy)),
            requires_cancelation_policy: self.requires_cancelation_policy,
            allow_booking_expiry_timer: patch(self.allow_booking_expiry_timer),
            default_expiry_duration_in_seconds: patch(self.default_expiry_duration_in_seconds),
            product_segment: patch(self.product_segment.map_value(Into::into)),
            contract_template_external_id: patch(self.contract_template_external_id),
            publishing: patch(self.publishing.map_value(Into::into)),
        }
    }
}

/// Which product group to change, and what of it.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct UpdateProductGroupMutationInput {
    /// Which one.
    product_group_id: ID,
    /// What of it.
    product_group: ProductGroupUpdateInput,
}

/// Which product groups to move to which state: all of them or none.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct UpdateProductGroupsStateMutationInput {
    /// Which ones; at most 100.
    product_group_ids: Vec<ID>,
    /// The state they shall have.
    state: ActivationState,
}

/// What became of a change of states.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct UpdateProductGroupsStatePayload {
    /// How many product groups were listed; all of them have the state now.
    updated_count: i32,
    /// Which ones.
    product_group_ids: Vec<ID>,
}

/// Changes of the catalog.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CatalogMutation;

/// Changes of the catalog.
#[Object]
impl CatalogMutation {
    /// Changes of product groups.
    async fn product_group(&self) -> ProductGroupMutation {
        ProductGroupMutation
    }
}

/// Changes of product groups.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProductGroupMutation;

/// Changes of product groups. All need the permission catalog.write.
#[Object]
impl ProductGroupMutation {
    /// Makes a product group, which is INACTIVE at first.
    async fn create(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What to make.")] input: CreateProductGroupMutationInput,
    ) -> Option<ProductGroup> {
        let session = session(ctx);
        let made = async {
            let form = input.product_group.form()?;
            let made = session.services.platform.catalog.create_product_group(&session.acting, form).await;
            Ok(ProductGroup(made.map_err(|error| Refusal::change(INPUT_MEMBER, error))?))
        };
        or_null(ctx, session.change(Permission::CatalogWrite, made).await)
    }

    /// Changes a product group.
    async fn update(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one, and what of it.")] input: UpdateProductGroupMutationInput,
    ) -> Option<ProductGroup> {
        let session = session(ctx);
        let updated = async {
            let id: ProductGroupId = parse_id(&input.product_group_id)
                .ok_or_else(|| Refusal::unknown("productGroupId", [&input.product_group_id]))?;
            let change = input.product_group.change();
            let updated =
                session.services.platform.catalog.update_product_group(&session.acting, id, &change).await;
            Ok(ProductGroup(updated.map_err(|error| Refusal::change(INPUT_MEMBER, error))?))
        };
        or_null(ctx, session.change(Permission::CatalogWrite, updated).await)
    }

    /// Moves product groups to a state, all of them or none.
    async fn update_state(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones, and to which state.")] input: UpdateProductGroupsStateMutationInput,
    ) -> Option<UpdateProductGroupsStatePayload> {
        let session = session(ctx);
        let moved = async {
            let unknown: Vec<&ID> = input
                .product_group_ids
                .iter()
                .filter(|id| parse_id::<ProductGroupId>(id).is_none())
                .collect();
            if !unknown.is_empty() {
                return Err(Refusal::unknown("productGroupIds", unknown));
            }
            let ids: Vec<ProductGroupId> = input.product_group_ids.iter().filter_map(parse_id).collect();
            let services = &session.services;
            let moved = services
                .platform
                .catalog
                .set_product_groups_state(&session.acting, &ids, input.state.into())
                .await;
            let moved = moved.map_err(|error| Refusal::change("", error))?;
            Ok(UpdateProductGroupsStatePayload {
                updated_count: i32::try_from(moved.len()).unwrap_or(i32::MAX),
                product_group_ids: moved.into_iter().map(|id| id.to_string().into()).collect(),
            })
        };
        or_null(ctx, session.change(Permission::CatalogWrite, moved).await)
    }
}
