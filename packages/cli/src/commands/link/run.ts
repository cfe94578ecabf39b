import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Context, GlobalFlags } from "../../context.js";
import { unwritableLink } from "../../errors/storage-errors.js";
import { missingInput } from "../../errors/usage-errors.js";
import { activeProfile } from "../../profiles/active-profile.js";
import { type Link, linkFileIn, readLink } from "../../profiles/link-file.js";

/** Links the working directory to the profile that commands use in it, and to the given workspace and project. */
export const runLink = async (
  ids: Omit<Link, "profile">,
  flags: GlobalFlags,
  context: Pick<Context, "env" | "cwd" | "output">,
): Promise<void> => {
  const { cwd, output } = context;
  const file = linkFileIn(cwd);
  const { name } = activeProfile(flags, context);
  if (!name && Object.keys(ids).length === 0) {
    throw missingInput(
      "There is nothing to link this folder to",
      "Log in with mgmt login, or pass --project-id or --workspace-id.",
    );
  }
  const before = readLink(file);
  // The ids of one profile mean nothing in another.
  const unchanged = before?.profile === name?.value ? before : undefined;
  const link: Link = { ...unchanged, ...(name && { profile: name.value }), ...ids };
  await write(file, link);
  output.info(`Wrote ${file}.`);
  const { profile = null, workspaceId = null, projectId = null } = link;
  await output.result({ profile, workspaceId, projectId, file });
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
