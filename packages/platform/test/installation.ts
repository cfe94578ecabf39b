import { Installation } from "@mgmt/cluster/policy/installation";

/** The installation of the clusters that tests make. */
export const installation = new Installation({ id: "00000000000000a1", secret: "not-a-secret" });

/** The installation of somebody else on the same cluster. */
export const otherInstallation = new Installation({ id: "00000000000000b2", secret: "another" });

export const { platformRole } = installation;

/** Returns the name of an unfinished copy of this installation. */
export const staging = (name: string): string => installation.toStagingName(name);

/** Returns the name of a database of this installation that a restore has replaced. */
export const replaced = (name: string): string => installation.toReplacedName(name);

/** Returns the name of a prepared database of this installation. */
export const prepared = (name: string): string => installation.preparedNamePrefix + name;
