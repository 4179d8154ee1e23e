// Routes of sessions: everything goes through the manager that the command line uses.
import type { DashboardRoute } from './context.ts'

export const SESSION_ROUTES: readonly DashboardRoute[] = []
