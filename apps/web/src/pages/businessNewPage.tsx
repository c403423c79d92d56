import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { emptyFields } from "../features/business/businessFields.ts";
import { BusinessForm } from "../features/business/businessForm.tsx";
import { useMessages } from "../messages/useMessages.ts";
import { ActionButton } from "../session/actionButton.tsx";
import { SignInDialog } from "../session/lazySignInDialog.ts";
import { useServices, useSession } from "../session/services.tsx";
import { Button } from "../ui/button.tsx";
import { PageHead } from "../ui/pageHead.tsx";

/** The form of a new listing. Only publishing requires an account. */
export function BusinessNewPage() {
  const { business: text } = useMessages();
  const { api } = useServices();
  const { status } = useSession();
  const navigate = useNavigate();
  const [isSigningIn, setSigningIn] = useState(false);
  return (
    <div className="page max-w-3xl pb-10">
      <PageHead title={text.newTitle} lead={text.newLead} />
      <BusinessForm
        start={emptyFields}
        store={(input, idempotencyKey) => api.createBusiness(input, { idempotencyKey })}
        onStored={(id) => void navigate({ to: "/business/$id", params: { id } })}
        button={(send, busy) =>
          status === "signed_out" ? (
            <ActionButton onClick={() => setSigningIn(true)}>{text.signInToPublish}</ActionButton>
          ) : (
            <Button variant="primary" size="lg" busy={busy || status === "unknown"} onClick={send}>
              {text.publish}
            </Button>
          )
        }
      />
      {isSigningIn ? <SignInDialog onClose={() => setSigningIn(false)} /> : null}
    </div>
  );
}
