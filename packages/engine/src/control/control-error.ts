/** Thrown when the control surface refuses a request, with the HTTP status of the response. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  constructor(
    readonly status: 400 | 403 | 404 | 405 | 409 | 413,
    message: string,
  ) {
    super(message);
  }
}

/** Returns the error for a row or fault that does not exist. */
export const notFound = (kind: string, id: string): ControlError =>
  new ControlError(404, `The ${kind} ${id} does not exist`);
