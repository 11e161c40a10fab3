alter table games drop constraint imported_whole, drop column header, drop column closing;
