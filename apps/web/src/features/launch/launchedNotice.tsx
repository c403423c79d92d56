import { Link } from "@tanstack/react-router";
import { useMessages } from "../../messages/useMessages.ts";
import { buttonClasses } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** Set by the launch that opens the token's page. */
    isLaunched?: boolean;
  }
}

/** The note on the token's page after a launch in this browser, with the next step. */
export function LaunchedNotice({ token }: { token: { address: string; symbol: string } }) {
  const { launch: text, share } = useMessages();
  return (
    <Notice
      live
      tone="success"
      title={text.launchedTitle(token.symbol)}
      actions={
        <Link to="/t/$address/share" params={{ address: token.address }} className={buttonClasses("secondary", "sm")}>
          {share.title(token.symbol)}
        </Link>
      }
    >
      {text.launchedNext}
    </Notice>
  );
}
