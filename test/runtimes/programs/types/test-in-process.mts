// What a test says to the mock in its process; compiled as CommonJS.
import { type Mock, setupMock } from "@mgmt/mock";

const mock: Mock = setupMock({ deterministic: "types" });

export const run = async (): Promise<string> => {
  mock.listen({ onUnhandledRequest: "error", handlers: [...mock.handlers] });
  const { id } = await mock.seed.project({ name: "shop", region: undefined });
  const project = await mock.client().projects.get(id);
  await mock.close();
  return `${mock.baseUrl} ${project.name}`;
};

export const refused: (() => unknown)[] = [
  // @ts-expect-error The option does not exist.
  () => setupMock({ determinstic: "types" }),
];
