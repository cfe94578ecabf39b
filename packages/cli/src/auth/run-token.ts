import { noToken } from "../errors.js";
import { findPlace } from "../profiles/place.js";
import { tokenOf } from "../run/connect.js";
import type { Context, GlobalFlags } from "../run/context.js";
import { endOfToken } from "./token-end.js";

/** Prints the token that commands are sent with, refreshed if it was about to end. */
export const runToken = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { identity } = await findPlace(flags, context);
  if (!identity) throw noToken();
  const source = await tokenOf(identity.value, context);
  const token = typeof source === "string" ? source : await source();
  const { output } = context;
  if (output.format === "table") return output.text(token);
  const end = endOfToken(token);
  await output.answer({ token, endsAt: end === undefined ? null : new Date(end).toISOString() });
};
