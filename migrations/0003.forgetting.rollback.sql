revoke update (sender_id, key) on submissions from slowlight_service;
revoke update (host_id) on games from slowlight_service;
revoke delete on players from slowlight_service;
drop table leaving;
