import { ProjectsResource, createPartialClient, safely } from "@mgmt/sdk/partial";

/** Bindings of the worker: a variable and a secret. */
interface Env {
  MGMT_BASE_URL: string;
  MGMT_TOKEN: string;
}

const json = (body: object, status = 200): Response => Response.json(body, { status });

/** Answers `GET /projects?cursor=…` with a page of names. The bundle has one resource of the SDK in it, not all. */
const worker = {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/projects") return json({ error: "There is /projects only." }, 404);
    if (request.method !== "GET") {
      return Response.json({ error: "Only GET." }, { status: 405, headers: { allow: "GET" } });
    }

    const { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token } = env;
    const client = safely(createPartialClient({ projects: ProjectsResource }, { baseUrl, token }));
    const query = { limit: 20, cursor: searchParams.get("cursor") ?? "" };
    const { data: page, error } = await client.projects.list(query, { timeoutMs: 10_000 });
    if (error?.code === "validation:failed") return json({ error: "This is no cursor of ours." }, 400);
    if (error) {
      console.error(error.toString()); // never a secret
      return json({ error: "Try again later." }, 503);
    }
    return json({ projects: page.data.map(({ id, name }) => ({ id, name })), cursor: page.nextCursor });
  },
};

export { worker as default };
