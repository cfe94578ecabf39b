import { CliError } from "./cli-error.js";

const usage = (code: string, message: string, hint: string): CliError =>
  new CliError("usage", code, message, hint);

/** The arguments of a call do not fit the schema of the tool. */
export const invalidArgumentsError = (tool: string, problems: readonly string[]): CliError =>
  usage(
    "mcp:invalid_arguments",
    `The arguments of ${tool} are not valid: ${problems.join("; ")}`,
    "Correct the arguments. Nothing was sent.",
  );

/** No operation of the contract has the name, or it is of the other kind. */
export const unknownOperationError = (operation: string, names: readonly string[]): CliError =>
  usage(
    "mcp:unknown_operation",
    `${JSON.stringify(operation)} is not an operation of this tool`,
    names.length > 0 ? `Did you mean ${names.join(" or ")}?` : "operations_search finds operations by words.",
  );

/** @param subject a tool or an operation that changes something, as the start of a sentence. */
export const readOnlyServerError = (subject: string): CliError =>
  new CliError(
    "refused",
    "mcp:read_only",
    `${subject} is not available, because this server was started with --read-only`,
    "The user can remove --read-only from the command in the configuration of the client. Nothing was sent.",
  );

/** @param subject a tool or an operation that changes something, as the start of a sentence. */
export const userCredentialError = (subject: string): CliError =>
  new CliError(
    "refused",
    "mcp:user_credential",
    `${subject} is not available, because the credential of this server is not that of an agent`,
    "The user can start the server with the profile of an agent, or with --allow-user-writes, so that the client asks before each change. To create such a profile, run mgmt dev agent. Nothing was sent.",
  );

/** The server has only the core tools, and the tool is not one of them. */
export const unlistedToolError = (tool: string, kind: "read" | "write"): CliError =>
  usage(
    "mcp:unlisted_tool",
    `${tool} is not in the list of this server`,
    `Call operation_${kind} with operation: "${tool}". The user can add a tool for each operation with --tools all. Nothing was sent.`,
  );

/** An id belongs to another project than the one that the server is limited to. */
export const outsideProjectError = (subject: string, projectId: string): CliError =>
  new CliError(
    "forbidden",
    "mcp:outside_project",
    `${subject} is not in the project ${projectId}, to which this server is limited`,
    "Use resources of that project. Only the user can change the limit, with another --project. Nothing was changed.",
  );

/** A call needs a project, and neither the arguments nor the folder name one. */
export const noProjectError = (): CliError =>
  new CliError(
    "inputNeeded",
    "mcp:no_project",
    "The call has no projectId, and the folder is not linked to a project",
    "Pass projectId; projects_list has the ids. The user can link the folder: mgmt link --project-id ID.",
  );

/** `--project` has no value, and the folder is not linked to a project. */
export const noProjectLimitError = (): CliError =>
  new CliError(
    "inputNeeded",
    "mcp:no_project",
    "--project has no value, and the folder is not linked to a project",
    "Pass the id of a project, or link the folder: mgmt link --project-id ID.",
  );

/** The path of an env file leaves the workspace folder, or has another form. */
export const envFileOutsideError = (envFile: string, problem: string): CliError =>
  usage(
    "mcp:env_file_refused",
    `envFile cannot be ${JSON.stringify(envFile)}: ${problem}`,
    "Pass a path in the workspace folder whose name is .env, .env.NAME or NAME.env. Nothing was created.",
  );

/** Git tracks the env file, so that the next commit would contain the secret. */
export const trackedEnvFileError = (envFile: string): CliError =>
  new CliError(
    "refused",
    "mcp:env_file_tracked",
    `Git tracks ${envFile}, so that a secret in it would become a part of the next commit`,
    "Pass another envFile, such as .env.local, that .gitignore names. Nothing was created.",
  );

/** Git refuses to read the repository of an env file, so that it is unknown whether the next commit would contain the secret. */
export const unreadableRepositoryError = (envFile: string): CliError =>
  new CliError(
    "refused",
    "mcp:repository_unreadable",
    `Git cannot read the repository of ${envFile}, and so cannot say if it tracks the file`,
    "The user can run git status in the folder, which says why. Nothing was created.",
  );

/** The env file could not be written after the secret was created. */
export const secretNotWrittenError = (
  path: string,
  recoveredTo: string | undefined,
  cause: unknown,
): CliError =>
  new CliError(
    "partlyDone",
    "mcp:secret_not_written",
    `The secret was created, but ${path} could not be written`,
    recoveredTo === undefined
      ? "The secret is lost. Create another connection, or rotate this one."
      : `The secret is in ${recoveredTo}, which only the user can read. The user can move the line to an env file.`,
    { cause },
  );

/** A body field is a secret, which a model must not see. */
export const secretArgumentError = (
  operation: string,
  names: readonly string[],
  words: readonly string[],
): CliError =>
  new CliError(
    "refused",
    "mcp:secret_argument",
    `${operation} needs the secret ${names.join(" and ")}, which must not be an argument of a tool`,
    `The user can run the command in a terminal: ${words.join(" ")}.`,
    { next: [words] },
  );

/** The user has not confirmed a change that uses the user's own credential. */
export const notConfirmedError = (tool: string): CliError =>
  new CliError(
    "refused",
    "mcp:not_confirmed",
    `The user did not confirm ${tool}`,
    "Nothing was sent. Ask the user before you try again.",
  );

/** The client cannot ask the user. */
export const cannotConfirmError = (tool: string): CliError =>
  new CliError(
    "refused",
    "mcp:cannot_confirm",
    `${tool} needs the confirmation of the user, and this client has no form elicitation`,
    "Use a client with form elicitation, or the credential of an agent, whose sponsor approves changes. Nothing was sent.",
  );

/** The audit file cannot be written, so that no change is made. */
export const unwritableAuditError = (path: string, problem: string): CliError =>
  new CliError(
    "failure",
    "mcp:audit_unwritable",
    `The audit file ${path} cannot be written: ${problem}`,
    "Correct its permissions, or pass another path with --audit-file.",
  );

/** The journal file of a call cannot be written, so that the call is not made. */
export const unwritableJournalError = (folder: string, problem: string): CliError =>
  new CliError(
    "failure",
    "mcp:journal_unwritable",
    `What becomes of the call cannot be remembered in ${folder}: ${problem}`,
    "Correct the permissions of the folder. Nothing was sent.",
  );

/** An irreversible request was sent, and its result was lost. */
export const unknownOutcomeError = (sentAt: string): CliError =>
  new CliError(
    "failure",
    "mcp:outcome_unknown",
    `The same call was sent at ${sentAt}, and its result was lost`,
    `Read the resource to see if the change was made. To send the call once more, pass again: "${sentAt}". Nothing was sent now.`,
  );

/** The query has no result that can be returned. */
export const queryRejectedError = (message: string, hint: string): CliError =>
  new CliError("refused", "mcp:query_refused", message, hint);

/** Postgres has rejected a statement. */
export const queryFailedError = (sqlState: string | undefined, message: string): CliError =>
  new CliError(
    "failure",
    "mcp:query_failed",
    sqlState === undefined ? message : `${message} (SQLSTATE ${sqlState})`,
    "query runs one statement in a read-only transaction. Correct the statement.",
  );

/** A person has started the server, which speaks to a client on standard input. */
export const startedOnTerminalError = (): CliError =>
  usage(
    "mcp:terminal",
    "The MCP server speaks to a coding agent on standard input, which is a terminal",
    "Add it to the configuration of the agent, which then starts it: mgmt mcp install CLIENT.",
  );
