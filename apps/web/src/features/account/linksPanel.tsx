import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readOptions } from "../../data/queries.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useSignedInChange } from "../../session/useSignedInChange.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorNote } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { AccountError } from "./accountError.tsx";
import { ConfirmButton } from "./confirmButton.tsx";
import { Rows } from "./rows.tsx";

const providers = ["code_host", "social"] as const;
type Provider = (typeof providers)[number];

/** The prefix of the operator settings that each provider needs. */
const settingPrefixes: Readonly<Record<Provider, string>> = { code_host: "CODE_HOST", social: "SOCIAL" };

/** Returns the error from the URL when the browser returns from a provider and no handle was linked. */
function readLinkError(): string | null {
  const reason = new URLSearchParams(location.search).get("error");
  return reason !== null && /^\w{1,64}$/.test(reason) ? reason : null;
}

/** The linked handles of the account, and the buttons to link one. */
export function LinksPanel() {
  const { account: text } = useMessages();
  const { api } = useServices();
  const [linkError] = useState(readLinkError);
  const account = useQuery(readOptions("getAccount", undefined));
  const settings = useQuery(readOptions("getConfig", undefined));
  const start = useSignedInChange(async (provider: Provider) => {
    const { url } = await api.startLink({ provider, callback_url: "/account/links" });
    // Opens only http and https pages: a URL of another scheme could run code in this page.
    const target = new URL(url);
    if (target.protocol !== "https:" && target.protocol !== "http:")
      throw new Error("The provider's authorization URL is invalid.");
    location.assign(target);
  });
  const unlink = useSignedInChange((provider: Provider) => api.unlinkConnection({ provider }), ["getAccount"]);
  const failed = account.error ?? settings.error;
  const isLoaded = account.data !== undefined && settings.data !== undefined;
  if (failed !== null && !isLoaded) {
    const retry = () => void Promise.all([account.refetch(), settings.refetch()]);
    return <AccountError error={failed} onRetry={retry} busy={account.isFetching || settings.isFetching} />;
  }
  const find = (provider: Provider) => account.data?.connections.find((each) => each.provider === provider);
  const isAvailable = (provider: Provider) => settings.data?.providers[provider].available === true;
  const changeError = start.error ?? unlink.error;
  return (
    <Panel title={text.links} flush>
      <div className="flex flex-col gap-3 px-4 pb-3">
        <p className="text-sm text-muted">{text.linksHint}</p>
        {linkError === null ? null : <Notice tone="warning">{text.linkFailed(linkError)}</Notice>}
        {changeError === null ? null : <ErrorNote error={changeError} title={text.changeFailed} />}
      </div>
      <Rows
        label={text.links}
        rows={isLoaded ? providers : undefined}
        getKey={(provider) => provider}
        empty=""
        title={(provider) => text.providers[provider]}
        details={(provider) => {
          const link = find(provider);
          if (link === undefined)
            return isAvailable(provider) ? text.notLinked : text.notConfigured(settingPrefixes[provider]);
          return (
            <>
              <bdi className="break-all">{link.handle ?? link.id}</bdi>
              <span>
                {text.linkedAt} <Time value={link.linked_at} />
              </span>
            </>
          );
        }}
        action={(provider) => {
          const name = text.providers[provider];
          if (find(provider) !== undefined)
            return (
              <ConfirmButton
                label={text.unlink}
                of={name}
                title={text.unlinkHandleTitle(name)}
                body={text.unlinkHandleBody}
                busy={unlink.isPending && unlink.variables === provider}
                onConfirm={() => unlink.mutate(provider)}
              />
            );
          return isAvailable(provider) ? (
            <Button
              size="sm"
              busy={start.isPending && start.variables === provider}
              onClick={() => start.mutate(provider)}
            >
              {text.linkStart(name)}
            </Button>
          ) : null;
        }}
      />
      {start.dialog}
      {unlink.dialog}
    </Panel>
  );
}
