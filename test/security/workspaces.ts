import { readFile } from "node:fs/promises";
import type { Ready } from "../../packages/platform/src/start/ready.js";

/** Creates a workspace, and returns how its service token calls the API. */
export const newWorkspace = async (ready: Ready): Promise<Ready> => {
  const secret = await readFile(ready.controlSecretFile, "utf8");
  const headers = { "x-mgmt-control-secret": secret };
  const response = await fetch(`${ready.controlUrl}/tenants`, { method: "POST", headers });
  // The response of the control surface has these fields.
  const { workspace, serviceToken } = (await response.json()) as {
    workspace: { id: string };
    serviceToken: string;
  };
  return { ...ready, workspaceId: workspace.id, token: serviceToken };
};
