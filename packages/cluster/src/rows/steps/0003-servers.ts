/** Returns the statements that create the table of the servers which work on the records. */
export const createServers = (schema: string): readonly string[] => [
  `create table ${schema}.servers (
      id text primary key,
      version text not null,
      settings jsonb not null,
      started_at timestamptz not null default clock_timestamp(),
      heartbeat_at timestamptz not null default clock_timestamp(),
      fenced_at timestamptz)`,
];
