/** How often a string is searched for the ends of objects, as a multiple of its length: it may consist of braces. */
const maxScanFactor = 4;

/** Replaces each JSON object and array inside a string by the result of a function for its value, unless that is undefined. */
export const replaceJson = (
  text: string,
  replace: (value: unknown, json: string) => string | undefined,
): string => {
  let output = "";
  let position = 0;
  let scannedLength = 0;
  const openingPattern = /[[{]/g;
  for (
    let match = openingPattern.exec(text);
    match && scannedLength <= maxScanFactor * text.length;
    match = openingPattern.exec(text)
  ) {
    const { end, isComplete } = findEndOfJson(text, match.index);
    scannedLength += end - match.index;
    if (!isComplete) continue;
    const json = text.slice(match.index, end);
    const value = parseJson(json);
    if (value === undefined) continue;
    output += text.slice(position, match.index) + (replace(value, json) ?? json);
    position = end;
    openingPattern.lastIndex = end;
  }
  return output + text.slice(position);
};

const parseJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

/** Returns where an object or array ends, by its braces and brackets outside of strings, or where the search for its end stops. */
const findEndOfJson = (text: string, start: number): { end: number; isComplete: boolean } => {
  const tokenPattern = /"(?:[^"\\]|\\[^])*"|[[\]{}"]/g;
  tokenPattern.lastIndex = start;
  let depth = 0;
  for (let match = tokenPattern.exec(text); match; match = tokenPattern.exec(text)) {
    const [firstCharacter] = match[0];
    if (match[0] === '"') return { end: text.length, isComplete: false };
    if (firstCharacter === "{" || firstCharacter === "[") depth += 1;
    else if (firstCharacter !== '"') depth -= 1;
    if (depth === 0) return { end: tokenPattern.lastIndex, isComplete: true };
  }
  return { end: text.length, isComplete: false };
};
