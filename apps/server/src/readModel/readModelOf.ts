import type { Deps } from "../deps.ts";
import { createReadModel, type ReadModel } from "./createReadModel.ts";
import { ethUsdSource } from "./observeEthUsd.ts";

const models = new WeakMap<Deps, ReadModel>();

/** The one read model of a process's dependencies, made when it is first needed. */
export function readModelOf(deps: Deps): ReadModel {
  let model = models.get(deps);
  if (model === undefined) {
    model = createReadModel({
      db: deps.db.read,
      clock: deps.clock,
      maxBytes: deps.config.READ_CACHE_BYTES,
      ethUsdSource: () => ethUsdSource(deps.chain.manifestState().manifest),
    });
    models.set(deps, model);
  }
  return model;
}
