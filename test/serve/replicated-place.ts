import { afterAll, beforeAll } from "vitest";
import type { Client } from "pg";
import type { ServeSettings } from "../../packages/platform/src/serve/config-schema.js";
import { eventually } from "../crash/violation.js";
import { Forwarder } from "./forwarder.js";
import { ServePlace } from "./place.js";
import { PostgresCopy } from "./postgres-copy.js";

/** A service whose Postgres server has a synchronous standby. Servers and clients reach the primary at an address that can be moved. */
export class ReplicatedPlace extends ServePlace {
  readonly postgresAddress = new Forwarder();
  #primary: PostgresCopy | undefined;
  #standby: PostgresCopy | undefined;

  constructor() {
    super();
    beforeAll(async () => {
      await this.postgresAddress.start();
      await this.service.cluster.server.stop();
    });
    afterAll(async () => {
      this.postgresAddress.close();
      await this.#endCopies();
    });
  }

  override get settings(): ServeSettings {
    if (this.#primary === undefined) return super.settings;
    const url = new URL(super.settings.databaseUrl);
    url.port = String(this.postgresAddress.port);
    return { ...super.settings, databaseUrl: url.href };
  }

  get primary(): PostgresCopy {
    if (this.#primary === undefined) throw new Error("There is no primary");
    return this.#primary;
  }

  get standby(): PostgresCopy {
    if (this.#standby === undefined) throw new Error("There is no standby");
    return this.#standby;
  }

  /** Starts a primary and a standby with what the service had when it was new. */
  async startPair(): Promise<void> {
    await this.#endCopies();
    const { cluster } = this.service;
    const [primary, standby] = await PostgresCopy.makePair(cluster, cluster.options.directory);
    [this.#primary, this.#standby] = [primary, standby];
    await primary.start({ synchronous_standby_names: "*" });
    await standby.startFollowing(primary);
    await eventually("The standby does not follow", async () => {
      const [row] = await primary.query<{ state: string }>(
        "select sync_state as state from pg_stat_replication",
      );
      return row?.state === "sync" ? undefined : (row?.state ?? "none");
    });
    this.postgresAddress.target = primary.port;
  }

  override connectAsAdmin(): Promise<Client> {
    return (
      [this.#primary, this.#standby]
        .find((copy) => copy?.port === this.postgresAddress.target)
        ?.connect("service", "postgres") ?? super.connectAsAdmin()
    );
  }

  async #endCopies(): Promise<void> {
    await Promise.all([this.#primary?.kill(), this.#standby?.kill()]);
  }
}
