/**
 * Thrown for an argument of the caller that is not valid: an option, an id, or a snapshot. The control surface rejects the request that had
 * the argument; every other error is a defect.
 */
export class InvalidArgumentError extends TypeError {}
