/** Returns a noun with its indefinite article: `an approval`. */
export const addArticle = (noun: string): string => `${/^[aeio]/i.test(noun) ? "an" : "a"} ${noun}`;
