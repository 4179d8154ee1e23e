// `agh openapi`: print the description of the API. No daemon is needed for it.
import { defineCommand } from '../command.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const openapiCommand = defineCommand({
  program: 'agh',
  name: 'openapi',
  about: 'Print the description of the HTTP API (OpenAPI 3.1)',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const { describeAghApi } = await import('../../agh/daemon/routes/routes.ts')
    const document = await describeAghApi()
    printOne(io, format === 'human' ? 'json' : format, document, () => [])
  },
})
