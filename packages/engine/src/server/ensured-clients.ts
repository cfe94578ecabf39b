import type { ClientRow } from "../store/rows.js";
import { VirtualClock } from "../values/clock.js";
import type { Snapshot } from "./snapshot.js";

/**
 * Returns a state that is entered, with the ensured clients of the state that is left. A confidential client with the same id
 * stays as it is.
 *
 * @param left all clients of the state that is left.
 */
export const withEnsuredClients = (entered: Snapshot, left: readonly ClientRow[]): Snapshot => {
  const ensured = left.filter(({ isEnsured }) => isEnsured === true);
  if (ensured.length === 0) return entered;
  const rows = new Map(entered.store.clients.rows.map(([sequence, row]) => [row.id, { sequence, row }]));
  let { next } = entered.store.clients;
  const now = new VirtualClock(entered.clock).now();
  for (const client of ensured) {
    const existing = rows.get(client.id);
    if (existing === undefined) {
      rows.set(client.id, { sequence: next, row: { ...client, createdAt: now } });
      next += 1;
    } else if (existing.row.secretHash === null) {
      existing.row = { ...existing.row, redirectUris: client.redirectUris, isEnsured: true };
    }
  }
  const clients = {
    next,
    rows: [...rows.values()].map(({ sequence, row }): [number, ClientRow] => [sequence, row]),
  };
  return { ...entered, store: { ...entered.store, clients } };
};
