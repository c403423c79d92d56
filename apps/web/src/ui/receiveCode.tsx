import { useMessages } from "../messages/useMessages.ts";
import { CopyButton } from "./copyButton.tsx";

/** A QR code of a wallet's address. The service draws it. */
export function ReceiveCode({ address, src }: { address: string; src: string }) {
  const { ui } = useMessages();
  return (
    <figure className="flex flex-wrap items-center gap-4">
      <img
        src={src}
        alt={ui.receiveAlt(address)}
        width={160}
        height={160}
        loading="lazy"
        className="size-40 rounded-sm border border-line [image-rendering:pixelated]"
      />
      <figcaption className="flex min-w-0 flex-1 basis-40 flex-col gap-1 text-sm">
        <span className="text-muted">{ui.receiveBody}</span>
        <span className="font-semibold break-all">
          {address} <CopyButton text={address} label={address} className="align-middle" />
        </span>
      </figcaption>
    </figure>
  );
}
