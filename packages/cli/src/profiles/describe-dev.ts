import { dirname } from "node:path";
import type { Profile } from "./profile.js";

/** Describes the `mgmt dev` that registered a profile: its process, and the folder with its data. */
export const describeDev = ({ process: dev, controlSecretFile }: Profile): string =>
  [
    ...(dev ? [`process ${String(dev.pid)}`] : []),
    ...(controlSecretFile === undefined ? [] : [`data directory ${dirname(controlSecretFile)}`]),
  ].join(", ");

/** Describes how much disk space copies of large databases take; undefined if that is not known. */
export const describeCopies = (copyMethod: string | null | undefined): string | undefined => {
  if (copyMethod === "clone") return "share the disk blocks of their source";
  return copyMethod === "copy" ? "take as much disk as their source" : undefined;
};
