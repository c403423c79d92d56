import type { Settings } from "@slipway/protocol/settings";
import type { ReactNode } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import { CopyButton } from "../../ui/copyButton.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Price } from "../../ui/price.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

/** The chain, the manifest and the ETH price of this deployment. */
export function DeploymentPanel({ settings }: { settings: Settings | undefined }) {
  const { status } = useMessages();
  const { manifest, oracle } = settings ?? {};
  const facts: (readonly [string, ReactNode])[] = [
    [status.chainId, settings?.chain_id],
    [
      status.manifestHash,
      manifest &&
        (manifest.sha256 === null ? (
          "—"
        ) : (
          <span className="flex min-w-0 items-center gap-1">
            <code className="truncate" title={manifest.sha256}>
              {manifest.sha256}
            </code>
            <CopyButton text={manifest.sha256} label={status.manifestHash} />
          </span>
        )),
    ],
    [
      status.manifest,
      manifest && (
        <span
          className={`inline-flex items-center gap-1 font-semibold ${manifest.verified ? "text-buy" : "text-warn"}`}
        >
          <Icon name={manifest.verified ? "check" : "warning"} size={14} />
          {manifest.verified ? status.verified : status.notVerified}
          {manifest.verified_at_block === null ? "" : ` ${status.atBlock(manifest.verified_at_block)}`}
        </span>
      ),
    ],
    [
      status.ethUsd,
      oracle &&
        (oracle.price === null ? (
          `${status.ethUsdNone}${oracle.reason === null ? "" : ` (${oracle.reason})`}`
        ) : (
          <>
            <Price value={oracle.price} className="font-semibold" />{" "}
            <span className="text-muted">{status.methods[oracle.method]}</span>
          </>
        )),
    ],
  ];
  return (
    <section aria-labelledby="chain" className="panel flex flex-col gap-2 p-4">
      <h2 id="chain" className="text-base font-bold">
        {status.chain}
      </h2>
      <dl className="divide-y divide-line text-sm">
        {facts.map(([name, value]) => (
          <div key={name} className="grid min-h-10 grid-cols-[8rem_minmax(0,1fr)] items-center gap-3 py-1.5">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0">{settings ? value : <Skeleton className="h-4 w-40" />}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
