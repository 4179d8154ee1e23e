// Routes for tasks and their runs.
import * as z from 'zod/mini'
import { createTaskSchema, taskSchema } from '../../../contract/agh/task.ts'
import { errorText } from '../../../contract/errors.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { createTask, enqueueRun } from '../../tasks/run-task.ts'
import { listTasks, readTask, removeTask } from '../../tasks/task-file.ts'
import { route } from './agh-route.ts'

const oneTask = z.object({ task: taskSchema })

export const TASK_ROUTES = [
  route({
    method: 'GET',
    path: '/api/tasks',
    inside: EVERYONE,
    summary: 'The tasks, oldest first, with their runs',
    answer: z.object({ tasks: z.array(taskSchema) }),
    handle: async ({ context }) => ({
      tasks: listTasks(context.paths, (error) => context.log.error(errorText(error))),
    }),
  }),
  route({
    method: 'POST',
    path: '/api/tasks',
    summary: 'Write a task down; nothing is started for it',
    body: createTaskSchema,
    status: 201,
    answer: oneTask,
    handle: async ({ context, body }) => ({ task: createTask(context, body) }),
  }),
  route({
    method: 'GET',
    path: '/api/tasks/:id',
    inside: EVERYONE,
    summary: 'One task with its runs',
    answer: oneTask,
    handle: async ({ context, params }) => ({ task: readTask(context.paths, params.id) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/tasks/:id',
    summary: 'Forget a task that no session is working on; its sessions stay',
    answer: oneTask,
    handle: async ({ context, params }) => ({ task: removeTask(context.paths, params.id) }),
  }),
  route({
    method: 'POST',
    path: '/api/tasks/:id/runs',
    summary: 'Enqueue a run: the coordinator of the workspace works on it, and is started if there is none',
    status: 202,
    answer: oneTask,
    handle: async ({ context, params }) => ({ task: enqueueRun(context, params.id) }),
  }),
] as const
