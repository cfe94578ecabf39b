import { createMemoryDatabaseEngine } from "@mgmt/engine";
import { createServer, type RunningServer } from "@mgmt/mock/server";
import { afterEach, beforeEach } from "vitest";
import { temporaryFolder } from "../../folders.js";
import { runInProcess, type Setup } from "../../in-process.js";
import { type FakePostgres, startFakePostgres, type StatementReply } from "../../postgres/fake-postgres.js";
import {
  type ProgramCall,
  type ProgramEnd,
  type RecordedPrograms,
  recordPrograms,
} from "../../recorded-programs.js";
import type { Result } from "../../result.js";

/** A service whose databases are one fake Postgres server, and recorded programs of Postgres. */
export interface DatabasePlace {
  readonly server: RunningServer;
  readonly postgres: FakePostgres;
  readonly programs: RecordedPrograms;
  readonly folder: string;
  readonly projectId: string;
  readonly shop: string;
  readonly copy: string;
  /** What each query of the catalog returns, one value per row. Tests change it. */
  readonly catalog: { version: string; relations: readonly string[]; tablesWithRows: readonly string[] };
  /** Returns how the server replies to a statement. Tests change it. */
  reply: (statement: string) => StatementReply;
  /** How the programs end. Tests change it. */
  pgDump: (call: ProgramCall) => ProgramEnd | Promise<ProgramEnd>;
  pgRestore: (call: ProgramCall) => ProgramEnd | Promise<ProgramEnd>;
  psql: (call: ProgramCall) => ProgramEnd;
  run(line: string, setup?: Setup): Promise<Result>;
  /** Does the same with words that may contain spaces. */
  runWords(words: readonly string[], setup?: Setup): Promise<Result>;
  /** Returns the statements of the command, without those of the session. */
  statements(): string[];
}

/** The output of pg_dump, which says at its end that it is complete. */
export const dumpOf = (...statements: readonly string[]): string =>
  [
    "--",
    "-- PostgreSQL database dump",
    "--",
    ...statements,
    "--",
    "-- PostgreSQL database dump complete",
    "--",
    "",
  ].join("\n");

/** Returns the place of each test of a file. Call it outside of tests and hooks. */
export const useDatabasePlace = (): (() => DatabasePlace) => {
  let place: DatabasePlace;
  let close: () => Promise<void>;
  beforeEach(async () => {
    const postgres = await startFakePostgres((statement) => place.reply(statement));
    const address = { host: "127.0.0.1", port: postgres.port, database: "postgres" };
    const databaseEngine = {
      ...createMemoryDatabaseEngine("example.test"),
      getEndpoints: () => ({ direct: address, pooled: address, accelerate: address }),
    };
    const engineOptions = { deterministic: "databases", frozen: false, databaseEngine };
    const server = await createServer({ engineOptions });
    const { seed, tokens } = server.engine;
    const project = await seed.project({ name: "shop" });
    const copy = await seed.database(project.id, { name: "copy" });
    const programs = recordPrograms({
      psql: (call) => place.psql(call),
      pg_dump: (call) => place.pgDump(call),
      pg_restore: (call) => place.pgRestore(call),
    });
    const env = { ...programs.env, MGMT_BASE_URL: server.baseUrl, MGMT_TOKEN: await tokens.service() };
    const folder = temporaryFolder();
    const catalog = { version: "18.4 (Debian)", relations: [], tablesWithRows: [] };
    place = {
      ...{ server, postgres, programs, folder, catalog },
      projectId: project.id,
      shop: project.database?.id ?? "",
      copy: copy.id,
      reply: () => undefined,
      pgDump: () => ({ stdout: dumpOf("create table t ();") }),
      pgRestore: () => ({ stdout: dumpOf("create table t ();") }),
      psql: ({ args }) => answerQuery(args, place.catalog),
      run: (line, setup) => place.runWords(line.split(" "), setup),
      runWords: (words, setup = {}) =>
        runInProcess(words, { cwd: folder, ...setup, env: { ...env, ...setup.env } }),
      statements: () => postgres.log.filter((statement) => statement !== "end"),
    };
    close = async () => {
      postgres.close();
      await server.close(0);
    };
  });
  afterEach(() => close());
  return () => place;
};

const answerQuery = (args: readonly string[], catalog: DatabasePlace["catalog"]): ProgramEnd => {
  const query = args.find((arg) => arg.startsWith("--command=")) ?? "";
  if (query === "") return {};
  const values = query.includes("server_version")
    ? [catalog.version]
    : query.includes("ts_stat")
      ? catalog.tablesWithRows
      : catalog.relations;
  return { stdout: values.map((value) => `${value}\0`).join("") };
};
