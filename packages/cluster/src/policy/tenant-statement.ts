import { escapeIdentifier, escapeLiteral } from "pg";
import { sessionFunctions } from "./session-functions.js";
import { languageRestrictions } from "./language-restrictions.js";

/**
 * A statement that the platform runs in a database of a tenant, who may have created functions, operators, types, and views there with any
 * name. Therefore every name in it is qualified, and results of such a database are never built into a statement by the program: Postgres
 * itself quotes them, in the statement that reads them. All such statements are built in this file; a test checks what they contain.
 *
 * See https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-PATTERNS
 */
export class TenantStatement {
  constructor(readonly text: string) {}
}

const selectOids = (roles: readonly string[]): string =>
  `select r.oid from pg_catalog.pg_roles r where r.rolname in (${roles.map(escapeLiteral).join(", ")})`;

/** Builds every statement that runs in a database of a tenant. */
export const tenantStatements = {
  /** Starts a session, which makes Postgres cache the catalogs, and does nothing. */
  noOp: () => new TenantStatement("select"),
  /**
   * Fails with `program_limit_exceeded` when reassigning everything that roles own in the database takes more than this number of locks:
   * one for each relation and each policy.
   */
  limitLocks: (roles: readonly string[], maxLocks: number) =>
    new TenantStatement(
      `do ${escapeLiteral(`begin
      if pg_catalog.int8gt(pg_catalog.int8pl(
        (select pg_catalog.count(c.oid) from pg_catalog.pg_class c where c.relowner in (${selectOids(roles)})),
        (select pg_catalog.count(d.objid) from pg_catalog.pg_shdepend d
          where d.deptype in ('r') and d.refobjid in (${selectOids(roles)}) and d.dbid in (
            select b.oid from pg_catalog.pg_database b where b.datname in (pg_catalog.current_database())))
      ), ${String(maxLocks)}) then raise program_limit_exceeded; end if;
    end`)}`,
    ),
  reassignOwned: (role: string, owner: string) =>
    new TenantStatement(`reassign owned by ${escapeIdentifier(role)} to ${escapeIdentifier(owner)}`),
  /**
   * Transfers tables, views, and sequences of roles to `owner`, and commits after every `batchSize` of them, so that it takes few locks.
   * Refers to them by name, so no one else may be able to connect to the database.
   */
  transferRelations: (roles: readonly string[], owner: string, batchSize: number) =>
    new TenantStatement(
      `do ${escapeLiteral(`declare relation record; begin
      loop
        for relation in select n.nspname, c.relname
          from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid in (c.relnamespace)
          where c.relowner in (${selectOids(roles)}) and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
            and not exists (select from pg_catalog.pg_depend d where d.objid in (c.oid) and d.deptype in ('a', 'i')
              and d.classid in (select t.oid from pg_catalog.pg_class t where t.relname in ('pg_class')
                and t.relnamespace in (select s.oid from pg_catalog.pg_namespace s where s.nspname in ('pg_catalog'))))
          limit ${String(batchSize)}
        loop
          execute pg_catalog.format(
            'alter table %I.%I owner to %I', relation.nspname, relation.relname, ${escapeLiteral(owner)});
        end loop;
        exit when not found;
        commit;
      end loop;
    end`)}`,
    ),
  dropOwned: (role: string) => new TenantStatement(`drop owned by ${escapeIdentifier(role)}`),
  transferDatabase: (database: string, owner: string) =>
    new TenantStatement(`alter database ${escapeIdentifier(database)} owner to ${escapeIdentifier(owner)}`),
  grantCreate: (database: string, role: string) =>
    new TenantStatement(
      `grant create on database ${escapeIdentifier(database)} to ${escapeIdentifier(role)}`,
    ),
  /** Lets a role create objects in all schemas of roles whose privileges the platform has. */
  grantCreateInSchemas: (role: string) =>
    new TenantStatement(
      `do ${escapeLiteral(`declare schema pg_catalog.name; begin
      for schema in select n.nspname from pg_catalog.pg_namespace n
        where not pg_catalog.has_schema_privilege(${escapeLiteral(role)}, n.oid, 'create')
          and pg_catalog.pg_has_role(n.nspowner, 'usage')
      loop execute pg_catalog.format('grant create on schema %I to %I', schema, ${escapeLiteral(role)}); end loop;
    end`)}`,
    ),
  /** Run them before the first tenant can connect. */
  createSessionFunctions: () => sessionFunctions.map((text) => new TenantStatement(text)),
  /** Lets the owner of the database own the schema `public`, as Postgres does since version 15. */
  transferPublicSchema: () => new TenantStatement("alter schema public owner to pg_database_owner"),
  /** Run them before the first tenant can connect. */
  restrictLanguages: () => languageRestrictions.map((text) => new TenantStatement(text)),
} as const;
