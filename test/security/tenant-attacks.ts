/** An attack by the holder of a connection string of a database. */
export interface Attack {
  readonly title: string;
  /**
   * Statements of the owner of the database. `{database}` and `{user}` are the names of the database with its owner and of the login;
   * `{victim}` and `{victimUser}` are those of another tenant.
   */
  readonly steps: readonly string[];
  /** What holds it. */
  readonly heldBy: string;
}

/** An attack whose last statement Postgres refuses to the tenant. The control: it lets a superuser run all of them. */
export interface RejectedAttack extends Attack {
  /** The SQLSTATE. */
  readonly code: string;
  /** What a superuser runs instead in the control, where the statements cannot run in a transaction that is rolled back. */
  readonly control?: readonly string[];
}

/**
 * An attack that waits until the platform touches something. The statements call `record` in all that they prepare, which stores who has
 * called it. The control: what a superuser calls who runs these statements is recorded.
 */
export interface TrapAttack extends Attack {
  /** What springs the trap. */
  readonly control: readonly string[];
}

const noPrivilege = "42501";

export const rejectedAttacks: readonly RejectedAttack[] = [
  {
    title: "makes itself a superuser",
    steps: ["set role none", 'alter role "{user}" superuser'],
    code: noPrivilege,
    heldBy: "Only a superuser makes one.",
  },
  {
    title: "becomes the superuser by SET ROLE",
    steps: ["set role postgres"],
    code: noPrivilege,
    heldBy: "Its login is a member of its owner role only.",
  },
  {
    title: "becomes the superuser by SET SESSION AUTHORIZATION",
    steps: ["set session authorization postgres"],
    code: noPrivilege,
    heldBy: "Only a superuser changes the user of its session.",
  },
  {
    title: "grants itself the role of the platform",
    steps: ["set role none", 'grant "mgmt.platform" to "{user}"'],
    code: noPrivilege,
    heldBy: "Nobody has the admin option of the role.",
  },
  {
    title: "grants its owner role to another tenant, whose login the platform would count as its own",
    steps: ['grant "{database}" to "{victimUser}"'],
    code: noPrivilege,
    heldBy: "The login is a member without the admin option.",
  },
  {
    title: "creates a role",
    steps: ["create role attacker"],
    code: noPrivilege,
    heldBy: "No role of a tenant has CREATEROLE.",
  },
  {
    title: "changes the password of another tenant",
    steps: ["alter role \"{victimUser}\" password 'mine'"],
    code: noPrivilege,
    heldBy: "No role of a tenant has CREATEROLE.",
  },
  {
    title: "marks its role as one of the platform",
    steps: ["set role none", "comment on role \"{user}\" is 'mgmt'"],
    code: noPrivilege,
    heldBy: "A comment on a role needs CREATEROLE.",
  },
  {
    title: "lifts the limit of its connections",
    steps: ["set role none", 'alter role "{user}" connection limit -1'],
    code: noPrivilege,
    heldBy: "A role cannot change its own limit.",
  },
  {
    title: "creates a database",
    steps: ["create database attack"],
    code: noPrivilege,
    control: ["create database attack template template0", "drop database attack"],
    heldBy: "No role of a tenant has CREATEDB.",
  },
  {
    title: "gives its database the name of a prepared one, which the platform gives to others",
    steps: ['alter database "{database}" rename to "spare.attack"'],
    code: noPrivilege,
    control: ['alter database "{victim}" rename to renamed', 'alter database renamed rename to "{victim}"'],
    heldBy: "Renaming a database needs CREATEDB.",
  },
  {
    title: "gives its database to the platform",
    steps: ['alter database "{database}" owner to "mgmt.platform"'],
    code: noPrivilege,
    heldBy: "A new owner has to be a role that the session can become.",
  },
  {
    title: "drops what the platform owns",
    steps: ['drop owned by "mgmt.platform"'],
    code: noPrivilege,
    heldBy: "DROP OWNED needs the privileges of the role.",
  },
  {
    title: "takes what the platform owns",
    steps: ['reassign owned by "mgmt.platform" to current_user'],
    code: noPrivilege,
    heldBy: "REASSIGN OWNED needs the privileges of both roles.",
  },
  {
    title: "makes an event trigger, which statements of the platform would fire",
    steps: [
      "create function public.fire() returns event_trigger language plpgsql as 'begin end'",
      "create event trigger attack on ddl_command_start execute function public.fire()",
    ],
    code: noPrivilege,
    heldBy: "Only a superuser makes an event trigger.",
  },
  {
    title: "replaces a function of the platform",
    steps: [
      "create or replace function pg_catalog.mgmt_end_session(pid integer) returns boolean language sql as 'select true'",
    ],
    code: noPrivilege,
    heldBy: "The functions belong to the superuser.",
  },
  {
    title: "makes a function in pg_catalog, which no search path leaves out",
    steps: [
      "create function pg_catalog.format(text, name, name) returns text language sql as 'select null::text'",
    ],
    code: noPrivilege,
    heldBy: "Nobody but the superuser may create in pg_catalog.",
  },
  {
    title: "makes a cast between types that the platform compares",
    steps: [
      "create function public.as_name(integer) returns name language sql as 'select null::name'",
      "create cast (integer as name) with function public.as_name(integer) as implicit",
    ],
    code: noPrivilege,
    heldBy: "A cast needs the ownership of one of its types.",
  },
  {
    title: "makes an operator class, which an index of any table would use",
    steps: [
      "create operator class public.attack for type integer using btree as function 1 btint4cmp(integer, integer)",
    ],
    code: noPrivilege,
    heldBy: "Only a superuser makes an operator class.",
  },
  {
    title: "makes a function of machine code",
    steps: ["create function public.attack() returns void language c as '/tmp/attack', 'attack'"],
    code: noPrivilege,
    control: [
      "create function pg_temp.attack() returns integer language c as '$libdir/plpgsql', 'plpgsql_call_handler'",
    ],
    heldBy: "The language c is not trusted.",
  },
  {
    title: "makes a function of a name inside the program",
    steps: ["create function public.attack() returns text language internal as 'current_user'"],
    code: noPrivilege,
    heldBy: "The language internal is not trusted.",
  },
  {
    title: "loads a library",
    steps: ["load '$libdir/plpgsql'"],
    code: noPrivilege,
    heldBy: "Others than a superuser load from the folder plugins only.",
  },
  {
    title: "makes each session in its database load a library",
    steps: ["alter database \"{database}\" set session_preload_libraries = 'plpgsql'"],
    code: noPrivilege,
    heldBy: "Only a superuser stores this setting, and sessions of the platform override it.",
  },
  {
    title: "turns triggers and rules off",
    steps: ["set session_replication_role = replica"],
    code: noPrivilege,
    heldBy: "Only a superuser sets it.",
  },
  {
    title: "changes the settings of the server",
    steps: ["alter system set work_mem = '5MB'"],
    code: noPrivilege,
    control: ["alter system set work_mem = '5MB'", "alter system reset work_mem"],
    heldBy: "Only a superuser changes the settings of the server.",
  },
  {
    title: "runs a program",
    steps: ["create table public.output (line text)", "copy public.output from program 'id'"],
    code: noPrivilege,
    heldBy: "COPY with a program needs pg_execute_server_program.",
  },
  {
    title: "reads a file of the server",
    steps: ["select pg_read_file('postgresql.conf')"],
    code: noPrivilege,
    heldBy: "The function is revoked from everybody.",
  },
  {
    title: "writes a file of the server by a large object",
    steps: ["select lo_create(4711)", "select lo_export(4711, 'attack')"],
    code: noPrivilege,
    control: ["select lo_create(4711)", "select lo_export(4711, 'attack')", "select lo_unlink(4711)"],
    heldBy: "The function is revoked from everybody.",
  },
  {
    title: "reads the passwords",
    steps: ["select rolpassword from pg_authid"],
    code: noPrivilege,
    heldBy: "The catalog is revoked from everybody.",
  },
  {
    title: "locks the roles of all tenants",
    steps: ["begin", "lock table pg_auth_members in share mode"],
    code: noPrivilege,
    heldBy: "Everybody may read the catalog, which allows no lock that a change waits for.",
  },
  {
    title: "changes a catalog",
    steps: ["update pg_catalog.pg_database set datdba = datdba"],
    code: noPrivilege,
    heldBy: "Only a superuser writes to catalogs.",
  },
  {
    title: "adds an extension that reaches other servers",
    steps: ["create foreign data wrapper attack"],
    code: noPrivilege,
    heldBy: "Only a superuser makes a foreign data wrapper.",
  },
  {
    title: "publishes all tables, which needs a superuser as the owner of the publication",
    steps: ["create publication attack for all tables"],
    code: noPrivilege,
    heldBy: "Only a superuser publishes all tables.",
  },
  {
    title: "subscribes, which keeps its database from being dropped",
    steps: [
      "create subscription attack connection 'host=127.0.0.1' publication attack with (connect = false, slot_name = none)",
    ],
    code: noPrivilege,
    heldBy: "A subscription needs pg_create_subscription.",
  },
  {
    title: "keeps files of the log with a replication slot",
    steps: ["select pg_create_physical_replication_slot('attack', true)"],
    code: noPrivilege,
    control: [],
    heldBy: "A slot needs REPLICATION.",
  },
  {
    title: "keeps locks without a session by a prepared transaction",
    steps: ["begin", "set local role none", "prepare transaction 'attack'"],
    code: "55000",
    control: [],
    heldBy: "The server has no room for prepared transactions.",
  },
  {
    title: "makes a tablespace",
    steps: ["create tablespace attack location '/tmp'"],
    code: noPrivilege,
    control: [],
    heldBy: "Only a superuser makes a tablespace.",
  },
  {
    title: "ends a session of another tenant",
    steps: ["select pg_terminate_backend(pid) from pg_stat_activity where usename = '{victimUser}'"],
    code: noPrivilege,
    control: [],
    heldBy: "It lacks the privileges of the other role.",
  },
  {
    title: "ends a session of the platform",
    steps: ["select pg_terminate_backend(pid) from pg_stat_activity where usename = 'postgres'"],
    code: noPrivilege,
    control: [],
    heldBy: "Only a superuser ends the sessions of one.",
  },
  {
    title: "removes the event trigger that withholds languages",
    steps: ["alter extension plpgsql drop event trigger mgmt_check_languages"],
    code: noPrivilege,
    control: [],
    heldBy: "The extension belongs to the superuser.",
  },
  {
    title: "removes the language whose functions withhold others",
    steps: ["drop extension plpgsql cascade"],
    code: noPrivilege,
    heldBy: "The extension belongs to the superuser.",
  },
  {
    title: "reads statements of others, which may have secrets",
    steps: [
      "do $$ begin if exists (select from pg_stat_activity where usename = 'postgres' and query <> '<insufficient privilege>') then return; end if; raise insufficient_privilege; end $$",
    ],
    code: noPrivilege,
    heldBy: "Postgres hides the statements of other roles.",
  },
];

