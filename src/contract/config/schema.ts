// The declared keys as a schema. zod/mini keeps a start fast: the full zod costs more than the rest of it together.
import * as z from 'zod/mini'
import type { ConfigFile } from '../config.ts'
import { schemaOf } from './key.ts'
import { CONFIG } from './keys.ts'

export const configSchema = schemaOf(CONFIG, z) as z.ZodMiniType<ConfigFile>
