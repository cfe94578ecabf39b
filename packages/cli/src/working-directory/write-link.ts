import type { Context, GlobalFlags } from "../input/context.js";
import { unwritableLinkError } from "../errors/storage-errors.js";
import { replaceFile } from "../files/replace-file.js";
import { selectExistingProfile } from "../profiles/active-profile.js";
import { type Link, getLinkFilePath, readLink } from "../profiles/link-file.js";
import { warnAboutReaders } from "../secrets/warn-about-readers.js";

/**
 * Writes the link of the working directory: the profile that commands use in it, ids, and whether it is protected. What is left out is
 * unchanged.
 *
 * @throws `link:unwritable`; errors of reading the link.
 */
export const writeLink = async (
  changes: Omit<Link, "profile">,
  flags: GlobalFlags,
  context: Context,
): Promise<{ file: string; link: Link }> => {
  const { cwd } = context;
  const path = getLinkFilePath(cwd);
  const { name, profile } = selectExistingProfile(flags, context);
  const previousLink = readLink(path);
  // Each folder finds its own mgmt dev --here, also a worktree in which the link is committed.
  const profileName = profile?.folder === undefined ? name?.value : undefined;
  // The ids of one profile mean nothing in another.
  const retainedLink = previousLink?.profile === profileName ? previousLink : undefined;
  const link: Link = {
    ...retainedLink,
    // The protection is removed only if the user asks for it.
    ...(previousLink?.protect && { protect: true }),
    ...(profileName !== undefined && { profile: profileName }),
    ...changes,
  };
  const linkJson = Buffer.from(`${JSON.stringify(link, undefined, 2)}\n`);
  const { mode } = await replaceFile(path, { root: cwd, shouldCreateFolder: true }, () => linkJson).catch(
    (error: unknown) => {
      throw unwritableLinkError(path, error);
    },
  );
  await warnAboutReaders(path, mode, context, "link:open_mode");
  return { file: path, link };
};
