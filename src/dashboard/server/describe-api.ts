// The dashboard's API as OpenAPI 3.1, from the table of routes that answers it.
import { describeApi } from '../../http/openapi.ts'
import { DASHBOARD_ROUTES } from './routes.ts'

export function describeDashboardApi(version: string): Record<string, unknown> {
  return describeApi({
    title: 'ao dashboard',
    version,
    description:
      'Served by `ao start` and `ao dashboard` on this machine, port 3000 unless configured. Send the token of ' +
      '`~/.ao/run/<hash>.token` as `Authorization: Bearer …`; changes are JSON.',
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        description: 'This machine',
        variables: { port: { default: '3000', description: '`port` in the configuration' } },
      },
    ],
    security: {
      bearer: { type: 'http', scheme: 'bearer', description: 'The token of `~/.ao/run/<hash>.token`' },
    },
    routes: DASHBOARD_ROUTES,
    takesKeys: true,
  })
}
