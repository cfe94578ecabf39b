import type { Place } from "./place.js";

/** Sends a request as an agent, which needs the sponsor's approval, and makes the agent the user of the place. */
export const becomeAgent = async (place: Place): Promise<void> => {
  const { service, tenant, ids, variables } = place;
  const { token } = await service.control("POST", "/tokens", { kind: "agent", sponsorId: tenant.userId });
  const refused = await fetch(`${service.baseUrl}/v1/databases/${ids["database"] ?? ""}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${String(token)}` },
  });
  // The contract's error for an agent's request has the id there.
  if (refused.status !== 403) throw new Error(`The request of an agent: ${await refused.text()}`);
  const body = (await refused.json()) as { error: { approvalId: string } };
  ids["approval"] = body.error.approvalId;
  variables["MGMT_TOKEN"] = String(token);
};
