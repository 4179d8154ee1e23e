// `agh openapi`: print the description of the API. No daemon is needed for it.
import { defineCommand } from '../command.ts'

export const openapiCommand = defineCommand({
  program: 'agh',
  name: 'openapi',
  about: 'Print the description of the HTTP API (OpenAPI 3.1)',
  args: {},
  options: {},
  async run(_, io) {
    const { describeAghApi } = await import('../../agh/daemon/routes.ts')
    io.json(await describeAghApi())
    return 0
  },
})
