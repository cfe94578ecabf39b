// What a test says to the mock, as an ES module.
import document from "@mgmt/sdk/openapi.json" with { type: "json" };
import { setupMock } from "@mgmt/mock";

const mock = setupMock({ deterministic: "types" });

export const run = async (name?: string): Promise<string> => {
  const { id } = await mock.seed.project({ name: "shop", region: undefined });
  await mock.seed.user({ name });
  return `${mock.baseUrl} ${id} ${await mock.tokens.user()} ${document.openapi}`;
};
