-- Rejection strategy B: the corrective draft of a rejected invoice, blocked until that invoice is issued and credited.
CREATE TABLE corrective (
    document_id UUID NOT NULL PRIMARY KEY REFERENCES invoice (id) ON DELETE CASCADE,
    original_id UUID NOT NULL UNIQUE,
    released_at TIMESTAMPTZ
);
