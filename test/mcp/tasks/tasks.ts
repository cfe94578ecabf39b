import { call, cutCall, lose, next, type Step, sponsor, user } from "./step.js";

/** A task of a person that an agent carries out. */
export interface Task {
  readonly name: string;
  readonly steps: readonly Step[];
  /** The operations that have changed something in the end, each as often as it was carried out. */
  readonly writes: readonly string[];
  /** The env files that have a connection string of a database then, with the variable. */
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of the server beside those of the profile and the project. */
  readonly flags?: readonly string[];
  /** Whether the server is not limited to the project of the task. */
  readonly isUnlimited?: true;
  /** Whether the gate plays it. The others are played by `npm run test:full -- mcp`. */
  readonly isInGate?: true;
}

const ready = { status: "ready" };
const done = { status: "done" };
const wanted = { status: "approval_required" };
const fails = (code: string) => ({ status: "error", error: { code } });

/** A gated call that the sponsor approves, up to its result. */
const approved = (tool: string, args: object, gives: object = done): Step[] => [
  call(tool, { ...args }, wanted),
  sponsor("approve"),
  next(gives),
];

const ensureReports = (args: object = {}) => ({ logicalId: "reports", ...args });
const restore = {
  targetDatabaseId: "$main",
  source: { type: "backup", databaseId: "$main", backupId: "$backup" },
};
const readVersion = { databaseId: "$main", sql: "SELECT 1 AS one" };

