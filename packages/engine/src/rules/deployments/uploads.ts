import { computeDigest } from "../../values/digest.js";
import type { Endpoint } from "../../context/endpoint.js";
import { errors } from "../../values/errors.js";

/** Returns the path that the artifact of a deployment is uploaded to. The key in it is the only credential. */
export const buildUploadPath = (deploymentId: string, key: string): string =>
  `/uploads/${deploymentId}/${key}`;

/**
 * Returns the endpoint that accepts the artifact of a deployment once. It only counts the bytes, because this server
 * does not run code. See the `CreatedDeployment` schema.
 */
export const findUploadEndpoint = (_method: string, path: string): Endpoint | undefined => {
  const [, deploymentId, key] = /^\/uploads\/(\w+)\/(\w+)$/.exec(path) ?? [];
  return deploymentId === undefined || key === undefined
    ? undefined
    : createUploadEndpoint(deploymentId, key);
};

const createUploadEndpoint = (deploymentId: string, key: string): Endpoint => ({
  id: null,
  loggedPath: "/uploads/…",
  discardsBody: true,
  bodyLimit: (_method, { upload }) => upload,
  respond: (endpointContext, request) =>
    endpointContext.transact({ mode: "write", locks: [deploymentId] }, ({ store, settings }) => {
      const keyHash = store.deployments.get(deploymentId)?.uploadKeyHash ?? null;
      if (keyHash === null || keyHash !== computeDigest(key)) {
        throw errors["route:not_found/upload"]();
      }
      if (request.method !== "PUT") throw errors.methodNotAllowed(request.method, ["PUT"]);
      const { upload: limit } = settings.limits;
      if (request.bodyTooLarge || (request.body?.length ?? 0) > limit)
        throw errors["request:too_large"]({ limit });
      store.deployments.update(deploymentId, { status: "uploaded", uploadKeyHash: null });
      return { status: 200, code: null };
    }),
});
