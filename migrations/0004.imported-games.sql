-- A game that came as a bundle from elsewhere: read-only, nobody's, and exported again as it came.
-- `header` and `closing` are the bundle's first and last lines; both are null for a game that was played here.
-- depends: 0001.the-stream

set local lock_timeout = '5s';
set local statement_timeout = '10s';

alter table games add column header text, add column closing text;
