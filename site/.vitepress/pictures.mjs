const inDark = /@media\(prefers-color-scheme:dark\)\{((?:[^{}]*\{[^{}]*\})*)\}/;

/**
 * Returns a picture of a terminal in one appearance, because the website has a switch of its own, which an image does not see. The
 * empty columns on the right are cut off.
 * @param {string} svg
 * @param {"light" | "dark"} appearance
 */
export const pictureIn = (svg, appearance) => {
  const styled = svg.replace(inDark, (_, rules) => (appearance === "dark" ? rules : ""));
  const ends = [...svg.matchAll(/<text x="([\d.]+)"[^>]* textLength="([\d.]+)"/g)].map(
    ([, x, length]) => Number(x) + Number(length),
  );
  const [, full] = /^<svg [^>]*width="(\d+)"/.exec(svg) ?? [];
  if (styled === svg || full === undefined || ends.length === 0)
    throw new Error("not a picture of a terminal");
  const width = Math.min(Math.ceil(Math.max(...ends)) + 16, Number(full));
  return styled
    .replace(`width="${full}"`, `width="${width}"`)
    .replace(/viewBox="0 0 \d+/, `viewBox="0 0 ${width}`)
    .replace(/(<rect [^>]*width=")\d+/, `$1${width - 1}`);
};
