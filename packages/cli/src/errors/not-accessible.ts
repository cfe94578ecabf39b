/**
 * Returns whether the service has answered that a resource does not exist, or that the credential may not access it. The service answers an
 * id that is malformed with 422.
 */
export const isNotAccessibleError = (error: unknown): error is Error & { readonly status: 403 | 404 | 422 } =>
  error instanceof Error &&
  "status" in error &&
  (error.status === 403 || error.status === 404 || error.status === 422);
