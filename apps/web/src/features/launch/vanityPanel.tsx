import { getAddress } from "viem/utils";
import { formatCount } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copyButton.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import type { Vanity } from "./useVanity.ts";

/** The search for an address with the wanted ending, and its result. */
export function VanityPanel({ vanity }: { vanity: Vanity }) {
  const { launch: text } = useMessages();
  const { suffix, state, cancel, searchAgain, forget } = vanity;
  const without = (
    <Button size="sm" onClick={forget}>
      {text.vanityWithout}
    </Button>
  );
  return (
    <section className="panel flex flex-col gap-3 p-4">
      <h2 className="text-base font-bold">{text.vanity}</h2>
      {state.status === "waiting" ? <p className="text-sm text-muted">{text.vanityWaiting(suffix)}</p> : null}
      {state.status === "searching" ? <Searching suffix={suffix} state={state} cancel={cancel} /> : null}
      {state.status === "found" ? (
        <div role="status" className="flex flex-col gap-1 text-sm">
          <p className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
            <span className="text-muted">{text.vanityFound}</span>
            <span className="inline-flex min-w-0 items-center gap-1">
              <span className="font-semibold break-all">{getAddress(state.found.token)}</span>
              <CopyButton text={getAddress(state.found.token)} label={text.vanity} />
            </span>
          </p>
          <p className="text-muted">{text.vanityFoundHint}</p>
        </div>
      ) : null}
      {state.status === "cancelled" ? (
        <Notice
          live
          actions={
            <>
              <Button size="sm" variant="primary" onClick={searchAgain}>
                {text.vanityAgain}
              </Button>
              {without}
            </>
          }
        >
          {text.vanityCancelled(suffix)}
        </Notice>
      ) : null}
      {state.status === "failed" ? (
        <>
          <ErrorNote error={state.error} title={text.vanityFailed} onRetry={searchAgain} />
          <div>{without}</div>
        </>
      ) : null}
    </section>
  );
}

type SearchingProps = Pick<Vanity, "suffix" | "cancel"> & {
  state: Extract<Vanity["state"], { status: "searching" }>;
};

function Searching({ suffix, state: { progress }, cancel }: SearchingProps) {
  const { launch: text, wallet: walletText } = useMessages();
  return (
    <>
      <p role="status" className="text-sm">
        {text.vanitySearching(suffix)}
      </p>
      <progress
        aria-label={text.vanity}
        className="h-2 w-full accent-accent"
        max={progress?.expected}
        value={progress === null ? undefined : Math.min(progress.tried, progress.expected)}
      />
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm text-muted">
        {progress === null
          ? text.vanityPreparing
          : text.vanityProgress(formatCount(progress.tried), formatCount(progress.expected))}
        <Button size="sm" onClick={cancel}>
          {walletText.cancel}
        </Button>
      </div>
    </>
  );
}
