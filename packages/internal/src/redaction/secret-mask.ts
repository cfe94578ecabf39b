/** The text that is printed instead of a secret. */
export const secretMask = "[redacted]";
