import { useMessages } from "../../messages/useMessages.ts";

/** A drawn example of a forecast: the end of a series, and a fan that widens. Not data. */
export function SampleForecast() {
  const { forecast: text } = useMessages();
  return (
    <figure className="panel flex min-h-64 flex-col items-center justify-center gap-4 p-6 text-center">
      <svg aria-hidden="true" viewBox="0 0 320 120" className="w-full max-w-md">
        <path d="M190 62 320 18V108z" className="fill-accent opacity-15" />
        <path d="M190 62 320 36V90z" className="fill-accent opacity-25" />
        <path
          d="M0 88 20 80 40 86 60 70 80 74 100 58 120 66 140 52 160 60 190 62"
          className="fill-none stroke-ink"
          strokeWidth={2}
        />
        <path d="M190 62 320 63" className="fill-none stroke-accent" strokeWidth={2} strokeDasharray="5 4" />
      </svg>
      <figcaption className="max-w-md text-muted">{text.waiting}</figcaption>
    </figure>
  );
}
