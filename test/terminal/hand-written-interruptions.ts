import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { type Interrupted, words } from "./interrupted.js";
import { databaseManifest } from "./manifest.js";
import type { Place } from "./place.js";
import { withPreview, withRepository } from "./shots/machine.js";

/** Says that it runs, and then waits for a signal. */
const waits = ({ folder }: Place): string => `echo > '${folder}/started'; exec sleep 600`;

/** Installs programs of Postgres that answer questions about the server, and wait when they have anything else to do. */
const withPostgres = (place: Place): void => {
  const folder = `${place.folder}/.home/bin`;
  mkdirSync(folder);
  for (const name of ["psql", "pg_dump", "pg_restore"]) {
    const script = `#!/bin/sh
case "$*" in
  --version) echo "${name} (PostgreSQL) 99.1"; exit ;;
  *--tuples-only*) if grep -q server_version; then echo 18.4; else echo '[]'; fi; exit ;;
esac
${waits(place)}
`;
    place.write(`.home/bin/${name}`, script);
    chmodSync(`${folder}/${name}`, 0o755);
  }
  place.variables["PATH"] = `${folder}:${place.env["PATH"] ?? ""}`;
};

/** Writes what commands about databases read, besides the programs. */
export const withDump = (place: Place): void => {
  withPostgres(place);
  place.write("backup.sql", "select 1;\n");
  place.variables["OLD_DATABASE"] = "postgresql://ada:secret@db.example.com/shop";
};

const onDatabase = (line: string): Interrupted => ({
  line: words(line),
  prepare: withDump,
  before: "projects.list",
  runs: true,
});

/** Deletes the connections of the database, so that a new one is needed for a password. */
export const withoutConnections = async (place: Place): Promise<void> => {
  const path = `/databases/${place.ids["database"] ?? ""}/connections`;
  // A list is an array of resources.
  const connections = (await place.api("GET", path)) as unknown as { id: string }[];
  for (const { id } of connections) await place.api("DELETE", `/connections/${id}`);
};

/** Creates a preview of a branch that is then deleted in the remote. */
export const withMergedPreview = async (place: Place): Promise<void> => {
  withRepository(place);
  const git = (...line: string[]): Buffer => execFileSync("git", line, { cwd: place.folder, stdio: "pipe" });
  git("push", "--quiet", "origin", "feature/checkout");
  const terminal = place.run(["preview", "up"]);
  const { status } = await terminal.orStuck(terminal.ending);
  if (status !== 0) throw new Error(terminal.text);
  git("push", "--quiet", "--delete", "origin", "feature/checkout");
  git("checkout", "--quiet", "main");
};

export const withoutToken = ({ variables }: Place): void => {
  variables["MGMT_TOKEN"] = "";
};

const login = (line: string): Interrupted => ({
  line: words(`${line} --no-browser`),
  prepare: withoutToken,
  shows: /Paste the address/,
});

/** Hand-written commands that wait or create. */
export const handWrittenInterruptions: Readonly<Record<string, Interrupted>> = {
  "mgmt login": login("login"),
  "mgmt auth login": login("auth login"),
  "mgmt init": {
    line: words("init --create shop --env --gitignore"),
    tenant: "empty",
    sent: "projects.create",
    waiting: "databases.get",
  },
  "mgmt api": {
    line: words("api POST /v1/projects --raw-field name=shop"),
    tenant: "empty",
    sent: "projects.create",
  },
  "mgmt status": {
    line: words("status --project-id webshop --watch"),
    before: "projects.list",
    shows: /reports/,
    endsWell: true,
  },
  "mgmt connection-string": {
    line: words("connection-string webshop/reports --yes"),
    prepare: withoutConnections,
    before: "projects.list",
    sent: "databases.connections.create",
  },
  "mgmt run": {
    line: (place) => ["run", "--database-id", place.ids["database"] ?? "", "--", "sh", "-c", waits(place)],
    before: "databases.connections.list",
    runs: true,
  },
  "mgmt psql": onDatabase("psql webshop/reports"),
  "mgmt db dump": onDatabase("db dump webshop/reports --file new.sql"),
  "mgmt db restore": onDatabase("db restore webshop/reports --file backup.sql --yes"),
  "mgmt db import": onDatabase("db import webshop/reports --source-env OLD_DATABASE --yes"),
  "mgmt db seed": onDatabase("db seed webshop/reports --file backup.sql --yes"),
  "mgmt db copy": onDatabase("db copy webshop/reports webshop/main/webshop --yes"),
  "mgmt rehearse": {
    line: (place) => ["rehearse", "--", "sh", "-c", waits(place)],
    prepare: (place) => place.write("mgmt.yaml", databaseManifest),
    runs: true,
  },
  "mgmt apply": {
    line: words("apply --yes"),
    prepare: (place) => place.write("mgmt.yaml", databaseManifest),
    before: "projects.list",
    sent: "databases.create",
    hasSteps: true,
  },
  "mgmt preview down": { line: words("preview down --yes"), prepare: withPreview, sent: "databases.delete" },
  "mgmt preview prune": {
    line: words("preview prune --min-age 0s --yes"),
    prepare: withMergedPreview,
    sent: "databases.delete",
  },
  "mgmt preview reset": {
    line: words("preview reset --branch feature/search --project-id {project} --yes"),
    prepare: async (place) => {
      const line = [
        "preview",
        "up",
        "--branch",
        "feature/search",
        "--project-id",
        place.ids["project"] ?? "",
      ];
      await place.run(line).ending;
    },
    sent: "databases.create",
    waiting: "databases.get",
  },
  "mgmt preview up": {
    line: (place) => [
      ...["preview", "up", "--branch", "feature/search", "--project-id", place.ids["project"] ?? ""],
      ...["--setup", waits(place)],
    ],
    sent: "databases.create",
    waiting: "databases.get",
    runs: true,
  },
};

/**
 * Hand-written commands that neither wait for anything but a response nor create anything that the service keeps, although their shots
 * change something or wait.
 */
export const passiveCommands: readonly string[] = [
  "mgmt env",
  "mgmt preview list",
  "mgmt preview diff",
  "mgmt auth switch",
  "mgmt dev approvals approve",
  "mgmt dev approvals deny",
];
