import type { TokenDetail } from "@slipway/protocol/indexed";
import { Fragment } from "react";
import { linkNames } from "../../data/linkNames.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { toSafeUrl } from "../../format/links.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { ExternalLink } from "../../ui/externalLink.tsx";
import { Panel } from "../../ui/panel.tsx";

/** Shows the host and the page of a link: `x.com/tinboat`. */
const toShownLink = ({ host, pathname }: URL) => `${host.replace(/^www\./, "")}${pathname === "/" ? "" : pathname}`;

/** The creator's description as text, and links. An external link shows its host. */
export function AboutPanel({ token, jsonUrl }: { token: TokenDetail; jsonUrl: string }) {
  const { token: texts, tokenLinks } = useMessages();
  const website = toSafeUrl(token.website);
  const explorer = toSafeUrl(token.links.explorer);
  return (
    <Panel title={texts.about}>
      {token.description ? (
        <p dir="auto" className="max-h-60 overflow-y-auto text-sm break-words whitespace-pre-line">
          {toDisplayText(token.description)}
        </p>
      ) : null}
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm first:mt-0">
        {website ? (
          <>
            <dt className="text-muted">{texts.website}</dt>
            <dd className="min-w-0 text-end">
              <ExternalLink href={website.href} className="max-w-full">
                {website.host}
              </ExternalLink>
            </dd>
          </>
        ) : null}
        {linkNames.map((name) => {
          const link = toSafeUrl(token.links[name]);
          return link === null ? null : (
            <Fragment key={name}>
              <dt className="text-muted">{tokenLinks[name]}</dt>
              <dd className="min-w-0 text-end">
                <ExternalLink href={link.href} className="max-w-full">
                  {toShownLink(link)}
                </ExternalLink>
              </dd>
            </Fragment>
          );
        })}
        {explorer ? (
          <>
            <dt className="text-muted">{texts.explorer}</dt>
            <dd className="min-w-0 text-end">
              <ExternalLink href={explorer.href} className="max-w-full">
                {explorer.host}
              </ExternalLink>
            </dd>
          </>
        ) : null}
        <dt className="text-muted">{texts.api}</dt>
        <dd className="min-w-0 text-end">
          <a href={jsonUrl} className="font-semibold text-accent underline-offset-4 hover:underline">
            GET /tokens
          </a>
        </dd>
      </dl>
    </Panel>
  );
}
