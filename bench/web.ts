import { parseArgs } from "node:util";
import { installChromium } from "../tests/support/browser/findChromium.ts";
import { type Goal, printGoals } from "./quant/goals.ts";
import { measureFirstPaint } from "./web/firstPaint.ts";
import { measureHeap } from "./web/heap.ts";
import { measureLighthouse } from "./web/lighthouse.ts";
import { measureLiveCost } from "./web/liveCost.ts";
import { measureScrolling } from "./web/scrolling.ts";
import { measureTwoBrowsers } from "./web/twoBrowsers.ts";

/**
 * `npm run bench -- web`: the site in a real Chromium, on a real local stack. Without a flag: `--live`, `--two`, `--scroll`,
 * `--paint` and `--lighthouse`. `--hour` leaves pages open for an hour, `--minutes N` for a shorter time; `--snapshots FOLDER` keeps
 * heap snapshots of the start and the end. Exit code 1 if a goal is missed.
 */
const { values } = parseArgs({
  options: {
    live: { type: "boolean", default: false },
    /** The duration of each window of the live cost, and of each part of the scrolling. */
    seconds: { type: "string", default: "15" },
    two: { type: "boolean", default: false },
    trades: { type: "string", default: "40" },
    scroll: { type: "boolean", default: false },
    paint: { type: "boolean", default: false },
    lighthouse: { type: "boolean", default: false },
    runs: { type: "string", default: "5" },
    hour: { type: "boolean", default: false },
    minutes: { type: "string" },
    snapshots: { type: "string" },
  },
});
const minutes = values.hour ? 60 : Number(values.minutes ?? 0);
const all = !(values.live || values.two || values.scroll || values.paint || values.lighthouse || minutes > 0);

installChromium();
const goals: Goal[] = [];
if (all || values.live) goals.push(...(await measureLiveCost({ seconds: Number(values.seconds) })));
if (all || values.two) goals.push(...(await measureTwoBrowsers({ trades: Number(values.trades) })));
if (all || values.scroll) goals.push(...(await measureScrolling({ seconds: Number(values.seconds) })));
if (all || values.paint) goals.push(...(await measureFirstPaint({ runs: Number(values.runs) })));
if (all || values.lighthouse) goals.push(...(await measureLighthouse({ runs: Number(values.runs) })));
if (minutes > 0) goals.push(...(await measureHeap({ minutes, snapshots: values.snapshots })));
process.exitCode = printGoals(goals);
