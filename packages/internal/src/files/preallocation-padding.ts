/**
 * Spaces that are written to a new file to allocate room for a credential, 8 KiB: on a full disk, creating an empty file can succeed while
 * writing to it fails.
 */
export const preallocationPadding = " ".repeat(8_192);
