// `agh task info`: show one task with its runs.
import type { Task } from '../../contract/agh/task.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { taskLines } from './task-lines.ts'

export const taskInfoCommand = defineCommand({
  program: 'agh',
  name: 'task info',
  about: 'Show one task with its runs',
  args: { task: { about: 'Task id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ task: Task }>(`/api/tasks/${encodeURIComponent(args.task)}`)
    printOne(io, format, answer, () => taskLines(io, answer.task))
  },
})
