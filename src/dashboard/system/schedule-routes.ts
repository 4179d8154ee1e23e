// Schedules and triggers, as `ao schedule` has them.
import { doneAnswer } from '../../contract/dashboard/answers.ts'
import { schedulePauseBody, scheduleRunAnswer, schedulesAnswer } from '../../contract/dashboard/pages.ts'
import { scheduleRows } from '../../manager/observe/schedule-rows.ts'
import { readSchedules } from '../../store/schedules.ts'
import { route } from '../server/dashboard-route.ts'

const ONE = '/api/projects/:project/schedules/:name'

export const SCHEDULE_ROUTES = [
  route({
    method: 'GET',
    path: '/api/schedules',
    summary: 'Schedules and triggers of all projects, and what became of the last times',
    answer: schedulesAnswer,
    handle: async ({ context }) => ({
      schedules: Object.values(context.config.projects).flatMap((project) =>
        scheduleRows(project, readSchedules(context.paths.project(project.id).dir), context.clock.now()),
      ),
    }),
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
