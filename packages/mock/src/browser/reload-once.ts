/** Returns the key under which a reload is recorded. Contains the address, because the frames of a page share the storage. */
const getReloadKey = (): string => `@mgmt/mock reloaded ${location.href}`;

/**
 * Loads the page again, so that its worker can control it.
 *
 * @throws the error, if the page was loaded again for it just now.
 */
export const reloadOnce = async (error: unknown): Promise<never> => {
  if (checkAndMarkReload()) throw error;
  location.reload();
  return new Promise(() => undefined);
};

/** Clears the mark that the page was loaded again. */
export const clearReloadMark = (): void => {
  try {
    sessionStorage.removeItem(getReloadKey());
  } catch {
    // The browser denies the page its storage.
  }
};

/** Returns whether the page was just loaded again by this module. If not, marks that it is going to be. */
const checkAndMarkReload = (): boolean => {
  const isReload = performance
    .getEntriesByType("navigation")
    .some((entry) => "type" in entry && entry.type === "reload");
  try {
    const key = getReloadKey();
    const wasReloadedByMock = isReload && sessionStorage.getItem(key) !== null;
    if (wasReloadedByMock) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, "");
    return wasReloadedByMock;
  } catch {
    return isReload;
  }
};
