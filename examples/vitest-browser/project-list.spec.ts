import { test } from "@mgmt/mock/vitest-browser";
import { createClient } from "@mgmt/sdk";
import type { WorkerMock } from "@mgmt/mock/browser";
import { showProjects } from "./project-list.js";

/** Shows the list with a client whose requests leave the page, where the mock receives them. */
const show = async ({ baseUrl, tokens }: WorkerMock): Promise<HTMLElement> => {
  const element = document.createElement("main");
  await showProjects(element, createClient({ baseUrl, token: () => tokens.user(), maxRetries: 0 }));
  return element;
};

test("lists the projects", async ({ mock, expect }) => {
  await mock.seed.project({ name: "toy shop" });
  await mock.seed.project({ name: "book shop" });
  const element = await show(mock);
  const names = [...element.querySelectorAll("li")].map(({ textContent }) => textContent);
  expect(names).toEqual(["toy shop", "book shop"]);
});

test("says that there are no projects", async ({ mock, expect }) => {
  expect((await show(mock)).textContent).toBe("There are no projects.");
});

test("says why the projects cannot be shown", async ({ mock, expect }) => {
  mock.faults.add({ operation: "projects.list", status: 503 });
  expect((await show(mock)).textContent).toBe("The server cannot process the request now");
});
