import { archiveName, type Target } from "../targets.js";

/** A version of the standalone program, as package managers describe it. */
export interface Published {
  readonly version: string;
  /** Address of the repository, without a slash at the end. */
  readonly repository: string;
  /** SPDX expression. */
  readonly license: string;
  /** SHA-256 of each archive, in hexadecimal. */
  readonly hashes: Readonly<Record<Target, string>>;
}

/** What the program is, in a sentence without an article at its start and without its name, as Homebrew wants it. */
export const summary = "Command-line interface of the Management API for projects and Postgres databases";

/** Returns the address from which an archive is downloaded. */
export const urlOf = (
  { repository, version }: Pick<Published, "repository" | "version">,
  target: Target,
): string => `${repository}/releases/download/v${version}/${archiveName(version, target)}`;
