/** Returns whether a value begins or ends with a quote. */
export const hasOuterQuote = (value: string): boolean => /^["'`]|["'`]$/.test(value);
