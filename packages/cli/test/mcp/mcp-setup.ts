import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect } from "vitest";
import { temporaryFolder } from "../folders.js";
import { useSession } from "../terminal.js";
import { connectClient, type ClientSetup, type ConnectedClient } from "./mcp-client.js";

type Session = ReturnType<typeof useSession>;

/** What tests of the MCP server share. */
export interface McpSetup {
  readonly session: Session;
  /** Folder that contains the workspace folders of all tests of a file. */
  readonly root: string;
  /** Workspace folder of the current test. */
  readonly folder: string;
  /** Connects a client to a new server, which has the credential of an agent unless `env` has another one. */
  readonly open: (setup?: Partial<ClientSetup>) => Promise<ConnectedClient>;
  /** Returns the environment of a server with a user's own credential. */
  readonly asUser: () => NodeJS.ProcessEnv;
  /** Returns what the service has stored. */
  readonly rows: () => Session["server"]["engine"]["rows"];
  /** Creates a project with a database. */
  readonly seedProject: () => Promise<{ id: string; databaseId: string }>;
  /** Returns the entries of the audit file. */
  readonly readAudit: () => Record<string, unknown>[];
  /** Fails if a password of the service is in a text. */
  readonly expectNoSecret: (text: string) => void;
}

/** Starts a service for the tests of a file, and closes the clients of each test after it. */
export const useMcpSetup = (): McpSetup => {
  const root = temporaryFolder();
  const session = useSession();
  let folder = "";
  let agentToken: string | undefined;
  const clients: ConnectedClient[] = [];
  const rows = () => session.server.engine.rows;

  beforeAll(async () => {
    agentToken = await session.server.engine.tokens.agent();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(root, "app-"));
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });

  return {
    session,
    root,
    get folder() {
      return folder;
    },
    open: async ({ env, ...setup } = {}) => {
      const client = await connectClient({
        env: { ...session.env, MGMT_TOKEN: agentToken, MGMT_CONFIG_DIR: root, XDG_STATE_HOME: root, ...env },
        cwd: folder,
        ...setup,
      });
      clients.push(client);
      return client;
    },
    asUser: () => ({ MGMT_TOKEN: session.env["MGMT_TOKEN"] }),
    rows,
    seedProject: async () => {
      const { id, database } = await session.server.engine.seed.project({ name: "shop" });
      return { id, databaseId: database?.id ?? "" };
    },
    readAudit: () =>
      readFileSync(join(folder, "audit/mcp.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    expectNoSecret: (text) => {
      const passwords = rows()
        .connections.list({})
        .map(({ pass }) => pass)
        .filter((pass): pass is string => typeof pass === "string");
      expect(passwords.length).toBeGreaterThan(0);
      expect(passwords.filter((pass) => text.includes(pass))).toEqual([]);
    },
  };
};
