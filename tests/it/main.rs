//! One module per surface or flow.
//!
//! What others tell of their systems in public, and the test that it does not happen here:
//!
//! | what happened | test |
//! |---|---|
//! | a batch failed with 500 although everything was accepted, and finished late | `reconciliation::a_document_whose_job_failed_and_finished_late_is_settled` |
//! | the record was kept, and then came 500 | `sent_document::calls_that_were_carried_out_but_answered_with_a_failure_make_one_record_and_one_verdict` |
//! | a duplicate whose content was another sale's | `resubmission::a_duplicate_that_cannot_be_compared_is_no_rejection`, `reconciliation::a_document_that_waits_is_settled_by_an_exact_match_and_by_nothing_else` |
//! | a fresh installation began at 1 with live credentials | `reconciliation::a_fresh_installation_with_live_credentials_does_not_begin_at_one_again` |
//! | one document of a batch could not be built, and none went | `plugin_breaker::one_document_of_a_batch_that_cannot_be_built_keeps_no_other_from_being_issued` |
//! | 867 answers for one invoice | `provider_webhook::hundreds_of_notifications_about_one_invoice_are_one_verdict_and_few_calls` |
//! | two weeks of waiting without a line in the log | `clock_steps::two_weeks_of_waiting_are_in_the_log_again_and_again` |
//! | cancelled here and accepted there, noticed a month later | `reconciliation::a_document_rejected_here_and_accepted_there_is_noticed_a_month_later`, `reconciliation::a_cancellation_there_is_noticed_by_the_next_run_however_late` |
//! | records whose time was outside the authority's 240 s | `clock_steps::a_clock_that_makes_records_five_minutes_off_is_told_beside_what_the_authority_objects_to` |
//! | success, of a document that the authority never showed | `authority_listing::what_the_stand_in_accepted_is_compared_with_what_it_lists`, `provider_failures::a_success_without_proof_is_no_verdict`, `sent_document::a_verdict_on_an_entry_that_holds_another_document_is_not_applied` |
//! | the check of a tax number was away at the moment of issue | `recipient_check::a_register_that_does_not_answer_keeps_nobody_from_issuing` |
//! | the server of the queue restarted under the workers | `database_trouble::a_database_server_that_restarts_is_met_again_and_what_was_on_its_way_ends_once` |
//! | one entity that could not be resolved made the whole federated answer null | `graphql::execution::each_entity_key_is_answered_on_its_own_and_its_refusal_points_at_it` |

#![cfg(test)]

mod amendment;
mod annotations;
mod authentication;
mod authority_listing;
mod authority_message;
mod bad_input;
mod browsers;
mod chaos;
mod cli;
mod clock_steps;
mod coming_rules;
mod command_time;
mod connections;
mod console;
mod crash_recovery;
mod database_trouble;
mod deadlines;
mod demo;
mod document_appearance;
mod document_export;
mod document_lists;
mod documents;
mod drop_folder;
mod error_wording;
mod events;
mod fault_drill;
mod finance;
mod full_disk;
mod graphql;
mod guides;
mod idempotency;
mod imported_documents;
mod invoice_commands;
mod invoice_numbers;
mod invoicing_rpc;
mod issued_chain;
mod issuing_lock;
mod jwt;
mod key_rotation;
mod legacy;
mod listen_addresses;
mod lost_files;
mod notices;
mod observability;
mod operations;
mod participant_check;
mod pdf;
mod person_erasure;
mod platform;
mod plugin_breaker;
mod plugin_canary;
mod plugin_failure_messages;
mod plugin_schedule;
mod plugin_test_command;
mod plugin_version_notices;
mod plugins;
mod provider_failures;
mod provider_webhook;
mod recipient_check;
mod recipient_identity;
mod reconciliation;
mod reconciliation_nights;
mod recovery;
mod reload;
mod remote;
mod renderers;
mod resubmission;
mod retention;
mod rolling_upgrade;
mod sandbox;
mod secrets;
mod sent_document;
mod submission_calls;
mod tax_systems;
mod tls;
mod tokens;
mod totals;
mod traces;
mod untrusted_provider;
mod verdicts_by_hand;
mod webhooks;
mod workflow_steps;
mod workspace_setup;
