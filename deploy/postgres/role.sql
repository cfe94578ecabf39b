-- The login of a service, for a superuser to run with psql. The variable DATABASE_PASSWORD has its password.
\getenv password DATABASE_PASSWORD
CREATE ROLE mgmt LOGIN CREATEDB CREATEROLE PASSWORD :'password';
GRANT pg_signal_backend TO mgmt;

-- So that holders of connection strings cannot connect to other databases, and mgmt can create that of the records.
REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;
GRANT CONNECT ON DATABASE postgres TO mgmt;

DO $$
BEGIN
  IF current_setting('server_version_num')::integer >= 150000 THEN
    EXECUTE 'GRANT SET ON PARAMETER log_min_messages TO mgmt';
  END IF;
  -- Works together with reserved_connections = 30.
  IF current_setting('server_version_num')::integer >= 160000 THEN
    EXECUTE 'GRANT pg_use_reserved_connections TO mgmt';
  END IF;
END
$$;
