// Schedules and triggers, as `ao schedule` has them.
import { doneAnswer } from '../../contract/dashboard/answers.ts'
import { schedulePauseBody, scheduleRunAnswer, schedulesAnswer } from '../../contract/dashboard/pages.ts'
import { listSchedules } from '../../manager/observe/schedule-rows.ts'
import { route } from '../server/dashboard-route.ts'

const ONE = '/api/projects/:project/schedules/:name'

export const SCHEDULE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/schedules',
    summary: 'Schedules and triggers of all projects, and what became of the last times',
    answer: schedulesAnswer,
    handle: async ({ context }) =>
      listSchedules(Object.values(context.config.projects), context.paths, context.clock.now()),
  }),
  route({
    method: 'POST',
    path: `${ONE}/run`,
    summary: 'Start the work of a schedule now',
    answer: scheduleRunAnswer,
    handle: async ({ context, params }) => ({
      session: (await context.manager.runSchedule(params.project, params.name)).id,
    }),
  }),
  route({
    method: 'POST',
    path: `${ONE}/pause`,
    summary: 'Start nothing by a schedule or trigger, or let it start again',
    body: schedulePauseBody,
    answer: doneAnswer,
    handle: async ({ context, params, body }) => {
      await context.manager.pauseSchedule(params.project, params.name, body.paused)
      return { ok: true as const }
    },
  }),
]
