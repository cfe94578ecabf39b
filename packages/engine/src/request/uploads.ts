import { digest } from "./digest.js";
import { errors } from "./errors.js";
import type { EngineRequest, Outcome } from "./exchange.js";
import type { ServerWorld } from "./world.js";

/** Where a deployment's artifact is sent: outside `/v1`, with the key in the path as its only credential. */
export interface Upload {
  readonly deploymentId: string;
  readonly key: string;
}

export const uploadPath = ({ deploymentId, key }: Upload): string => `/uploads/${deploymentId}/${key}`;

export const uploadOf = (path: string): Upload | undefined => {
  const [, deploymentId, key] = /^\/uploads\/(\w+)\/(\w+)$/.exec(path) ?? [];
  return deploymentId === undefined || key === undefined ? undefined : { deploymentId, key };
};

/**
 * § Deployments: created → uploaded, once; the bytes are counted and let go, since there is no code to run. Throws 404 for
 * a key that was used, or never was one.
 */
export const takeUpload = (
  world: ServerWorld,
  { deploymentId, key }: Upload,
  request: EngineRequest,
): Outcome => {
  const deployment = world.store.deployments.get(deploymentId);
  if (
    deployment === undefined ||
    deployment.uploadKeyHash === null ||
    deployment.uploadKeyHash !== digest(key)
  ) {
    throw errors.routeNotFound("such upload, or it was used already");
  }
  if (request.method !== "PUT") throw errors.methodNotAllowed(request.method, ["PUT"]);
  const { upload: cap } = world.settings.limits;
  if (request.bodyTooLarge || (request.body?.length ?? 0) > cap) throw errors.tooLarge(cap);
  world.store.deployments.update(deploymentId, { status: "uploaded", uploadKeyHash: null });
  return { status: 200, code: null };
};
