import { accountExamples } from "./examples/accountExamples.ts";
import { administrationExamples } from "./examples/administrationExamples.ts";
import { alertExamples } from "./examples/alertExamples.ts";
import { businessExamples } from "./examples/businessExamples.ts";
import { credentialExamples } from "./examples/credentialExamples.ts";
import type { OperationExamples } from "./examples/example.ts";
import { feeExamples } from "./examples/feeExamples.ts";
import { forecastExamples } from "./examples/forecastExamples.ts";
import { gasExamples } from "./examples/gasExamples.ts";
import { launchExamples } from "./examples/launchExamples.ts";
import { marketExamples } from "./examples/marketExamples.ts";
import { peopleExamples } from "./examples/peopleExamples.ts";
import { riskExamples } from "./examples/riskExamples.ts";
import { serviceExamples } from "./examples/serviceExamples.ts";
import { signalExamples } from "./examples/signalExamples.ts";
import { signInExamples } from "./examples/signInExamples.ts";
import { tradeExamples } from "./examples/tradeExamples.ts";

const examples: Record<string, OperationExamples> = {
  ...serviceExamples,
  ...launchExamples,
  ...tradeExamples,
  ...feeExamples,
  ...gasExamples,
  ...marketExamples,
  ...businessExamples,
  ...forecastExamples,
  ...alertExamples,
  ...riskExamples,
  ...signalExamples,
  ...peopleExamples,
  ...signInExamples,
  ...accountExamples,
  ...credentialExamples,
  ...administrationExamples,
};

/** The examples of an operation's request and responses. */
export function getOperationExamples(name: string): OperationExamples {
  return examples[name] ?? { responses: {} };
}
