import type { ClientRow } from "../store/rows.js";
import { VirtualClock } from "../values/clock.js";
import type { Snapshot } from "./snapshot.js";

/**
 * Returns the new state with the ensured clients of the previous one. A confidential client of the new state with the same id
 * stays as it is.
 *
 * @param previousClients all clients of the previous state.
 */
export const carryOverEnsuredClients = (
  newSnapshot: Snapshot,
  previousClients: readonly ClientRow[],
): Snapshot => {
  const ensuredClients = previousClients.filter(({ isEnsured }) => isEnsured === true);
  if (ensuredClients.length === 0) return newSnapshot;
  const rows = new Map(newSnapshot.store.clients.rows.map(([sequence, row]) => [row.id, { sequence, row }]));
  let { next: nextSequence } = newSnapshot.store.clients;
  const now = new VirtualClock(newSnapshot.clock).now();
  for (const client of ensuredClients) {
    const existingClient = rows.get(client.id);
    if (existingClient === undefined) {
      rows.set(client.id, { sequence: nextSequence, row: { ...client, createdAt: now } });
      nextSequence += 1;
    } else if (existingClient.row.secretHash === null) {
      existingClient.row = { ...existingClient.row, redirectUris: client.redirectUris, isEnsured: true };
    }
  }
  const clients = {
    next: nextSequence,
    rows: [...rows.values()].map(({ sequence, row }): [number, ClientRow] => [sequence, row]),
  };
  return { ...newSnapshot, store: { ...newSnapshot.store, clients } };
};
