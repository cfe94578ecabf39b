import { basename, resolve } from "node:path";
import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../../input/context.js";
import { missingInputError, usageError } from "../../errors/usage-errors.js";
import { ignoreInGit } from "../../working-directory/ignore-in-git.js";
import { ask, getNonInteractiveReason } from "../../input/ask.js";
import { promptForChoice } from "../../input/prompt-for-choice.js";
import { assertVariableName } from "../../input/variable-name.js";
import { resolveFlagOrConfirm } from "../../input/flag-or-confirm.js";
import { toPrintable } from "../../output/printable.js";
import { resolveIdOrName } from "../../run/names/resolve-id-or-name.js";
import { chooseResource } from "../../run/names/choose-resource.js";
import { fetchDatabaseAccess, requireDefaultDatabase } from "../../postgres/database-access.js";
import { announceLink } from "../../profiles/announce-link.js";
import { getLinkFilePath, readLink } from "../../profiles/link-file.js";
import { warnIfLinkIsOverridden } from "../../profiles/warn-overridden.js";
import { connect } from "../../service/connect.js";
import { writeLink } from "../../working-directory/write-link.js";
import { writeVariable } from "../../working-directory/write-variable.js";

export interface InitFlags {
  /** Id or name. */
  readonly projectId?: string;
  /** Name of a project to create. */
  readonly create?: string;
  readonly region?: string;
  readonly file?: string;
  readonly name?: string;
  /** Whether to write the connection string. Undefined asks. */
  readonly env?: boolean;
  /** Whether to change .gitignore. Undefined asks. */
  readonly gitignore?: boolean;
}

/** What `mgmt init` prints. */
export interface InitResult {
  readonly project: { readonly id: string; readonly name: string; readonly created: boolean };
  /** Path of the file that links the folder. */
  readonly link: string;
  /** Lines that were added to .gitignore. */
  readonly ignored: readonly string[];
  /** Path of the file with the connection string; null if none was written. */
  readonly envFile: string | null;
  /** Name of the variable in that file. */
  readonly variable: string | null;
}

/** Sets the working directory up for a project. Every step that is done already is left as it is. */
export const runInit = async (options: InitFlags, flags: GlobalFlags, context: Context): Promise<void> => {
  const { cwd, output } = context;
  const { file = ".env", name = "DATABASE_URL" } = options;
  assertVariableName(name);
  const linkedProjectId = readLink(getLinkFilePath(cwd))?.projectId;
  assertProjectKnown(options, linkedProjectId, context);
  const client = await connect(flags, context);
  const project = await chooseOrCreateProject(options, linkedProjectId, client, flags, context);
  const { file: linkFile, link: writtenLink } = await writeLink({ projectId: project.id }, flags, context);
  output.info(`This folder uses project ${project.name} (${project.id}).`);
  await warnIfLinkIsOverridden(writtenLink, context);

  const shouldWriteEnv = await resolveFlagOrConfirm(options.env, `Write ${name} into ${file}?`, context);
  const envFile = shouldWriteEnv ? resolve(cwd, file) : undefined;
  const addedLines = await ignoreInGit(
    [
      { path: linkFile, line: ".mgmt/" },
      ...(envFile === undefined ? [] : [{ path: envFile, line: basename(envFile) }]),
    ],
    options.gitignore,
    context,
  );
  if (envFile !== undefined) {
    await writeDefaultUrl(project.id, { path: envFile, name }, client, context);
  }
  const result: InitResult = {
    project,
    link: linkFile,
    ignored: addedLines,
    envFile: envFile ?? null,
    variable: envFile === undefined ? null : name,
  };
  if (output.format === "table")
    output.info("Next: mgmt status shows the project, and mgmt psql opens its database.");
  else await output.writeResult(result, "InitResult");
};

/** Fails before anything is sent if there is no one to ask for the project. */
const assertProjectKnown = (
  { projectId, create }: InitFlags,
  linkedProjectId: string | undefined,
  context: Context,
): void => {
  const reason = getNonInteractiveReason(context);
  if (
    reason === undefined ||
    projectId !== undefined ||
    create !== undefined ||
    linkedProjectId !== undefined
  )
    return;
  throw missingInputError(
    "Missing --project-id or --create",
    `The command did not ask, because ${reason}. Pass --project-id with the id or name of a project, or --create with the name of a new one.`,
  );
};

