// `ao config schema`: what the file may contain, for editors.

import { EVERYONE } from '../../../core/boundary/rights.ts'
import { defineCommand } from '../../command.ts'

export const configSchemaCommand = defineCommand({
  name: 'config schema',
  inside: EVERYONE,
  about: 'Print the JSON Schema of the configuration file',
  details:
    'Editors with a YAML language server use it when the file begins with: # yaml-language-server: $schema=ao.schema.json',
  examples: [{ line: 'ao config schema > ao.schema.json', about: 'Then name it in the file as $schema' }],
  async run(_input, io) {
    const { configJsonSchema } = await import('../../../config/config-schema.ts')
    io.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`)
    return 0
  },
})
