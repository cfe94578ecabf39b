import { becomeAgent } from "../agent.js";
import type { Interruptions } from "../interrupted.js";
import type { Place } from "../place.js";
import { asks, changes, choices, reads, type Shot } from "../shot.js";

const workspace =
  (before: string, after = "") =>
  ({ tenant }: Place): string[] =>
    [...before.split(" "), tenant.workspaceId, ...after.split(" ")].filter(Boolean);

const asAgent = { changes: true, prepare: becomeAgent };

/** The sponsor's terminal, after the request of an agent. */
const asSponsor = {
  alone: true,
  prepare: async (place: Place): Promise<void> => {
    await becomeAgent(place);
    place.variables["MGMT_CONTROL_URL"] = place.service.controlUrl;
    place.variables["MGMT_CONTROL_SECRET_FILE"] = place.service.controlSecretFile;
  },
};

const approval =
  (before: string, after = "") =>
  ({ ids }: Place): string[] =>
    [...before.split(" "), ids["approval"] ?? "", ...after.split(" ")].filter(Boolean);

export const workspaceShots: Readonly<Record<string, readonly Shot[]>> = {
  "mgmt workspaces list": [reads("workspaces", "workspaces list")],
  "mgmt workspaces create": [changes("by name", "workspaces create Globex")],
  "mgmt workspaces get": [
    reads("by id", workspace("workspaces get")),
    reads("that of the credential", "workspaces get"),
  ],
  "mgmt workspaces integrations list": [reads("integrations", workspace("workspaces integrations list"))],
  "mgmt workspaces integrations delete": [
    asks("a picker", workspace("workspaces integrations delete"), choices),
  ],
  "mgmt workspaces service-tokens list": [
    reads("tokens", workspace("workspaces service-tokens list")),
    reads("no tokens of its own", workspace("workspaces service-tokens list"), { tenant: "empty" }),
  ],
  "mgmt workspaces service-tokens create": [
    changes("by name", workspace("workspaces service-tokens create", "deploy")),
  ],
  "mgmt workspaces service-tokens delete": [
    asks("a picker", workspace("workspaces service-tokens delete"), choices),
  ],
  "mgmt integrations list": [
    reads("integrations", ({ tenant }) => ["integrations", "list", "--workspace-id", tenant.workspaceId]),
    asks("a picker of workspaces", "integrations list", choices),
  ],
  "mgmt integrations delete": [
    asks("the question", ({ ids }) => ["integrations", "delete", ids["integration"] ?? ""], /to\s+confirm:/),
  ],
  "mgmt agent-approvals get": [reads("a pending one", approval("agent-approvals get"), asAgent)],
  "mgmt agent-approvals wait": [
    reads("after the time is over", approval("agent-approvals wait", "--timeout 1s"), asAgent),
    asks("while it waits", approval("agent-approvals wait"), /⠋|⠙|⠹|⠸/, asAgent),
  ],
  "mgmt regions list": [reads("regions", "regions list"), reads("as names", "regions list --output name")],
  "mgmt dev agent": [changes("the first one", "dev agent", asSponsor)],
  "mgmt dev approvals list": [reads("a pending one", "dev approvals list", asSponsor)],
  "mgmt dev approvals approve": [changes("a pending one", approval("dev approvals approve"), asSponsor)],
  "mgmt dev approvals deny": [changes("a pending one", approval("dev approvals deny"), asSponsor)],
};

export const workspaceInterruptions: Interruptions = {
  "mgmt dev agent": "passive",
  "mgmt dev approvals approve": "passive",
  "mgmt dev approvals deny": "passive",
};
