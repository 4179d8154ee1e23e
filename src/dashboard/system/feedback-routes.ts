// Agents' reports about ao.
import { feedbackAnswer } from '../../contract/dashboard/pages.ts'
import { createFeedbackStore } from '../../store/feedback/feedback.ts'
import { route } from '../server/dashboard-route.ts'

export const FEEDBACK_ROUTES = [
  route({
    method: 'GET',
    path: '/api/feedback',
    summary: 'Reports of agents, newest first',
    answer: feedbackAnswer,
    async handle({ context }) {
      const found = Object.keys(context.config.projects).map((projectId) => {
        const store = createFeedbackStore({ paths: context.paths.project(projectId), clock: context.clock })
        return { projectId, ...store.list() }
      })
      const reports = found.flatMap(({ projectId, reports: own }) =>
        own.map(({ version: _version, dedupeKey: _key, ...report }) => ({ projectId, ...report })),
      )
      return {
        reports: reports.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
        damaged: found.flatMap(({ damaged }) => damaged.map(({ file, why }) => `${file}: ${why}`)),
      }
    },
  }),
]
