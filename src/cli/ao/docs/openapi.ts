// `ao openapi`: the dashboard's API as OpenAPI 3.1.

import { EVERYONE } from '../../../core/boundary/rights.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { defineCommand } from '../../command.ts'

export const openapiCommand = defineCommand({
  name: 'openapi',
  inside: EVERYONE,
  about: "Print the description of the dashboard's API (OpenAPI 3.1)",
  async run(_input, io) {
    const { describeDashboardApi } = await import('../../../dashboard/server/describe-api.ts')
    io.write(`${JSON.stringify(describeDashboardApi(AO_VERSION ?? 'development'), null, 2)}\n`)
    return 0
  },
})
