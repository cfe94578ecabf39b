import { existsSync } from "node:fs";
import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { missingInput, unwritableLink } from "../errors.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { activeProfile } from "./active-profile.js";
import { filesFrom, type Link, linkFileIn, readLink } from "./link.js";

/** Links this folder to the profile that is used in it, and to the workspace and project that are given. */
export const runLink = async (
  ids: Omit<Link, "profile">,
  flags: GlobalFlags,
  { env, output }: Pick<Context, "env" | "output">,
): Promise<void> => {
  const file = linkFileIn(process.cwd());
  const { name } = activeProfile(flags, env);
  if (!name && Object.keys(ids).length === 0) {
    throw missingInput(
      "There is nothing to link this folder to",
      "Log in with mgmt login, or pass --project-id or --workspace-id.",
    );
  }
  const before = readLink(file);
  // Ids of another profile are nothing in this one.
  const kept = before?.profile === name?.value ? before : undefined;
  const link: Link = { ...kept, ...(name && { profile: name.value }), ...ids };
  await write(file, link);
  output.say(`Linked by ${file}.`);
  const { profile = null, workspaceId = null, projectId = null } = link;
  await output.answer({ profile, workspaceId, projectId, file });
};

/** Takes away the link that holds in this folder, whatever is in it. */
export const runUnlink = async ({ output }: Pick<Context, "output">): Promise<void> => {
  const file = filesFrom(process.cwd()).find((each) => existsSync(each));
  if (file === undefined) return output.say("This folder is not linked.");
  try {
    await rm(file);
  } catch (error) {
    throw unwritableLink(file, error);
  }
  // Others may keep something there.
  await rmdir(dirname(file)).catch(() => undefined);
  output.say(`${file} is deleted.`);
};

const write = async (file: string, link: Link): Promise<void> => {
  const part = `${file}.${process.pid}.part`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(part, `${JSON.stringify(link, undefined, 2)}\n`);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw unwritableLink(file, error);
  }
};
