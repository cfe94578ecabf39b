import type { OperationId } from "../../generated/operations.js";
import { controlErrors } from "../../control/control-error.js";
import { assertKnownFields, controlDocument } from "./control-document.js";
import type { ConnectionFault } from "../../control/connection-faults.js";
import { oauthRoutes } from "./oauth-routes.js";
import type { Server } from "../../server/server.js";
import type { Snapshot } from "../../server/snapshot.js";
import {
  type ControlAction,
  type ControlRoutes,
  type Fields,
  oneOf,
  optionalNumber,
  optionalTexts,
  text,
} from "./fields.js";
import { seedRoutes } from "./seed-routes.js";
import { backupStatuses, backupTypes, databaseStatuses, deploymentStatuses } from "./statuses.js";
import { tokenRoutes } from "./token-routes.js";

const clockState = async ({ clock }: Server): Promise<object> => ({
  now: new Date(await clock.now()).toISOString(),
  frozen: await clock.frozen,
});

const id = (path: readonly string[]): string => path[0] ?? "";

/** All routes, which `controlDocument` describes. */
export const routes: ControlRoutes = {
  "GET /openapi.json": controlDocument,
  "POST /reset": (engine) => engine.reset(),
  "GET /snapshot": (engine) => engine.snapshot(),
  // `load` validates the snapshot.
  "PUT /snapshot": (engine, _path, fields) => engine.load(fields as unknown as Snapshot),

  "GET /clock": clockState,
  "POST /clock/freeze": async (engine) => {
    await engine.clock.freeze();
    return clockState(engine);
  },
  "POST /clock/run": async (engine) => {
    await engine.clock.run();
    return clockState(engine);
  },
  "POST /clock/advance": async (engine, _path, fields) => {
    await engine.clock.advance(optionalNumber(fields, "milliseconds") ?? 0);
    return clockState(engine);
  },
  "POST /clock/set": async (engine, _path, fields) => {
    await engine.clock.set(text(fields, "time"));
    return clockState(engine);
  },

  "GET /approvals": (engine) => engine.approvals.list(),
  "POST /approvals/{id}/approve": (engine, path) => engine.approvals.approve(id(path)),
  "POST /approvals/{id}/approve-window": (engine, path, fields) =>
    engine.approvals.approveWindow(id(path), optionalNumber(fields, "milliseconds")),
  "POST /approvals/{id}/deny": (engine, path) => engine.approvals.deny(id(path)),

  "PUT /databases/{id}/status": (engine, path, fields) =>
    engine.states.setDatabaseStatus(id(path), oneOf(fields, "status", databaseStatuses)),
  "POST /databases/{id}/backups": (engine, path, fields) =>
    engine.states.backUp(
      id(path),
      fields["backupType"] === undefined ? undefined : oneOf(fields, "backupType", backupTypes),
    ),
  "PUT /backups/{id}/status": (engine, path, fields) =>
    engine.states.setBackupStatus(id(path), oneOf(fields, "status", backupStatuses)),
  "PUT /deployments/{id}/status": (engine, path, fields) =>
    engine.states.setDeploymentStatus(id(path), oneOf(fields, "status", deploymentStatuses)),
  "POST /apps/{id}/domains": (engine, path, fields) =>
    engine.states.attachDomain(id(path), text(fields, "name")),

  "GET /faults": (engine) => engine.faults.list(),
  // `add` validates the fault.
  "POST /faults": (engine, _path, fields) => engine.faults.add(fields),
  "DELETE /faults": (engine) => engine.faults.clear(),
  "DELETE /faults/{id}": async (engine, path) => {
    if (!(await engine.faults.remove(id(path)))) throw controlErrors.notFound("fault", id(path));
  },
  "PUT /rate-limit": async (engine, _path, fields) => {
    const requests = optionalNumber(fields, "requests");
    const window = optionalNumber(fields, "window") ?? 60_000;
    const operations = optionalTexts(fields, "operations");
    if (requests === undefined) return { operations: await engine.setRateLimit(null) };
    // `setRateLimit` refuses names that are not operations.
    const named = operations as OperationId[] | undefined;
    return {
      operations: await engine.setRateLimit({ requests, window, ...(named && { operations: named }) }),
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
    dataPlane.setConnectionLimit(optionalNumber(fields, "connections") ?? null),
  ...seedRoutes,
  ...tokenRoutes,
  ...oauthRoutes,
};

interface Compiled {
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly action: ControlAction;
}

const patternOf = (template: string): RegExp =>
  new RegExp(`^/_control${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "([\\w-]+)")}$`);

const compiled: readonly Compiled[] = Object.entries(routes).map(([name, action]) => {
  const [method = "", template = ""] = name.split(" ");
  return { name, method, pattern: patternOf(template), action };
});

/**
 * Runs a request to the control surface.
 *
 * @throws ControlError when the request is refused.
 */
export const control = async (
  engine: Server,
  method: string,
  path: string,
  fields: Fields,
): Promise<unknown> => {
  const matching = compiled.filter(({ pattern }) => pattern.test(path));
  if (matching.length === 0) throw controlErrors.routeNotFound();
  const route = matching.find((candidate) => candidate.method === method);
  if (!route)
    throw controlErrors.methodNotAllowed(
      method,
      matching.map((route) => route.method),
    );
  assertKnownFields(route.name, fields);
  const [, ...values] = route.pattern.exec(path) ?? [];
  const result: unknown = await route.action(engine, values, fields);
  if (method !== "GET") await engine.save();
  return result;
};
