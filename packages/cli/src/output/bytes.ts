const byteUnits = ["bytes", "kB", "MB", "GB", "TB"];

/** Formats a number of bytes in powers of 1000: `12.3 MB`. */
export const formatBytes = (bytes: number): string => {
  const power = Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const scaledSize = bytes / 1_000 ** power;
  return `${power === 0 ? String(scaledSize) : scaledSize.toFixed(1)} ${byteUnits[power] ?? ""}`;
};
