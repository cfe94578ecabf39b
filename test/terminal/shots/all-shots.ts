import { validLine } from "../../../packages/cli/test/operation-examples.js";
import type { GeneratedCommand } from "../../../packages/cli/src/contract/generated-command.js";
import type { Place } from "../place.js";
import { reads, type Shot } from "../shot.js";
import type { TypedCommand } from "../tree.js";
import { accountShots } from "./accounts.js";
import { machineShots } from "./machine.js";
import { provisioningShots } from "./provisioning.js";
import { branchShots, connectionShots, databaseShots, projectShots, serviceShots } from "./resources.js";
import { workspaceShots } from "./workspaces.js";

/** What is shown of commands. Their help is in the docs, so it is shown only of one command of each kind. */
export const ownShots: Readonly<Record<string, readonly Shot[]>> = {
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

/** Returns whether nothing that is shown of a command changes anything or waits. */
export const onlyReads = (line: string): boolean =>
  ownShots[line]?.every(({ changes, rests }) => !changes && rests === undefined) ?? false;

/** Returns what is shown of a command. One that reads needs no shots of its own, and a deprecated one does what another does. */
export const shotsOf = ({ line, operation }: TypedCommand): readonly Shot[] =>
  ownShots[line] ?? (operation?.method === "GET" && !operation.deprecated ? [example(operation)] : []);

/** The example in the contract, on a resource that exists. */
const example = (operation: GeneratedCommand): Shot =>
  reads("the example", ({ ids, tenant }: Place) =>
    validLine(operation, "").map((word) => {
      const prefix = /^[a-z]+_(?=[a-z0-9]{24}$)/.exec(word)?.[0];
      const known = [tenant.workspaceId, ...Object.values(ids)];
      return (prefix && known.find((id) => id.startsWith(prefix))) ?? word;
    }),
  );
