import type { SerializationContext } from "../../context/row-json-cache.js";
import { formatTimestamp } from "../../values/clock.js";
import type { App } from "../../generated/schemas.js";
import type { AppRow } from "../../store/rows.js";
import { serializeRegionReference } from "../regions/serialize-region.js";

/** The collection in the path. Apps and services have the same rows; only `url` differs. */
export type AppCollection = "apps" | "services";

/**
 * Builds an `App` from its row.
 *
 * @param collection the collection in its `url`.
 */
export const serializeApp = (context: SerializationContext, collection: AppCollection, row: AppRow): App => ({
  id: row.id,
  type: "app",
  url: context.buildUrl(collection, row.id),
  name: row.name,
  region: serializeRegionReference(row.region),
  projectId: row.projectId,
  branchId: row.branchId,
  latestDeploymentId: row.latestDeploymentId,
  appEndpointDomain: row.endpointDomain,
  createdAt: formatTimestamp(row.createdAt),
  logicalId: row.logicalId,
});
