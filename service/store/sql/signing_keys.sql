-- All public keys there ever were, the newest first, with the time.
select encode(public_key, 'hex'), published_at, retired_at, encode(endorsed_by, 'hex'), encode(endorsement, 'hex'),
    slowlight_now()
from signing_keys order by published_at desc, public_key
