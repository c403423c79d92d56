import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import type { Input as ApiInput } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";

/** Creates an alert. A repeated request does not create a second alert. */
export function useCreateAlert() {
  const { api } = useServices();
  const client = useQueryClient();
  const last = useRef<{ body: string; key: string } | null>(null);
  return useMutation({
    mutationFn: async (alert: ApiInput<"createAlert">) => {
      const body = JSON.stringify(alert);
      if (last.current?.body !== body) last.current = { body, key: crypto.randomUUID() };
      await api.createAlert(alert, { idempotencyKey: last.current.key });
      // A second submission of the same alert creates another one.
      last.current = null;
      return alert;
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["listAlerts"] }),
  });
}

/** The email address of a new alert. */
export function EmailField(props: { value: string; error: string | null; onChange: (typed: string) => void }) {
  const { alerts: text } = useMessages();
  return (
    <Field label={text.email} hint={text.emailHint} error={props.error} required>
      {(control) => (
        <Input
          {...control}
          type="email"
          autoComplete="email"
          maxLength={254}
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Shows that an alert exists, and what starts it. */
export function CreatedNotice({ email }: { email: string }) {
  const { alerts: text } = useMessages();
  return (
    <Notice live tone="success" title={text.created}>
      {text.createdBody(email)}
    </Notice>
  );
}
