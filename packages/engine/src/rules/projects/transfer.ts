import { type Call, behavior } from "../../request/behavior.js";
import { errors } from "../../request/errors.js";
import { adminScope } from "../../request/principal.js";
import { reachProject } from "./project-reach.js";
import { refuseTakenLogicalId } from "./projects.js";

/** The workspace that a live user token with `workspace:admin` opens; a service or agent token is none (§ Transfer). */
const recipientWorkspaceId = ({ world, body }: Call<"projects.transfer">): string => {
  const recipient = world.tokens.verified(body.recipientAccessToken);
  if (recipient?.kind !== "user" || !recipient.scopes.includes(adminScope))
    throw errors.invalidRecipientToken();
  return recipient.workspaceId;
};

export const transferBehaviors = {
  "projects.transfer": behavior("projects.transfer", {
    check: (call) => {
      const workspaceId = recipientWorkspaceId(call);
      const project = reachProject(call, call.path.id);
      if (workspaceId === project.workspaceId) throw errors.projectAlreadyInWorkspace();
      if (project.logicalId !== null) refuseTakenLogicalId(call.world, workspaceId, project.logicalId);
      return { project, workspaceId };
    },
    /** Everything in the project hangs on the project alone, so one change moves it all. */
    act: ({ world: { store, clock } }, { project, workspaceId }) => {
      store.projects.update(project.id, { workspaceId });
      const waiting = store.approvals.filter(
        (row) => row.projectId === project.id && row.status === "pending",
      );
      for (const { id } of waiting) store.approvals.update(id, { status: "expired", expiresAt: clock.now() });
      return { status: 204 };
    },
  }),
};
