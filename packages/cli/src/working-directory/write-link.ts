import type { Context, GlobalFlags } from "../input/context.js";
import { unwritableLink } from "../errors/storage-errors.js";
import { replaceFile } from "../files/replace-file.js";
import { activeProfile } from "../profiles/active-profile.js";
import { type Link, linkFileIn, readLink } from "../profiles/link-file.js";
import { warnAboutReaders } from "../secrets/warn-about-readers.js";

/**
 * Writes the link of the working directory: the profile that commands use in it, and ids. Ids that are left out are unchanged.
 *
 * @throws `link:unwritable`; errors of reading the link.
 */
export const writeLink = async (
  ids: Omit<Link, "profile">,
  flags: GlobalFlags,
  context: Context,
): Promise<{ file: string; link: Link }> => {
  const { cwd } = context;
  const file = linkFileIn(cwd);
  const { name } = activeProfile(flags, context);
  const before = readLink(file);
  // The ids of one profile mean nothing in another.
  const unchanged = before?.profile === name?.value ? before : undefined;
  const link: Link = { ...unchanged, ...(name && { profile: name.value }), ...ids };
  const text = Buffer.from(`${JSON.stringify(link, undefined, 2)}\n`);
  const { mode } = await replaceFile(file, { root: cwd, createFolder: true }, () => text).catch(
    (error: unknown) => {
      throw unwritableLink(file, error);
    },
  );
  await warnAboutReaders(file, mode, context, "link:open_mode");
  return { file, link };
};
