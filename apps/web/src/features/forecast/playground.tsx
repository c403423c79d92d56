import type { ForecastLineAnswer, ForecastLineRequest } from "@slipway/protocol/forecast";
import { ApiError } from "@slipway/sdk/apiError";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { Answer } from "../../data/queries.ts";
import { formatCount } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { useAccount } from "../../session/useAccount.ts";
import { ErrorNote, getErrorCode } from "../../ui/errorNote.tsx";
import { Notice } from "../../ui/notice.tsx";
import { type FieldFaults, ForecastForm } from "./forecastForm.tsx";
import { ForecastResult } from "./forecastResult.tsx";
import { SampleForecast } from "./sampleForecast.tsx";

type Made = { request: ForecastLineRequest; answer: ForecastLineAnswer };

/** Returns a service error by its field; an error without a field appears beside the form. */
function getFieldFaults(error: unknown): FieldFaults {
  if (!(error instanceof ApiError) || error.field === undefined) return {};
  const name = /^(series|prediction_length|interval)\b/.exec(error.field)?.[1];
  return name === undefined ? {} : { [name]: error.message };
}

/** The form, the credits, and the latest forecast. */
export function Playground({ info, pair }: { info: Answer<"getForecastInfo">; pair: string | undefined }) {
  const { forecast: text } = useMessages();
  const { api } = useServices();
  const { account, refetch } = useAccount();
  // The same request keeps its key: a second press, or a retry after a lost response, is not charged again.
  const last = useRef<{ body: string; key: string } | null>(null);
  const make = useMutation({
    mutationFn: async (request: ForecastLineRequest): Promise<Made> => {
      const body = JSON.stringify(request);
      if (last.current?.body !== body) last.current = { body, key: crypto.randomUUID() };
      return { request, answer: await api.forecastLine(request, { idempotencyKey: last.current.key }) };
    },
    onSettled: () => void refetch(),
  });
  const refused = getFieldFaults(make.error);
  const isWithoutCredits = getErrorCode(make.error) === "insufficient_credits" || account?.credits === 0;
  return (
    <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-3">
        <p className="flex justify-between text-sm">
          <span className="text-muted">{text.remaining}</span>
          <span data-credits className="font-semibold">
            {formatCount(account?.credits ?? null)}
          </span>
        </p>
        {isWithoutCredits ? <Notice tone="warning">{text.noCredits}</Notice> : null}
        <ForecastForm info={info} pair={pair} busy={make.isPending} refused={refused} onSubmit={make.mutate} />
        {make.error !== null && Object.keys(refused).length === 0 && !isWithoutCredits ? (
          <ErrorNote error={make.error} />
        ) : null}
      </div>
      <div className="min-w-0" aria-live="polite">
        {make.data === undefined ? (
          <SampleForecast />
        ) : (
          <ForecastResult series={make.data.request.series} answer={make.data.answer} />
        )}
      </div>
    </div>
  );
}
