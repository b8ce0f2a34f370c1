#!/bin/sh
# Run once, by the database's image, over an empty database.
set -eu
psql --username postgres --set=password="$DATABASE_PASSWORD" <<'SQL'
-- No superuser: row-level security holds for it.
CREATE ROLE memoria LOGIN PASSWORD :'password' NOSUPERUSER NOBYPASSRLS;
CREATE DATABASE memoria OWNER memoria ENCODING 'UTF8' TEMPLATE template0;
\connect memoria
CREATE EXTENSION vector;
SQL
