import { setupMock } from "@mgmt/mock";
import type { Service } from "./sdk.js";

/** A service of projects that works as the contract says. */
export const projectService = (): Service => {
  const mock = setupMock();
  let created = 0;
  return {
    respond: async ({ method, path, body }) => {
      const headers = {
        authorization: `Bearer ${await mock.tokens.user()}`,
        "content-type": "application/json",
      };
      const response = await mock.fetch(`${mock.baseUrl}${path}`, { method, headers, body: body || null });
      if (response.status === 201) created += 1;
      return { status: response.status, body: await response.json() };
    },
    created: () => created,
  };
};
