-- A game that came as a bundle from elsewhere: read-only, nobody's, and exported again as it came.
-- `header` and `closing` are the bundle's first and last lines, byte for byte.
-- depends: 0001.the-stream

alter table games
    add column header text,
    add column closing text,
    add constraint imported_whole check ((header is null) = (closing is null));
