-- Every list finds its rows by an index that begins with what the request names and goes on in the order of the list;
-- the lists of clients that see all workspaces begin with the order. Which index answers which list is in the code of storage.
CREATE INDEX invoice_page_of_all ON invoice (created_at, id);
CREATE INDEX invoice_status ON invoice (status, created_at, id);
CREATE INDEX invoice_status_of_workspace ON invoice (workspace_id, status, created_at, id);
CREATE INDEX invoice_numbered ON invoice (number) WHERE number IS NOT NULL;
CREATE INDEX invoice_changes_of_all ON invoice (updated_at);

DROP INDEX submission_alerts;
DROP INDEX submission_page;
CREATE INDEX submission_page ON submission (workspace_id, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_page_of_all ON submission ((alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_stage ON submission (stage, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_stage_of_workspace ON submission (workspace_id, stage, (alert_code IS NULL), updated_at DESC, document_id);
CREATE INDEX submission_alerted ON submission (updated_at DESC, document_id) WHERE alert_code IS NOT NULL;
CREATE INDEX submission_alerted_of_workspace ON submission (workspace_id, updated_at DESC, document_id) WHERE alert_code IS NOT NULL;

CREATE INDEX event_of_workspace ON event (workspace_id, position);

CREATE INDEX unit_status ON unit (status, created_at, id);
CREATE INDEX unit_status_of_workspace ON unit (workspace_id, status, created_at, id);
CREATE INDEX product_group_state ON product_group (state, created_at, id);
CREATE INDEX product_group_state_of_workspace ON product_group (workspace_id, state, created_at, id);
CREATE INDEX product_group_reference ON product_group (internal_reference);
CREATE INDEX task_unit ON task (unit_id, created_at, id) WHERE unit_id IS NOT NULL;
CREATE INDEX account_status ON account (status, created_at, id);
CREATE INDEX webhook_delivery_state ON webhook_delivery (endpoint_id, state, created_at, id);