export const trapAttacks: readonly TrapAttack[] = [
  {
    title: "has a function in an index",
    steps: [
      "create function public.trap(integer) returns integer immutable language plpgsql as $$ begin perform public.record(); return $1; end $$",
      "create table public.bait (id integer)",
      "insert into public.bait values (1)",
      "create index on public.bait (public.trap(id))",
    ],
    control: ["insert into public.bait values (2)"],
    heldBy: "The platform writes to no table, and copies files.",
  },
  {
    title: "has a function in a check constraint",
    steps: [
      "create function public.trap(integer) returns boolean language plpgsql as $$ begin perform public.record(); return true; end $$",
      "create table public.bait (id integer check (public.trap(id)))",
    ],
    control: ["insert into public.bait values (1)"],
    heldBy: "The platform writes to no table.",
  },
  {
    title: "has a function in a generated column and in a default",
    steps: [
      "create function public.trap(integer) returns integer immutable language plpgsql as $$ begin perform public.record(); return $1; end $$",
      "create table public.bait (id integer, twin integer generated always as (public.trap(id)) stored, other integer default public.trap(1))",
    ],
    control: ["insert into public.bait values (1)"],
    heldBy: "The platform writes to no table.",
  },
  {
    title: "has a function in a domain",
    steps: [
      "create function public.trap(text) returns boolean language plpgsql as $$ begin perform public.record(); return true; end $$",
      "create domain public.name as text check (public.trap(value))",
    ],
    control: ["select 'x'::public.name"],
    heldBy: "Each type in a statement of the platform is qualified.",
  },
  {
    title: "has a rule and a view with the name of a catalog",
    steps: [
      "create function public.trap() returns oid language plpgsql as $$ begin perform public.record(); return 10; end $$",
      "create view public.pg_class as select public.trap() as oid, public.trap() as relowner",
      "create table public.bait (id integer)",
      "create rule attack as on delete to public.bait do also select public.trap()",
    ],
    control: ["delete from public.bait", "select * from public.pg_class"],
    heldBy: "Each relation in a statement of the platform is qualified.",
  },
  {
    title: "has triggers on its tables",
    steps: [
      "create function public.trap() returns trigger language plpgsql as $$ begin perform public.record(); return null; end $$",
      "create table public.bait (id integer)",
      "create trigger attack after insert or update or delete or truncate on public.bait for each statement execute function public.trap()",
    ],
    control: ["truncate public.bait"],
    heldBy: "The platform changes owners of tables, which fires no trigger.",
  },
  {
    title: "has policies for rows that call functions",
    steps: [
      "create function public.trap() returns boolean language plpgsql as $$ begin perform public.record(); return true; end $$",
      "create table public.bait (id integer)",
      "insert into public.bait values (1)",
      "alter table public.bait enable row level security",
      "alter table public.bait force row level security",
      "create policy attack on public.bait using (public.trap())",
      "create view public.through with (security_barrier) as select * from public.bait where public.trap()",
    ],
    control: ["select * from public.through"],
    heldBy: "The platform reads no table, and sessions of it never apply policies.",
  },
  {
    title: "has partitions whose key is computed",
    steps: [
      "create function public.trap(integer) returns integer immutable language plpgsql as $$ begin perform public.record(); return $1; end $$",
      "create table public.bait (id integer) partition by list (public.trap(id))",
      "create table public.part partition of public.bait default",
    ],
    control: ["insert into public.bait values (1)"],
    heldBy: "The platform writes to no table.",
  },
  {
    title: "has statistics of an expression",
    steps: [
      "create function public.trap(integer) returns integer immutable language plpgsql as $$ begin perform public.record(); return $1; end $$",
      "create table public.bait (id integer)",
      "insert into public.bait select generate_series(1, 10)",
      "create statistics public.attack on (public.trap(id)) from public.bait",
      "create materialized view public.stored as select public.trap(id) from public.bait with no data",
    ],
    control: ["select public.trap(1)"],
    heldBy: "The platform neither analyzes nor refreshes.",
  },
  {
    title: "has functions in its temporary schema with names that the platform calls",
    steps: [
      "create function pg_temp.format(text, name, name) returns text language plpgsql as $$ begin perform public.record(); return 'select'; end $$",
      "create function public.count(oid) returns bigint language plpgsql as $$ begin perform public.record(); return 0; end $$",
    ],
    control: ["select public.count(1::oid)"],
    heldBy: "Each function in a statement of the platform is qualified.",
  },
  {
    title: "has an aggregate and operators of its own types",
    steps: [
      "create type public.name as (text text)",
      "create function public.trap(public.name, public.name) returns boolean language plpgsql as $$ begin perform public.record(); return true; end $$",
      "create operator public.= (leftarg = public.name, rightarg = public.name, function = public.trap)",
      "create function public.as_text(public.name) returns text language plpgsql as $$ begin perform public.record(); return 'postgres'; end $$",
      "create cast (public.name as text) with function public.as_text(public.name) as implicit",
    ],
    control: ["select row('a')::public.name operator(public.=) row('b')::public.name"],
    heldBy: "Statements of the platform use no operators and only types of pg_catalog.",
  },
  {
    title: "gives everybody privileges by default",
    steps: [
      'alter default privileges grant all on tables to public, "mgmt.platform", "{victim}"',
      "alter default privileges grant execute on functions to public",
      'grant all on schema public to "mgmt.platform"',
      "create function public.trap() returns void language plpgsql as $$ begin perform public.record(); end $$",
    ],
    control: ["select public.trap()"],
    heldBy: "The platform makes no object in a database of a tenant.",
  },
  {
    title: "has objects whose names are statements",
    steps: [
      'create schema "x""; select public.record(); --"',
      'create table "x""; select public.record(); --"."\'; select public.record(); --" ("a\n$$; select public.record(); --" integer)',
      'create function "x""; select public.record(); --"."\\\'; select public.record(); --"() returns integer language sql as \'select 1\'',
      "create function public.trap() returns void language plpgsql as $$ begin perform public.record(); end $$",
    ],
    control: ["select public.trap()"],
    heldBy: "Postgres itself quotes the names, in the statement that reads them.",
  },
  {
    title: "has large objects that it grants to others",
    steps: [
      "select lo_create(n) from generate_series(4711, 4720) n",
      'grant all on large object 4711 to "mgmt.platform", "{victim}", "{victimUser}"',
      'create policy attack on public.caught to "{victim}"',
      "create function public.trap() returns void language plpgsql as $$ begin perform public.record(); end $$",
    ],
    control: ["select public.trap()"],
    heldBy: "Roles of a source come from the memberships that the platform made.",
  },
  {
    title: "stores settings that change how statements of the platform are read",
    steps: [
      ...[
        "standard_conforming_strings = off",
        "transform_null_equals = on",
        "quote_all_identifiers = on",
      ].map((setting) => `alter database "{database}" set ${setting}`),
      ...["exit_on_error = on", "row_security = on", "default_transaction_isolation = serializable"].map(
        (setting) => `alter database "{database}" set ${setting}`,
      ),
      'alter database "{database}" set search_path = public, \'x"; select public.record(); --\', pg_catalog',
      "alter database \"{database}\" set role = 'mgmt.platform'",
      "create function public.format(text, name, name) returns text language plpgsql as $$ begin perform public.record(); return 'select'; end $$",
    ],
    control: ["set search_path = public, pg_catalog", "select format('%I %I', 'a'::name, 'b'::name)"],
    heldBy: "Sessions of the platform override these settings, and its statements qualify every name.",
  },
  {
    title: "replaces the conversion of text between client and server",
    steps: [
      "create default conversion public.attack for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8",
      "alter database \"{database}\" set client_encoding = 'LATIN1'",
      "create function public.trap() returns void language plpgsql as $$ begin perform public.record(); end $$",
    ],
    control: ["select public.trap()"],
    heldBy: "Sessions of the platform choose their encoding, and look for conversions in pg_catalog.",
  },
  {
    title: "takes the advisory locks of the platform in its own database",
    steps: [
      "select pg_advisory_lock(hashtextextended('mgmt tenant guard', 0)), pg_advisory_lock(hashtextextended('mgmt presence', 0))",
      "create function public.trap() returns void language plpgsql as $$ begin perform public.record(); end $$",
    ],
    control: ["select public.trap()"],
    heldBy: "Each database has advisory locks of its own.",
  },
  {
    title: "comments on its database as the platform comments on its roles",
    steps: [
      "comment on database \"{database}\" is 'mgmt retired'",
      "create function public.trap() returns void language plpgsql as $$ begin perform public.record(); end $$",
    ],
    control: ["select public.trap()"],
    heldBy: "Marks are comments on roles, which a tenant cannot change.",
  },
];
