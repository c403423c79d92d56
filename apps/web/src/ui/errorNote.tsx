import { toDisplayText } from "../format/displayText.ts";
import { useMessages } from "../messages/useMessages.ts";
import { Button } from "./button.tsx";
import { Notice } from "./notice.tsx";

/** The fields of the SDK's ApiError. Importing its class would also load all response schemas. */
type ServiceError = Error & { code: string; requestId: string | null };
const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && typeof (error as Partial<ServiceError>).code === "string";

/** Returns the code of a service error; null for other errors, e.g. of the connection. */
export const getErrorCode = (error: unknown): string | null => (isServiceError(error) ? error.code : null);

type ErrorNoteProps = { error: unknown; onRetry?: () => void; busy?: boolean; title?: string; className?: string };

/** An error, with its code and request id for support, and a retry button. */
export function ErrorNote({ error, onRetry, busy = false, title, className }: ErrorNoteProps) {
  const { ui } = useMessages();
  const service = isServiceError(error) ? error : null;
  return (
    <Notice
      live
      tone="error"
      title={title ?? ui.errorTitle}
      className={className}
      actions={
        onRetry ? (
          <Button size="sm" onClick={onRetry} busy={busy}>
            {ui.retry}
          </Button>
        ) : undefined
      }
    >
      <p>{service ? toDisplayText(ui.serviceError(service.code, service.message)) : ui.unreachable}</p>
      {service ? (
        <p className="mt-1 break-all">
          {ui.errorCode} <code className="font-semibold text-ink">{toDisplayText(service.code)}</code>
          {service.requestId ? (
            <>
              {" · "}
              {ui.errorRequest} <code>{toDisplayText(service.requestId)}</code>
            </>
          ) : null}
        </p>
      ) : null}
    </Notice>
  );
}
