// Every route of the dashboard's API that needs credentials: one table, from which requests are answered, access is
// tested and OpenAPI is written.
import type { DashboardRoute } from './context.ts'
import { SESSION_ROUTES } from './session-routes.ts'

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [...SESSION_ROUTES]
