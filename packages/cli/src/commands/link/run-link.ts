import type { Context, GlobalFlags } from "../../input/context.js";
import { linkTargetNotFoundError } from "../../errors/storage-errors.js";
import { missingInputError } from "../../errors/usage-errors.js";
import { isNotAccessibleError } from "../../errors/not-accessible.js";
import { ignoreInGit } from "../../working-directory/ignore-in-git.js";
import { findCommitRisk, type CommitRisk } from "../../git/commit-risk.js";
import { getNonInteractiveReason } from "../../input/ask.js";
import { isId } from "../../input/ids.js";
import { mightBeName } from "../../contract/nameable-types.js";
import { resolveName } from "../../run/names/resolve-name.js";
import { quoteShellWord } from "../../text/shell-word.js";
import { selectExistingProfile } from "../../profiles/active-profile.js";
import type { Link } from "../../profiles/link-file.js";
import { writeLink } from "../../working-directory/write-link.js";
import { warnIfLinkIsOverridden } from "../../profiles/warn-overridden.js";
import { connect } from "../../service/connect.js";

/** What `mgmt link` prints: the link, and its file. */
export interface LinkResult {
  readonly profile: string | null;
  readonly workspaceId: string | null;
  readonly projectId: string | null;
  /** Whether commands that delete, restore, rotate, or overwrite need the name of the resource here. */
  readonly protect: boolean;
  readonly file: string;
}

/**
 * Links the working directory to the profile that commands use in it, and to the given workspace and project. Asks for the
 * project on a terminal if neither is given.
 *
 * @param requestedIds ids, or names if they are verified.
 * @param verify whether to ask the service for the workspace and the project.
 * @param protect whether to protect what commands use here. Undefined leaves it as it is.
 * @param gitignore whether to add the link to .gitignore. Undefined asks on a terminal.
 */
export const runLink = async (
  requestedIds: Omit<Link, "profile" | "protect">,
  {
    verify,
    gitignore,
    protect,
  }: {
    readonly verify: boolean;
    readonly gitignore: boolean | undefined;
    readonly protect: boolean | undefined;
  },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { output } = context;
  const hasIds = Object.keys(requestedIds).length > 0;
  const asksForProject =
    !hasIds && protect === undefined && verify && getNonInteractiveReason(context) === undefined;
  if (!hasIds && protect === undefined && !asksForProject && !selectExistingProfile(flags, context).name) {
    throw missingInputError(
      "There is nothing to link this folder to",
      "Log in with mgmt login, or pass --project-id or --workspace-id.",
    );
  }
  const chosenIds = asksForProject ? { projectId: await chooseProject(flags, context) } : requestedIds;
  const ids = verify && hasIds ? await resolveLinkIds(chosenIds, flags, context) : chosenIds;
  const { file, link } = await writeLink(
    { ...ids, ...(protect !== undefined && { protect }) },
    flags,
    context,
  );
  output.info(`Wrote ${file}.`);
  await warnIfLinkIsOverridden(link, context);
  // The user decides whether others get the link.
  const gitignoreAnswer = gitignore ?? (getNonInteractiveReason(context) === undefined ? undefined : false);
  const ignoredFiles = await ignoreInGit([{ path: file, line: ".mgmt/" }], gitignoreAnswer, context);
  const commitRisk =
    ignoredFiles.length === 0 && gitignore === undefined ? await findCommitRisk(file, context) : undefined;
  if (commitRisk)
    output.notice({ code: "link:tracked", message: commitRiskMessages[commitRisk](file), file });
  const { profile = null, workspaceId = null, projectId = null } = link;
  const result: LinkResult = { profile, workspaceId, projectId, protect: link.protect ?? false, file };
  await output.writeResult(result, "LinkResult");
};

/** Warns that the link may be committed to a repository. */
const commitRiskMessages: Readonly<Record<CommitRisk, (path: string) => string>> = {
  not_ignored: (path) =>
    `git does not ignore ${path}, so that others may get this link. Add .mgmt/ to .gitignore unless they should.`,
  tracked: (path) =>
    `git tracks ${path}, so that others get this link. Unless they should, run: git rm --cached ${quoteShellWord(path)}. ` +
    "Then add .mgmt/ to .gitignore unless it is there already.",
};

const chooseProject = async (flags: GlobalFlags, context: Context): Promise<string> => {
  const [client, { chooseResource }] = await Promise.all([
    connect(flags, context),
    import("../../run/names/choose-resource.js"),
  ]);
  const projectId = await chooseResource("project", "Project", { client, knownIds: {}, flags, context });
  context.answers.push({ flag: "--project-id", value: projectId });
  return projectId;
};

const linkFields = [
  ["workspaceId", "workspace"],
  ["projectId", "project"],
] as const;

/** Returns the ids of the given workspace and project. Throws `link:not_found` for one that the credential cannot access. */
const resolveLinkIds = async (
  ids: Omit<Link, "profile">,
  flags: GlobalFlags,
  context: Context,
): Promise<Omit<Link, "profile">> => {
  const { signal } = context;
  const client = await connect(flags, context);
  const scope = { client, signal, findDefaultProject: () => undefined };
  const resolvedIds: Partial<Record<"workspaceId" | "projectId", string>> = {};
  for (const [field, resourceType] of linkFields) {
    const idOrName = ids[field];
    if (idOrName === undefined) continue;
    const resolvedId = mightBeName(idOrName) ? await resolveName(resourceType, idOrName, scope) : undefined;
    const id = resolvedId ?? idOrName;
    try {
      const resources = resourceType === "workspace" ? client.workspaces : client.projects;
      const { id: canonicalId } = await resources.get(id, { signal });
      resolvedIds[field] = isId(canonicalId) ? canonicalId : id;
    } catch (error) {
      if (!isNotAccessibleError(error)) throw error;
      throw linkTargetNotFoundError(resourceType, idOrName);
    }
  }
  return resolvedIds;
};
