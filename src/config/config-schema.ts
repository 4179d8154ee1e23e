// The configuration as JSON Schema, for editors and `ao config schema`. Import it only for that.
import * as z from 'zod/mini'
import { configSchema } from '../contract/config/schema.ts'

export function configJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(configSchema, {
    // What a person writes, not what it is resolved to: keys with defaults may be omitted.
    io: 'input',
    override: ({ jsonSchema }) => {
      // The largest safe integer means nothing to a reader.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return {
    $schema: schema.$schema,
    title: 'agent-orchestrator.yaml',
    description: 'Configuration of ao: which repositories, and how agents run in them',
    ...schema,
  }
}
