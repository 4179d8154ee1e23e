// `agh task create`: write a task down; nothing is started for it.
import { resolve } from 'node:path'
import type { Task } from '../../contract/agh/task.ts'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { taskLines } from './task-lines.ts'

export const taskCreateCommand = defineCommand({
  program: 'agh',
  name: 'task create',
  about: 'Write a task down; nothing is started for it',
  args: { title: { about: 'What is wanted, in a line', required: true, variadic: true } },
  options: {
    prompt: { value: 'text', about: 'What is to be done, in full' },
    workspace: { short: 'w', value: 'name', about: 'A registered workspace' },
    cwd: { value: 'path', about: 'A directory as workspace; the current one by default' },
    ...OUTPUT_OPTIONS,
  },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const { prompt, workspace, cwd } = options
    if (workspace !== undefined && cwd !== undefined) {
      throw new AoError('USAGE', 'Give --workspace or --cwd, not both', { hint: 'See: agh task create --help' })
    }
    const body = {
      title: args.title.join(' '),
      ...(prompt === undefined ? {} : { prompt }),
      ...(workspace === undefined ? { workspace_path: resolve(io.cwd, cwd ?? '.') } : { workspace }),
    }
    const answer = await openAgh(io).call<{ task: Task }>('/api/tasks', { method: 'POST', body })
    printOne(io, format, answer, () => taskLines(io, answer.task))
  },
})
