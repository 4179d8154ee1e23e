// Every route of the dashboard's API that needs credentials: one table, from which requests are answered, access is
// tested and OpenAPI is written.
import { ACCESS_ROUTES } from './access-routes.ts'
import { ARCHIVE_ROUTES } from './archive-routes.ts'
import type { DashboardRoute } from './context.ts'
import { FEEDBACK_ROUTES } from './feedback-routes.ts'
import { ISSUE_ROUTES } from './issue-routes.ts'
import { OBSERVABILITY_ROUTES } from './observability-routes.ts'
import { PULL_ROUTES } from './pull-routes.ts'
import { SESSION_ROUTES } from './session-routes.ts'
import { SETTINGS_ROUTES } from './settings-routes.ts'

export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...ACCESS_ROUTES,
  ...SESSION_ROUTES,
  ...PULL_ROUTES,
  ...ISSUE_ROUTES,
  ...OBSERVABILITY_ROUTES,
  ...FEEDBACK_ROUTES,
  ...ARCHIVE_ROUTES,
  ...SETTINGS_ROUTES,
]
