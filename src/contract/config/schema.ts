// The declared keys as a schema. zod/mini keeps a start fast: the full zod costs more than the rest of it together.
import * as z from 'zod/mini'
import type { ConfigFile } from '../config.ts'
import { schemaOf, type Zod } from './key.ts'
import { CONFIG } from './keys.ts'

/** One by one, so that bundles leave out the rest of zod. */
const parts: Zod = {
  ...{ string: z.string, number: z.number, int: z.int, boolean: z.boolean, enum: z.enum, unknown: z.unknown },
  ...{ array: z.array, union: z.union, record: z.record, partialRecord: z.partialRecord },
  ...{ strictObject: z.strictObject, looseObject: z.looseObject, optional: z.optional, _default: z._default },
  ...{ pipe: z.pipe, transform: z.transform, describe: z.describe, refine: z.refine, regex: z.regex },
  ...{ minimum: z.minimum, maximum: z.maximum, positive: z.positive, minLength: z.minLength, maxLength: z.maxLength },
}

export const configSchema = schemaOf(CONFIG, parts) as z.ZodMiniType<ConfigFile>
