import { idPrefixes } from "../../contract/generated/id-prefixes.js";
import type { MgmtCommand } from "../../command-line/command.js";
import { buildExampleId } from "../../command-line/example-id.js";
import { assertId } from "../../input/ids.js";

/** An id for examples. */
export const exampleWorkspaceId = buildExampleId(idPrefixes.workspace);

/** Adds the flag that names the workspace of the tokens. */
export const addWorkspaceOption = (command: MgmtCommand): void => {
  command.requiredOption("--workspace <id>", `id of the workspace (${idPrefixes.workspace}…)`);
};

/** Returns its value. Throws `usage:invalid`. */
export const readWorkspaceOption = (command: MgmtCommand): string => {
  const { workspace } = command.opts<{ workspace: string }>();
  assertId("--workspace", workspace);
  return workspace;
};
