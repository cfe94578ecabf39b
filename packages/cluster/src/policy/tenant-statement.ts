import { escapeIdentifier, escapeLiteral } from "pg";
import { sessionFunctions } from "./session-functions.js";
import { withheldLanguages } from "./withheld-languages.js";

/**
 * A statement that the platform runs in a database of a tenant, who may have made functions, operators, types, and views there with any
 * name. So every name in it is qualified, and the answer of such a database becomes part of no statement of the program: it is quoted by
 * Postgres itself, in the statement that reads it. All such statements are made in this file; a test checks what they contain.
 *
 * See https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-PATTERNS
 */
export class TenantStatement {
  constructor(readonly text: string) {}
}

/** Builds every statement that runs in a database of a tenant. */
export const tenantStatements = {
  /** Starts a session, which makes Postgres cache the catalogs, and does nothing. */
  nothing: () => new TenantStatement("select"),
  limitLockWait: () => new TenantStatement("set local lock_timeout = '5s'"),
  reassignOwned: (role: string, owner: string) =>
    new TenantStatement(`reassign owned by ${escapeIdentifier(role)} to ${escapeIdentifier(owner)}`),
  dropOwned: (role: string) => new TenantStatement(`drop owned by ${escapeIdentifier(role)}`),
  giveDatabase: (database: string, owner: string) =>
    new TenantStatement(`alter database ${escapeIdentifier(database)} owner to ${escapeIdentifier(owner)}`),
  allowCreation: (database: string, role: string) =>
    new TenantStatement(
      `grant create on database ${escapeIdentifier(database)} to ${escapeIdentifier(role)}`,
    ),
  /** Lets a role create objects in all schemas of roles whose privileges the platform has. */
  allowCreationInSchemas: (role: string) =>
    new TenantStatement(
      `do ${escapeLiteral(`declare schema pg_catalog.name; begin
      for schema in select n.nspname from pg_catalog.pg_namespace n
        where not pg_catalog.has_schema_privilege(${escapeLiteral(role)}, n.oid, 'create')
          and pg_catalog.pg_has_role(n.nspowner, 'usage')
      loop execute pg_catalog.format('grant create on schema %I to %I', schema, ${escapeLiteral(role)}); end loop;
    end`)}`,
    ),
  /** Before the first tenant can connect. */
  createSessionFunctions: () => sessionFunctions.map((text) => new TenantStatement(text)),
} as const;
  /** Before the first tenant can connect. */
  withholdLanguages: () => withheldLanguages.map((text) => new TenantStatement(text)),
