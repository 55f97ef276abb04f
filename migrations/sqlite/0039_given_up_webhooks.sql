-- The webhooks that were given up are found without reading all others: 'gateway doctor' names them.
CREATE INDEX webhook_endpoint_given_up ON webhook_endpoint (disabled_at, id) WHERE disabled IN ('failing', 'gone');
