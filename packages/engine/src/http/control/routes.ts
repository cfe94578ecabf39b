import type { OperationId } from "../../generated/operations.js";
import { controlErrors } from "../../control/control-error.js";
import { assertKnownFields, buildControlDocument } from "./control-document.js";
import { defaultRateWindow } from "./control-schemas.js";
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
  getOptionalTexts,
  getText,
} from "./fields.js";
import { seedRoutes } from "./seed-routes.js";
import { backupStatuses, backupTypes, databaseStatuses, deploymentStatuses } from "./statuses.js";
import { tokenRoutes } from "./token-routes.js";

const readClockState = async ({ clock }: Server): Promise<object> => ({
  now: new Date(await clock.now()).toISOString(),
  frozen: await clock.frozen,
});

const getPathId = (path: readonly string[]): string => path[0] ?? "";

/** All routes, which `controlDocument` describes. */
export const controlRoutes: ControlRoutes = {
  "GET /openapi.json": buildControlDocument,
  "POST /reset": (engine) => engine.reset(),
  "GET /snapshot": (engine) => engine.snapshot(),
  // `load` validates the snapshot.
  "PUT /snapshot": (engine, _path, fields) => engine.load(fields as unknown as Snapshot),

  "GET /clock": readClockState,
  "POST /clock/freeze": async (engine) => {
    await engine.clock.freeze();
    return readClockState(engine);
  },
  "POST /clock/run": async (engine) => {
    await engine.clock.run();
    return readClockState(engine);
  },
  "POST /clock/advance": async (engine, _path, fields) => {
    await engine.clock.advance(getOptionalNumber(fields, "milliseconds") ?? 0);
    return readClockState(engine);
  },
  "POST /clock/set": async (engine, _path, fields) => {
    await engine.clock.set(getText(fields, "time"));
    return readClockState(engine);
  },

  "GET /approvals": (engine) => engine.approvals.list(),
  "POST /approvals/{id}/approve": (engine, path) => engine.approvals.approve(getPathId(path)),
  "POST /approvals/{id}/approve-window": (engine, path, fields) =>
    engine.approvals.approveWindow(getPathId(path), getOptionalNumber(fields, "milliseconds")),
  "POST /approvals/{id}/deny": (engine, path) => engine.approvals.deny(getPathId(path)),

  "PUT /databases/{id}/status": (engine, path, fields) =>
    engine.states.setDatabaseStatus(getPathId(path), getOneOf(fields, "status", databaseStatuses)),
  "POST /databases/{id}/backups": (engine, path, fields) =>
    engine.states.backUp(
      getPathId(path),
      fields["backupType"] === undefined ? undefined : getOneOf(fields, "backupType", backupTypes),
    ),
  "PUT /backups/{id}/status": (engine, path, fields) =>
    engine.states.setBackupStatus(getPathId(path), getOneOf(fields, "status", backupStatuses)),
  "PUT /deployments/{id}/status": (engine, path, fields) =>
    engine.states.setDeploymentStatus(getPathId(path), getOneOf(fields, "status", deploymentStatuses)),
  "POST /apps/{id}/domains": (engine, path, fields) =>
    engine.states.attachDomain(getPathId(path), getText(fields, "name")),

  "GET /faults": (engine) => engine.faults.list(),
  // `add` validates the fault.
  "POST /faults": (engine, _path, fields) => engine.faults.add(fields),
  "DELETE /faults": (engine) => engine.faults.clear(),
  "DELETE /faults/{id}": async (engine, path) => {
    if (!(await engine.faults.remove(getPathId(path))))
      throw controlErrors.notFound("fault", getPathId(path));
  },
  "PUT /rate-limit": async (engine, _path, fields) => {
    const requests = getOptionalNumber(fields, "requests");
    const window = getOptionalNumber(fields, "window") ?? defaultRateWindow;
    const operations = getOptionalTexts(fields, "operations");
    if (requests === undefined) return { operations: await engine.setRateLimit(null) };
    // `setRateLimit` refuses names that are not operations.
    const operationIds = operations as OperationId[] | undefined;
    return {
      operations: await engine.setRateLimit({
        requests,
        window,
        ...(operationIds && { operations: operationIds }),
      }),
    };
  },
  "GET /requests": (engine) => engine.requests,
  "GET /connection-faults": ({ dataPlane }) => dataPlane.listFaults(),
  "POST /connection-faults": ({ dataPlane }, _path, fields) =>
    // Adding a fault validates its fields.
    dataPlane.addFault(fields as unknown as ConnectionFault),
  "DELETE /connection-faults": ({ dataPlane }) => dataPlane.removeAllFaults(),
  "DELETE /connection-faults/{id}": ({ dataPlane }, [id = ""]) => dataPlane.removeFault(id),
  "PUT /connection-limit": ({ dataPlane }, _path, fields) =>
    dataPlane.setConnectionLimit(getOptionalNumber(fields, "connections") ?? null),
  ...seedRoutes,
  ...tokenRoutes,
  ...oauthRoutes,
};

interface CompiledRoute {
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly action: ControlAction;
}

const compileRoutePattern = (template: string): RegExp =>
  new RegExp(`^/_control${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "([\\w-]+)")}$`);

const compiledRoutes: readonly CompiledRoute[] = Object.entries(controlRoutes).map(([name, action]) => {
  const [method = "", template = ""] = name.split(" ");
  return { name, method, pattern: compileRoutePattern(template), action };
});

/**
 * Runs a request to the control surface.
 *
 * @throws ControlError when the request is refused.
 */
export const runControlRoute = async (
  engine: Server,
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
  assertKnownFields(route.name, fields);
  const [, ...values] = route.pattern.exec(path) ?? [];
  const result: unknown = await route.action(engine, values, fields);
  if (method !== "GET") await engine.save();
  return result;
};
