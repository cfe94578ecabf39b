import type { OperationId } from "../../generated/operations.js";
import * as controlErrors from "../../control/control-errors.js";
import { assertKnownFields, buildControlDocument } from "./control-document.js";
import { defaultRateWindowMs } from "./control-schemas.js";
import type { ConnectionFault } from "../../control/connection-faults.js";
import { oauthRoutes } from "./oauth-routes.js";
import type { Server } from "../../server/server.js";
import type { Snapshot } from "../../server/snapshot.js";
import {
  type ControlAction,
  type ControlRoutes,
  type Fields,
  getOneOf,
  getOptionalNumber,
  getOptionalStrings,
  getString,
} from "./fields.js";
import { seedRoutes } from "./seed-routes.js";
import { backupStatuses, backupTypes, databaseStatuses, deploymentStatuses } from "./statuses.js";
import { tokenRoutes } from "./token-routes.js";

const readClockState = async ({ clock }: Server): Promise<object> => ({
  now: new Date(await clock.now()).toISOString(),
  frozen: await clock.frozen,
});

const getPathId = (pathValues: readonly string[]): string => pathValues[0] ?? "";

/** All routes, which `buildControlDocument` describes. */
export const controlRoutes: ControlRoutes = {
  "GET /openapi.json": buildControlDocument,
  "POST /reset": (server) => server.reset(),
  "GET /snapshot": (server) => server.snapshot(),
  // `load` validates the snapshot.
  "PUT /snapshot": (server, _pathValues, fields) => server.load(fields as unknown as Snapshot),

  "GET /clock": readClockState,
  "POST /clock/freeze": async (server) => {
    await server.clock.freeze();
    return readClockState(server);
  },
  "POST /clock/run": async (server) => {
    await server.clock.run();
    return readClockState(server);
  },
  "POST /clock/advance": async (server, _pathValues, fields) => {
    await server.clock.advance(getOptionalNumber(fields, "milliseconds") ?? 0);
    return readClockState(server);
  },
  "POST /clock/set": async (server, _pathValues, fields) => {
    await server.clock.set(getString(fields, "time"));
    return readClockState(server);
  },

  "GET /approvals": (server) => server.approvals.list(),
  "POST /approvals/{id}/approve": (server, pathValues) => server.approvals.approve(getPathId(pathValues)),
  "POST /approvals/{id}/approve-window": (server, pathValues, fields) =>
    server.approvals.approveWindow(getPathId(pathValues), getOptionalNumber(fields, "milliseconds")),
  "POST /approvals/{id}/deny": (server, pathValues) => server.approvals.deny(getPathId(pathValues)),

  "PUT /databases/{id}/status": (server, pathValues, fields) =>
    server.states.setDatabaseStatus(getPathId(pathValues), getOneOf(fields, "status", databaseStatuses)),
  "POST /databases/{id}/backups": (server, pathValues, fields) =>
    server.states.backUp(
      getPathId(pathValues),
      fields["backupType"] === undefined ? undefined : getOneOf(fields, "backupType", backupTypes),
    ),
  "PUT /backups/{id}/status": (server, pathValues, fields) =>
    server.states.setBackupStatus(getPathId(pathValues), getOneOf(fields, "status", backupStatuses)),
  "PUT /deployments/{id}/status": (server, pathValues, fields) =>
    server.states.setDeploymentStatus(getPathId(pathValues), getOneOf(fields, "status", deploymentStatuses)),
  "POST /apps/{id}/domains": (server, pathValues, fields) =>
    server.states.attachDomain(getPathId(pathValues), getString(fields, "name")),

  "GET /faults": (server) => server.faults.list(),
  // `add` validates the fault.
  "POST /faults": (server, _pathValues, fields) => server.faults.add(fields),
  "DELETE /faults": (server) => server.faults.clear(),
  "DELETE /faults/{id}": async (server, pathValues) => {
    if (!(await server.faults.remove(getPathId(pathValues))))
      throw controlErrors.notFound("fault", getPathId(pathValues));
  },
  "PUT /rate-limit": async (server, _pathValues, fields) => {
    const requests = getOptionalNumber(fields, "requests");
    const window = getOptionalNumber(fields, "window") ?? defaultRateWindowMs;
    const operations = getOptionalStrings(fields, "operations");
    if (requests === undefined) return { operations: await server.setRateLimit(null) };
    // `setRateLimit` rejects names that are not operations.
    const operationIds = operations as OperationId[] | undefined;
    return {
      operations: await server.setRateLimit({
        requests,
        window,
        ...(operationIds && { operations: operationIds }),
      }),
    };
  },
  "GET /requests": (server) => server.requests,
  "GET /connection-faults": ({ dataPlane }) => dataPlane.listFaults(),
  "POST /connection-faults": ({ dataPlane }, _pathValues, fields) =>
    // Adding a fault validates its fields.
    dataPlane.addFault(fields as unknown as ConnectionFault),
  "DELETE /connection-faults": ({ dataPlane }) => dataPlane.removeAllFaults(),
  "DELETE /connection-faults/{id}": ({ dataPlane }, [id = ""]) => dataPlane.removeFault(id),
  "PUT /connection-limit": ({ dataPlane }, _pathValues, fields) =>
    dataPlane.setConnectionLimit(getOptionalNumber(fields, "connections") ?? null),
  ...seedRoutes,
  ...tokenRoutes,
  ...oauthRoutes,
};

interface CompiledRoute {
  readonly key: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly action: ControlAction;
}

const compileRoutePattern = (template: string): RegExp =>
  new RegExp(`^/_control${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "([\\w-]+)")}$`);

const compiledRoutes: readonly CompiledRoute[] = Object.entries(controlRoutes).map(([key, action]) => {
  const [method = "", template = ""] = key.split(" ");
  return { key, method, pattern: compileRoutePattern(template), action };
});

/**
 * Runs a request to the control surface.
 *
 * @throws ControlError when the request is rejected.
 */
export const runControlRoute = async (
  server: Server,
  method: string,
  path: string,
  fields: Fields,
): Promise<unknown> => {
  const routesOfPath = compiledRoutes.filter(({ pattern }) => pattern.test(path));
  if (routesOfPath.length === 0) throw controlErrors.routeNotFound();
  const route = routesOfPath.find((candidate) => candidate.method === method);
  if (!route)
    throw controlErrors.methodNotAllowed(
      method,
      routesOfPath.map((route) => route.method),
    );
  assertKnownFields(route.key, fields);
  const [, ...pathValues] = route.pattern.exec(path) ?? [];
  const responseBody: unknown = await route.action(server, pathValues, fields);
  if (method !== "GET") await server.save();
  return responseBody;
};
