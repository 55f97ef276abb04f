-- What documents are searched for besides: the confirmation code of the booking that they bill. The indexes of numbers give the
-- beginning of a number too.
CREATE INDEX booking_confirmation_code ON booking (confirmation_code);
