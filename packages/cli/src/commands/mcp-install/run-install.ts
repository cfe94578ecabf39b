import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brokenClientFileError, changedClientFileError } from "../../errors/client-file-errors.js";
import { missingInputError, usageError } from "../../errors/usage-errors.js";
import {
  locateClientFile,
  readClientFile,
  type FileScope,
  writeClientFile,
} from "../../files/client-file.js";
import { isWithinFolder } from "../../files/is-within-folder.js";
import { getNonInteractiveReason } from "../../input/ask.js";
import { promptForChoice } from "../../input/prompt-for-choice.js";
import { confirm } from "../../input/confirm.js";
import type { Context, GlobalFlags } from "../../input/context.js";
import { detectInstallation, type Installation } from "../../installation/installation.js";
import { assertServiceUrl } from "../../profiles/resolve-access.js";
import { type McpClient, clients } from "./clients.js";
import {
  ConfigProblem,
  type EditedConfig,
  isSameEntry,
  isDisabled,
  locate,
  type ServerEntry,
} from "./config-entry.js";
import { name as packageName } from "../../../package.json";
import { describeChange } from "./describe-change.js";
import { type ClientName, clientNames } from "./names.js";
import { buildServerCommand } from "./server-command.js";

export interface InstallFlags {
  readonly scope?: FileScope;
  /** The id of a project. True for the project that the folder is linked to. */
  readonly project?: string | true;
  /** Workspace folder of the server. */
  readonly folder?: string;
  readonly readOnly?: boolean;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
}

/** What `mgmt mcp install` prints. */
export interface McpInstallResult {
  readonly client: ClientName;
  readonly scope: FileScope;
  /** Path of the configuration. */
  readonly file: string;
  /** What was changed, or would be with `--dry-run`. */
  readonly change: "added" | "replaced" | "removed" | "none";
  /** Whether the file was written. */
  readonly written: boolean;
  /** The command line that the client starts, or null if it was removed. */
  readonly command: readonly string[] | null;
}

/** Adds the server to the configuration of a client, or removes it, after a confirmation. */
export const runMcpInstall = async (
  clientName: string | undefined,
  flags: InstallFlags,
  globalFlags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output, env, cwd, version } = context;
  const name = clientName === undefined ? await askForClient(context) : parseClient(clientName);
  const client = clients[name];
  const scope = flags.scope ?? client.defaultScope;
  const { program, args, canDownload } = buildServerCommand(
    await collectServerArguments(client, { ...flags, scope }, globalFlags, cwd),
    {
      installation: detectInstallationFor(cwd),
      version,
      scope,
      client: name,
      platform: process.platform,
    },
  );
  const entry = flags.remove ? undefined : client.toEntry({ program, args, canDownload });
  const path = scope === "project" ? join(cwd, client.projectFile) : client.userFile(env, process.platform);
  const file = await locateClientFile(path, scope === "project" ? cwd : undefined);
  const text = (await readClientFile(file)) ?? "";
  const edited = editAndCheck(client, path, text, entry);
  const change = nameChange(text, edited, entry);
  if (change === "none") {
    output.info(entry ? `${path} has this server already.` : `${path} does not have the server.`);
  } else {
    await output.report((style) => describeChange(path, edited.before, entry, style));
    if (!flags.dryRun) {
      if (!globalFlags.yes) await confirm(describeAction(change, client, path), context);
      await writeClientFile(file, (current = "") => {
        const { text: newText, before } = editAndCheck(client, path, current, entry);
        if (!isSameEntry(before, edited.before)) throw changedClientFileError(path);
        return newText;
      });
      output.info(`Wrote ${path}. ${entry ? client.next[scope] : `Start ${client.title} again.`}`);
    }
  }
  if (entry && isDisabled(edited.before))
    output.info(`${client.title} does not start it as long as ${path} turns it off.`);
  const result: McpInstallResult = {
    client: name,
    scope,
    file: path,
    change,
    written: change !== "none" && !flags.dryRun,
    command: entry ? [program, ...args] : null,
  };
  await output.writeResult(result, "McpInstallResult");
};

/**
 * Edits a text, and checks that the result can be parsed and has the entry.
 *
 * @throws CliError `client_file:invalid`
 */
