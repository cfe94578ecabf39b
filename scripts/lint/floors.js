/**
 * The folders of `src` in the packages that declare an order, the highest first. A folder imports only lower ones. Folders that are
 * not listed have no place in the order.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const floors = {
  cli: [
    "commands",
    "git",
    "programs",
    "manifest",
    "run",
    "service",
    "credentials",
    "secrets",
    "profiles",
    "input",
    "output",
    "errors",
    "contract",
  ],
  cluster: ["repair", "logins", "databases", "guard", "rows", "connection", "policy"],
  engine: [
    "http",
    "server",
    "control",
    "oauth",
    "rules",
    "request",
    "jobs",
    "context",
    "store",
    "values",
    "generated",
  ],
  mock: ["src", "kit", "command", "mocks", "interception", "record", "client", "errors"],
  platform: ["src", "start", "machine", "front", "errors"],
  sdk: [
    "src",
    "resources",
    "methods",
    "auth",
    "ensure",
    "wait",
    "request",
    "debug",
    "transport",
    "deadlines",
    "checks",
    "errors",
    "generated",
  ],
};
