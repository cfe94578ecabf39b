import { isSameAddress } from "../profiles/place.js";
import { type Profile, profileNamed } from "../profiles/profile.js";
import { updateProfiles } from "../profiles/update-profiles.js";
import type { Caller } from "./caller.js";
import type { LoginTarget } from "./login-target.js";

const nothing: Partial<Profile> = {};

/** The workspace of a credential that is kept by now is the profile's default; the first profile is the active one. */
export const settleProfile = async (
  { file, name, profile }: LoginTarget,
  { workspaceId }: Caller,
): Promise<void> => {
  await updateProfiles(file, (all) => {
    const credential = profileNamed(all, name);
    const active = profileNamed(all, all.active) ? all.active : name;
    const { login, token, inKeyring } = credential ?? {};
    const { projectId: _, workspaceId: __, ...rest } = profile;
    // What was switched to while the browser was open; of another service it is nothing here.
    const stays = credential !== undefined && isSameAddress(credential.baseUrl, profile.baseUrl);
    const { projectId, workspaceId: before } = stays ? credential : nothing;
    const next = {
      ...rest,
      ...(login && { login }),
      ...(token !== undefined && { token }),
      ...(inKeyring !== undefined && { inKeyring }),
      ...(workspaceId !== null && { workspaceId }),
      // A project of another workspace is no default any more.
      ...(projectId !== undefined && before === workspaceId && { projectId }),
    };
    return { ...all, ...(active !== undefined && { active }), profiles: { ...all.profiles, [name]: next } };
  });
};