/** Writes the connection string of the default database of a project, when that is ready. */
const writeDefaultUrl = async (
  projectId: string,
  envVariable: { readonly path: string; readonly name: string },
  client: MgmtClient,
  context: Context,
): Promise<void> => {
  const { signal } = context;
  const databases = await client.projects.databases.list(projectId, undefined, { signal }).toArray();
  const database = requireDefaultDatabase(projectId, databases);
  await client.databases.waitUntilReady(database.id, { signal });
  const { url } = await fetchDatabaseAccess(database.id, client, context);
  await writeVariable({ ...envVariable, url }, context);
};

const newProjectChoice = "new";

/** Returns the project of the flags, the project that the folder is linked to, or the project that the user chooses, which may be a new one. */
const chooseOrCreateProject = async (
  { projectId, create, region }: InitFlags,
  linkedProjectId: string | undefined,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<InitResult["project"]> => {
  const { signal } = context;
  const fetchProject = async (id: string): Promise<InitResult["project"]> => {
    const project = await client.projects.get(id, { signal });
    return { id: project.id, name: project.name, created: false };
  };
  if (projectId !== undefined)
    return fetchProject(await resolveIdOrName("project", projectId, client, flags, context));
  if (linkedProjectId !== undefined) {
    const project = await fetchProject(linkedProjectId);
    if (create !== undefined && create !== project.name) {
      throw usageError(
        `This folder is linked to project ${project.name}, not ${create}`,
        "Nothing was created. Run mgmt unlink first, or leave --create out.",
      );
    }
    if (await confirmLinkedProject(project, create !== undefined, context)) return project;
  }
  const newProjectName = create ?? (await askForNewProject(client, context));
  if (newProjectName === undefined) {
    const chosenId = await chooseResource("project", "Project", { client, knownIds: {}, flags, context });
    context.answers.push({ flag: "--project-id", value: chosenId });
    return fetchProject(chosenId);
  }
  const body = { name: newProjectName, ...(region !== undefined && { region }) };
  const { id, name } = await client.projects.create(body, { signal });
  return { id, name, created: true };
};

/**
 * Announces the project of the folder's link, which may be from another user's repository, and asks the user at a terminal whether to use
 * it.
 *
 * @param isProjectNamed whether a flag names the project too.
 */
const confirmLinkedProject = async (
  { id, name }: InitResult["project"],
  isProjectNamed: boolean,
  context: Context,
): Promise<boolean> => {
  const path = getLinkFilePath(context.cwd);
  if (isProjectNamed || getNonInteractiveReason(context) !== undefined) {
    const setting = { label: "project", value: `${name} (${id})`, from: path };
    announceLink(setting, { file: path, link: {} }, context);
    await context.output.implicitSettings.announceForChange();
    return true;
  }
  return resolveFlagOrConfirm(
    undefined,
    toPrintable(`${path} links this folder to project ${name} (${id}). Use it?`),
    context,
  );
};

/** Asks whether to create a project, and for its name. Returns undefined to choose one that exists. */
const askForNewProject = async (client: MgmtClient, context: Context): Promise<string | undefined> => {
  const projects = await client.projects.list({ limit: 1 }, { signal: context.signal }).toArray({ limit: 1 });
  const choices = [
    { value: "existing", parts: ["Choose a project"] },
    { value: newProjectChoice, parts: ["Create a project"] },
  ];
  const answer =
    projects.length === 0
      ? newProjectChoice
      : await promptForChoice({ title: "This folder", choices }, context);
  if (answer !== newProjectChoice) return undefined;
  const suggestion = basename(context.cwd);
  return ask(context, (prompts, terminal) =>
    prompts.input(
      {
        message: "Name of the new project:",
        default: suggestion,
        validate: (text) => text.trim() !== "" || "The name must not be empty.",
      },
      terminal,
    ),
  );
};
