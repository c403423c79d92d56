import { getAddress, isAddress } from "viem";
import { z } from "zod";

/*
 * The form of the descriptors that the standard ERC-7730 (version 2) describes, as far as this service uses it: any other
 * key is an error. The published JSON schema of the standard is not part of this repository.
 */

const address = z
  .string()
  .refine((text) => isAddress(text) && getAddress(text) === text, "must have the EIP-55 checksum");
const deployments = z.array(z.strictObject({ chainId: z.int().positive(), address }));
const name = z.string().min(1);

const context = z.union([
  z.strictObject({
    $id: name,
    contract: z.strictObject({
      deployments: deployments.optional(),
      factory: z.strictObject({ deployEvent: name, deployments }).optional(),
    }),
  }),
  z.strictObject({
    $id: name,
    eip712: z.strictObject({
      deployments,
      domain: z.strictObject({ name, version: name.optional() }).optional(),
    }),
  }),
]);

/** The parameters that each format accepts. */
const params: Record<string, z.ZodType> = {
  raw: z.undefined(),
  amount: z.undefined(),
  duration: z.undefined(),
  addressName: z.strictObject({
    types: z.array(z.enum(["wallet", "eoa", "contract", "token", "nft", "collection"])).min(1),
  }),
  tokenAmount: z.strictObject({ tokenPath: name, threshold: name.optional(), message: name.optional() }),
  date: z.strictObject({ encoding: z.enum(["timestamp", "blockheight"]) }),
  unit: z.strictObject({ base: name, decimals: z.int().min(0).optional() }),
  calldata: z.strictObject({ calleePath: name }),
};

const shownField = z
  .strictObject({
    path: name,
    label: name,
    format: z.enum(Object.keys(params) as [string, ...string[]]),
    params: z.unknown().optional(),
    visible: z
      .union([z.enum(["always", "optional", "never"]), z.strictObject({ ifNotIn: z.array(z.unknown()).min(1) })])
      .optional(),
  })
  .superRefine((value, refinement) => {
    const checked = params[value.format]!.safeParse(value.params);
    for (const issue of checked.error?.issues ?? [])
      refinement.addIssue({ code: "custom", path: ["params", ...issue.path], message: issue.message });
  });

/** A field that no device shows needs no label. */
const hiddenField = z.strictObject({ path: name, visible: z.literal("never") });
const field = z.union([hiddenField, shownField]);

const descriptor = z.strictObject({
  $schema: z.url(),
  context,
  metadata: z.strictObject({ owner: name, contractName: name.optional() }),
  display: z.strictObject({
    formats: z.record(name, z.strictObject({ intent: name, fields: z.array(field) })),
  }),
});

/** Returns the errors of a descriptor, each with its place. */
export function findDescriptorErrors(value: unknown): string[] {
  const { error } = descriptor.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `/${path.join("/")}: ${message}`);
}
