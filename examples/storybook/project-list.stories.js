import { createClient } from "@mgmt/sdk";
import { showProjects } from "./project-list.ts";
import { withState } from "./with-state.ts";

const meta = {
  title: "Project list",
  // A page of documentation shows each story in a frame, which has a mock of its own.
  parameters: { docs: { story: { inline: false, height: "8rem" } } },
  render: (_args, { loaded: { mock } }) => {
    const element = document.createElement("main");
    const token = () => mock.tokens.user();
    void showProjects(element, createClient({ baseUrl: mock.baseUrl, token, maxRetries: 0 }));
    return element;
  },
};

export { meta as default };

export const Empty = { loaders: [withState()] };

export const Full = {
  loaders: [
    withState(async ({ seed }) => {
      for (const name of ["toy shop", "book shop"]) await seed.project({ name });
    }),
  ],
};

export const Unavailable = {
  loaders: [withState(({ faults }) => faults.add({ operation: "projects.list", status: 503 }))],
};
