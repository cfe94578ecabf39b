import { Stripe } from "stripe";

export const lister = (baseUrl, token) => {
  const { hostname, port } = new URL(baseUrl);
  const stripe = new Stripe(token, { protocol: "http", host: hostname, port });
  return async () => (await stripe.customers.list()).data;
};
