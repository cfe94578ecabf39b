/**
 * Reserves space for a credential in a new file, 8 KiB: on a full disk, creating an empty file can succeed while writing to it
 * fails.
 */
export const reservedText = " ".repeat(8_192);
