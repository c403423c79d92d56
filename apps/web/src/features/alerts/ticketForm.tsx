import { ApiError } from "@slipway/sdk/apiError";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { Button, buttonClasses } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { usePageTitle } from "../../ui/usePageTitle.ts";
import { takeTicket } from "./ticket.ts";

type TicketFormProps = {
  title: string;
  body: string;
  button: string;
  done: string;
  refused: string;
  post: (ticket: string) => Promise<unknown>;
};

/**
 * The page of a mail link. The ticket is in the fragment, which servers and logs do not receive. The page removes the
 * ticket from the address at once and posts it only when the user presses the button, because mail scanners open links.
 */
export function TicketForm({ title, body, button, done, refused, post }: TicketFormProps) {
  const { alerts: text } = useMessages();
  const [ticket] = useState(() => takeTicket(window.location.hash));
  usePageTitle(title);
  useEffect(() => {
    if (window.location.hash !== "") window.history.replaceState(window.history.state, "", window.location.pathname);
  }, []);
  const send = useMutation({ mutationFn: post });
  const isRefused =
    ticket === null || (send.error instanceof ApiError && send.error.status < 500 && send.error.status !== 429);
  return (
    <div className="page max-w-xl py-8">
      <div className="panel flex flex-col gap-4 p-6">
        <h1 className="text-xl font-bold">{title}</h1>
        {send.isSuccess || isRefused ? null : (
          <>
            <p className="text-muted">{body}</p>
            <Button
              variant="primary"
              size="lg"
              busy={send.isPending}
              className="self-start"
              onClick={() => send.mutate(ticket)}
            >
              {button}
            </Button>
          </>
        )}
        <div role="status" className="empty:-mt-4">
          {send.isSuccess ? (
            <Notice tone="success" title={done} />
          ) : isRefused ? (
            <Notice tone="error" title={refused} />
          ) : send.isError ? (
            <Notice tone="warning" title={text.later} />
          ) : null}
        </div>
        {send.isSuccess || isRefused ? (
          <Link to="/alerts" className={`self-start ${buttonClasses()}`}>
            {text.toAlerts}
          </Link>
        ) : null}
      </div>
    </div>
  );
}
