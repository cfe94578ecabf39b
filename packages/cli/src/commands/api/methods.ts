/** The methods of requests that `mgmt api` sends. */
export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
