-- The roles and the database of a deployment, made once by a superuser: psql -f roles.sql
-- Then give the two that log in a password each: \password slowlight_owner, \password slowlight_app

-- What the service may do. It owns nothing: it can add events, and neither change nor remove one.
create role slowlight_service nologin;

-- Owns the tables, and is used by `slowlight migrate` alone.
create role slowlight_owner login;

-- Whom the processes log in as; they work as slowlight_service, of which it is a member.
create role slowlight_app login in role slowlight_service;

create database slowlight owner slowlight_owner encoding 'UTF8' template template0;
revoke connect, temporary on database slowlight from public;
grant connect on database slowlight to slowlight_app;
