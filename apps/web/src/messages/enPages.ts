import { account } from "./en/account.ts";
import { alerts } from "./en/alerts.ts";
import { business } from "./en/business.ts";
import { chart } from "./en/chart.ts";
import { directory } from "./en/directory.ts";
import { facts } from "./en/facts.ts";
import { fees } from "./en/fees.ts";
import { forecast } from "./en/forecast.ts";
import { gallery } from "./en/gallery.ts";
import { gas } from "./en/gas.ts";
import { launch } from "./en/launch.ts";
import { markets } from "./en/markets.ts";
import { notFound } from "./en/notFound.ts";
import { opening } from "./en/opening.ts";
import { picture } from "./en/picture.ts";
import { portfolio } from "./en/portfolio.ts";
import { report } from "./en/report.ts";
import { search } from "./en/search.ts";
import { share } from "./en/share.ts";
import { status } from "./en/status.ts";
import { token } from "./en/token.ts";
import { tokenLinks } from "./en/tokenLinks.ts";
import { tokenList } from "./en/tokenList.ts";
import { trade } from "./en/trade.ts";
import { wallet } from "./en/wallet.ts";

/** Texts of all pages except the first one. */
export const enPages = {
  account,
  business,
  alerts,
  chart,
  directory,
  facts,
  fees,
  forecast,
  gallery,
  gas,
  launch,
  picture,
  markets,
  notFound,
  opening,
  portfolio,
  report,
  search,
  share,
  status,
  token,
  tokenLinks,
  tokenList,
  trade,
  wallet,
};
