// `agh task remove`: forget a task that nobody works on; its sessions stay.
import type { Task } from '../../contract/agh/task.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { taskLines } from './task-lines.ts'

export const taskRemoveCommand = defineCommand({
  program: 'agh',
  name: 'task remove',
  about: 'Forget a task that nobody works on; its sessions stay',
  args: { task: { about: 'Task id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const path = `/api/tasks/${encodeURIComponent(args.task)}`
    const answer = await openAgh(io).call<{ task: Task }>(path, { method: 'DELETE' })
    printOne(io, format, answer, () => taskLines(io, answer.task))
  },
})
