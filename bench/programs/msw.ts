import { setupMock } from "@mgmt/mock";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { answer, spend } from "./answer.js";
import { createdProjects } from "./projects.js";

const projects = 2;
const requests = 2_000;

/** A request with `fetch` and `json()` through `setupMock()`, or through one handler of MSW that returns the same bytes. */
await answer(async ({ isStatic }: { isStatic: boolean }) => {
  const mock = setupMock();
  mock.listen();
  const token = await mock.tokens.user();
  const body = await createdProjects({ baseUrl: mock.baseUrl, token }, projects);
  const url = `${mock.baseUrl}/v1/projects`;
  const headers = { authorization: `Bearer ${token}` };
  if (isStatic) {
    const { headers: recorded } = await fetch(url, { headers });
    await mock.close();
    const handler = http.all(`${mock.baseUrl}/*`, () => new HttpResponse(body, { headers: recorded }));
    setupServer(handler).listen();
  }
  return spend(requests, async () => {
    const response = await fetch(url, { headers });
    // Checked by the next line.
    const list = (await response.json()) as { data?: unknown[] };
    if (list.data?.length !== projects) throw new Error("A response is not the list");
  });
});
