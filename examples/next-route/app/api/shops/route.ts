import { createClient } from "@mgmt/sdk";
import { badRequest, errorResponse } from "./error-response";

// Uses only web standards. Require a login before this route, because every caller can create databases in your workspace.

/** Creates the client per request, because a build also loads this module and has no `MGMT_BASE_URL`. */
const connect = () => createClient();

/** Options for each call: it is aborted with the incoming request, and times out while the user still waits. */
const callOf = ({ signal }: Request) => ({ signal, timeoutMs: 5_000 });

/** `GET ?shop=…`: returns the shop's project with its databases, or 404. */
export async function GET(request: Request): Promise<Response> {
  const shop = new URL(request.url).searchParams.get("shop");
  if (!isName(shop)) return badRequest("?shop= must be a name of 1 to 255 characters.");
  try {
    const client = connect();
    const call = callOf(request);
    const [project] = await client.projects.list({ logicalId: shop }, call).toArray({ limit: 1 });
    if (!project) return Response.json({ error: { code: "shop:not_found" } }, { status: 404 });
    const databases = await client.projects.databases.list(project.id, {}, call).toArray();
    const shown = databases.map(({ id, status }) => ({ id, status }));
    return Response.json({ projectId: project.id, databases: shown });
  } catch (error) {
    return errorResponse(error);
  }
}

/** `POST {"shop": …}`: creates the shop's project and database if they do not exist. Returns 201 if it created either. */
export async function POST(request: Request): Promise<Response> {
  const shop = await shopOf(request);
  if (shop === undefined) return badRequest('The body must be {"shop": a name of 1 to 255 characters}.');
  try {
    const client = connect();
    const call = callOf(request);
    const project = await client.projects.ensure(
      { logicalId: shop, name: shop, createDatabase: false },
      call,
    );
    const projectId = project.resource.id;
    const database = await client.databases.ensure(
      // The service's own default is us-east-1, wherever the project is.
      { projectId, logicalId: "orders", name: "orders", region: "inherit" },
      call,
    );
    // Copy single fields: the response contains passwords.
    const { id, status } = database.resource;
    const shown = { projectId, databases: [{ id, status }] };
    return Response.json(shown, { status: project.created || database.created ? 201 : 200 });
  } catch (error) {
    return errorResponse(error);
  }
}

const shopOf = async (request: Request): Promise<string | undefined> => {
  const body: unknown = await request.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || !("shop" in body)) return undefined;
  return isName(body.shop) ? body.shop : undefined;
};

const isName = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= 255;
