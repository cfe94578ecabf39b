import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { manifest } from "../manifest.js";
import type { Place } from "../place.js";
import { asks, changes, choices, reads, type Shot } from "../shot.js";

const withManifest = (place: Place): void => place.write("mgmt.yaml", manifest);

/** Stores two profiles, and removes the address and the token from the environment. */
export const withProfiles = (place: Place): void => {
  const profile = { baseUrl: place.service.baseUrl, token: place.tenant.token };
  const config = { active: "default", profiles: { default: profile, staging: profile } };
  place.write(".home/mgmt/config.json", JSON.stringify(config));
  chmodSync(`${place.folder}/.home/mgmt/config.json`, 0o600);
  place.variables["MGMT_BASE_URL"] = "";
  place.variables["MGMT_TOKEN"] = "";
};

const withoutCredential = ({ variables }: Place): void => {
  variables["MGMT_TOKEN"] = "";
};

const withProject = ({ variables, ids }: Place): void => {
  variables["MGMT_PROJECT_ID"] = ids["project"] ?? "";
};

/** Makes the folder a git repository with a branch that has been pushed, and checks out another. */
export const withRepository = (place: Place): void => {
  withProject(place);
  const git = (...words: string[]): void => {
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    execFileSync("git", [...identity, ...words], { cwd: place.folder, stdio: "pipe" });
  };
  git("init", "--quiet", "--bare", ".home/origin.git");
  git("init", "--quiet", "--initial-branch", "main");
  git("commit", "--quiet", "--allow-empty", "--message", "first");
  git("remote", "add", "origin", ".home/origin.git");
  git("push", "--quiet", "origin", "main");
  git("checkout", "--quiet", "-b", "feature/checkout");
};

/** Creates the preview of the branch that is checked out. */
export const withPreview = async (place: Place): Promise<void> => {
  withRepository(place);
  const terminal = place.run(["preview", "up"]);
  const { status } = await terminal.orStuck(terminal.ending);
  if (status !== 0) throw new Error(terminal.text);
};

/** Replaces a program by one that prints its arguments. */
const withProgram =
  (name: string, output = `${name} "$@"`) =>
  (place: Place): void => {
    const folder = `${place.folder}/.home/bin`;
    mkdirSync(folder);
    place.write(`.home/bin/${name}`, `#!/bin/sh\necho ${output}\n`);
    chmodSync(`${folder}/${name}`, 0o755);
    place.variables["PATH"] = `${folder}:${place.env["PATH"] ?? ""}`;
  };

/** Otherwise the screen would depend on the version of this machine. */
const withOldDump = withProgram("pg_dump", `"pg_dump (PostgreSQL) 15.18"`);

export const accountShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt login": [
    asks("without a browser", "login --no-browser", /Paste the address/, { prepare: withoutCredential }),
    asks("with a token", "login --with-token", /token/i, { prepare: withoutCredential }),
  ],
  "mgmt logout": [
    reads("a profile", "logout", { prepare: withProfiles }),
    reads("without a profile", "logout", { prepare: withoutCredential }),
  ],
  "mgmt version": [reads("the version", "version")],
  "mgmt whoami": [
    reads("a user", "whoami"),
    reads("without a credential", "whoami", { prepare: withoutCredential }),
    reads("a service that cannot be reached", "whoami", {
      prepare: ({ variables }) => void (variables["MGMT_BASE_URL"] = "http://127.0.0.1:1"),
    }),
  ],
  "mgmt auth login": [
    asks("without a browser", "auth login --no-browser", /Paste the address/, { prepare: withoutCredential }),
  ],
  "mgmt auth logout": [reads("a profile", "auth logout", { prepare: withProfiles })],
  "mgmt auth list": [
    reads("profiles", "auth list", { prepare: withProfiles }),
    reads("no profiles", "auth list", { prepare: withoutCredential }),
  ],
  "mgmt auth status": [
    reads("with a token", "auth status"),
    reads("with a profile", "auth status", { prepare: withProfiles }),
  ],
  "mgmt auth token": [reads("without a credential", "auth token", { prepare: withoutCredential })],
  "mgmt auth switch": [
    reads("a profile", "auth switch staging", { prepare: withProfiles }),
    asks("a picker", "auth switch", choices, { prepare: withProfiles }),
    reads("an unknown profile", "auth switch stagin", { prepare: withProfiles }),
  ],
  "mgmt config list": [reads("settings", "config list", { prepare: withProfiles })],
  "mgmt config get": [
    reads("a setting", "config get output", { prepare: withProfiles }),
    reads("an unknown setting", "config get colour", { prepare: withProfiles }),
  ],
  "mgmt config set": [reads("a setting", "config set output json", { prepare: withProfiles })],
  "mgmt config unset": [reads("a setting", "config unset output", { prepare: withProfiles })],
};

