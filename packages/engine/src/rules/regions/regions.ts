import { defineHandler } from "../../context/operation-handler.js";
import type { Product, ProductRegion, Region } from "../../generated/schemas.js";
import { regionNames } from "./serialize-region.js";

const products: readonly Product[] = ["postgres", "accelerate"];

const regions = [...regionNames].map(([id, name]): Region => ({
  id,
  type: "region",
  name,
  status: "available",
}));

export const regionHandlers = {
  "regions.listPostgres": defineHandler("regions.listPostgres", {
    check: () => undefined,
    execute: () => ({ status: 200, body: { data: regions } }),
  }),

  "regions.listAccelerate": defineHandler("regions.listAccelerate", {
    check: () => undefined,
    execute: () => ({
      status: 200,
      body: { data: regions.map(({ id, type, name }) => ({ id, type, name })) },
    }),
  }),

  "regions.list": defineHandler("regions.list", {
    check: () => undefined,
    execute: ({ query }) => {
      const selectedProducts = products.filter(
        (product) => query.product === undefined || query.product === product,
      );
      const data = selectedProducts.flatMap((product) =>
        regions.map((region): ProductRegion => ({ ...region, product })),
      );
      return { status: 200, body: { data } };
    },
  }),
};
