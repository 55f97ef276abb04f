//! What happens to the platform's own data, in the words of the event log.

gateway_domain::words! {
    /// What happened to the platform's own data: the CloudEvents types of the source `/platform`.
    PlatformEvent {
        /// A product group was made, edited, switched on or off.
        ProductGroupChanged = "ProductGroupChanged",
        /// A booking was made or edited.
        BookingChanged = "BookingChanged",
        /// A task was made or edited.
        TaskChanged = "TaskChanged",
        /// What is known about the guest of a booking was made or edited.
        GuestVerificationChanged = "GuestVerificationChanged",
        /// A unit was made or edited, or something that it shows: its building, its type, an amenity.
        UnitChanged = "UnitChanged",
        /// A rate plan or its tariffs were made or edited.
        RatePlanChanged = "RatePlanChanged",
        /// Bookings took or gave back nights of a unit.
        AvailabilityChanged = "AvailabilityChanged",
        /// A user was made or edited, or one of their teams, or they lost their roles in a workspace.
        UserChanged = "UserChanged",
        /// A message was written.
        MessageCreated = "MessageCreated",
    }
}

gateway_domain::words! {
    /// How something changed.
    How {
        /// It was not there before.
        Created = "created",
        /// It was there with another content.
        Updated = "updated",
        /// It is not there any more.
        Removed = "removed",
    }
}

impl How {
    /// By what was there before.
    pub const fn after<T>(before: Option<&T>) -> Self {
        match before {
            None => Self::Created,
            Some(_) => Self::Updated,
        }
    }
}