export const provisioningShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt export": [reads("a project", "export webshop", { isData: true })],
  "mgmt plan": [
    reads("changes", "plan", { prepare: withManifest }),
    reads("without a manifest", "plan"),
    reads("a manifest with a mistake", "plan", {
      prepare: (place) => place.write("mgmt.yaml", manifest.replace("services", "servces")),
    }),
  ],
  "mgmt apply": [
    changes("confirmed", "apply --yes", { prepare: withManifest }),
    reads("without a manifest", "apply"),
  ],
  "mgmt rehearse": [
    reads("a command", "rehearse -- mgmt projects list", { prepare: withManifest }),
    reads("a command that fails", "rehearse -- false", { prepare: withManifest }),
  ],
  "mgmt preview up": [
    changes("for the branch", "preview up", { prepare: withRepository }),
    changes("an existing one", "preview up", { prepare: withPreview }),
    reads("outside of a repository", "preview up", { prepare: withProject }),
  ],
  "mgmt preview list": [
    changes("previews", "preview list", { prepare: withPreview }),
    reads("no previews", "preview list", { prepare: withRepository }),
  ],
  "mgmt preview diff": [
    changes("with a program that is too old", "preview diff", {
      prepare: async (place) => {
        await withPreview(place);
        withOldDump(place);
      },
    }),
    reads("without a preview", "preview diff", { prepare: withRepository }),
  ],
  "mgmt preview reset": [
    changes("confirmed", "preview reset --yes", { prepare: withPreview }),
    reads("without a preview", "preview reset --yes", { prepare: withRepository }),
  ],
  "mgmt preview down": [
    changes("confirmed", "preview down --yes", { prepare: withPreview }),
    reads("without a preview", "preview down --yes", { prepare: withRepository }),
  ],
  "mgmt preview prune": [
    changes("a preview that stays", "preview prune --yes", { prepare: withPreview }),
    reads("no previews", "preview prune --yes", { prepare: withRepository }),
  ],
};

export const machineShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt link": [
    reads("a project", "link --project-id webshop"),
    reads("an unknown project", "link --project-id nope"),
  ],
  "mgmt init": [
    reads("in CI, which it cannot ask", "init", {
      prepare: ({ variables }) => void (variables["CI"] = "true"),
    }),
  ],
  "mgmt unlink": [
    reads("a linked folder", "unlink", {
      prepare: (place) => {
        mkdirSync(`${place.folder}/.mgmt`);
        place.write(".mgmt/link.json", "{}");
      },
    }),
    reads("a folder without a link", "unlink"),
  ],
  "mgmt dev": [
    asks("the running service", "dev --ephemeral --port 0", /Press Ctrl-C to stop/, {
      prepare: (place) => {
        withoutCredential(place);
        // The service writes to /dev/shm otherwise, but only on machines that have enough memory.
        place.variables["TMPDIR"] = "/tmp";
      },
    }),
    reads("flags that contradict each other", "dev --ephemeral --data-dir data"),
  ],
  "mgmt env": [
    changes("the default database", "env", { prepare: withProject }),
    reads("without a database", "env", { tenant: "empty" }),
  ],
  "mgmt connection-string": [
    changes("with --yes", "connection-string webshop/reports --yes"),
    reads("a password that can be read", "connection-string webshop/reports"),
  ],
  "mgmt run": [
    changes("a command", ["run", "--", "sh", "-c", 'echo "${DATABASE_URL%%:*}"'], { prepare: withProject }),
    reads("without a command", "run"),
  ],
  "mgmt db dump": [
    changes("with a program that is too old", "db dump webshop/reports --file backup.sql", {
      prepare: withOldDump,
    }),
  ],
  "mgmt db restore": [reads("without a file", "db restore webshop/reports --yes")],
  "mgmt db import": [
    asks("the question", "db import webshop/reports --yes", /import:/),
    reads("a variable that is not set", "db import webshop/reports --source-env OLD_DATABASE --yes"),
  ],
  "mgmt db seed": [
    changes("a file", "db seed webshop/reports --yes", {
      prepare: (place) => place.write("seed.sql", "create table notes (id int);\n"),
    }),
    reads("without a file", "db seed webshop/reports --yes"),
  ],
  "mgmt db copy": [
    changes("with a program that is too old", "db copy webshop/reports webshop/webshop", {
      prepare: withOldDump,
    }),
  ],
  "mgmt status": [
    reads("a project", "status --project-id webshop"),
    reads("without a project", "status"),
    asks("while it watches", "status --project-id webshop --watch", /reports/),
  ],
  "mgmt psql": [changes("a database", "psql webshop/reports -- --list", { prepare: withProgram("psql") })],
  "mgmt open": [
    reads("the URL of a resource", "open webshop --no-browser"),
    reads("without a target", "open --no-browser"),
  ],
  "mgmt api": [
    reads("a request", "api GET regions --query data[0]", { isData: true }),
    reads("an unknown path", "api GET nope"),
    reads("with the head of the response", "api --include projects?limit=1", {
      tenant: "empty",
      isData: true,
    }),
  ],
  "mgmt doctor": [
    reads("a machine in order", "doctor"),
    reads("without a credential", "doctor", { prepare: withoutCredential }),
  ],
  "mgmt operations": [reads("all operations", "operations")],
  "mgmt schema": [
    reads("a command", "schema projects get", { isData: true }),
    reads("an unknown command", "schema projects gte"),
  ],
  "mgmt completion": [
    reads("bash", "completion bash", { isData: true }),
    reads("an unknown shell", "completion tcsh"),
  ],
  "mgmt complete": [reads("a word", "complete -- proj")],
  "mgmt help": [
    reads("the topics", "help"),
    reads("a topic", "help output"),
    reads("exit codes", "help exit-codes"),
    reads("a command", "help projects"),
    reads("an unknown topic", "help me-out"),
  ],
};
