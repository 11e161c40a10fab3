alter table games drop column header, drop column closing;
