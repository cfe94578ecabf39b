import { dirname } from "node:path";
import type { Profile } from "./profile.js";

/** Says which `mgmt dev` registered a profile: its process, and the folder with its data. */
export const describeDev = ({ process: dev, controlSecretFile }: Profile): string =>
  [
    ...(dev ? [`process ${String(dev.pid)}`] : []),
    ...(controlSecretFile === undefined ? [] : [`data directory ${dirname(controlSecretFile)}`]),
  ].join(", ");

/** Says what copies of large databases take on disk; undefined if that is not known. */
export const describeCopies = (copyMethod: string | null | undefined): string | undefined => {
  if (copyMethod === "clone") return "share the disk blocks of their source";
  return copyMethod === "copy" ? "take as much disk as their source" : undefined;
};
