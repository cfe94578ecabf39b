import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Context, GlobalFlags } from "../../context.js";
import { linkedToNothing, unwritableLink } from "../../errors/storage-errors.js";
import { missingInput } from "../../errors/usage-errors.js";
import { isId } from "../../input/ids.js";
import { valueAt } from "../../json-path.js";
import { mayBeName } from "../../names/id-form.js";
import { resolveName } from "../../names/resolve-name.js";
import { activeProfile } from "../../profiles/active-profile.js";
import { type Link, linkFileIn, readLink } from "../../profiles/link-file.js";
import { connect } from "../../service/connect.js";

/** What `mgmt link` prints: the link, and its file. */
export interface LinkResult {
  readonly profile: string | null;
  readonly workspaceId: string | null;
  readonly projectId: string | null;
  readonly file: string;
}

/**
 * Links the working directory to the profile that commands use in it, and to the given workspace and project.
 *
 * @param given Ids, or names if they are verified.
 * @param verify Whether to ask the service for the workspace and the project.
 */
export const runLink = async (
  given: Omit<Link, "profile">,
  verify: boolean,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  const { cwd, output } = context;
  const file = linkFileIn(cwd);
  const { name } = activeProfile(flags, context);
  if (!name && Object.keys(given).length === 0) {
    throw missingInput(
      "There is nothing to link this folder to",
      "Log in with mgmt login, or pass --project-id or --workspace-id.",
    );
  }
  const before = readLink(file);
  const ids = verify && Object.keys(given).length > 0 ? await verified(given, flags, context) : given;
  // The ids of one profile mean nothing in another.
  const unchanged = before?.profile === name?.value ? before : undefined;
  const link: Link = { ...unchanged, ...(name && { profile: name.value }), ...ids };
  await write(file, link);
  output.info(`Wrote ${file}.`);
  const { profile = null, workspaceId = null, projectId = null } = link;
  const result: LinkResult = { profile, workspaceId, projectId, file };
  await output.result(result, "LinkResult");
};

const kinds = [
  ["workspaceId", "workspace", "/v1/workspaces/{id}"],
  ["projectId", "project", "/v1/projects/{id}"],
] as const;

/** Returns the ids of the given workspace and project. Throws `link:not_found` for one that the credential cannot access. */
const verified = async (
  given: Omit<Link, "profile">,
  flags: GlobalFlags,
  context: Context,
): Promise<Omit<Link, "profile">> => {
  const { signal } = context;
  const client = await connect(flags, context);
  const scope = { client, signal, defaultProject: () => undefined };
  const found: Partial<Record<"workspaceId" | "projectId", string>> = {};
  for (const [field, kind, path] of kinds) {
    const text = given[field];
    if (text === undefined) continue;
    const named = mayBeName(text) ? await resolveName(kind, text, scope) : undefined;
    const id = named ?? text;
    try {
      const body = await client.request<unknown>({ method: "GET", path, pathParams: { id } }, { signal });
      const canonical = valueAt(body, ["data", "id"]);
      found[field] = isId(canonical) ? canonical : id;
    } catch (error) {
      const status = error instanceof Error && "status" in error ? error.status : undefined;
      if (status !== 403 && status !== 404 && status !== 422) throw error;
      throw linkedToNothing(kind, text);
    }
  }
  return found;
};

const write = async (file: string, link: Link): Promise<void> => {
  const temporary = `${file}.${process.pid}.part`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(temporary, `${JSON.stringify(link, undefined, 2)}\n`);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritableLink(file, error);
  }
};
