import type { UploadedImage } from "@slipway/protocol/images";
import { type ReactNode, useState } from "react";
import { useMessages } from "../../messages/useMessages.ts";
import type { AccountStorage } from "../../session/accountStorage.ts";

const storageName = "pictures";
/** Stored pictures. The oldest are dropped first; a dropped picture shows only its URI. */
const maxPictures = 20;

type Picture = Pick<UploadedImage, "uri" | "url">;

function loadPictures(storage: Pick<AccountStorage, "getItem">): Picture[] {
  try {
    const kept: unknown = JSON.parse(storage.getItem(storageName) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.uri === "string" && typeof one.url === "string") : [];
  } catch {
    return [];
  }
}

/** Stores the service URL of an uploaded picture, because a draft contains only the URI, which may be `ipfs://`. */
export function keepPicture(storage: Pick<AccountStorage, "getItem" | "setItem">, { uri, url }: Picture): void {
  const others = loadPictures(storage).filter((one) => one.uri !== uri);
  storage.setItem(storageName, JSON.stringify([...others, { uri, url }].slice(-maxPictures)));
}

/** Returns this service's URL of a picture; null if the browser does not know one. */
export function findUrl(storage: Pick<AccountStorage, "getItem">, uri: string): string | null {
  const kept = loadPictures(storage).find((one) => one.uri === uri);
  if (kept !== undefined) return kept.url;
  const isOwn = uri.startsWith(`${location.origin}/media/`);
  return isOwn ? uri : null;
}

type ChosenPictureProps = {
  uri: string;
  storage: Pick<AccountStorage, "getItem">;
  /** Shown beside the picture. */
  children: ReactNode;
};

/**
 * Shows a draft's picture if this service has it. It never loads other URLs, because their servers would see the
 * visitor.
 */
export function ChosenPicture({ uri, storage, children }: ChosenPictureProps) {
  const { launch: text } = useMessages();
  const [failed, setFailed] = useState<string | null>(null);
  const url = findUrl(storage, uri);
  return (
    <div className="flex items-center gap-4">
      {url !== null && failed !== url ? (
        <img
          src={url}
          alt={text.pictureAlt}
          width={72}
          height={72}
          onError={() => setFailed(url)}
          className="size-18 shrink-0 rounded-full border border-line bg-sunken object-cover"
        />
      ) : (
        <span className="flex size-18 shrink-0 items-center justify-center rounded-full border border-dashed border-control bg-sunken" />
      )}
      <div className="min-w-0">
        {children}
        <p className="text-sm break-all text-muted">{uri}</p>
        {url !== null && failed !== url ? null : <p className="text-sm text-muted">{text.pictureNotShown}</p>}
      </div>
    </div>
  );
}
