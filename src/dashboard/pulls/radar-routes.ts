// The route of the radar: which live branches meet, and where.
import { radarAnswer } from '../../contract/dashboard/radar.ts'
import { requireProject } from '../../manager/context.ts'
import { readRadar } from '../../manager/observe/radar.ts'
import { route } from '../server/dashboard-route.ts'

/** The page asks again for what was not tried in this time. */
const BUDGET_MS = 2_000

export const RADAR_ROUTES = [
  route({
    method: 'GET',
    path: '/api/radar',
    summary: 'Which live branches conflict or change the same files, uncommitted work included',
    query: { project: 'Only this project' },
    answer: radarAnswer,
    handle: async ({ context, query }) => {
      const project = query.get('project') ?? undefined
      if (project !== undefined) requireProject(context, project)
      return readRadar(context, project, { budgetMs: BUDGET_MS })
    },
  }),
]
