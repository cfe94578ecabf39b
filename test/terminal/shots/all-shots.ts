import { reads, type Shot } from "../shot.js";
import { accountShots, machineShots, provisioningShots } from "./machine.js";
import { branchShots, connectionShots, databaseShots, projectShots, serviceShots } from "./resources.js";
import { workspaceShots } from "./workspaces.js";

/** What is shown of each command besides its help. A command that is not a group has at least one shot. */
export const allShots: Readonly<Record<string, readonly Shot[]>> = {
  mgmt: [
    reads("no command", []),
    reads("the version", "--version"),
    reads("a command with a typo", "projcts list"),
    reads("an unknown flag", "projects list --limt 3"),
  ],
  ...projectShots,
  ...databaseShots,
  ...connectionShots,
  ...branchShots,
  ...serviceShots,
  ...workspaceShots,
  ...accountShots,
  ...provisioningShots,
  ...machineShots,
};
