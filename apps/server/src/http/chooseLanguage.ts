import { type Language, languages } from "@slipway/protocol/languages";

const maxHeader = 500;

/** Chooses the language of a page by the header Accept-Language (RFC 9110, 12.5.4); the default without a match. */
export function chooseLanguage(header: string | undefined): Language {
  const wanted = (header ?? "")
    .slice(0, maxHeader)
    .split(",")
    .map((each) => {
      // Without a regular expression, whose time could grow with the square of the header's length.
      const [tag = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith("q="));
      const language = languages.find((known) => known === tag.split("-")[0]);
      return { language, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ language, quality }) => language !== undefined && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return wanted[0]?.language ?? languages[0];
}
