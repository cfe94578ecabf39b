/**
 * Thrown when the control surface rejects a request. `message` describes the problem, and `hint` how to fix it. Only
 * control-errors.ts creates it.
 */
export class ControlError extends Error {
  override readonly name = "ControlError";
  constructor(
    /** Status of the HTTP response. */
    readonly status: 400 | 403 | 404 | 405 | 409 | 413,
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}