const editAndCheck = (
  { edit, title }: McpClient,
  path: string,
  text: string,
  entry: ServerEntry | undefined,
): EditedConfig => {
  let edited: EditedConfig;
  try {
    edited = edit(text, entry);
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    throw brokenClientFileError(path, locate(text, error.offset), error.problem);
  }
  if (edit(edited.text, entry).text !== edited.text)
    throw new Error(`The edited configuration of ${title} does not say what it should`);
  return edited;
};

const parseClient = (text: string): ClientName => {
  const name = clientNames.find((candidate) => candidate === text);
  if (name === undefined)
    throw usageError(`<client> cannot be ${JSON.stringify(text)}`, `Allowed: ${clientNames.join(", ")}.`);
  return name;
};

const askForClient = async (context: Context): Promise<ClientName> => {
  const reason = getNonInteractiveReason(context);
  if (reason !== undefined) {
    const hint = `The command did not ask, because ${reason}. One of: ${clientNames.join(", ")}.`;
    throw missingInputError("Missing <client>", hint);
  }
  const choices = clientNames.map((name) => ({ value: name, parts: [clients[name].title, name] }));
  return parseClient(await promptForChoice({ title: "Client", choices }, context));
};

/** Returns how a client that is started in a folder gets this command: a package of another folder is not found there. */
const detectInstallationFor = (folder: string): Installation => {
  const installation = detectInstallation(fileURLToPath(import.meta.url));
  if (installation !== "project") return installation;
  try {
    createRequire(join(folder, "package.json")).resolve(`${packageName}/package.json`);
    return "project";
  } catch {
    return "npx";
  }
};

/** Returns the arguments of `mgmt mcp`. They are in the process list, and contain no secret. */
const collectServerArguments = async (
  client: McpClient,
  { project, folder, scope, readOnly }: InstallFlags & { readonly scope: FileScope },
  { profile, baseUrl, tokenFile, insecure }: GlobalFlags,
  cwd: string,
): Promise<string[]> => {
  if (baseUrl !== undefined) await assertServiceUrl({ value: baseUrl, from: "--base-url" });
  if (tokenFile === "-")
    throw usageError(
      "--token-file cannot be -, because a client has no token to write to the server",
      "Pass the path of a file, or log in with mgmt login.",
    );
  const serverFolder = chooseServerFolder(folder, client, scope, cwd);
  return [
    ...(profile === undefined ? [] : ["--profile", profile]),
    ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
    ...(insecure ? ["--insecure"] : []),
    ...(tokenFile === undefined ? [] : ["--token-file", resolve(cwd, tokenFile)]),
    ...(serverFolder === undefined ? [] : ["--folder", serverFolder]),
    ...(project === undefined ? [] : project === true ? ["--project"] : ["--project", project]),
    ...(readOnly ? ["--read-only"] : []),
  ];
};

/**
 * Returns the folder as the client passes it to the server. In the configuration of a project, which other users share, it is a path from
 * the folder of the project. A variable of the client, such as `${workspaceFolder}`, stays as it is.
 */
const chooseServerFolder = (
  folder: string | undefined,
  { folderVariable }: McpClient,
  scope: FileScope,
  cwd: string,
): string | undefined => {
  if (folder === undefined || folder.includes("${")) return folder ?? folderVariable;
  const path = resolve(cwd, folder);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`--folder: ${path} is not a folder`, "Pass the folder of the project.");
  if (scope === "user" || !isWithinFolder(cwd, path)) return path;
  const words = relative(cwd, path).split(sep).filter(Boolean);
  return [folderVariable ?? ".", ...words].join("/");
};

const nameChange = (
  text: string,
  { text: newText, before }: EditedConfig,
  entry: ServerEntry | undefined,
): McpInstallResult["change"] => {
  if (newText === text) return "none";
  if (!entry) return "removed";
  return before === undefined ? "added" : "replaced";
};

/** Returns a description of the change, which follows "This will" in the question. */
const describeAction = (change: McpInstallResult["change"], { title }: McpClient, path: string): string => {
  const place = `in the configuration of ${title}, ${path}`;
  if (change === "removed") return `remove the server ${place}`;
  return change === "replaced" ? `replace the server ${place}` : `add the server ${place}`;
};
