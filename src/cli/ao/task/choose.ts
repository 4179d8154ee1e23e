// `ao choose`: one of several tries of the same task.
import { AoError } from '../../../contract/errors.ts'
import type { LeftProcess } from '../../../contract/session.ts'
import { askYesNo } from '../../arguments/read-text.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { openAo } from '../open-ao.ts'
import { noteLeftRunning } from '../session/note-left-running.ts'

export const chooseCommand = defineCommand({
  name: 'choose',
  about: 'Choose one of several tries of a task, and end the others',
  details:
    'Their pull requests are closed and their worktrees removed; branches stay, and uncommitted work is saved under refs/ao/rescue/<session>/. Only a person can choose, and until then none of them lands. Repeating the command carries on with what could not be done.',
  args: { session: { about: 'The session that stays', required: true, completes: 'session' } },
  options: { yes: { short: 'y', about: 'Do not ask' }, json: JSON_OPTION },
  json: '{ task, chosen, ended: [id], closed: [url], failed: [{ session, why }] }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    if (!options.yes) {
      const { kind, sessions } = await ao.manager.compare(args.session)
      const others = sessions.filter(({ id, isArchived }) => id !== args.session && !isArchived).map(({ id }) => id)
      const question = `End ${others.join(' and ')}, and close what they opened?`
      const isAsked = kind === 'best' && others.length > 0 && io.stdin.isTTY && io.noteIsTerminal
      if (isAsked && !(await askYesNo(question, io))) throw new AoError('USAGE', 'Nothing was chosen')
    }
    const leftRunning: Array<[string, LeftProcess[]]> = []
    const rescues: string[] = []
    const choice = await withProgress(io, 'The choice was interrupted', (onProgress) =>
      ao.manager.choose(args.session, {
        onProgress,
        onRescue: ({ ref }) => rescues.push(ref),
        onNotice: (line) => io.note(`${io.noteStyle.yellow('warning:')} ${toOneLine(line)}`),
        onLeftRunning: (processes) => leftRunning.push([args.session, processes]),
      }),
    )
    if (options.json) io.json(choice)
    else {
      for (const [id, processes] of leftRunning) noteLeftRunning(io, id, processes)
      io.print(`${io.style.green('chose')} ${io.style.bold(choice.chosen)}; ended ${choice.ended.join(', ') || 'none'}`)
      for (const url of choice.closed) io.print(`  closed ${toOneLine(url)}`)
      for (const ref of rescues) io.print(`  uncommitted work is saved in ${ref}`)
      for (const { session, why } of choice.failed) io.print(`${io.style.red('failed')} ${session}: ${toOneLine(why)}`)
    }
    return choice.failed.length > 0 ? 1 : 0
  },
})
