import { type Call, behavior, type Success } from "../../request/behavior.js";
import type { World } from "../../request/world.js";
import { errors } from "../../request/errors.js";
import { page } from "../../request/paging.js";
import { reach } from "../../request/reach.js";
import type { ConnectionRow } from "../../store/rows.js";
import { inventConnection, inventPassword } from "./connection-creation.js";
import { presentConnection, presentConnectionWithSecrets } from "./present-connection.js";

/**
 * Gives the role its password in the real database, where there is one. A database that is still to be made, or whose
 * making failed, gets its roles from the store when it is made.
 */
const grant = async ({ world }: Call, { id, databaseId, user, pass }: ConnectionRow): Promise<void> => {
  if (madeDatabase(world, databaseId)) {
    await world.databaseEngine.grant(databaseId, { connectionId: id, user, pass });
  }
};

const madeDatabase = ({ store }: World, databaseId: string): boolean =>
  store.databases.get(databaseId)?.made ?? false;

const answer = (status: 200 | 201, { world }: Call, connection: ConnectionRow): Success => ({
  status,
  body: { data: presentConnectionWithSecrets(world, connection) },
});

/** The database may have gone, or moved to another workspace, while the call waited for its turn. */
const create = (status: 200 | 201, call: Call, databaseId: string, name: string): Promise<Success> =>
  call.world.databaseWork.inTurn([databaseId], async () => {
    const connection = inventConnection(call.world, reach(call, "database", databaseId), name);
    await grant(call, connection);

    const { databases, connections } = call.world.store;
    const database = databases.get(databaseId);
    if (database === undefined) throw errors.notFound("database");
    connections.insert({ ...connection, workspaceId: database.workspaceId });
    if (database.defaultConnectionId === null) {
      databases.update(databaseId, { defaultConnectionId: connection.id });
    }
    return answer(status, call, connection);
  });

const rotate = (call: Call, { id, databaseId }: ConnectionRow): Promise<Success> =>
  call.world.databaseWork.inTurn([databaseId], async () => {
    const connection = reach(call, "connection", id);
    const pass = inventPassword(call.world);
    await grant(call, { ...connection, pass });

    const { connections } = call.world.store;
    if (connections.get(id) === undefined) throw errors.notFound("connection");
    return answer(200, call, connections.update(id, { pass }));
  });

/** Deleting the default connection makes the oldest left the default, or null. */
const remove = (call: Call, { id, databaseId }: ConnectionRow): Promise<Success> =>
  call.world.databaseWork.inTurn([databaseId], async () => {
    reach(call, "connection", id);
    const { store, databaseEngine } = call.world;
    if (madeDatabase(call.world, databaseId)) await databaseEngine.revoke(databaseId, id);

    store.connections.delete(id);
    const oldest = store.connections.find({ databaseId });
    if (store.databases.get(databaseId)?.defaultConnectionId === id) {
      store.databases.update(databaseId, { defaultConnectionId: oldest?.id ?? null });
    }
    return { status: 204 };
  });

export const connectionBehaviors = {
  "databases.connections.list": behavior("databases.connections.list", {
    check: (call) => reach(call, "database", call.path.databaseId),
    act: (call, database) =>
      page(call, call.world.store.connections, { databaseId: database.id }, (row) =>
        presentConnection(call.world, row),
      ),
  }),

  "databases.connections.create": behavior("databases.connections.create", {
    check: (call) => reach(call, "database", call.path.databaseId),
    act: (call, database) => create(200, call, database.id, call.body.name),
  }),

  "connections.list": behavior("connections.list", {
    check: () => undefined,
    act: (call) =>
      page(
        call,
        call.world.store.connections,
        { workspaceId: call.principal.workspaceId, databaseId: call.query.databaseId },
        (row) => presentConnection(call.world, row),
      ),
  }),

  "connections.create": behavior("connections.create", {
    check: (call) => reach(call, "database", call.body.databaseId),
    act: (call, database) => create(201, call, database.id, call.body.name),
  }),

  "connections.get": behavior("connections.get", {
    check: (call) => reach(call, "connection", call.path.id),
    act: ({ world }, connection) => ({ status: 200, body: { data: presentConnection(world, connection) } }),
  }),

  "connections.delete": behavior("connections.delete", {
    check: (call) => reach(call, "connection", call.path.id),
    act: (call, connection) => remove(call, connection),
  }),

  "connections.rotate": behavior("connections.rotate", {
    check: (call) => reach(call, "connection", call.path.id),
    act: (call, connection) => rotate(call, connection),
  }),
};
