/**
 * The registry: tables in the database `postgres`, in a schema of their own, by which the daemon and the test runners coordinate who uses
 * which template and database. The columns named `owner` have the id of a runner.
 */

/** The role that owns all test databases and their objects. The sessions of runners set this role. */
export const ownerRole = "mgmt_test";

/** The role for databases of failed tests. */
export const retainedRole = "mgmt_test_retained";

/** Channel of the messages of runners to the daemon. */
export const daemonChannel = "mgmt_test";

/** Returns the channel of the messages to one runner. */
export const toRunnerChannel = (runnerId: number): string => `mgmt_test_${String(runnerId)}`;

/** First keys of advisory locks. The second one is the id of a runner, or a hash of the name of a template. */
export const lockKeys = { runner: 8_741_201, template: 8_741_202 } as const;

/** Names of the databases of templates and of their copies begin with these. */
export const databasePrefixes = { template: "mgmt_template_", copy: "test_" } as const;

/** A message to the daemon. */
export interface DaemonMessage {
  /** Template that a runner uses. */
  readonly template?: string;
  /** Whether the runner waits for a copy of the template. */
  readonly waits?: boolean;
}

/** A message to a runner: its ticket, and the copy or why there is none. */
export interface TicketMessage {
  readonly ticket: string;
  readonly database?: string;
  readonly error?: { readonly message: string; readonly isDiskFull: boolean };
}

/** Statements that create the tables and functions, and that the daemon runs on each start. */
export const registryStatements = `
create schema if not exists mgmt_test;
create table if not exists mgmt_test.template (
  id text primary key, database text not null unique, bytes bigint not null, settings text[] not null,
  used_at timestamptz not null default now());
create table if not exists mgmt_test.database (
  name text primary key, template text not null, state text not null, owner integer,
  created_at timestamptz not null default clock_timestamp(), ended_at timestamptz not null default clock_timestamp());
create index if not exists database_state on mgmt_test.database (state, template);
create table if not exists mgmt_test.waiter (
  id bigint generated always as identity primary key, template text not null, owner integer not null, ticket text not null unique);
create table if not exists mgmt_test.owner (id integer primary key, role text not null);
create table if not exists mgmt_test.failure (
  run text not null, template text not null, summary text not null, asked_at timestamptz not null default clock_timestamp(),
  primary key (run, template));

create or replace function mgmt_test.take(template_id text, owner_id integer, ticket_id text) returns text language plpgsql as $$
declare copy text;
begin
  update mgmt_test.database set state = 'used', owner = owner_id where name = (
    select name from mgmt_test.database where template = template_id and state = 'ready'
      order by created_at limit 1 for update skip locked)
    returning name into copy;
  if copy is null then
    insert into mgmt_test.waiter (template, owner, ticket) values (template_id, owner_id, ticket_id);
  end if;
  perform pg_notify('${daemonChannel}', json_build_object('template', template_id, 'waits', copy is null)::text);
  return copy;
end $$;

create or replace function mgmt_test.serve_waiters(template_id text) returns void language plpgsql as $$
declare next_waiter record; copy text;
begin
  loop
    select * into next_waiter from mgmt_test.waiter where template = template_id order by id limit 1 for update skip locked;
    exit when not found;
    update mgmt_test.database set state = 'used', owner = next_waiter.owner where name = (
      select name from mgmt_test.database where template = template_id and state = 'ready'
        order by created_at limit 1 for update skip locked)
      returning name into copy;
    exit when copy is null;
    delete from mgmt_test.waiter where id = next_waiter.id;
    perform pg_notify('mgmt_test_' || next_waiter.owner,
      json_build_object('ticket', next_waiter.ticket, 'database', copy)::text);
  end loop;
end $$;

create or replace function mgmt_test.refuse_waiters(template_id text, reason json) returns void language plpgsql as $$
declare next_waiter record;
begin
  for next_waiter in delete from mgmt_test.waiter where template = template_id returning owner, ticket loop
    perform pg_notify('mgmt_test_' || next_waiter.owner, json_build_object('ticket', next_waiter.ticket, 'error', reason)::text);
  end loop;
end $$;

create or replace function mgmt_test.finish(database_name text, new_state text) returns void language sql as $$
  update mgmt_test.database set state = new_state, owner = null, ended_at = clock_timestamp() where name = database_name;
  select pg_notify('${daemonChannel}', '{}');
$$;
`;
