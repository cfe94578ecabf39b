import { join, resolve } from "node:path";
import type { McpServer, Transport } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { noProjectLimitError } from "../errors/mcp-errors.js";
import { getStateFolder } from "../files/state-folder.js";
import type { Context, GlobalFlags } from "../input/context.js";
import { findDefault } from "../profiles/defaults.js";
import { findProtection } from "../profiles/protection.js";
import { resolveIdOrName } from "../run/names/resolve-id-or-name.js";
import { AuditFile } from "./audit-file.js";
import { CallJournal } from "./call-journal.js";
import { createMcpServer, type McpServerOptions } from "./mcp-server.js";
import { KeyedMutex } from "@mgmt/internal/values/keyed-mutex";
import { ProjectScope } from "./project-scope.js";
import { Redactor } from "./redactor.js";
import { ServiceSession } from "./service-session.js";

export interface StartOptions extends McpServerOptions {
  /** Workspace folder. Default: the working directory. */
  readonly folder?: string | undefined;
  /** The project that the server is limited to, by id or name. True is the project of the folder. */
  readonly projectLimit?: string | true | undefined;
  /** Default: a file in the user's folder for application state. */
  readonly auditFile?: string | undefined;
}

/** A server that serves one client. */
export interface RunningMcpServer {
  readonly close: () => Promise<void>;
  /** Resolves when the client has closed the connection, or `close` was called, and the audit file is closed. */
  readonly closed: Promise<void>;
}

/** A server that no client is connected to yet. */
export interface PreparedMcpServer {
  /** Creates the server of one connection. */
  readonly create: () => McpServer;
  readonly close: () => Promise<void>;
}

/**
 * Opens the resources of a server: the audit file, and the choice of the service.
 *
 * @throws `mcp:audit_unwritable`; `mcp:no_project` if the limit is the project of a folder that is not linked.
 */
export const prepareMcpServer = async (
  options: StartOptions,
  flags: GlobalFlags,
  callerContext: Context,
): Promise<PreparedMcpServer> => {
  const folder = resolve(callerContext.cwd, options.folder ?? ".");
  const context: Context = { ...callerContext, cwd: folder };
  const redactor = new Redactor();
  const session = new ServiceSession(flags, context, redactor);
  const defaultProject = findDefault("projectId", flags, context)?.value;
  const limit = options.projectLimit === true ? defaultProject : options.projectLimit;
  if (options.projectLimit === true && limit === undefined) throw noProjectLimitError();
  const scope = new ProjectScope(
    () => session.getClient(),
    async (idOrName) => resolveIdOrName("project", idOrName, await session.getClient(), flags, context),
    { defaultProject, limit },
  );
  const auditPath =
    options.auditFile === undefined ? undefined : resolve(callerContext.cwd, options.auditFile);
  const stateFolder = getStateFolder(context.env);
  const audit = await AuditFile.open(auditPath ?? join(stateFolder, "mcp-audit.jsonl"), redactor);
  const journal = new CallJournal(join(stateFolder, "mcp-calls"));
  void journal.removeOld();
  const serverContext = {
    ...{ context, session, scope, redactor, folder, mutex: new KeyedMutex(), journal },
    findProtection: () => findProtection(flags, context),
  };
  return {
    create: () => createMcpServer(serverContext, audit, options),
    close: () => {
      session.close();
      return audit.close();
    },
  };
};

/** Serves the client at the other end of a transport. Throws the errors of `prepareMcpServer`. */
export const startMcpServer = async (
  options: StartOptions,
  flags: GlobalFlags,
  context: Context,
  transport: Transport,
): Promise<RunningMcpServer> => {
  const server = await prepareMcpServer(options, flags, context);
  const handle = serveStdio(server.create, { transport });
  const closed = new Promise<void>((resolveClosed) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolveClosed();
    };
  });
  return { close: () => handle.close(), closed: closed.then(server.close) };
};
