// The configuration file as the page edits it: what it says without its secrets, changes of single keys, what they would do.
import * as z from 'zod/mini'
import { CONSENT_KINDS } from '../config/consent.ts'

/** GET /api/config */
export const configAnswer = z.object({
  configPath: z.string(),
  /** Of the text that this was read from; a change names it. */
  revision: z.string(),
  /** As written; literal secrets are `[hidden]`. */
  content: z.record(z.string(), z.unknown()),
  /** Names of the plugins that can be chosen, by slot. */
  plugins: z.record(z.string(), z.array(z.string())),
  /** The last change of the file was made by ao and can be undone. */
  canUndo: z.boolean(),
})

const revision = z.string().check(z.regex(/^[0-9a-f]{64}$/))
const part = z.union([
  z.string().check(z.minLength(1), z.maxLength(200)),
  z.int().check(z.minimum(0), z.maximum(10_000)),
])
const changes = z
  .array(
    z.strictObject({
      path: z.array(part).check(z.minLength(1), z.maxLength(16)),
      /** Absent: the key is removed. */
      value: z.optional(z.unknown()),
    }),
  )
  .check(z.minLength(1), z.maxLength(200))

/** POST /api/config/preview */
export const previewBody = z.strictObject({ changes })
export const previewAnswer = z.object({
  revision: z.string(),
  rows: z.array(z.object({ kind: z.enum(['same', 'removed', 'added', 'skipped']), text: z.string() })),
  problems: z.array(z.object({ key: z.string(), message: z.string(), suggestion: z.optional(z.string()) })),
  /** What has to be agreed to, each by its hash. */
  consents: z.array(z.object({ hash: z.string(), kind: z.enum(CONSENT_KINDS), what: z.string() })),
  warnings: z.array(z.string()),
})

/** POST /api/config */
export const saveBody = z.strictObject({ changes, revision, agreed: z.array(z.string()).check(z.maxLength(200)) })
export const savedAnswer = z.object({ revision: z.string() })
