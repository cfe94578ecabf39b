import { dirname } from "node:path";
import type { Profile } from "./profile.js";

/** Says which `mgmt dev` registered a profile: its process, and the folder with its data. */
export const describeDev = ({ process: dev, controlSecretFile }: Profile): string =>
  [
    ...(dev ? [`process ${String(dev.pid)}`] : []),
    ...(controlSecretFile === undefined ? [] : [`data directory ${dirname(controlSecretFile)}`]),
  ].join(", ");
