import { useEffect } from "react";
import { useServices } from "../../session/services.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";

type AccountErrorProps = { error: Error; onRetry: () => void; busy?: boolean; className?: string };

/** Shows why account data could not be read; after an ended session it leads to the sign-in. */
export function AccountError({ error, ...rest }: AccountErrorProps) {
  const { session } = useServices();
  const isEnded = (error as { status?: unknown }).status === 401;
  useEffect(() => {
    if (isEnded) session.lost();
  }, [isEnded, session]);
  return <ErrorNote error={error} {...rest} />;
}
