import { defaultFeeBps, protocolFeeBps } from "@slipway/protocol/feeTiers";
import { formatShare } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";

/** The permanent parts of a launch, and how its fees work. */
export function PermanentParts({ feeBps = defaultFeeBps }: { feeBps: number | undefined }) {
  const { launch: text } = useMessages();
  const recipientsBps = feeBps - protocolFeeBps;
  return (
    <>
      <section className="panel flex flex-col gap-3 p-4">
        <h2 className="text-base font-bold">{text.never}</h2>
        <ul className="flex list-disc flex-col gap-1 ps-5 text-sm">
          {text.neverList.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </section>
      <section className="panel flex flex-col gap-3 p-4">
        <h2 className="text-base font-bold">{text.feesTitle}</h2>
        <p className="text-sm">
          {recipientsBps === 0
            ? text.feesBodyProtocolOnly(formatShare(feeBps))
            : text.feesBody(formatShare(feeBps), formatShare(protocolFeeBps), formatShare(recipientsBps))}
        </p>
      </section>
    </>
  );
}
