import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { environment } from "@slipway/server/config";
import { Deployment, type IDeployment } from "kubernetes-models/apps/v1/Deployment";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

/** The models of the pinned package, which validate by Kubernetes' own JSON schemas. */
const models = { ConfigMap, Deployment, NetworkPolicy, PersistentVolumeClaim, PodDisruptionBudget, Service };

type Resource = { apiVersion: string; kind: keyof typeof models; metadata: { name: string }; [field: string]: unknown };

const folder = fileURLToPath(new URL("../../../deploy/kubernetes/", import.meta.url));
const resources = globSync("*.yaml", { cwd: folder })
  .sort()
  .flatMap((file) => parseAllDocuments(readFileSync(folder + file, "utf8"), { version: "1.2" }))
  .map((document) => document.toJS() as Resource);
const deployments = resources.filter(({ kind }) => kind === "Deployment") as unknown as IDeployment[];
const settings = (resources.find(({ kind }) => kind === "ConfigMap") as unknown as { data: Record<string, string> })
  .data;

const validate = (resource: Resource) => new models[resource.kind](resource as never).validate();

test("every manifest is valid by Kubernetes' schema, and the schema refuses a wrong one", () => {
  expect(resources.map(({ kind }) => kind).sort()).toEqual([
    "ConfigMap",
    "Deployment",
    "Deployment",
    "Deployment",
    "NetworkPolicy",
    "PersistentVolumeClaim",
    "PodDisruptionBudget",
    "PodDisruptionBudget",
    "Service",
  ]);
  for (const resource of resources) {
    expect(resource.apiVersion).toBe(models[resource.kind].apiVersion);
    expect(() => validate(resource), resource.metadata.name).not.toThrow();
  }
  const wrong = structuredClone(deployments[0]!) as unknown as { spec: { replicas: unknown } };
  wrong.spec.replicas = "two";
  expect(() => validate(wrong as unknown as Resource)).toThrow(/replicas/);
});

test("every process is unprivileged, has a read-only root, probes, requests, and the shared settings and secrets", () => {
  expect(deployments.map(({ metadata }) => metadata!.name)).toEqual([
    "slipway-api",
    "slipway-indexer",
    "slipway-worker",
  ]);
  for (const { spec } of deployments) {
    const pod = spec!.template.spec!;
    const [server, ...others] = pod.containers;
    expect(others).toEqual([]);
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65532 });
    expect(server!.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(server!.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
    for (const probe of [server!.startupProbe, server!.livenessProbe]) expect(probe!.httpGet!.path).toBe("/healthz");
    expect(server!.envFrom).toEqual([{ configMapRef: { name: "slipway" } }, { secretRef: { name: "slipway" } }]);
    const ports = server!.ports!.map(({ name }) => name);
    for (const probe of [server!.startupProbe, server!.livenessProbe, server!.readinessProbe])
      expect(ports).toContain(probe!.httpGet!.port);
    const volumes = pod.volumes!.map(({ name }) => name);
    for (const { name } of server!.volumeMounts!) expect(volumes).toContain(name);
  }
});

test("every setting exists, and no setting of a manifest is a secret", () => {
  const own = deployments.flatMap(({ spec }) => spec!.template.spec!.containers[0]!.env!.map(({ name }) => name));
  const names = [...Object.keys(settings), ...own];
  expect(names.filter((name) => !Object.hasOwn(environment.shape, name))).toEqual([]);
  expect(names.filter((name) => /SECRET|PASSWORD|KEY|TOKEN|_URL$/.test(name) && name !== "SITE_URL")).toEqual([]);
});

test("a pod of the API is drained before it ends: preStop, drain and shutdown fit in the grace period", () => {
  for (const { spec } of deployments) {
    const pod = spec!.template.spec!;
    const preStopSeconds = pod.containers[0]!.lifecycle?.preStop?.sleep?.seconds ?? 0;
    const needed = preStopSeconds + Number(settings.DRAIN_SECONDS) + Number(settings.SHUTDOWN_TIMEOUT_MS) / 1_000;
    // The server itself gives up a second later.
    if (preStopSeconds > 0) expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(needed + 1);
  }
  const [api] = deployments;
  expect(api!.spec!.strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  expect(api!.spec!.template.spec!.containers[0]!.readinessProbe!.httpGet).toEqual({
    path: "/readyz?for=reads",
    port: "http",
  });
  // Kubernetes removes an unready pod after this time, during which it still serves.
  const { periodSeconds, failureThreshold } = api!.spec!.template.spec!.containers[0]!.readinessProbe!;
  expect(Number(settings.DRAIN_SECONDS)).toBeGreaterThan(periodSeconds! * failureThreshold!);
});

test("service and disruption budgets select the pods of a deployment", () => {
  const labels = deployments.map(({ spec }) => spec!.template.metadata!.labels);
  const selectors = resources.flatMap(({ kind, spec }) => {
    const { selector } = (spec ?? {}) as { selector?: { matchLabels?: unknown } };
    return kind === "Service" ? [selector] : kind === "PodDisruptionBudget" ? [selector?.matchLabels] : [];
  });
  expect(selectors.length).toBe(3);
  for (const selector of selectors) expect(labels).toContainEqual(selector);
});
