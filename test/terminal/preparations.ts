import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { startRepository } from "../../packages/cli/test/repository.js";
import type { Place } from "./place.js";

/** Stores two profiles, and removes the address and the token from the environment. */
export const withProfiles = (place: Place): void => {
  const profile = { baseUrl: place.service.baseUrl, token: place.tenant.token };
  const config = { active: "default", profiles: { default: profile, staging: profile } };
  place.write(".home/mgmt/config.json", JSON.stringify(config));
  chmodSync(`${place.folder}/.home/mgmt/config.json`, 0o600);
  place.variables["MGMT_BASE_URL"] = "";
  place.variables["MGMT_TOKEN"] = "";
};

export const withoutCredential = ({ variables }: Place): void => {
  variables["MGMT_TOKEN"] = "";
};

export const withProject = ({ variables, ids }: Place): void => {
  variables["MGMT_PROJECT_ID"] = ids["project"] ?? "";
};

/** Makes the folder a git repository on a branch that its remote does not have. */
export const withRepository = (place: Place): void => {
  withProject(place);
  startRepository(place, { branch: "feature/checkout", remote: ".home/origin.git" });
};

const createPreview = async (place: Place): Promise<void> => {
  const terminal = place.run(["preview", "up"]);
  const { status } = await terminal.orStuck(terminal.ending);
  if (status !== 0) throw new Error(terminal.text);
};

/** Creates the preview of the branch that is checked out. */
export const withPreview = async (place: Place): Promise<void> => {
  withRepository(place);
  await createPreview(place);
};

/** Creates a preview of a branch that is then deleted in the remote. */
export const withMergedPreview = async (place: Place): Promise<void> => {
  withRepository(place);
  const git = (...line: string[]): Buffer => execFileSync("git", line, { cwd: place.folder, stdio: "pipe" });
  git("push", "--quiet", "origin", "feature/checkout");
  await createPreview(place);
  git("push", "--quiet", "--delete", "origin", "feature/checkout");
  git("checkout", "--quiet", "main");
};

/** Deletes the connections of the database, so that a new one is needed for a password. */
export const withoutConnections = async (place: Place): Promise<void> => {
  const path = `/databases/${place.ids["database"] ?? ""}/connections`;
  // A list is an array of resources.
  const connections = (await place.api("GET", path)) as unknown as { id: string }[];
  for (const { id } of connections) await place.api("DELETE", `/connections/${id}`);
};

/** Replaces programs by shell scripts. */
const install = (place: Place, scripts: Readonly<Record<string, string>>): void => {
  const folder = `${place.folder}/.home/bin`;
  mkdirSync(folder);
  for (const [name, script] of Object.entries(scripts)) {
    place.write(`.home/bin/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(`${folder}/${name}`, 0o755);
  }
  place.variables["PATH"] = `${folder}:${place.env["PATH"] ?? ""}`;
};

/** Replaces a program by one that prints its arguments. */
export const withProgram =
  (name: string, output = `${name} "$@"`) =>
  (place: Place): void =>
    install(place, { [name]: `echo ${output}` });

/** Otherwise the screen would depend on the version of this machine. */
export const withOldDump = withProgram("pg_dump", `"pg_dump (PostgreSQL) 15.18"`);

/** Says that it runs, and then waits for a signal. */
export const waits = ({ folder }: Place): string => `echo > '${folder}/started'; exec sleep 600`;

/** Installs programs of Postgres that answer questions about the server, and wait when they have anything else to do. */
const withPostgres = (place: Place): void => {
  const scriptOf = (name: string): string => `case "$*" in
  --version) echo "${name} (PostgreSQL) 99.1"; exit ;;
  *"show server_version"*) echo 18.4; exit ;;
  *--tuples-only*) exit ;;
esac
${waits(place)}`;
  const names = ["psql", "pg_dump", "pg_restore"];
  install(place, Object.fromEntries(names.map((name) => [name, scriptOf(name)])));
};

/** Writes what commands about databases read, besides the programs. */
export const withDump = (place: Place): void => {
  withPostgres(place);
  place.write("backup.sql", "select 1;\n");
  place.write("backup.dump", "PGDMP");
  place.variables["OLD_DATABASE"] = "postgresql://ada:secret@db.example.com/shop";
};

/** Settings of a service whose Postgres does not run. */
export const withService = (place: Place): void => {
  place.variables["MGMT_SERVE_DATABASE_URL"] = "postgres://mgmt@127.0.0.1:1/records";
  place.variables["MGMT_SERVE_KEY_FILE"] = "/none/keys";
};
