/**
 * The statements that keep the owner of a database from adding languages such as `plperl` and `pltcl`, although Postgres trusts them: a
 * loop in one of their functions does not stop when the session is terminated. As a member of the extension `plpgsql`, which every database
 * has, the event trigger is in no dump.
 */
export const languageRestrictions: readonly string[] = [
  `create function pg_catalog.mgmt_check_languages() returns event_trigger
    language plpgsql set search_path = pg_catalog, pg_temp
    as $$ declare language pg_catalog.name; begin
      for language in select l.lanname from pg_catalog.pg_language l
        where l.lanname not in ('internal', 'c', 'sql', 'plpgsql')
      loop
        raise exception 'the language % is not available', language using errcode = 'feature_not_supported',
          hint = 'Postgres cannot interrupt its functions. Write functions in plpgsql or sql.';
      end loop;
    end $$`,
  `create event trigger mgmt_check_languages on ddl_command_end
    when tag in ('CREATE EXTENSION', 'CREATE LANGUAGE') execute function pg_catalog.mgmt_check_languages()`,
  "alter extension plpgsql add event trigger mgmt_check_languages",
];
