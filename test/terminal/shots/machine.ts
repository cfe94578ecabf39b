import { mkdirSync } from "node:fs";
import { type Interrupted, type Interruptions, words } from "../interrupted.js";
import {
  waits,
  withDump,
  withOldDump,
  withProgram,
  withProject,
  withService,
  withoutConnections,
  withoutCredential,
} from "../preparations.js";
import { asks, changes, reads, type Shot } from "../shot.js";

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
  "mgmt mcp": [reads("on a terminal", "mcp")],
  "mgmt dev": [
    reads("help", "dev --help"),
    asks("the running service", "dev --ephemeral --port 0", /Press Ctrl-C to stop/, {
      prepare: (place) => {
        withoutCredential(place);
        // The service writes to /dev/shm otherwise, but only on machines that have enough memory.
        place.variables["TMPDIR"] = "/tmp";
      },
    }),
    reads("flags that contradict each other", "dev --ephemeral --data-dir data"),
    reads("data that came with a repository", "dev --here", {
      prepare: (place) => {
        withoutCredential(place);
        mkdirSync(`${place.folder}/.mgmt/dev`, { recursive: true });
        place.write(".mgmt/dev/platform.json", "{}");
      },
    }),
  ],
  "mgmt dev list": [reads("no service", "dev list")],
  "mgmt dev stop": [reads("a folder without a service", "dev stop"), reads("no service", "dev stop --all")],
  "mgmt serve": [reads("without settings", "serve")],
  "mgmt serve check": [reads("a server that cannot be reached", "serve check", { prepare: withService })],
  "mgmt serve schema": [
    reads("a part", "serve schema --query properties.listen --output json", { isData: true }),
  ],
  "mgmt serve init": [
    reads("without an owner", "serve init --workspace Acme"),
    reads("in CI, whose log is kept", "serve init --workspace Acme --owner ada@example.com", {
      prepare: (place) => {
        withService(place);
        place.variables["CI"] = "true";
      },
    }),
  ],
  "mgmt serve status": [reads("without its key file", "serve status", { prepare: withService })],
  "mgmt serve migrate": [reads("without settings", "serve migrate")],
  "mgmt serve reencrypt": [reads("without settings", "serve reencrypt")],
  "mgmt serve workspaces list": [reads("without settings", "serve workspaces list")],
  "mgmt serve workspaces create": [reads("without an owner", "serve workspaces create Acme")],
  "mgmt serve tokens list": [reads("without a workspace", "serve tokens list")],
  "mgmt serve tokens create": [reads("without a workspace", "serve tokens create ci")],
  "mgmt serve tokens delete": [
    asks("the question", "serve tokens delete stk_a --workspace wksp_a", /Continue\?/),
  ],
  "mgmt serve agents create": [reads("without a sponsor", "serve agents create builder")],
  "mgmt serve approvals list": [reads("without settings", "serve approvals list")],
  "mgmt serve approvals approve": [reads("not an id", "serve approvals approve ../a")],
  "mgmt serve approvals deny": [reads("not an id", "serve approvals deny ../a")],
  "mgmt serve jobs list": [reads("without settings", "serve jobs list")],
  "mgmt serve jobs retry": [reads("without a job", "serve jobs retry")],
  "mgmt mcp install": [
    asks("the question", "mcp install cursor", /Continue\?/),
    changes("another command", "mcp install claude-code --read-only --yes", {
      prepare: (place) => place.write(".mcp.json", '{ "mcpServers": { "mgmt": { "command": "other" } } }\n'),
    }),
    reads("a file that is broken", "mcp install vscode", {
      prepare: (place) => {
        mkdirSync(`${place.folder}/.vscode`);
        place.write(".vscode/mcp.json", '{ "servers": [ }\n');
      },
    }),
    reads("in CI, which it cannot ask", "mcp install", {
      prepare: ({ variables }) => void (variables["CI"] = "true"),
    }),
  ],
  "mgmt skills": [reads("an argument", "skills codex")],
  "mgmt skills install": [
    changes("a folder without it", "skills install claude-code"),
    asks("another version", "skills install", /Continue\?/, {
      prepare: (place) => {
        mkdirSync(`${place.folder}/.agents/skills/mgmt`, { recursive: true });
        place.write(".agents/skills/mgmt/SKILL.md", "mine\n");
      },
    }),
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
  "mgmt query": [reads("several statements", ["query", "webshop/reports", "select 1; select 2"])],
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
  "mgmt schema": [reads("an unknown command", "schema projects gte")],
  "mgmt completion": [
    reads("bash", "completion bash", { isData: true }),
    reads("an unknown shell", "completion tcsh"),
  ],
  "mgmt complete": [reads("a word", "complete -- proj")],
  "mgmt help": [
    reads("help", "help --help"),
    reads("a topic", "help output"),
    reads("exit codes", "help exit-codes"),
    reads("a command", "help projects"),
    reads("an unknown topic", "help me-out"),
  ],
};

const onDatabase = (line: string): Interrupted => ({
  line: words(line),
  prepare: withDump,
  before: "projects.list",
  runs: true,
});

export const machineInterruptions: Interruptions = {
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
  "mgmt db restore": onDatabase("db restore webshop/reports --file backup.dump --yes"),
  "mgmt db import": onDatabase("db import webshop/reports --source-env OLD_DATABASE --yes"),
  "mgmt db seed": onDatabase("db seed webshop/reports --file backup.sql --allow-meta-commands --yes"),
  "mgmt db copy": onDatabase("db copy webshop/reports webshop/main/webshop --yes"),
  "mgmt env": "passive",
  "mgmt mcp install": "passive",
  "mgmt skills install": "passive",
  "mgmt serve tokens delete": "passive",
};
