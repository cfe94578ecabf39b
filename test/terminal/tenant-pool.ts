import type { NodeVersion } from "./installed-command.js";
import { Place } from "./place.js";
import { Service, type Tenant } from "./service.js";
import type { Shot } from "./shot.js";
import { createAcme, createEmpty, createWebshop } from "./tenants.js";

const creates = { empty: createEmpty, webshop: createWebshop, acme: createAcme };

/** A service, and tenants for shots. Shots that change nothing share theirs. */
export class TenantPool {
  readonly #shared = new Map<string, Promise<Tenant>>();

  private constructor(
    readonly node: NodeVersion,
    readonly service: Service,
  ) {}

  static async start(node: NodeVersion): Promise<TenantPool> {
    return new TenantPool(node, await Service.start(node));
  }

  /** Calls `use` with a place for a shot, and removes it afterwards. */
  async withPlace<T>(
    shot: Pick<Shot, "tenant" | "changes" | "alone">,
    use: (place: Place) => Promise<T>,
  ): Promise<T> {
    const service = shot.alone ? await Service.start(this.node) : this.service;
    const { tenant: kind = "webshop" } = shot;
    const isOwn = shot.alone ?? shot.changes ?? false;
    const place = new Place(
      service,
      isOwn ? await creates[kind](service) : await this.#sharedTenant(kind),
      this.node,
    );
    try {
      return await use(place);
    } finally {
      place.remove();
      if (shot.alone) await service.stop();
    }
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  #sharedTenant(kind: keyof typeof creates): Promise<Tenant> {
    const tenant = this.#shared.get(kind) ?? creates[kind](this.service);
    this.#shared.set(kind, tenant);
    return tenant;
  }
}
