import { contractErrors } from "./generated/errors.js";
import type { Issue, RequestError } from "./request-error.js";
import type { ResourceType } from "./ids.js";

/** Resource types that have their own error code for a missing resource. */
export type MissingResourceType = Exclude<ResourceType, "user" | "client">;

/** Builds the errors of the API. `openapi/` has their texts. */
export const errors = {
  ...contractErrors,
  validationFailed: (issues: readonly Issue[]): RequestError =>
    contractErrors["validation:failed"](
      { problems: issues.map(({ path, message }) => `${path || "the body"} ${message}`).join("; ") },
      { issues: [...issues] },
    ),
  notFound: (resourceType: MissingResourceType): RequestError =>
    contractErrors[`${resourceType}:not_found`](),
  methodNotAllowed: (method: string, allowed: readonly string[]): RequestError =>
    contractErrors["route:method_not_allowed"]({
      method,
      methods: allowed.join(" or "),
      allow: allowed.join(", "),
    }),
  /** @param reason why, as the end of a sentence. */
  unavailable: (reason?: string): RequestError =>
    reason === undefined
      ? contractErrors["internal:unavailable"]({ seconds: 1 })
      : contractErrors["internal:unavailable/reason"]({ reason, seconds: 1 }),
} as const;