export const tasks: readonly Task[] = [
  // Provision.
  {
    name: "provision a database",
    steps: [call("databases_ensure", ensureReports(), { ...ready, created: true, writtenTo: ".env" })],
    writes: ["databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "provision the same database again",
    steps: [
      call("databases_ensure", ensureReports(), { created: true }),
      call("databases_ensure", ensureReports(), { ...ready, created: false, changed: false }),
    ],
    writes: ["databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "provision a database although the server is killed meanwhile",
    isInGate: true,
    steps: [cutCall("databases_ensure", ensureReports(), ready)],
    writes: ["databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "provision a database whose creation has no response",
    steps: [
      lose("databases.create"),
      call("databases_ensure", ensureReports()),
      call("databases_ensure", ensureReports(), ready),
    ],
    writes: ["databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "provision two databases into one file",
    steps: [
      call("databases_ensure", ensureReports({ envName: "REPORTS_URL" }), ready),
      call("databases_ensure", { logicalId: "users", envName: "USERS_URL" }, ready),
    ],
    writes: ["databases.create", "databases.create"],
    env: { ".env": "USERS_URL" },
  },
  {
    name: "look at the plan, then provision",
    steps: [
      call("databases_ensure", ensureReports({ dryRun: true }), { status: "dry_run", action: "create" }),
      call("databases_ensure", ensureReports(), { created: true }),
    ],
    writes: ["databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "create a project with a database",
    isUnlimited: true,
    steps: [
      call("projects_ensure", { logicalId: "$new", name: "second" }, { created: true }, { second: "id" }),
      cutCall("projects_ensure", { logicalId: "$new", name: "second" }, { created: false }),
      call("databases_ensure", ensureReports({ projectId: "$second" }), ready),
    ],
    writes: ["projects.create", "databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  // Env files.
  {
    name: "write into a file that has other lines",
    steps: [
      user("write .env.local"),
      call("databases_ensure", ensureReports({ envFile: ".env.local" }), ready),
    ],
    writes: ["databases.create"],
    env: { ".env.local": "DATABASE_URL" },
  },
  {
    name: "replace the connection string of another database",
    steps: [
      call("databases_ensure", ensureReports(), { changed: true }),
      call("databases_ensure", { logicalId: "users" }, { changed: true }),
    ],
    writes: ["databases.create", "databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "choose another file than the one that git tracks",
    steps: [
      user("track .env"),
      call("databases_ensure", ensureReports(), fails("mcp:env_file_tracked")),
      call("databases_ensure", ensureReports({ envFile: ".env.local" }), ready),
    ],
    writes: ["databases.create"],
    env: { ".env.local": "DATABASE_URL" },
  },
  {
    name: "choose another file than a link",
    steps: [
      user("link .env"),
      call("databases_ensure", ensureReports(), fails("env:unwritable")),
      call("databases_ensure", ensureReports({ envFile: ".env.local" }), ready),
    ],
    writes: ["databases.create"],
    env: { ".env.local": "DATABASE_URL" },
  },
  {
    name: "choose another file than a folder",
    steps: [
      user("make .env a folder"),
      call("databases_ensure", ensureReports(), fails("env:unwritable")),
      call("databases_ensure", ensureReports({ envFile: "app.env" }), ready),
    ],
    writes: ["databases.create"],
    env: { "app.env": "DATABASE_URL" },
  },
  {
    name: "stay in the folder",
    steps: [
      call("databases_ensure", ensureReports({ envFile: "../.env" }), fails("mcp:env_file_refused")),
      call(
        "connections_create",
        { databaseId: "$main", name: "web", envFile: "/tmp/.env" },
        fails("mcp:env_file_refused"),
      ),
    ],
    writes: [],
  },
  // Find.
  {
    name: "find a database and read it",
    steps: [
      call("context", {}, { credential: { type: "agent_token" }, limitedToProject: true }),
      call("databases_list", {}, {}, { found: "items.0.id" }),
      call("databases_get", { databaseId: "$found" }, { id: "$main" }),
      call("query", { databaseId: "$found", sql: "SELECT 1 AS one" }, { rows: [{ one: "1" }] }),
    ],
    writes: [],
  },
  {
    name: "find an operation without a tool",
    steps: [
      call("operations_search", { words: "list branches" }, {}, { operation: "operations.0.operation" }),
      call(
        "operation_read",
        { operation: "$operation", arguments: { projectId: "$project" } },
        {},
        { branch: "items.0.id" },
      ),
      call(
        "operation_read",
        { operation: "branches.get", arguments: { branchId: "$branch" } },
        { id: "$branch" },
      ),
    ],
    writes: [],
  },
  {
    name: "find a project among others",
    isUnlimited: true,
    steps: [
      call("projects_list", {}, {}, { cursor: "nextCursor" }),
      call("projects_get", { projectId: "$project" }, { id: "$project" }),
      call("regions_list", {}),
    ],
    writes: [],
  },
  {
    name: "read only",
    flags: ["--read-only"],
    steps: [
      call("databases_list", {}, {}, { found: "items.0.id" }),
      call("databases_ensure", ensureReports(), fails("mcp:read_only")),
      call("operation_write", { operation: "databases.delete" }, fails("mcp:read_only")),
      call("query", { databaseId: "$found", sql: "CREATE TABLE a ()" }, fails("mcp:query_failed")),
    ],
    writes: [],
  },
  // Branch.
  {
    name: "branch with a database of its own",
    isInGate: true,
    steps: [
      cutCall("branches_ensure", { gitName: "feature" }, { gitName: "feature" }, { branch: "id" }),
      call("databases_ensure", { logicalId: "feature-db", branchId: "$branch" }, ready),
    ],
    writes: ["projects.branches.create", "databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "branch from the data of another database",
    steps: [
      call("branches_ensure", { gitName: "feature" }, { created: true }, { branch: "id" }),
      call(
        "databases_ensure",
        { logicalId: "copy", branchId: "$branch", source: { type: "database", databaseId: "$main" } },
        ready,
      ),
    ],
    writes: ["projects.branches.create", "databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "remove a branch",
    steps: [
      call("branches_ensure", { gitName: "old" }, { created: true }, { branch: "id" }),
      ...approved("branches_delete", { branchId: "$branch" }),
      call("branches_delete", { branchId: "$branch" }, { ...done, branchId: "$branch" }),
    ],
    writes: ["projects.branches.create", "branches.delete"],
  },
  {
    name: "leave a branch that the sponsor wants to keep",
    steps: [
      call("branches_ensure", { gitName: "old" }, {}, { branch: "id" }),
      call("branches_delete", { branchId: "$branch" }, wanted),
      sponsor("deny"),
      next(fails("approval:denied")),
      call("branches_ensure", { gitName: "old" }, { created: false, id: "$branch" }),
    ],
    writes: ["projects.branches.create"],
  },
  // Restore after a mistake.
  {
    name: "restore after a mistake",
    steps: [
      call("databases_backups_list", { databaseId: "$main" }, {}, { backup: "items.0.id" }),
      ...approved("databases_restore", restore, ready),
      call("query", readVersion, { rows: [{ one: "1" }] }),
    ],
    writes: ["databases.restore"],
  },
  {
    name: "restore once, however often it is called",
    steps: [
      ...approved("databases_restore", restore, ready),
      call("databases_restore", restore, { ...ready, alreadyDone: "$any" }),
      call("databases_restore", restore, { ...ready, alreadyDone: "$any" }),
    ],
    writes: ["databases.restore"],
  },
  {
    name: "restore once although the server is killed meanwhile",
    isInGate: true,
    steps: [
      call("databases_restore", restore, wanted),
      sponsor("approve"),
      cutCall("databases_restore", restore, ready),
    ],
    writes: ["databases.restore"],
  },
  {
    name: "restore once although the response is lost",
    steps: [
      call("databases_restore", restore, wanted),
      sponsor("approve"),
      lose("databases.restore"),
      call("databases_restore", restore),
      call("databases_restore", restore, { ...ready, alreadyDone: "$any" }),
    ],
    writes: ["databases.restore"],
  },
  {
    name: "restore a second time on purpose",
    steps: [
      ...approved("databases_restore", restore, ready),
      call("databases_restore", restore, {}, { time: "alreadyDone" }),
      ...approved("databases_restore", { ...restore, again: "$time" }, ready),
      call("databases_restore", { ...restore, again: "$time" }, { alreadyDone: "$any" }),
    ],
    writes: ["databases.restore", "databases.restore"],
  },
  {
    name: "restore nothing that the sponsor has denied",
    steps: [
      call("databases_restore", restore, wanted),
      sponsor("deny"),
      next(fails("approval:denied")),
      call("databases_restore", restore, fails("approval:denied")),
    ],
    writes: [],
  },
  // Rotate after a leak.
  {
    name: "rotate after a leak",
    isInGate: true,
    steps: approved(
      "connections_rotate",
      { connectionId: "$connection" },
      { writtenTo: ".env", changed: true },
    ),
    writes: ["connections.rotate"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "rotate once, however often it is called",
    steps: [
      ...approved("connections_rotate", { connectionId: "$connection" }, { writtenTo: ".env" }),
      call("connections_rotate", { connectionId: "$connection" }, { alreadyDone: "$any" }),
    ],
    writes: ["connections.rotate"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "rotate once although the server is killed meanwhile",
    steps: [
      call("connections_rotate", { connectionId: "$connection" }, wanted),
      sponsor("approve"),
      cutCall("connections_rotate", { connectionId: "$connection" }, { writtenTo: ".env" }),
    ],
    writes: ["connections.rotate"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "rotate once although the response is lost, within a time that is approved",
    steps: [
      call("connections_rotate", { connectionId: "$connection" }, wanted),
      sponsor("approve-window"),
      lose("connections.rotate"),
      call("connections_rotate", { connectionId: "$connection" }),
      call("connections_rotate", { connectionId: "$connection" }, fails("mcp:outcome_unknown")),
    ],
    writes: ["connections.rotate"],
  },
  {
    name: "rotate once within a time that is approved",
    steps: [
      call("connections_rotate", { connectionId: "$connection" }, wanted),
      sponsor("approve-window"),
      next({ writtenTo: ".env" }),
      call(
        "connections_rotate",
        { connectionId: "$connection", envFile: ".env.local" },
        { alreadyDone: "$any" },
      ),
    ],
    writes: ["connections.rotate"],
    env: { ".env.local": "DATABASE_URL" },
  },
  {
    name: "keep a password that the sponsor does not want to change",
    steps: [
      call("databases_ensure", { logicalId: "reports" }, ready, { connection: "connectionId" }),
      call("connections_rotate", { connectionId: "$connection" }, wanted),
      sponsor("deny"),
      next(fails("approval:denied")),
    ],
    writes: ["databases.create"],
    env: { ".env": "DATABASE_URL" },
  },
  {
    name: "give another program a connection of its own",
    steps: [
      cutCall("connections_create", { databaseId: "$main", name: "worker" }, { writtenTo: ".env" }),
      call("connections_create", { databaseId: "$main", name: "worker" }, { created: false }),
    ],
    writes: ["connections.create"],
    env: { ".env": "DATABASE_URL" },
  },
  // Clean up.
  {
    name: "delete a database",
    steps: approved("databases_delete", { databaseId: "$spare" }),
    writes: ["databases.delete"],
  },
  {
    name: "delete a database once, however often it is called",
    steps: [
      ...approved("databases_delete", { databaseId: "$spare" }),
      call("databases_delete", { databaseId: "$spare" }, { ...done, alreadyDone: "$any" }),
    ],
    writes: ["databases.delete"],
  },
  {
    name: "delete a database although the server is killed meanwhile",
    steps: [
      call("databases_delete", { databaseId: "$spare" }, wanted),
      sponsor("approve"),
      cutCall("databases_delete", { databaseId: "$spare" }, done),
    ],
    writes: ["databases.delete"],
  },
  {
    name: "ask again after the approval has expired",
    steps: [
      call("databases_delete", { databaseId: "$spare" }, wanted, { first: "approvalId" }),
      sponsor("sleep"),
      call("approval_wait", { approvalId: "$first" }, { status: "expired" }),
      ...approved("databases_delete", { databaseId: "$spare" }),
    ],
    writes: ["databases.delete"],
  },
  {
    name: "clean up within a time that is approved",
    steps: [
      call("databases_ensure", { logicalId: "tmp" }, ready, { tmp: "databaseId" }),
      call("databases_delete", { databaseId: "$spare" }, wanted),
      sponsor("approve-window"),
      next(done),
      call("databases_delete", { databaseId: "$tmp" }, done),
    ],
    writes: ["databases.create", "databases.delete", "databases.delete"],
  },
  {
    name: "delete a connection through an operation without a tool",
    steps: [
      call("connections_create", { databaseId: "$main", name: "old" }, {}, { old: "connectionId" }),
      ...approved("operation_write", {
        operation: "connections.delete",
        arguments: { connectionId: "$old" },
      }),
    ],
    writes: ["connections.create", "connections.delete"],
  },
  {
    name: "delete a project",
    isUnlimited: true,
    steps: [
      call(
        "operation_write",
        { operation: "projects.delete", arguments: { projectId: "$project" } },
        fails("project:has_dependencies"),
      ),
      ...approved("databases_delete", { databaseId: "$spare" }),
      ...approved("operation_write", { operation: "projects.delete", arguments: { projectId: "$project" } }),
    ],
    writes: ["databases.delete", "projects.delete"],
  },
  // Mistakes of the model.
  {
    name: "keep away from another project",
    steps: [
      call("databases_get", { databaseId: "$foreign" }, fails("mcp:outside_project")),
      call("databases_delete", { databaseId: "$foreign" }, fails("mcp:outside_project")),
      call("query", { databaseId: "$foreign", sql: "SELECT 1" }, fails("mcp:outside_project")),
      call(
        "operation_write",
        { operation: "databases.delete", arguments: { databaseId: "$foreign" } },
        fails("mcp:outside_project"),
      ),
    ],
    writes: [],
  },
  {
    name: "confirm nothing by itself",
    steps: [
      call("databases_delete", { databaseId: "$spare", confirm: true }, fails("mcp:invalid_arguments")),
      call("databases_delete", { databaseId: "$spare", approved: "yes" }, fails("mcp:invalid_arguments")),
      call("databases_delete", { databaseId: "$spare", dryRun: true }, { status: "dry_run" }),
    ],
    writes: [],
  },
  {
    name: "correct a wrong id",
    steps: [
      call("databases_get", { databaseId: "db_none" }, fails("database:not_found")),
      call("databases_delete", { databaseId: "db_none" }, fails("database:not_found")),
      call("databases_list", {}, {}, { found: "items.0.id" }),
      call("databases_get", { databaseId: "$found" }, { id: "$main" }),
    ],
    writes: [],
  },
];
