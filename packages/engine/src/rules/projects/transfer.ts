import { errors } from "../../values/errors.js";
import { type OperationCall, defineHandler } from "../../context/operation-handler.js";
import { adminScope } from "../../values/principal.js";
import { mapBatched } from "../../store/preload.js";
import { requireProject } from "./project-access.js";

/**
 * Returns the workspace of the recipient's token.
 *
 * @throws `transfer:invalid_recipient_token` unless it is a valid token of a user with the scope `workspace:admin`.
 */
const requireRecipientWorkspace = ({ bearers }: OperationCall<"projects.transfer">): string => {
  const recipient = bearers["recipientAccessToken"];
  if (recipient?.kind !== "user" || !recipient.scopes.includes(adminScope))
    throw errors["transfer:invalid_recipient_token"]({
      issues: [{ path: "/recipientAccessToken", message: "is not a valid access token for a transfer" }],
    });
  return recipient.workspaceId;
};

/** The handler of the operation that transfers a project to another workspace. */
export const transferHandlers = {
  "projects.transfer": defineHandler("projects.transfer", {
    check: (call) => {
      const workspaceId = requireRecipientWorkspace(call);
      const project = requireProject(call, call.path.id);
      if (workspaceId === project.workspaceId) throw errors["project:already_in_workspace"]();
      const { logicalId } = project;
      if (logicalId !== null && call.context.store.projects.find({ workspaceId, logicalId }))
        throw errors["project:logical_id_conflict/transfer"]({ logicalId });
      return { project, workspaceId };
    },
    /** Moves the project, and the rows that repeat its workspace. Pending approvals expire. */
    execute: ({ context: { store, clock } }, { project, workspaceId }) => {
      const { projects, databases, connections, apps, approvals } = store;
      projects.update(project.id, { workspaceId });
      for (const app of apps.list({ projectId: project.id })) apps.update(app.id, { workspaceId });
      mapBatched(databases.list({ projectId: project.id }), ({ id: databaseId }) => {
        const connectionsOfDatabase = connections.list({ databaseId });
        databases.update(databaseId, { workspaceId });
        for (const { id } of connectionsOfDatabase) connections.update(id, { workspaceId });
      });
      const pendingApprovals = approvals.list({ projectId: project.id, status: "pending" });
      for (const { id } of pendingApprovals)
        approvals.update(id, { status: "expired", expiresAt: clock.now() });
      return { status: 204 };
    },
  }),
};
